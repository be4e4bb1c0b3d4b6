"""Scores of real models and the labels of the same rows, which no model was fitted to.

ptbxl has scores of an xresnet for electrocardiograms, nih-chestxray those of a DenseNet for X-rays
(with patients, and the number of each image). goemotions and makupalat are texts, with held-out
scores of logistic regressions of their words (five folds), which are kept on disk.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from pyarrow import parquet
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.scored_sets import HOME, cache_home
from benchmarks.texts import Texts, read_csv
from labelwise._io import written_whole
from labelwise.learners import BinaryRelevance
from labelwise.splitting import assign

SETS = ("ptbxl", "nih-chestxray", "goemotions", "makupalat")
# Files of the sets that have parts; the parts of makupalat are texts before, in and after 2016.
PARTS = {
    "ptbxl": ("validation", "test"),
    "goemotions": ("train", "dev", "test"),
    "makupalat": ("train", "validate", "test"),
}
N_FOLDS = 5


class ScoredRows(NamedTuple):
    """Scores and labels of rows, the group of each (a patient), and its slice."""

    scores: np.ndarray
    Y: np.ndarray
    groups: np.ndarray
    slices: np.ndarray

    def at(self, rows: np.ndarray) -> ScoredRows:
        """Return some of the rows."""
        return ScoredRows(*(part[rows] for part in self))

    def split(self, number: int, share: float = 0.5) -> tuple[ScoredRows, ScoredRows]:
        """Return the rows of a random share of the groups, and the others."""
        names = np.unique(self.groups)
        n_first = round(share * names.size)
        first = np.random.default_rng(number).permutation(names)[:n_first]
        is_first = np.isin(self.groups, first)
        return self.at(np.flatnonzero(is_first)), self.at(np.flatnonzero(~is_first))


def scored_rows(name: str) -> ScoredRows:
    """Return the rows of a set, with the scores of texts from the cache if they are there."""
    if name == "nih-chestxray":
        return _images(name)
    if name == "ptbxl":
        parts = [
            [_columns(HOME / name / f"{part}-{kind}.parquet") for kind in ("scores", "labels")]
            for part in PARTS[name]
        ]
        scores, Y = (np.concatenate(kind) for kind in zip(*parts, strict=True))
        slices = np.repeat(PARTS[name], [len(part[0]) for part in parts])
        return ScoredRows(scores, Y, np.arange(len(Y)), slices)
    path = cache_home() / f"{name}-held-out.npz"
    if not path.exists():
        kept = _held_out(name)
        with written_whole(path) as stream:
            np.savez_compressed(stream, **kept)
    with np.load(path) as kept:
        Y = np.unpackbits(kept["Y"], axis=1, count=kept["scores"].shape[1])
        return ScoredRows(kept["scores"], Y, np.arange(len(Y)), kept["slices"])


def _images(name: str) -> ScoredRows:
    """Return X-rays; the id of an image is its patient and its number there.

    The slices are the first image of a patient, the next four, and all later ones.
    """
    scored, labels = (
        parquet.read_table(HOME / name / f"{kind}.parquet") for kind in ("scores", "labels")
    )
    names = [column for column in scored.column_names if column != "id"]
    scores, Y = (
        np.column_stack([table[column].to_numpy() for column in names])
        for table in (scored, labels)
    )
    number = np.array([int(one.split("_")[1].split(".")[0]) for one in scored["id"].to_pylist()])
    slices = np.array(["1", "2 to 5", "6 and later"])[np.searchsorted([1, 5], number, "right")]
    return ScoredRows(scores, Y, labels["patient"].to_numpy(), slices)


def _columns(path: Path) -> np.ndarray:
    """Return all columns but the ids."""
    table = parquet.read_table(path).drop_columns(["id"])
    return np.column_stack([column.to_numpy() for column in table.columns])


def _held_out(name: str) -> dict[str, np.ndarray]:
    """Return the arrays of a set of texts: held-out scores, packed labels and the part of rows."""
    parts = [read_csv(HOME / name / f"{part}.csv.gz") for part in PARTS[name]]
    texts = Texts([], [])
    for part in parts:
        texts = texts.joined(part)
    Y = texts.matrix(sorted({label for some in texts.labels for label in some}))
    fold = assign(Y, N_FOLDS, random_state=0)
    scores = np.empty(Y.shape, dtype=np.float32)
    words = np.array(texts.texts, dtype=object)
    for number in range(N_FOLDS):
        seen, unseen = fold != number, fold == number
        terms = TfidfVectorizer(sublinear_tf=True, min_df=2)
        model = BinaryRelevance(penalty=1 / seen.sum())
        model.fit(terms.fit_transform(words[seen]), Y[seen])
        scores[unseen] = model.predict_proba(terms.transform(words[unseen]))
    slices = np.repeat(PARTS[name], [len(part.texts) for part in parts])
    return {"scores": scores, "Y": np.packbits(Y, axis=1), "slices": slices}
