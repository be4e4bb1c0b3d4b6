"""JSON files of results: written field by field, read with checks of every key and value."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._io import DataError, read_bytes, written_whole
from labelwise._validation import check_names

# Enough for two million labels without names and intervals, or half a million with both. Parsing
# JSON takes up to twelve times its size in memory.
_MAX_BYTES = 2**27
# Most lists and objects that a file may have; results are written with at most 15.
_MOST_LISTS = 20
_TEXT_OR_LIST = re.compile(rb'"(?:[^"\\]|\\.)*+"|([\[{])', re.DOTALL)
_NOT_FINITE = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}

# Turns the value of a key into that of a field; the second argument is the key, for messages.
Reader = Callable[[Any, str], Any]


def write_fields(named: Mapping[str, Any], path: str | Path, form: str, version: int) -> None:
    """Write fields by name; an error leaves an existing file unchanged."""
    content = fields_content(named, form, version)
    lines = ",\n".join(f" {_json(name)}: {_indented(part)}" for name, part in content.items())
    with written_whole(path) as stream:
        stream.write(f"{{\n{lines}\n}}\n".encode())


def fields_content(named: Mapping[str, Any], form: str, version: int) -> dict[str, Any]:
    """Return the content of a file of fields, ready for JSON."""
    content = {name: _as_json(value) for name, value in named.items()}
    return {"format": form, "version": version, **content}


def read_fields(
    path: str | Path,
    form: str,
    versions: Mapping[int, Collection[str]],
    readers: Mapping[str, Reader],
    build: Callable[[dict[str, Any]], Any],
) -> Any:
    """Read a file of fields, and build the result; anything that is not written is refused.

    `versions` has, for each version of the format, the fields that some of its files lack, because
    they were added later. Such fields are not given to `build`.
    """
    content = _read_json(path)
    if not isinstance(content, dict) or content.pop("format", None) != form:
        raise DataError(path, f"is not a file of {form}.")
    found = content.pop("version", None)
    if type(found) is not int or found not in versions:
        known = " to ".join(map(str, sorted({min(versions), max(versions)})))
        raise DataError(path, f"has version {found!r:.50}, but only {known} can be read.")
    present = {name: read for name, read in readers.items() if name in content}
    odd = sorted(set(content) ^ {*present, *(set(readers) - set(versions[found]))})
    if odd:
        problem = "has an unknown" if odd[0] in content else "lacks the"
        raise DataError(path, f"{problem} key {odd[0]!r:.50}.")
    try:
        return build({name: read(content[name], name) for name, read in present.items()})
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise DataError(path, str(error)[:200] or "has more data than memory.") from error


def has_format(path: str | Path, form: str) -> bool:
    """Return whether a file of fields says that it has a format."""
    content = _read_json(path)
    return isinstance(content, dict) and content.get("format") == form


def _read_json(path: str | Path) -> Any:
    content = bytes(read_bytes(path, _MAX_BYTES))
    # Count lists before parsing: parsed empty lists take twenty times their size in memory. Names
    # may have brackets as well; only then texts are told apart from lists, which takes longer.
    if content.count(b"[") + content.count(b"{") > _MOST_LISTS and _has_many_lists(content):
        raise DataError(path, f"has more than the {_MOST_LISTS} lists that a result may have.")
    try:
        return json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse,
            parse_float=_finite,
        )
    except (ValueError, RecursionError, MemoryError) as error:
        raise DataError(path, f"is not JSON ({str(error)[:200]}).") from error


def _has_many_lists(content: bytes) -> bool:
    opened = (found for found in _TEXT_OR_LIST.finditer(content) if found[1])
    return len(list(islice(opened, _MOST_LISTS + 1))) > _MOST_LISTS


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"the key {name!r:.50} is there twice")
        content[name] = value
    return content


def _finite(written: str) -> float:
    found = float(written)
    if not math.isfinite(found):
        raise ValueError(f"{written:.50} is too large for a number")
    return found


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


def _as_json(value: Any) -> Any:
    """Return lists and numbers for JSON; infinite numbers and NaN become strings.

    A dataclass or a named tuple becomes an object with its fields.
    """
    if is_dataclass(value):
        return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return {name: _as_json(item) for name, item in value._asdict().items()}
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
        items = value.tolist()
        for place in np.flatnonzero(~np.isfinite(value)):
            items[place] = str(items[place])
        return items
    if isinstance(value, np.ndarray | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, np.generic):
        return _as_json(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


_json = partial(json.dumps, ensure_ascii=False, allow_nan=False)


def _indented(value: Any, depth: int = 1) -> str:
    """Return the text of ``json.dumps(value, indent=1)``, ten times as fast for long lists."""
    between = ",\n" + " " * (depth + 1)
    if isinstance(value, dict) and value:
        parts = (f"{_json(name)}: {_indented(item, depth + 1)}" for name, item in value.items())
        return f"{{{between[1:]}{between.join(parts)}\n{' ' * depth}}}"
    if not isinstance(value, list) or not value:
        return _json(value)
    if any(isinstance(item, list | dict) for item in value[:1]):
        written = between.join(_indented(item, depth + 1) for item in value)
    else:
        written = _json(value, separators=(between, ": "))[1:-1]
    return f"[{between[1:]}{written}\n{' ' * depth}]"


def _kind(value: Any, name: str, kinds: tuple[type, ...], words: str) -> Any:
    """Return a value if its type is one of `kinds`; True and False are not numbers."""
    if type(value) not in kinds:
        raise TypeError(f"{name} must be {words}, got {value!r:.50}.")
    return value


def number(value: Any, name: str) -> float:
    """Read a number; infinite numbers and NaN are strings."""
    if isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    return float(_kind(value, name, (int, float), "a number"))


text = partial(_kind, kinds=(str,), words="a string")
flag = partial(_kind, kinds=(bool,), words="true or false")


def whole(value: Any, name: str) -> int:
    """Read a whole number from 0 on."""
    found: int = _kind(value, name, (int,), "a whole number")
    if not 0 <= found < 2**63:
        raise ValueError(f"{name} must not be negative or huge, got {found}.")
    return found


def each(value: Any, name: str, read: Reader) -> list[Any]:
    """Read each item of a list."""
    return [read(item, name) for item in _kind(value, name, (list,), "a list")]


def numbers(value: Any, name: str) -> np.ndarray:
    """Read a list of numbers, at least one."""
    items = _kind(value, name, (list,), "a list")
    if not set(map(type, items)) <= {int, float}:
        items = each(items, name, number)
    found = np.array(items, dtype=np.float64)
    if found.size == 0 or np.isnan(found).any():
        raise ValueError(f"{name} must be numbers, at least one.")
    return found


def wholes(value: Any, name: str) -> np.ndarray:
    """Read a list of whole numbers."""
    items = _kind(value, name, (list,), "a list")
    if set(map(type, items)) == {int} and 0 <= min(items) <= max(items) < 2**63:
        return np.array(items, dtype=np.int64)
    return np.array(each(items, name, whole), dtype=np.int64)


def sums(value: Any, name: str) -> np.ndarray:
    """Read sums of weights: int64 if all are whole numbers, as they are without weights."""
    if not isinstance(value, list) or not any(type(item) is float for item in value):
        return wholes(value, name)
    found = numbers(value, name)
    if not ((found >= 0) & np.isfinite(found)).all():
        raise ValueError(f"{name} must be finite and not negative.")
    return found


def names(value: Any, name: str) -> tuple[str, ...]:
    """Read a list of distinct names."""
    return check_names(each(value, name, text), name)


def pair(value: Any, name: str) -> tuple[float, float]:
    """Read a list of two numbers."""
    low, high = each(value, name, number)
    return low, high


def rows(value: Any, name: str) -> np.ndarray:
    """Read two lists of numbers of the same length."""
    low, high = each(value, name, numbers)
    return np.stack([low, high])


def or_none(read: Reader) -> Reader:
    """Return a reader that also takes null."""
    return lambda value, name: None if value is None else read(value, name)


def record(
    value: Any,
    name: str,
    kind: type,
    readers: Mapping[str, Reader],
    later: Collection[str] = (),
) -> Any:
    """Read an object with exactly the keys of a dataclass or a named tuple.

    Keys of `later` were added to the format, and may all be absent.
    """
    content = _kind(value, name, (dict,), "an object")
    if set(content) not in (set(readers), set(readers) - set(later)):
        raise ValueError(f"{name} must have the keys {', '.join(readers)}.")
    return kind(**{key: readers[key](content[key], f"{name}.{key}") for key in content})


def one_of(*allowed: str) -> Reader:
    """Return a reader of one of several words."""

    def read(value: Any, name: str) -> str:
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r:.50}.")
        return str(value)

    return read
