"""Files of thresholds and of bands: JSON of unknown origin, read with checks of every value.

`ThresholdFile` and `BandFile` declare each key of the two files once, with its type, in the order
in which keys are written. Their fields are named as in `Thresholds`, `Evidence` and `Bands`; where
the key in the file is another word, it is the alias. `read_rule` parses a file within bounds,
completes files of older versions, and validates the content by one of the models. `rule_content`
returns the content that `write_rule` writes.

Importing pydantic takes 0.06 seconds, so that this file is imported only to read or write a rule.
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
from typing import Annotated, Any, ClassVar, Literal, Self

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
    ValidationInfo,
    WrapValidator,
    model_validator,
)

from labelwise._counts import averaged_name
from labelwise._io import DataError, read_bytes, written_whole
from labelwise._tuning._slice_thresholds import SliceThresholds
from labelwise._tuning.guarantees._guarantee import Guarantee
from labelwise._tuning.objectives._constraints import ConstraintCheck
from labelwise._tuning.objectives._request import (
    EXPECTATION,
    BandRequest,
    Certify,
    Request,
    options,
)
from labelwise._validation import check_names

# Numbers that JSON does not have are written as words.
_WORDS = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


def _read_as(kind: Any, *validators: Any) -> GetPydanticSchema:
    """Validate a field as if it were annotated with `kind` and the validators."""
    return GetPydanticSchema(
        lambda _, handler: handler.generate_schema(Annotated[kind, *validators])
    )


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


def _sums(value: Any, validated: Callable[[Any], list[float]]) -> np.ndarray:
    """Return sums of weights: int64 if all are whole numbers, as they are without weights."""
    numbers = validated(value)
    is_whole = all(type(item) is int for item in value)
    return np.array(value, dtype=np.int64) if is_whole else np.array(numbers)


def _level(value: Any, validated: Callable[[Any], float]) -> float | str:
    return EXPECTATION if value == EXPECTATION else validated(value)


def _record(kind: Callable[..., Any], model: type[_FileObject]) -> GetPydanticSchema:
    """Read an object of the file as a record of the program that has the same fields."""
    return _read_as(model, AfterValidator(lambda found: kind(**dict(found))))


Number = Annotated[float, BeforeValidator(_without_words)]
Whole = Annotated[int, Field(ge=0, lt=2**63)]
_Sum = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_NUMBERS = (FailFast(), BeforeValidator(_without_words))
_TWO = Field(min_length=2, max_length=2)
Floats = Annotated[np.ndarray, _read_as(list[float], *_NUMBERS, AfterValidator(_not_nan))]
_Thresholds = Annotated[Floats, Field(min_length=1)]
Wholes = Annotated[
    np.ndarray,
    _read_as(list[Whole], FailFast(), AfterValidator(partial(np.array, dtype=np.int64))),
]
_Sums = Annotated[np.ndarray, _read_as(list[_Sum], FailFast(), WrapValidator(_sums))]
Names = Annotated[
    tuple[str, ...],
    _read_as(list[str], FailFast(), AfterValidator(partial(check_names, input_name="names"))),
]
_Pair = Annotated[
    tuple[float, float], _read_as(list[float], _TWO, *_NUMBERS, AfterValidator(tuple))
]
_Ends = Annotated[np.ndarray, _read_as(list[_Thresholds], _TWO, AfterValidator(np.stack))]


def _request_of_file(kind: Any, content: dict[str, Any], n_labels: int) -> Any:
    """Build a request from the options that a file has, or raise a ValueError.

    Options that the file does not have were not known when it was written.
    """
    unknown = content.keys() - {one.name for one in options(kind)}
    if unknown:
        raise ValueError(f"there is no option {min(unknown)!r:.50}.")
    given = dict(content)
    try:
        if isinstance(given.get("guarantee"), dict):
            given["guarantee"] = Certify(**given["guarantee"])
        if isinstance(given.get("fbr"), list):
            given["fbr"] = tuple(given["fbr"])
        request = kind(**given, n_labels=n_labels)
        asked = _asked_for(request) or {}
    except TypeError as error:
        raise ValueError(str(error)) from error
    for name, value in content.items():
        if asked.get(name) != value:
            raise ValueError(f"{name} must be {asked.get(name)!r:.50}, got {value!r:.50}.")
    return request


def _asked(kind: type, first: str) -> AfterValidator:
    """Read what was asked for; `first` is a list with an item for each label."""

    def read(content: dict[str, Any] | None, info: ValidationInfo) -> Any:
        n_labels = len(info.data.get(first, ()))
        return None if content is None else _request_of_file(kind, content, n_labels)

    return AfterValidator(read)


_Options = dict[str, Any] | None
_Level = Annotated[float | str, _read_as(Number, WrapValidator(_level))]


class _FileObject(BaseModel):
    """An object of a file, which has exactly these keys."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True
    )


