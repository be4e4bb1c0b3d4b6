"""dembczynski2013: Mediamill, on the features of the paper if a user has them, else on others.

The set with its numeric features is not part of the benchmark sets. A file of it that a user puts
into the folder `mediamill` beside them is used if it is the one of Mulan, by size and hash. Without
it the set has the features that its source has made into three values each.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

import studies
from labelwise.data import Dataset, load

DISCRETISED = "mediamill-discretized"
N_TRAIN = 30_993
SIZE = 55_708_920
SHA256_BEGINS = "ad7e629d"


def real_file() -> Path | None:
    """Return the file with the numeric features, None if there is none."""
    found = sorted((studies.HOME / "mediamill").glob("*.arff"))
    return next((path for path in found if is_real(path)), None)


def is_real(path: Path) -> bool:
    """Return whether a file is that of the Mulan library."""
    if path.stat().st_size != SIZE:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest().startswith(SHA256_BEGINS)


def mediamill() -> Dataset:
    """Return the set; in the file of the paper the training rows are the first ones."""
    path = real_file()
    if path is None:
        return load(DISCRETISED, data_home=studies.HOME)
    data = load(path)
    rows = np.arange(data.n_samples)
    return replace(data, train=rows[:N_TRAIN], test=rows[N_TRAIN:])
