"""pillai2012: scores of k-NN and SVM, and thresholds tuned on them by every method.

What the paper leaves open was chosen before the first run: k, C and gamma are those with the
highest tuned F on the pooled scores of the folds (training samples only).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC, LinearSVC

from labelwise.decisions import best_thresholds, scan_thresholds
from labelwise.learners import BinaryRelevance
from labelwise.measures import count, f_measure, micro
from labelwise.splitting import MultilabelStratifiedKFold

N_PARTS, N_LEFT_OUT = 10, 2
N_RANDOM_ORDERS = 5

Candidate = Mapping[str, float]
Scores = Callable[[Any, np.ndarray, Any, Sequence[Candidate]], Iterator[np.ndarray]]


class EightOfTenParts:
    """Give ten times, or less often, eight of ten parts of the training rows, and the test rows."""

    def __init__(
        self, train: np.ndarray, test: np.ndarray, n_runs: int = N_PARTS, random_state: int = 0
    ) -> None:
        self.train = train
        self.test = test
        self.n_runs = n_runs
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, Y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return the number of runs."""
        return self.n_runs

    def split(
        self,
        X: Any,  # noqa: ARG002
        Y: Any = None,  # noqa: ARG002
        groups: Any = None,  # noqa: ARG002
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Give the rows of each run."""
        shuffled = np.random.default_rng(self.random_state).permutation(self.train)
        parts = np.array_split(shuffled, N_PARTS)
        for run in range(self.n_runs):
            left_out = {(run + k) % N_PARTS for k in range(N_LEFT_OUT)}
            kept = [part for number, part in enumerate(parts) if number not in left_out]
            yield np.sort(np.concatenate(kept)), self.test


def neighbour_scores(
    X: Any, Y: np.ndarray, X_new: Any, candidates: Sequence[Candidate]
) -> Iterator[np.ndarray]:
    """Give the shares of each label among the k nearest: KNeighborsClassifier, for many k."""
    most = int(max(candidate["k"] for candidate in candidates))
    nearest = NearestNeighbors(n_neighbors=most, algorithm="brute").fit(X)
    rows = nearest.kneighbors(X_new, return_distance=False)
    found = np.zeros((rows.shape[0], Y.shape[1]))
    n_seen = 0
    # Candidates come with rising k: the neighbours of one are among those of the next.
    for candidate in candidates:
        k = int(candidate["k"])
        for column in rows.T[n_seen:k]:
            found += Y[column]
        n_seen = k
        yield found / k


def linear_scores(
    X: Any, Y: np.ndarray, X_new: Any, candidates: Sequence[Candidate]
) -> Iterator[np.ndarray]:
    """Give the margins of linear support vector machines."""
    for candidate in candidates:
        model = BinaryRelevance(LinearSVC(C=candidate["C"], random_state=0)).fit(X, Y)
        yield model.decision_function(X_new)


def radial_scores(
    X: Any, Y: np.ndarray, X_new: Any, candidates: Sequence[Candidate]
) -> Iterator[np.ndarray]:
    """Give the margins of SVC with an RBF kernel, which is computed once for all labels."""
    kernels: dict[float, tuple[np.ndarray, np.ndarray]] = {}
    for candidate in candidates:
        gamma = candidate["gamma"]
        if gamma not in kernels:
            kernels = {gamma: (rbf_kernel(X, gamma=gamma), rbf_kernel(X_new, X, gamma=gamma))}
        inner, outer = kernels[gamma]
        model = BinaryRelevance(SVC(C=candidate["C"], kernel="precomputed")).fit(inner, Y)
        yield model.decision_function(outer)


NEIGHBOURS = [{"k": k} for k in (3, 5, 7, 10, 14, 20, 30, 45, 60)]
RADIAL = [{"gamma": 2.0**power, "C": C} for power, C in product(range(-4, 3), (1.0, 3.0, 10.0))]
LINEAR = [{"C": C} for C in (0.3, 1.0, 3.0)]


class TuningTrial(BaseEstimator):
    """Choose a model by the scores of five folds, and tune thresholds on them by every method.

    The FBR parameter is chosen by cross-validation over the pooled scores, and as the paper says,
    in each of the five training parts by an inner five-fold cross-validation, of which we take the
    mean.
    """

    def __init__(
        self,
        give: Scores,
        candidates: Sequence[Candidate],
        *,
        n_folds: int = 5,
        random_state: Any = None,
    ) -> None:
        self.give = give
        self.candidates = candidates
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, X: Any, Y: np.ndarray) -> TuningTrial:
        """Tune; the samples are kept, since test scores come from a model of all of them."""
        with _quiet():
            pooled = self._held_out_scores(X, Y, self.candidates)
            best = int(np.argmax([best_thresholds(scores, Y).value for scores in pooled]))
            self.chosen_ = self.candidates[best]
            self._tune(pooled[best], Y)
            self._scan_once(pooled[best], Y)
            self._tune_with_inner_folds(X, Y, pooled[best])
        self.X_, self.Y_ = X, Y
        return self

    def _held_out_scores(
        self, X: Any, Y: np.ndarray, candidates: Sequence[Candidate]
    ) -> np.ndarray:
        """Return scores of each candidate, each sample's from the folds that lack it."""
        pooled = np.empty((len(candidates), *Y.shape))
        for train, test in self._folds(X, Y):
            given = self.give(X[train], Y[train], X[test], candidates)
            for k, scores in enumerate(given):
                pooled[k, test] = scores
        return pooled

    def _folds(self, X: Any, Y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        folds = MultilabelStratifiedKFold(
            self.n_folds, shuffle=True, random_state=self.random_state
        )
        yield from folds.split(X, Y)

    def _tune(self, scores: np.ndarray, Y: np.ndarray) -> None:
        tune = partial(best_thresholds, scores, Y, random_state=self.random_state)
        ways: dict[str, Callable[[], Any]] = {
            "exact": tune,
            "Algorithm 1": partial(scan_thresholds, scores, Y),
            "FBR.0": partial(tune, fbr=("auto", 0)),
            "FBR.1": partial(tune, fbr=("auto", 1)),
            "shrink": partial(tune, shrink="auto"),
        }
        self.thresholds_, self.seconds_ = {}, {}
        for way, call in ways.items():
            start = time.perf_counter()
            found = call()
            self.seconds_[way] = time.perf_counter() - start
            self.thresholds_[way] = getattr(found, "thresholds", found)
            if way == "Algorithm 1":
                n_samples, n_labels = Y.shape
                self.evaluated_share_ = found.n_evaluated / (2 * (n_samples + 1) * n_labels)

    def _scan_once(self, scores: np.ndarray, Y: np.ndarray) -> None:
        """Keep the thresholds after the first loop of Algorithm 1, for each order of labels."""
        self.first_loops_ = {
            name: [
                (order, scan_thresholds(scores[:, order], Y[:, order], max_scans=1).thresholds)
                for order in orders
            ]
            for name, orders in label_orders(Y).items()
        }

    def _tune_with_inner_folds(self, X: Any, Y: np.ndarray, scores: np.ndarray) -> None:
        """Tune with the mean of the FBR parameters that the training parts choose."""
        parts = [
            (Y[train], self._held_out_scores(X[train], Y[train], [self.chosen_])[0])
            for train, _ in self._folds(X, Y)
        ]
        for rule in (0, 1):
            tune = partial(best_thresholds, random_state=self.random_state)
            chosen = [
                tune(held_out, truth, fbr=("auto", rule)).evidence.fbr for truth, held_out in parts
            ]
            amount = float(np.mean(np.array(chosen, dtype=np.float64)))
            self.thresholds_[f"FBR.{rule}, inner"] = tune(scores, Y, fbr=(amount, rule))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of a model of all training samples."""
        with _quiet():
            return next(self.give(self.X_, self.Y_, X, [self.chosen_]))

    def predict(self, X: Any) -> np.ndarray:
        """Decide by the exact thresholds."""
        return np.asarray(self.thresholds_["exact"].decide(self.decision_function(X)))


def label_orders(Y: np.ndarray) -> dict[str, list[np.ndarray]]:
    """Return orders in which the first loop can scan the labels."""
    n_labels = Y.shape[1]
    frequent_first = np.argsort(-Y.sum(axis=0), kind="stable")
    random = np.random.default_rng(0)
    return {
        "frequent first": [frequent_first],
        "rare first": [frequent_first[::-1]],
        "as in the file": [np.arange(n_labels)],
        "random": [random.permutation(n_labels) for _ in range(N_RANDOM_ORDERS)],
    }


def table_cells(outcome: Any) -> dict[str, float]:
    """Return what one run adds to a row of Table 2, and ours beside it."""
    model, truth, scores = outcome.model, outcome.truth, outcome.scores
    tuned = model.thresholds_
    test = {way: micro_f(truth, found.decide(scores)) for way, found in tuned.items()}
    loops = {
        f"first loop, {name}": float(
            np.mean([micro_f(truth[:, o], found.decide(scores[:, o])) for o, found in pairs])
        )
        for name, pairs in model.first_loops_.items()
    }
    return {
        "validation": tuned["exact"].value,
        **test,
        **loops,
        "exact - Algorithm 1": tuned["exact"].value - tuned["Algorithm 1"].value,
        "evaluated": model.evaluated_share_,
        **{f"seconds, {way}": seconds for way, seconds in model.seconds_.items()},
        **{name: float(value) for name, value in model.chosen_.items()},
    }


def micro_f(truth: Any, decided: Any) -> float:
    """Return micro F1."""
    return float(micro(f_measure, count(truth, decided)))


class _quiet(warnings.catch_warnings):  # noqa: N801
    """Say nothing of labels that a fold lacks: rare ones of Reuters have one positive."""

    def __enter__(self) -> Any:
        entered = super().__enter__()
        warnings.filterwarnings("ignore", message="Y has no positives")
        warnings.filterwarnings("ignore", message=".*one class")
        return entered
