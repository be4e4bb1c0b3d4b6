"""JSON files of unknown origin: parsed within bounds, with checks of every value, and written.

A subclass of `JsonFile` declares each key of a file once, with its type, in the order in which keys
are written; where the key is another word than the field, it is the alias. `read_json` parses a
file, completes files of older versions, and validates the content by one of several models.
`json_content` returns the content that `write_json` writes.

Importing pydantic takes 0.06 seconds, so that this file is imported only to read or write a file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    GetPydanticSchema,
    ValidationError,
)

from labelwise._io import DataError, read_bytes, written_whole
from labelwise._validation import check_names

# Numbers that JSON does not have are written as words.
_WORDS = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


def read_as(kind: Any, *validators: Any) -> GetPydanticSchema:
    """Validate a field as if it were annotated with `kind` and the validators."""
    return GetPydanticSchema(
        lambda _, handler: handler.generate_schema(Annotated[kind, *validators])
    )


def as_record(kind: Callable[..., Any], model: type[FileObject]) -> GetPydanticSchema:
    """Read an object of the file as a record of the program that has the same fields."""
    return read_as(model, AfterValidator(lambda found: kind(**dict(found))))


def _without_words(value: Any) -> Any:
    """Replace the words for numbers, in a number or in a list of numbers."""
    if isinstance(value, list):
        return [_WORDS.get(item, item) if type(item) is str else item for item in value]
    return _WORDS.get(value, value) if type(value) is str else value


def _not_nan(numbers: list[float]) -> np.ndarray:
    found = np.array(numbers, dtype=np.float64)
    if np.isnan(found).any():
        raise ValueError("nan is not allowed.")
    return found


Number = Annotated[float, BeforeValidator(_without_words)]
Whole = Annotated[int, Field(ge=0, lt=2**63)]
NUMBERS = (FailFast(), BeforeValidator(_without_words))
Floats = Annotated[np.ndarray, read_as(list[float], *NUMBERS, AfterValidator(_not_nan))]
Wholes = Annotated[
    np.ndarray,
    read_as(list[Whole], FailFast(), AfterValidator(partial(np.array, dtype=np.int64))),
]
Names = Annotated[
    tuple[str, ...],
    read_as(list[str], FailFast(), AfterValidator(partial(check_names, input_name="names"))),
]


class FileObject(BaseModel):
    """An object of a file, which has exactly these keys."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True
    )


class JsonFile(FileObject):
    """The keys of a file after those of its format and version."""

    form: ClassVar[str]
    # For each version that can be read, the keys that its files may lack, and their values: they
    # were added one after the other. The last version is written.
    later: ClassVar[Mapping[int, Mapping[str, Any]]]

    @classmethod
    def current(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Return the content of a file of an older version as that of the last one."""
        return {**cls.later[version], **content}


# Enough for two million labels without names and intervals, or half a million with both. Parsing
# JSON takes up to twelve times its size in memory.
_MAX_BYTES = 2**27
# Most lists and objects that a file may have, and most keys of an object; rules are written with
# at most 28 and 29.
_MOST_LISTS, _MOST_KEYS = 28, 40
_TEXT_OR_LIST = re.compile(rb'"(?:[^"\\]|\\.)*+"|([\[{])', re.DOTALL)
# What a value must be, by the kind of an error of pydantic.
_KINDS = {
    "float_type": "a number",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "string_type": "a string",
    "list_type": "a list",
    "model_type": "an object",
    "dict_type": "an object",
}


def read_json(path: str | Path, *models: type[JsonFile]) -> Any:
    """Read a file of one of these formats; refuse what no version has written."""
    content = _parsed(path)
    form = content.pop("format", None) if isinstance(content, dict) else None
    model = next((one for one in models if one.form == form), None)
    if model is None:
        raise DataError(path, f"is not a file of {' or '.join(one.form for one in models)}.")
    version = content.pop("version", None)
    if type(version) is not int or version not in model.later:
        known = " to ".join(map(str, sorted({min(model.later), max(model.later)})))
        raise DataError(path, f"has version {version!r:.50}, but only {known} can be read.")
    try:
        return model.model_validate(model.current(content, version))
    except ValidationError as error:
        raise DataError(path, _sentence(error)) from error
    except (OverflowError, MemoryError) as error:
        raise DataError(path, str(error)[:200] or "has more data than memory.") from error


def _sentence(error: ValidationError) -> str:
    """Return the first error as the rest of a sentence that begins with the file."""
    first = error.errors(include_url=False)[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    place, kind, message = place.removeprefix("."), first["type"], first["msg"]
    if kind == "missing":
        return f"lacks the key {place!r:.50}."
    if kind == "extra_forbidden":
        return f"has an unknown key {place!r:.50}."
    if kind == "value_error":
        said = message.removeprefix("Value error, ")
        return f"{place}: {said[:200]}" if place else said
    if kind in _KINDS:
        message = f"Input should be {_KINDS[kind]}"
    must = re.sub(r"^\w+ should (.*?)( after validation.*)?$", r"must \1", message)
    return f"{place} {must}, got {first['input']!r:.50}."


def _parsed(path: str | Path) -> Any:
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
    if len(pairs) > _MOST_KEYS:
        raise ValueError(f"an object has more than {_MOST_KEYS} keys")
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


def json_content(model: type[JsonFile], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file, ready for JSON, from the values of its fields by name."""
    keys = {one.alias or name: named[name] for name, one in model.model_fields.items()}
    content = {key: _as_json(value) for key, value in keys.items()}
    return {"format": model.form, "version": max(model.later), **content}


def _as_json(value: Any) -> Any:
    """Return lists and numbers for JSON; infinite numbers and NaN become strings.

    A dataclass or a named tuple becomes an object with its fields.
    """
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    if is_dataclass(value):
        return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return {name: _as_json(item) for name, item in value._asdict().items()}
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
        items = value.tolist()
        for place in np.flatnonzero(~np.isfinite(value)):
            items[place] = str(items[place])
        return items
    if isinstance(value, np.ndarray | tuple | list):
        return [_as_json(item) for item in value]
    if isinstance(value, np.generic):
        return _as_json(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def write_json(content: Mapping[str, Any], path: str | Path) -> None:
    """Write a content, one item of a list on each line; an error leaves a file unchanged."""
    with written_whole(path) as stream:
        stream.write(f"{_indented(content, 0)}\n".encode())


_json = partial(json.dumps, ensure_ascii=False, allow_nan=False)


def _indented(value: Any, depth: int) -> str:
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
