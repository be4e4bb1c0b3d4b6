"""Matrices as JSON lines: an object for each row, with a number for each label, or a list."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._columns import find_ids, named_ids
from labelwise._io import TEXT_BYTES, Bound, DataError, check_lines, decode

# Whole numbers of more digits have no float; whether they are ids does not depend on them.
_LARGEST = 2**53


class JsonRows(NamedTuple):
    """Numbers of each row and label, with the names, the ids and the key of the ids."""

    values: np.ndarray
    names: tuple[str, ...]
    ids: tuple[str, ...] | None
    id_name: str
    has_label_lists: bool = False


def read_json_lines(
    path: Path, content: bytearray, bound: Bound, id_names: Sequence[str] | None = None
) -> JsonRows:
    """Read the matrix; the id is the first key of `id_names` that the first object has.

    If None, the id is found by `find_ids`. Empty lines are ignored. If the only other value is a
    list, it contains the names of the row's labels, and cells are 0 and 1.
    """
    check_lines(path, content)
    lines = [(n, line) for n, line in enumerate(decode(content)[0].split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line.strip()]
    if not lines:
        raise DataError(path, "is empty.")
    first = _object(path, *lines[0])
    bound.check(len(lines) * (len(first) * 8 + TEXT_BYTES), "its cells")
    rows = {number: _object(path, number, line) for number, line in lines}
    for number, row in rows.items():
        if row.keys() != first.keys():
            raise _wrong_keys(path, number, row, first)
    id_name = _found_ids(rows.values(), list(first))
    if id_names is not None:
        id_name = named_ids(path, id_names, list(first))
    keys = [name for name in first if name != id_name]
    has_lists = len(keys) == 1 and isinstance(first[keys[0]], list)
    values, names = (_listed if has_lists else _numbers)(path, rows, keys, bound)
    ids = None
    if id_name is not None:
        ids = tuple(_id(path, number, id_name, row[id_name]) for number, row in rows.items())
    return JsonRows(values, names, ids, id_name or "id", has_lists)


def _found_ids(rows: Collection[dict[str, Any]], keys: list[str]) -> str | None:
    import pyarrow as pa

    def parts(name: str) -> Iterator[Any]:
        values = [row[name] for row in rows if row[name] is not None]
        if any(isinstance(value, list | dict) for value in values):
            yield pa.array([[]])  # lists are no ids
        elif any(isinstance(value, str) for value in values):
            yield pa.array(list(map(str, values)))
        else:
            yield pa.array([max(-_LARGEST, min(value, _LARGEST)) for value in values], pa.float64())

    return find_ids(keys, parts)


def _numbers(
    path: Path, rows: dict[int, dict[str, Any]], keys: list[str], _bound: Bound
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the number of each row and label."""
    values = np.empty((len(rows), len(keys)))
    for i, (number, row) in enumerate(rows.items()):
        for j, name in enumerate(keys):
            values[i, j] = _number(path, number, name, row[name])
    return values, tuple(keys)


def _listed(
    path: Path, rows: dict[int, dict[str, Any]], keys: list[str], bound: Bound
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return 1 for each label name that a row lists, and the sorted names."""
    (key,) = keys
    for number, row in rows.items():
        named = row[key]
        if not isinstance(named, list) or not all(isinstance(name, str) and name for name in named):
            raise DataError(path, f"must have a list of label names for {key!r:.50}.", number)
    names = sorted({name for row in rows.values() for name in row[key]})
    bound.check(len(rows) * len(names) * 8, "its cells")
    places = {name: j for j, name in enumerate(names)}
    values = np.zeros((len(rows), len(names)))
    for i, row in enumerate(rows.values()):
        values[i, [places[name] for name in row[key]]] = 1
    return values, tuple(names)


def write_json_lines(
    stream: Any,
    values: np.ndarray,
    names: Sequence[str],
    ids: Sequence[str] | None,
    id_name: str,
) -> None:
    """Write one object for each row, the id first."""
    for i, row in enumerate(values.tolist()):
        of_id = {} if ids is None else {id_name: ids[i]}
        cells = {**of_id, **dict(zip(names, row, strict=True))}
        stream.write(json.dumps(cells, ensure_ascii=False).encode() + b"\n")


def write_label_lists(
    stream: Any, sets: Sequence[list[str]], ids: Sequence[str] | None, id_name: str
) -> None:
    """Write one object for each row: its id, and the list "labels" of the label names."""
    for i, names in enumerate(sets):
        of_id = {} if ids is None else {id_name: ids[i]}
        stream.write(json.dumps({**of_id, "labels": names}, ensure_ascii=False).encode() + b"\n")


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(path, "is not JSON.", number) from error
    if not isinstance(row, dict):
        raise DataError(path, f"must have an object, got {type(row).__name__}.", number)
    return row


def _wrong_keys(path: Path, number: int, row: dict[str, Any], first: dict[str, Any]) -> DataError:
    missing = next((name for name in first if name not in row), None)
    if missing is not None:
        return DataError(path, f"has no value for {missing!r:.50}.", number)
    extra = next(name for name in row if name not in first)
    return DataError(path, f"has the key {extra!r:.50}, which the first row has not.", number)


def _id(path: Path, number: int, name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise DataError(path, f"must have text or a whole number for {name!r:.50}.", number)
    return str(value)


def _number(path: Path, number: int, name: str, value: Any) -> float:
    try:
        if isinstance(value, int | float):
            return float(value)
    except OverflowError:
        pass
    raise DataError(path, f"has {value!r:.50} for {name!r:.50}, not a number.", number)
