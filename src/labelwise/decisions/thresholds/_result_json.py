"""Files of thresholds: JSON with a version, read with checks of every key and value."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._io import DataError, read_bytes, written_whole
from labelwise._validation import check_names
from labelwise.decisions.guarantees._guarantee import Guarantee
from labelwise.decisions.guarantees._options import EXPECTATION
from labelwise.decisions.thresholds._constraint_checks import ConstraintCheck
from labelwise.decisions.thresholds._result import Thresholds

FORMAT = "labelwise thresholds"
VERSION = 2
# Enough for two million labels without names and intervals, or half a million with both. Parsing
# JSON takes up to twelve times its size in memory.
_MAX_BYTES = 2**27
# Most lists and objects that a file may have; `write_thresholds` writes at most 14.
_MOST_LISTS = 20
_TEXT_OR_LIST = re.compile(rb'"(?:[^"\\]|\\.)*+"|([\[{])', re.DOTALL)
_NOT_FINITE = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


def write_thresholds(thresholds: Thresholds, path: str | Path) -> None:
    """Write a file of thresholds; an error leaves an existing file unchanged."""
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    for field in fields(thresholds):
        content[field.name] = _as_json(getattr(thresholds, field.name))
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    with written_whole(path) as stream:
        stream.write(f"{text}\n".encode())


def read_thresholds(path: str | Path) -> Thresholds:
    """Read a file of thresholds; anything that `write_thresholds` does not write is refused."""
    content = _read_json(path)
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise DataError(path, f"is not a file of {FORMAT}.")
    version = content.pop("version", None)
    if type(version) is not int or version != VERSION:
        raise DataError(path, f"has version {version!r:.50}, but only {VERSION} is known.")
    odd = sorted(set(content) ^ set(_READERS))
    if odd:
        problem = "has an unknown" if odd[0] in content else "lacks the"
        raise DataError(path, f"{problem} key {odd[0]!r:.50}.")
    try:
        found = {name: read(content[name], name) for name, read in _READERS.items()}
        return _of_one_size(found)
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise DataError(path, str(error)[:200] or "has more data than memory.") from error


def _read_json(path: str | Path) -> Any:
    content = bytes(read_bytes(path, _MAX_BYTES))
    # Count lists before parsing: parsed empty lists take twenty times their size in memory.
    opened = (found for found in _TEXT_OR_LIST.finditer(content) if found[1])
    if len(list(islice(opened, _MOST_LISTS + 1))) > _MOST_LISTS:
        raise DataError(path, f"has more than the {_MOST_LISTS} lists that thresholds may have.")
    try:
        return json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse,
            parse_float=_finite,
        )
    except (ValueError, RecursionError, MemoryError) as error:
        raise DataError(path, f"is not JSON ({str(error)[:200]}).") from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"the key {name!r:.50} is there twice")
        content[name] = value
    return content


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.50} is too large for a number")
    return number


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON number")


def _as_json(value: Any) -> Any:
    """Return lists and numbers for JSON; infinite numbers and NaN become strings."""
    if isinstance(value, Guarantee):
        return {name: _as_json(getattr(value, name)) for name in _OF_GUARANTEE}
    if isinstance(value, ConstraintCheck):
        return {name: _as_json(item) for name, item in value._asdict().items()}
    if isinstance(value, np.ndarray | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, np.generic):
        return _as_json(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _of_one_size(found: dict[str, Any]) -> Thresholds:
    """Return the thresholds if every array has an entry for each label."""
    n_labels = found["values"].size
    for name in ("support", "decided", "label_names", "intervals"):
        size = n_labels if found[name] is None else np.shape(found[name])[-1]
        if size != n_labels:
            raise ValueError(f"{name} has {size} labels but values has {n_labels}.")
    needed = None if found["guarantee"] is None else found["guarantee"].needed
    if needed is not None and needed.size != n_labels:
        raise ValueError(f"guarantee has {needed.size} labels but values has {n_labels}.")
    return Thresholds(**found)


def _kind(value: Any, name: str, kinds: tuple[type, ...], words: str) -> Any:
    """Return a value if its type is one of `kinds`; True and False are not numbers."""
    if type(value) not in kinds:
        raise TypeError(f"{name} must be {words}, got {value!r:.50}.")
    return value


def _number(value: Any, name: str) -> float:
    if isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    return float(_kind(value, name, (int, float), "a number"))


_text = partial(_kind, kinds=(str,), words="a string")
_flag = partial(_kind, kinds=(bool,), words="true or false")


def _whole(value: Any, name: str) -> int:
    number: int = _kind(value, name, (int,), "a whole number")
    if not 0 <= number < 2**63:
        raise ValueError(f"{name} must not be negative or huge, got {number}.")
    return number


def _each(value: Any, name: str, read: Callable[[Any, str], Any]) -> list[Any]:
    return [read(item, name) for item in _kind(value, name, (list,), "a list")]


def _numbers(value: Any, name: str) -> np.ndarray:
    numbers = np.array(_each(value, name, _number), dtype=np.float64)
    if numbers.size == 0 or np.isnan(numbers).any():
        raise ValueError(f"{name} must be numbers, at least one.")
    return numbers


def _wholes(value: Any, name: str) -> np.ndarray:
    return np.array(_each(value, name, _whole), dtype=np.int64)


def _sums(value: Any, name: str) -> np.ndarray:
    """Read sums of weights: int64 if all are whole numbers, as they are without weights."""
    if any(type(item) is float for item in _kind(value, name, (list,), "a list")):
        sums = _numbers(value, name)
        if not ((sums >= 0) & np.isfinite(sums)).all():
            raise ValueError(f"{name} must be finite and not negative.")
        return sums
    return _wholes(value, name)


def _names(value: Any, name: str) -> tuple[str, ...]:
    return check_names(_each(value, name, _text), name)


def _pair(value: Any, name: str) -> tuple[float, float]:
    low, high = _each(value, name, _number)
    return low, high


def _rows(value: Any, name: str) -> np.ndarray:
    low, high = _each(value, name, _numbers)
    return np.stack([low, high])


def _record(
    value: Any, name: str, kind: type, readers: Mapping[str, Callable[[Any, str], Any]]
) -> Any:
    """Read an object with exactly the keys of a record."""
    content = _kind(value, name, (dict,), "an object")
    if set(content) != set(readers):
        raise ValueError(f"{name} must have the keys {', '.join(readers)}.")
    return kind(**{key: read(content[key], f"{name}.{key}") for key, read in readers.items()})


def _one_of(*allowed: str) -> Callable[[Any, str], str]:
    def read(value: Any, name: str) -> str:
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r:.50}.")
        return str(value)

    return read


def _level(value: Any, name: str) -> float | str:
    return value if value == EXPECTATION else _number(value, name)


def _or_none(read: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    return lambda value, name: None if value is None else read(value, name)


_AVERAGE = _one_of("micro", "macro", "sample")
_OF_CONSTRAINT: dict[str, Callable[[Any, str], Any]] = {
    "name": _one_of("min_precision", "min_recall", "max_decisions"),
    "limit": _number,
    "value": _number,
    "corrected_value": _number,
}
_OF_GUARANTEE: dict[str, Callable[[Any, str], Any]] = {
    "level": _level,
    "average": _AVERAGE,
    "across": _one_of("each", "all"),
    "min_precision": _or_none(_number),
    "min_recall": _or_none(_number),
    "precision": _number,
    "recall": _number,
    "value": _number,
    "f_bound": _or_none(_number),
    "n_tuning": _whole,
    "n_calibration": _whole,
    "needed": _or_none(_wholes),
}


def _constraints(value: Any, name: str) -> tuple[ConstraintCheck, ...]:
    read = partial(_record, kind=ConstraintCheck, readers=_OF_CONSTRAINT)
    return tuple(_each(value, name, read))


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "values": _numbers,
    "value": _number,
    "measure": _text,
    "average": _text,
    "support": _sums,
    "decided": _sums,
    "n_samples": _whole,
    "beta": _number,
    "label_names": _or_none(_names),
    "gap": _or_none(_number),
    "certificate": _or_none(_number),
    "shared": _flag,
    "shrink": _number,
    "fbr": _or_none(_number),
    "interval": _or_none(_pair),
    "intervals": _or_none(_rows),
    "most_per_row": _or_none(_whole),
    "constraints": _constraints,
    "guarantee": _or_none(partial(_record, kind=Guarantee, readers=_OF_GUARANTEE)),
    "adapted": _flag,
    "n_missing": _whole,
    "weighted": _flag,
}
