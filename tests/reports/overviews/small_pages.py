"""Small results of every kind with hostile names, and the pages of them."""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold

from labelwise.data import Dataset
from labelwise.decisions import best_thresholds
from labelwise.deployment import Monitor
from labelwise.experiments import Study
from labelwise.measures import evaluate
from labelwise.splitting import compare_splits, split_quality
from tests.experiments.small_studies import Frequent, rows
from tests.reports.small_desk import HOSTILE, N_LABELS, N_ROWS, NAMES, SCORES, Y

ATTACK = "<script>window.owned=1</script>"
EVALUATION = evaluate(
    Y,
    scores=SCORES,
    decided=SCORES > 0.5,
    label_names=NAMES,
    undefined="skip",
    n_bootstrap=10,
    random_state=0,
)
COMPARISON = compare_splits(Y, 5, random_state=0, label_names=NAMES)
QUALITY = split_quality(Y, np.arange(N_ROWS) % 4, label_names=NAMES)
_X = np.arange(N_ROWS)[:, np.newaxis] % 150
DATASET = Dataset(
    np.hstack([_X, _X]),
    Y,
    name=f"data {ATTACK}",
    label_names=NAMES,
    train=np.arange(150),
    test=np.arange(150, N_ROWS),
)


def watched(n_broken):
    """A monitor of five updates, of which the last have no positives any more."""
    rule = best_thresholds(SCORES, SCORES > 0.5, label_names=NAMES)
    found = Monitor(rule, at_least={"micro-precision": 0.2})
    for number in range(5):
        truth = np.zeros_like(Y) if number >= 5 - n_broken else Y
        found.update(SCORES, truth)
    return found


class Broken(Frequent):
    """Fails with a hostile message."""

    def fit(self, X, Y):  # noqa: ARG002
        raise ValueError(f"no\x1b[2J {ATTACK}")


def small_results(n_sets=3, models=None):
    """The results of a study with a hostile name, a failing model and several measures."""
    found = models or {
        HOSTILE[1]: Frequent(),
        "shifted": Frequent(shift=0.2),
        "lower": Frequent(shift=-0.2),
        "broken": Broken(),
    }
    study = Study(
        [rows(seed=i, name=f"set {i} {ATTACK}") for i in range(n_sets)],
        found,
        {"cv": KFold(3)},
        ["micro-f", "hamming-loss"],
        seeds=(0, 1),
        undefined="skip",
        name=f"study {ATTACK}",
    )
    with tempfile.TemporaryDirectory() as folder:
        return study.run(Path(folder) / "study.sqlite")


__all__ = [
    "ATTACK",
    "COMPARISON",
    "DATASET",
    "EVALUATION",
    "HOSTILE",
    "NAMES",
    "N_LABELS",
    "N_ROWS",
    "QUALITY",
    "SCORES",
    "Y",
    "small_results",
    "watched",
]
