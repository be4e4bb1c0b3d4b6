"""Small studies that run in no time."""

import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from labelwise.data import Dataset
from labelwise.experiments import Study


class Frequent(BaseEstimator):
    """Scores a label by how often the training rows have it, with a little noise."""

    def __init__(self, shift=0.0, random_state=None):
        self.shift = shift
        self.random_state = random_state

    def fit(self, X, Y):  # noqa: ARG002
        # Neither a parameter nor code, so that it makes no new cells.
        time.sleep(float(os.environ.get("SECONDS_TO_FIT", "0")))
        self.means_ = Y.mean(axis=0) + self.shift
        self.noise_ = np.random.RandomState(self.random_state).random(Y.shape[1]) / 10
        return self

    def decision_function(self, X):
        return np.tile(self.means_ + self.noise_, (X.shape[0], 1))

    def predict(self, X):
        return (self.decision_function(X) >= 0.5).astype(np.int64)


class Deadly(Frequent):
    """Kills the process that fits it to rows without a certain one."""

    def __init__(self, deadly_row=0.0, spared=0, shift=0.0, random_state=None):
        super().__init__(shift, random_state)
        self.deadly_row = deadly_row
        self.spared = spared  # the process that must live

    def fit(self, X, Y):
        if self.deadly_row not in X[:, 0] and os.getpid() != self.spared:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, Y)


class NoScores(Frequent):
    """Decides, but does not say by what."""

    decision_function = property()

    def predict(self, X):
        return np.zeros((X.shape[0], self.means_.size), dtype=np.int64)


def rows(n_samples=12, n_labels=3, seed=0, name="tiny"):
    draw = np.random.default_rng(seed)
    X = np.arange(float(n_samples))[:, np.newaxis] + np.zeros((1, 2))
    return Dataset(
        X, draw.random((n_samples, n_labels)) < 0.5, name=name, train=[0, 1, 2], test=[3]
    )


def study(**changed):
    settings = {
        "datasets": [rows(), rows(seed=1, name="other")],
        "models": {"plain": Frequent(), "shifted": Frequent(shift=0.2)},
        "splits": {"cv": KFold(3, shuffle=True)},
        "measures": ["micro-f", "hamming-loss", "coverage"],
        "seeds": (0, 1),
        "undefined": "skip",
    }
    return Study(**(settings | changed))


def essence(results):
    """What must not depend on when, where and in how many attempts a study ran."""
    costs = {"date", "fit_seconds", "predict_seconds", "peak_memory"}
    return [{k: repr(v) for k, v in row.items() if k not in costs} for row in results.rows()]
