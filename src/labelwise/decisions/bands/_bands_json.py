"""Files of bands: JSON with a version, read with checks of every key and value."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from labelwise.decisions.bands._review_measures import BandGuarantee
from labelwise.decisions.bands._review_queue import BandCurves
from labelwise.decisions.thresholds._json_fields import (
    Reader,
    each,
    fields_content,
    has_format,
    names,
    number,
    numbers,
    one_of,
    or_none,
    read_fields,
    record,
    whole,
    wholes,
    write_fields,
)

FORMAT = "labelwise bands"
VERSION = 1
# The first files of bands have neither of these fields.
_LATER_FIELDS = {VERSION: ("most_per_row", "guarantee")}
# The keys of a file are the names of the fields, but for this one.
_RENAMED = {"most_per_row": "max_decided"}

BY_LABEL = (
    "upper",
    "lower",
    "support",
    "accepted",
    "accepted_positives",
    "reviewed",
    "reviewed_positives",
)
OBJECTIVES = {
    "review": "the smallest queue",
    "recall": "the highest recall with this queue",
    "precision": "the highest precision with this queue",
    "rate": "the highest rate that precision and recall both reach with this queue",
    "cost": "the least cost",
}


def write_bands(bands: Any, path: str | Path) -> None:
    """Write a file of bands; an error leaves an existing file unchanged."""
    write_fields(_named(bands), path, FORMAT, VERSION)


def content_of_bands(bands: Any) -> dict[str, Any]:
    """Return the content of a file of bands, ready for JSON."""
    return fields_content(_named(bands), FORMAT, VERSION)


def _named(bands: Any) -> dict[str, Any]:
    return {key: getattr(bands, _RENAMED.get(key, key)) for key in _READERS}


def read_bands(path: str | Path, kind: Callable[..., Any]) -> Any:
    """Read a file of bands, and build them; what no version wrote is refused."""

    def build(found: dict[str, Any]) -> Any:
        _check_fields(found)
        return kind(**{_RENAMED.get(key, key): value for key, value in found.items()})

    return read_fields(path, FORMAT, _LATER_FIELDS, _READERS, build)


def are_bands(path: str | Path) -> bool:
    """Return whether a file of fields is one of bands."""
    return has_format(path, FORMAT)


def _check_fields(found: dict[str, Any]) -> None:
    """Refuse arrays without an entry for each label, and ends that are not in order."""
    n_labels = found["upper"].size
    for name in (*BY_LABEL, "label_names"):
        size = n_labels if found[name] is None else len(found[name])
        if size != n_labels:
            raise ValueError(f"{name} has {size} labels but upper has {n_labels}.")
    if (found["lower"] > found["upper"]).any():
        raise ValueError("lower must not be above upper.")
    if found["n_samples"] < 1:
        raise ValueError("n_samples must be at least 1, got 0.")
    _check_curves(found)


def _check_curves(found: dict[str, Any]) -> None:
    """Refuse curves in which the score of a cell to review would have no probability."""
    starts, floors, shares = found["curves"]
    if starts.size != found["upper"].size + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise ValueError("curves must have the first piece of each label, in rising order.")
    if not starts[-1] == floors.size == shares.size:
        raise ValueError("curves must have a floor and a share for each piece.")
    if not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError("curves must have shares from 0 to 1.")
    # In a row with too many cells to accept, any kept cell may be to review.
    lower, upper = found["lower"], found["upper"] if found.get("most_per_row") is None else np.inf
    for j in np.flatnonzero(lower < upper):
        mine = floors[starts[j] : starts[j + 1]]
        if not mine.size or mine[-1] > lower[j] or (np.diff(mine) >= 0).any():
            raise ValueError("curves must have falling floors down to the lower threshold.")


def _floors(value: Any, name: str) -> np.ndarray:
    """Read a list of numbers, which may be empty."""
    found = np.array(each(value, name, number), dtype=np.float64)
    if np.isnan(found).any():
        raise ValueError(f"{name} must be numbers.")
    return found


_OF_CURVES: dict[str, Reader] = {"starts": wholes, "floors": _floors, "shares": _floors}


def _curves(value: Any, name: str) -> BandCurves:
    """Read curves: an object, or in the first files a list of its three lists."""
    if isinstance(value, list) and len(value) == len(_OF_CURVES):
        value = dict(zip(_OF_CURVES, value, strict=True))
    curves: BandCurves = record(value, name, BandCurves, _OF_CURVES)
    return curves


_OF_GUARANTEE: dict[str, Reader] = {
    "level": number,
    "min_precision": or_none(number),
    "min_recall": or_none(number),
    "precision": number,
    "recall": number,
    "review_per_1000": number,
    "n_tuning": whole,
    "n_calibration": whole,
}
_READERS: dict[str, Reader] = {
    "upper": numbers,
    "lower": numbers,
    "support": wholes,
    "accepted": wholes,
    "accepted_positives": wholes,
    "reviewed": wholes,
    "reviewed_positives": wholes,
    "n_samples": whole,
    "label_names": or_none(names),
    "objective": one_of(*OBJECTIVES),
    "value": number,
    "gap": or_none(number),
    "curves": _curves,
    "most_per_row": or_none(whole),
    "guarantee": or_none(partial(record, kind=BandGuarantee, readers=_OF_GUARANTEE)),
}
