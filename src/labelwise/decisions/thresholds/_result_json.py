"""Files of thresholds: JSON with a version, read with checks of every key and value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from labelwise.decisions._json_fields import (
    Reader,
    flag,
    names,
    number,
    numbers,
    or_none,
    pair,
    read_fields,
    rows,
    text,
    whole,
    wholes,
    write_fields,
)
from labelwise.decisions.thresholds._result import Thresholds

FORMAT = "labelwise thresholds"
VERSION = 1


def write_thresholds(thresholds: Thresholds, path: str | Path) -> None:
    """Write a file of thresholds; an error leaves an existing file unchanged."""
    write_fields(thresholds, path, FORMAT, VERSION)


def read_thresholds(path: str | Path) -> Thresholds:
    """Read a file of thresholds; anything that `write_thresholds` does not write is refused."""
    found: Thresholds = read_fields(path, FORMAT, VERSION, _READERS, _of_one_size)
    return found


def _of_one_size(found: dict[str, Any]) -> Thresholds:
    """Return the thresholds if every array has an entry for each label."""
    n_labels = found["values"].size
    for name in ("support", "decided", "label_names", "intervals"):
        size = n_labels if found[name] is None else np.shape(found[name])[-1]
        if size != n_labels:
            raise ValueError(f"{name} has {size} labels but values has {n_labels}.")
    return Thresholds(**found)


_READERS: dict[str, Reader] = {
    "values": numbers,
    "value": number,
    "measure": text,
    "average": text,
    "support": wholes,
    "decided": wholes,
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
}
