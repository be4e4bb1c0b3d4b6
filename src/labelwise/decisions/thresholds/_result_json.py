"""Files of thresholds: JSON with a version, read with checks of every key and value."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from labelwise.decisions.guarantees._guarantee import Guarantee
from labelwise.decisions.objectives._request import EXPECTATION
from labelwise.decisions.thresholds._constraint_checks import ConstraintCheck
from labelwise.decisions.thresholds._json_fields import (
    Reader,
    each,
    fields_content,
    flag,
    names,
    number,
    numbers,
    one_of,
    or_none,
    pair,
    read_fields,
    record,
    rows,
    sums,
    text,
    whole,
    wholes,
    write_fields,
)

FORMAT = "labelwise thresholds"
VERSION = 4
# The fields that files of each version may lack: they were added one after the other, and have
# their defaults in thresholds that were tuned before.
_ADDED_IN_2 = ("adapted", "n_missing", "weighted")
_ADDED_IN_3 = ("top_per_row",)
# The keys of the rule itself, with the names of its fields; all others are those of the evidence.
_RULE = {
    "values": "values",
    "label_names": "label_names",
    "most_per_row": "max_decided",
    "top_per_row": "max_rank",
}
_LATER_FIELDS: dict[int, tuple[str, ...]] = {
    1: ("most_per_row", "constraints", "guarantee", *_ADDED_IN_2, *_ADDED_IN_3),
    2: (*_ADDED_IN_2, *_ADDED_IN_3),
    3: (),
    VERSION: (),
}


def write_thresholds(thresholds: Any, path: str | Path) -> None:
    """Write a file of thresholds; an error leaves an existing file unchanged."""
    write_fields(_named(thresholds), path, FORMAT, VERSION)


def content_of(thresholds: Any) -> dict[str, Any]:
    """Return the content of a file of thresholds, ready for JSON."""
    return fields_content(_named(thresholds), FORMAT, VERSION)


def _named(thresholds: Any) -> dict[str, Any]:
    """Return the values of all keys of a file, those of the rule and of its evidence."""
    return {name: getattr(*_owner_and_field(thresholds, name)) for name in _READERS}


def _owner_and_field(thresholds: Any, key: str) -> tuple[Any, str]:
    name = _RULE.get(key)
    return (thresholds.evidence, key) if name is None else (thresholds, name)


def read_thresholds(
    path: str | Path, kind: Callable[..., Any], evidence: Callable[..., Any]
) -> Any:
    """Read a file of thresholds, and build them; what no version wrote is refused."""

    def build(found: dict[str, Any]) -> Any:
        _check_sizes(found)
        rule = {name: found.pop(key) for key, name in _RULE.items() if key in found}
        return kind(evidence=evidence(**found), **rule)

    return read_fields(path, FORMAT, _LATER_FIELDS, _READERS, build)


def _check_sizes(found: dict[str, Any]) -> None:
    """Refuse arrays without an entry for each label."""
    n_labels = found["values"].size
    for name in ("support", "decided", "label_names", "intervals"):
        size = n_labels if found[name] is None else np.shape(found[name])[-1]
        if size != n_labels:
            raise ValueError(f"{name} has {size} labels but values has {n_labels}.")
    guarantee = found.get("guarantee")
    needed = None if guarantee is None else guarantee.needed
    if needed is not None and needed.size != n_labels:
        raise ValueError(f"guarantee has {needed.size} labels but values has {n_labels}.")


def _level(value: Any, name: str) -> float | str:
    return str(value) if value == EXPECTATION else number(value, name)


_AVERAGE = one_of("micro", "macro", "sample")
_OF_CONSTRAINT: dict[str, Reader] = {
    "name": one_of("min_precision", "min_recall", "max_decisions"),
    "limit": number,
    "value": number,
    "corrected_value": number,
    "label": or_none(text),
    "corrected_label": or_none(text),
}
# Files up to version 3 do not name the labels of constraints.
_LATER_IN_CONSTRAINT = ("label", "corrected_label")
_OF_GUARANTEE: dict[str, Reader] = {
    "level": _level,
    "average": _AVERAGE,
    "across": one_of("each", "all"),
    "min_precision": or_none(number),
    "min_recall": or_none(number),
    "precision": number,
    "recall": number,
    "value": number,
    "f_bound": or_none(number),
    "n_tuning": whole,
    "n_calibration": whole,
    "needed": or_none(wholes),
}


def _constraints(value: Any, name: str) -> tuple[ConstraintCheck, ...]:
    read = partial(record, kind=ConstraintCheck, readers=_OF_CONSTRAINT, later=_LATER_IN_CONSTRAINT)
    return tuple(each(value, name, read))


_READERS: dict[str, Reader] = {
    "values": numbers,
    "value": number,
    "measure": text,
    "average": text,
    "support": sums,
    "decided": sums,
    "n_samples": whole,
    "beta": number,
    "label_names": or_none(names),
    "gap": or_none(number),
    "certificate": or_none(number),
    "shared": flag,
    "shrink": number,
    "fbr": or_none(number),
    "interval": or_none(pair),
    "intervals": or_none(rows),
    "most_per_row": or_none(whole),
    "top_per_row": or_none(whole),
    "constraints": _constraints,
    "guarantee": or_none(partial(record, kind=Guarantee, readers=_OF_GUARANTEE)),
    "adapted": flag,
    "n_missing": whole,
    "weighted": flag,
}
