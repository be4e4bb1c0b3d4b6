"""Scores of logistic binary relevance on the benchmark sets, kept on disk between runs.

Each set is held out ten times, a third for testing, stratified. Thresholds are tuned on 5-fold
scores of the other two thirds, and used on the scores that a model of all of these gives the test
rows: a tuning rule sees what it would see in practice.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from labelwise._io import written_whole
from labelwise.data import Dataset, load
from labelwise.learners import BinaryRelevance
from labelwise.splitting import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit

DEFAULT_HOME = Path(__file__).parents[2] / "shared" / "datasets"
HOME = Path(os.environ.get("LABELWISE_DATA", DEFAULT_HOME))
N_HOLDOUTS = 10
N_FOLDS = 5
FEW_FEATURES = 1000
# The MEKA copies of emotions and enron are left out, and the two bags of miml-toy.
SETS = (
    "emotions",
    "birds",
    "genbase",
    "medical",
    "image",
    "scene",
    "yeast",
    "enron",
    "mediamill-reduced",
    "rcv1subset1",
    "rcv1subset2",
    "rcv1subset3",
    "rcv1subset4",
    "bibtex",
    "corel5k",
    "tmc2007-500",
    "mediamill-discretized",
    "delicious",
    "reuters21578",
    "miml-birds",
    "miml-image",
    "miml-text",
)


class Holdout(NamedTuple):
    """Labels and scores of the rows for tuning (out of fold) and of those for testing."""

    Y: sparse.csc_array
    scores: np.ndarray
    Y_test: sparse.csc_array
    scores_test: np.ndarray


def cache_home() -> Path:
    """Return the folder where scores are kept."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "labelwise" / "bench"


def holdout(name: str, number: int) -> Holdout:
    """Return the scores of one holdout of a set, from the cache if they are there."""
    path = cache_home() / f"{name}-{number}.npz"
    if not path.exists():
        arrays = scored(name, number)
        with written_whole(path) as stream:
            np.savez(stream, **arrays)
    with np.load(path) as kept:
        return Holdout(
            sparse.csc_array(np.unpackbits(kept["Y"], axis=1, count=kept["n_labels"])),
            kept["scores"],
            sparse.csc_array(np.unpackbits(kept["Y_test"], axis=1, count=kept["n_labels"])),
            kept["scores_test"],
        )


def scored(name: str, number: int) -> dict[str, Any]:
    """Return the arrays of one holdout, worked out anew."""
    data = load(name, data_home=HOME)
    X, Y = features(data), data.Y.toarray()
    halves = MultilabelStratifiedShuffleSplit(1, test_size=1 / 3, random_state=number)
    train, test = next(halves.split(X, Y))
    scores = np.empty((train.size, Y.shape[1]), dtype=np.float32)
    folds = MultilabelStratifiedKFold(N_FOLDS, shuffle=True, random_state=number)
    for seen, unseen in folds.split(train, Y[train]):
        scores[unseen] = fitted_scores(X[train[seen]], Y[train[seen]], X[train[unseen]])
    return {
        "Y": np.packbits(Y[train], axis=1),
        "scores": scores,
        "Y_test": np.packbits(Y[test], axis=1),
        "scores_test": fitted_scores(X[train], Y[train], X[test]),
        "n_labels": Y.shape[1],
    }


def features(data: Dataset) -> Any:
    """Return one row of features for each example: of a bag, the mean of its instances."""
    if data.bags is None:
        return data.X
    sizes = np.diff(data.bags)
    members = sparse.csr_array((np.repeat(1 / sizes, sizes), np.arange(sizes.sum()), data.bags))
    return members @ data.X


def fitted_scores(X: Any, Y: np.ndarray, X_new: Any) -> np.ndarray:
    """Return probabilities for new rows; a label with one class in training is a constant.

    Mean log-loss + 1/2n · ‖w‖², on features of unit variance, or of greatest size 1 if sparse.
    """
    scaler = (MaxAbsScaler() if sparse.issparse(X) else StandardScaler()).fit(X)
    X, X_new = scaler.transform(X), scaler.transform(X_new)
    # Few features: all labels share products. Many: a label has few that matter.
    if X.shape[1] <= FEW_FEATURES:
        model = BinaryRelevance(penalty=1 / len(Y))
    else:
        model = BinaryRelevance(LogisticRegression(solver="liblinear"))
    return model.fit(X, Y.astype(np.int64)).predict_proba(X_new).astype(np.float32)


def main() -> None:
    """Fill the cache."""
    for name in SETS:
        for number in range(N_HOLDOUTS):
            holdout(name, number)
            print(name, number, flush=True)


if __name__ == "__main__":
    main()