class _ConstraintFields(_FileObject):
    name: Literal["min_precision", "min_recall", "max_decisions"]
    limit: Number
    value: Number
    corrected_value: Number
    label: str | None
    corrected_label: str | None


class _GuaranteeFields(_FileObject):
    level: _Level
    average: Literal["micro", "macro", "sample"]
    across: Literal["each", "all", "slices"]
    min_precision: Number | None
    min_recall: Number | None
    precision: Number
    recall: Number
    value: Number
    f_bound: Number | None
    n_tuning: Whole
    n_calibration: Whole
    needed: Wholes | None
    weigh: Literal["row", "group"] = "row"
    n_groups: Whole | None = None


class _SliceFields(_FileObject):
    """Thresholds and counts of slices, those of the labels of a slice after another."""

    names: Names
    values: _Thresholds
    support: _Sums
    decided: _Sums
    true_positives: _Sums
    n_samples: Wholes
    max_decided: Wholes | None


class _BandGuaranteeFields(_FileObject):
    level: Number
    min_precision: Number | None
    min_recall: Number | None
    precision: Number
    recall: Number
    review_per_1000: Number
    n_tuning: Whole
    n_calibration: Whole
    weigh: Literal["row", "group"] = "row"


class _CurveFields(_FileObject):
    starts: Wholes
    floors: Floats
    shares: Floats


def _slices_of_lists(names: tuple[str, ...], max_decided: Any, **parts: Any) -> SliceThresholds:
    """Build thresholds of slices from flat lists, of which each has an entry for every cell."""
    n_slices, n_samples = len(names), parts.pop("n_samples")
    if not n_slices or n_samples.size != n_slices:
        raise ValueError(f"n_samples must have {n_slices} numbers, one a slice.")
    if max_decided is not None and max_decided.size != n_slices:
        raise ValueError(f"max_decided must have {n_slices} numbers, one a slice.")
    size = parts["values"].size
    for name, part in parts.items():
        if part.size != size or size % n_slices:
            raise ValueError(f"{name} must have a number for each label in each slice.")
    matrices = {name: part.reshape(n_slices, -1) for name, part in parts.items()}
    return SliceThresholds(names, n_samples=n_samples, max_decided=max_decided, **matrices)


