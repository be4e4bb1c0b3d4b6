"""pillai2012, section 5: curves of macro precision and macro recall, which the paper leaves open.

The paper proposes to draw such curves by the thresholds of the highest F for many values of beta.
Another way is to give all labels the same recall. Both are compared with `macro_frontier`, the
concave line over all thresholds. Scores are probabilities of logistic regressions on held-out
folds of the training samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.metrics import precision_recall_curve
from sklearn.model_selection import cross_val_predict

import studies
from labelwise.data import Dataset, load
from labelwise.learners import BinaryRelevance
from labelwise.reports import MacroFrontierDisplay
from labelwise.splitting import MultilabelStratifiedKFold
from studies.comparison import Cell, Table

SETS: dict[str, Callable[[], Dataset]] = {
    name: partial(load, name.lower(), data_home=studies.HOME)
    for name in ("Yeast", "Emotions", "Scene")
}
QUICK = ("Scene",)
RECALLS = tuple(step / 20 for step in range(1, 21))
BY_BETA, BY_RECALL = "highest macro F for a beta", "the same recall for all labels"


def held_out_probabilities(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities of the training samples by models of other folds, and the labels."""
    X, Y = data.X[data.train], data.Y[data.train].toarray().astype(np.int64)
    model = BinaryRelevance(penalty=0.01, standardize=True)
    folds = MultilabelStratifiedKFold(5)
    return cross_val_predict(model, X, Y, cv=folds, method="predict_proba"), Y


def rates_at_recall(scores: np.ndarray, Y: np.ndarray, least: float) -> tuple[float, float]:
    """Return macro recall and precision if each label has a recall of at least `least`.

    Each label has the cut of the highest precision, and of these that of the highest recall.
    """
    found = []
    for truth, of_label in zip(Y.T, scores.T, strict=True):
        precisions, recalls, _ = precision_recall_curve(truth, of_label)
        # The last point is that of no decision.
        cuts = zip(precisions[:-1], recalls[:-1], strict=True)
        found.append(max(cut for cut in cuts if cut[1] >= least)[::-1])
    recall, precision = np.mean(found, axis=0)
    return float(recall), float(precision)


def curve_cells(name: str, scores: np.ndarray, Y: np.ndarray) -> Iterator[Cell]:
    """Give how far the points of both ways are below the line, in macro precision."""
    display = MacroFrontierDisplay.from_predictions(Y, scores)
    points = np.array([rates_at_recall(scores, Y, least) for least in RECALLS])
    highest = np.interp(points[:, 0], display.recall, display.precision)
    for way, gaps in ((BY_BETA, display.gap_of_betas), (BY_RECALL, highest - points[:, 1])):
        gaps = np.round(gaps, 12) + 0.0  # points on the line are off it by the rounding of a sum
        numbers = {"points": gaps.size, "least": gaps.min(), "mean": gaps.mean()}
        for column, number in (numbers | {"largest": gaps.max()}).items():
            yield Cell((name, way, column), "", float(number))


def table(*, quick: bool = False, repetitions: int | None = None) -> Table:  # noqa: ARG001
    """Return how far sweeps over beta and over recall are below the macro frontier."""
    cells = [
        cell
        for name in (QUICK if quick else SETS)
        for cell in curve_cells(name, *held_out_probabilities(SETS[name]()))
    ]
    words = (
        "Section 5 leaves curves of macro precision and macro recall to future work, and proposes "
        "to draw them by the thresholds of the highest F for many values of beta: here 33 values "
        "from 1/16 to 16. The other points have the highest precision of each label with a recall "
        "of at least 0.05, 0.1, ..., 1. Each number is a macro precision: how much higher it is "
        "on the line of `macro_frontier`, at the macro recall of the point. Scores are "
        "probabilities of logistic regressions on held-out folds of the training samples. The "
        "paper has no numbers to compare with."
    )
    return Table(
        "pillai2012", "macro_curves", "macro curves", words, ("dataset", "points by", "gap"), cells
    )
