"""Files of thresholds, of bands and of proportions.

`ThresholdFile`, `BandFile` and `ProportionFile` declare the keys of the files. Their fields are
named as in `Thresholds`, `Evidence`, `Bands` and `Proportions`. Files of thresholds and bands also
have the options of the request, which are checked by building the request again.

Importing pydantic takes 0.06 seconds, so that this file is imported only to read or write a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import (
    AfterValidator,
    FailFast,
    Field,
    ValidationInfo,
    WrapValidator,
    model_validator,
)

from labelwise._counts import averaged_name
from labelwise._json_files import (
    NUMBERS,
    FileObject,
    Floats,
    JsonFile,
    Names,
    Number,
    Whole,
    Wholes,
    as_record,
    json_content,
    read_as,
)
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


def _sums(value: Any, validated: Callable[[Any], list[float]]) -> np.ndarray:
    """Return sums of weights: int64 if all are whole numbers, as they are without weights."""
    numbers = validated(value)
    is_whole = all(type(item) is int for item in value)
    return np.array(value, dtype=np.int64) if is_whole else np.array(numbers)


def _level(value: Any, validated: Callable[[Any], float]) -> float | str:
    return EXPECTATION if value == EXPECTATION else validated(value)


_Sum = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_TWO = Field(min_length=2, max_length=2)
_Thresholds = Annotated[Floats, Field(min_length=1)]
_Sums = Annotated[np.ndarray, read_as(list[_Sum], FailFast(), WrapValidator(_sums))]
_Pair = Annotated[tuple[float, float], read_as(list[float], _TWO, *NUMBERS, AfterValidator(tuple))]
_Ends = Annotated[np.ndarray, read_as(list[_Thresholds], _TWO, AfterValidator(np.stack))]


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
_Level = Annotated[float | str, read_as(Number, WrapValidator(_level))]


class _ConstraintFields(FileObject):
    name: Literal["min_precision", "min_recall", "max_decisions"]
    limit: Number
    value: Number
    corrected_value: Number
    label: str | None
    corrected_label: str | None


class _GuaranteeFields(FileObject):
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
    weigh: Literal["sample", "group"] = "sample"
    n_groups: Whole | None = None


class _SliceFields(FileObject):
    """Thresholds and counts of slices, those of the labels of a slice after another."""

    names: Names
    values: _Thresholds
    support: _Sums
    decided: _Sums
    true_positives: _Sums
    n_samples: Wholes
    max_decided: Wholes | None


class _CurveFields(FileObject):
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


def _check_sizes(found: JsonFile, first: str, *others: str) -> None:
    """Refuse arrays without an entry for each label."""
    n_labels = getattr(found, first).size
    for name in others:
        part = getattr(found, name)
        size = n_labels if part is None else np.shape(part)[-1]
        if size != n_labels:
            raise ValueError(f"{name} has {size} labels but {first} has {n_labels}.")


# Values of keys that were added to the files of thresholds.
_SINCE_2: Mapping[str, Any] = {"most_per_row": None, "constraints": [], "guarantee": None}
_SINCE_3 = {"adapted": False, "n_missing": 0, "weighted": False, "top_per_row": None}
_SINCE_5 = {"request": None}
_SINCE_6 = {"slices": None, "corrected_value": "nan"}


def _with_labels(constraint: Any) -> Any:
    labels = dict.fromkeys(("label", "corrected_label"))
    is_old = isinstance(constraint, dict) and not labels.keys() & constraint.keys()
    return {**constraint, **labels} if is_old else constraint


class ThresholdFile(JsonFile):
    """A file of thresholds: the fields of `Thresholds` and of its `Evidence`."""

    form = "labelwise thresholds"
    later: ClassVar[Mapping[int, Mapping[str, Any]]] = {
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
        read_as(
            list[Annotated[Any, as_record(ConstraintCheck, _ConstraintFields)]],
            AfterValidator(tuple),
        ),
    ]
    guarantee: Annotated[Guarantee, as_record(Guarantee, _GuaranteeFields)] | None
    adapted: bool
    n_missing: Whole
    weighted: bool
    priors: _Sums | None = None
    n_effective: _Sums | None = None
    n_groups: Whole | None = None
    request: Annotated[_Options, _asked(Request, "values")]
    slices: Annotated[SliceThresholds, as_record(_slices_of_lists, _SliceFields)] | None
    corrected_value: Number

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
        by_label = ("support", "decided", "label_names", "intervals", "priors", "n_effective")
        _check_sizes(self, "values", *by_label)
        if self.priors is not None and (self.priors > 1).any():
            raise ValueError("priors must be from 0 to 1.")
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


class ProportionFile(JsonFile):
    """A file of proportions: the fields of `Proportions`, and some of its `Evidence`."""

    form = "labelwise proportions"
    later: ClassVar[Mapping[int, Mapping[str, Any]]] = {1: {}}

    shares: _Thresholds
    value: Number
    measure: str
    average: str
    support: Wholes
    decided: Wholes
    n_samples: Annotated[Whole, Field(ge=1)]
    beta: Number
    label_names: Names | None
    corrected_value: Number

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_sizes(self, "shares", "support", "decided", "label_names")
        if not ((self.shares >= 0) & (self.shares <= 1)).all():
            raise ValueError("shares must be from 0 to 1.")
        return self


# Fields of a guarantee of bands that were added in version 3.
_OF_BANDS = {"average": "micro", "across": "each", "f_bound": None, "needed": None}


class BandFile(JsonFile):
    """A file of bands: the fields of `Bands` and of its `BandEvidence`."""

    form = "labelwise bands"
    later: ClassVar[Mapping[int, Mapping[str, Any]]] = {
        1: {"most_per_row": None, "guarantee": None, "request": None},
        2: {},
        3: {},
    }

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
    guarantee: Annotated[Guarantee, as_record(Guarantee, _GuaranteeFields)] | None
    request: Annotated[_Options, _asked(BandRequest, "upper")]

    @classmethod
    def current(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Return the content; in old files, curves are three lists, and guarantees had less."""
        content = super().current(content, version)
        found, names = content.get("curves"), tuple(_CurveFields.model_fields)
        if isinstance(found, list) and len(found) == len(names):
            content["curves"] = dict(zip(names, found, strict=True))
        told = content.get("guarantee")
        if isinstance(told, dict) and version < 3 and "review_per_1000" in told:
            value = {"value": told["review_per_1000"]}
            rest = {name: one for name, one in told.items() if name != "review_per_1000"}
            content["guarantee"] = {**_OF_BANDS, **value, **rest}
        return content

    @model_validator(mode="after")
    def _check(self) -> Self:
        counts = ("support", "accepted", "accepted_positives", "reviewed", "reviewed_positives")
        _check_sizes(self, "upper", "lower", *counts, "label_names")
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


def rule_content(model: type[JsonFile], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file, ready for JSON, from the values of its fields by name."""
    request, slices = named["request"], named.get("slices")
    changed = {"request": None if request is None else _asked_for(request)}
    if slices is not None:
        # Few lists, of which a file of unknown origin can be refused if it has more.
        parts = {one.name: getattr(slices, one.name) for one in fields(slices)}
        changed["slices"] = {
            name: part.ravel() if isinstance(part, np.ndarray) else part
            for name, part in parts.items()
        }
    return json_content(model, {**named, **changed})


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