class RuleFile(_FileObject):
    """The keys of a file after those of its format and version."""

    form: ClassVar[str]
    # For each version that can be read, the keys that its files may lack, and their values: they
    # were added one after the other. The last version is written.
    later: ClassVar[Mapping[int, Mapping[str, Any]]]

    @classmethod
    def current(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Return the content of a file of an older version as that of the last one."""
        return {**cls.later[version], **content}

    def _check_sizes(self, first: str, *others: str) -> None:
        """Refuse arrays without an entry for each label."""
        n_labels = getattr(self, first).size
        for name in others:
            found = getattr(self, name)
            size = n_labels if found is None else np.shape(found)[-1]
            if size != n_labels:
                raise ValueError(f"{name} has {size} labels but {first} has {n_labels}.")


# Values of keys that were added to the files of thresholds.
_SINCE_2: Mapping[str, Any] = {"most_per_row": None, "constraints": [], "guarantee": None}
_SINCE_3 = {"adapted": False, "n_missing": 0, "weighted": False, "top_per_row": None}
_SINCE_5 = {"request": None}
_SINCE_6 = {"slices": None}


def _with_labels(constraint: Any) -> Any:
    labels = dict.fromkeys(("label", "corrected_label"))
    is_old = isinstance(constraint, dict) and not labels.keys() & constraint.keys()
    return {**constraint, **labels} if is_old else constraint


class ThresholdFile(RuleFile):
    """A file of thresholds: the fields of `Thresholds` and of its `Evidence`."""

    form = "labelwise thresholds"
    later = {
        1: {**_SINCE_2, **_SINCE_3, **_SINCE_5, **_SINCE_6},
        2: {**_SINCE_3, **_SINCE_5, **_SINCE_6},
        3: {**_SINCE_5, **_SINCE_6},
        4: {**_SINCE_5, **_SINCE_6},
        5: _SINCE_6,
        6: {},
    }

    values: _Thresholds
    value: Number
    measure: str
    average: str
    support: _Sums
    decided: _Sums
    n_samples: Whole
    beta: Number
    label_names: Names | None
    gap: Number | None
    certificate: Number | None
    shared: bool
    shrink: Number
    fbr: Number | None
    interval: _Pair | None
    intervals: _Ends | None
    max_decided: Whole | None = Field(alias="most_per_row")
    max_rank: Whole | None = Field(alias="top_per_row")
    constraints: Annotated[
        tuple[ConstraintCheck, ...],
        _read_as(
            list[Annotated[Any, _record(ConstraintCheck, _ConstraintFields)]],
            AfterValidator(tuple),
        ),
    ]
    guarantee: Annotated[Guarantee, _record(Guarantee, _GuaranteeFields)] | None
    adapted: bool
    n_missing: Whole
    weighted: bool
    request: Annotated[_Options, _asked(Request, "values")]
    slices: Annotated[SliceThresholds, _record(_slices_of_lists, _SliceFields)] | None

    @classmethod
    def current(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Return the content; old files, and those of the desk, name no labels of constraints."""
        content = super().current(content, version)
        found = content.get("constraints")
        if isinstance(found, list):
            content["constraints"] = [_with_labels(one) for one in found]
        return content

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._check_sizes("values", "support", "decided", "label_names", "intervals")
        n_slices, of_slice = 1, self.values.size
        if self.slices is not None:
            n_slices, n_labels = self.slices.values.shape
            if n_labels != self.values.size:
                raise ValueError(f"slices has {n_labels} labels but values has {of_slice}.")
            of_slice = 1 if self.guarantee and self.guarantee.across == "slices" else n_labels
        needed = None if self.guarantee is None else self.guarantee.needed
        if needed is not None and needed.size != n_slices * of_slice:
            raise ValueError(
                f"guarantee has {needed.size} numbers of decisions needed, but must have "
                f"{n_slices * of_slice}."
            )
        return self


class BandFile(RuleFile):
    """A file of bands: the fields of `Bands`."""

    form = "labelwise bands"
    later = {1: {"most_per_row": None, "guarantee": None, "request": None}, 2: {}}

    upper: _Thresholds
    lower: _Thresholds
    support: Wholes
    accepted: Wholes
    accepted_positives: Wholes
    reviewed: Wholes
    reviewed_positives: Wholes
    n_samples: Annotated[Whole, Field(ge=1)]
    label_names: Names | None
    objective: Literal["review", "recall", "precision", "rate", "cost"]
    value: Number
    gap: Number | None
    curves: _CurveFields
    max_decided: Whole | None = Field(alias="most_per_row")
    guarantee: _BandGuaranteeFields | None
    request: Annotated[_Options, _asked(BandRequest, "upper")]

    @classmethod
    def current(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Return the content; in the first files, curves are a list of their three lists."""
        content = super().current(content, version)
        found, names = content.get("curves"), tuple(_CurveFields.model_fields)
        if isinstance(found, list) and len(found) == len(names):
            content["curves"] = dict(zip(names, found, strict=True))
        return content

    @model_validator(mode="after")
    def _check(self) -> Self:
        counts = ("support", "accepted", "accepted_positives", "reviewed", "reviewed_positives")
        self._check_sizes("upper", "lower", *counts, "label_names")
        if (self.lower > self.upper).any():
            raise ValueError("lower must not be above upper.")
        self._check_curves()
        return self

    def _check_curves(self) -> None:
        """Refuse curves in which the score of a cell to review would have no probability."""
        starts, floors, shares = (part for _, part in self.curves)
        if starts.size != self.upper.size + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
            raise ValueError("curves must have the first piece of each label, in rising order.")
        if not starts[-1] == floors.size == shares.size:
            raise ValueError("curves must have a floor and a share for each piece.")
        if not ((shares >= 0) & (shares <= 1)).all():
            raise ValueError("curves must have shares from 0 to 1.")
        # In a row with too many cells to accept, any kept cell may be to review.
        upper = self.upper if self.max_decided is None else np.inf
        for j in np.flatnonzero(self.lower < upper):
            mine = floors[starts[j] : starts[j + 1]]
            if not mine.size or mine[-1] > self.lower[j] or (np.diff(mine) >= 0).any():
                raise ValueError("curves must have falling floors down to the lower threshold.")


# Enough for two million labels without names and intervals, or half a million with both. Parsing
# JSON takes up to twelve times its size in memory.
_MAX_BYTES = 2**27
# Most lists and objects that a file may have, and most keys of an object; rules are written with
# at most 26 and 27.
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


def read_rule(path: str | Path, *models: type[RuleFile]) -> Any:
    """Read a file of one of these formats; refuse what no version has written."""
    content = _read_json(path)
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


def rule_content(model: type[RuleFile], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file, ready for JSON, from the values of its fields by name."""
    keys = {one.alias or name: named[name] for name, one in model.model_fields.items()}
    content = {key: _as_json(value) for key, value in keys.items()}
    return {"format": model.form, "version": max(model.later), **content}


def _asked_for(request: Request | BandRequest) -> dict[str, Any] | None:
    """Return the options of a request, as a file has them; None if its measure has no name.

    A guarantee is written without its samples for calibration.
    """
    kind: Any = type(request)
    asked = {one.name: getattr(request, one.name) for one in options(kind)}
    if isinstance(request, Request):
        name = averaged_name(request.maximize, request.average)
        if name is None:
            return None
        fbr = list(request.fbr) if isinstance(request.fbr, tuple) else request.fbr
        asked |= {"maximize": name, "average": None, "fbr": fbr}
    if request.cost is not None:
        asked["cost"] = [np.asarray(part, dtype=np.float64).tolist() for part in request.cost]
    if request.certify is not None:
        parts = {one.name: getattr(request.certify, one.name) for one in options(Certify)}
        asked["guarantee"] = {"level": request.certify.level, **parts}
    return asked


def _as_json(value: Any) -> Any:
    """Return lists and numbers for JSON; infinite numbers and NaN become strings.

    A dataclass or a named tuple becomes an object with its fields, and a request one with its
    options.
    """
    if isinstance(value, Request | BandRequest):
        return _as_json(_asked_for(value))
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    if isinstance(value, SliceThresholds):
        # Few lists, of which a file of unknown origin can be refused if it has more.
        parts = {one.name: getattr(value, one.name) for one in fields(value)}
        return {
            name: _as_json(part.ravel() if isinstance(part, np.ndarray) else part)
            for name, part in parts.items()
        }
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


def write_rule(content: Mapping[str, Any], path: str | Path) -> None:
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
