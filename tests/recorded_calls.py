"""Record the results of some 300 small seeded calls, to compare them before and after a redesign.

    python -m tests.recorded_calls --write before.json      # in the tree as it was
    python -m tests.recorded_calls --compare before.json    # in the tree as it is

Each call has a name that stays when functions are renamed or moved. Compared are all fields of
records, the SHA-256 of the bytes of arrays, numbers by their repr, and the numbers in pages and
texts. The bytes depend on BLAS and on the processor, so that a record is compared on the
machine that wrote it, and no record is committed.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import html
import itertools
import json
import re
import shlex
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from labelwise import (
    data,
    decisions,
    deployment,
    experiments,
    features,
    learners,
    measures,
    reports,
    splitting,
)
from labelwise._blocks import block_rows
from studies.olsson2006.rank_cuts import rank_cut_f
from tests.writers.reuters import sgm_bytes

CALLS: dict[str, Callable[[], Any]] = {}
# Values that depend on the clock or on the installation.
VOLATILE = re.compile(r"second|memory|version|created|path|file|peak|conditions")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?%?")


def call(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Register a function without arguments under a name."""

    def register(function: Callable[[], Any]) -> Callable[[], Any]:
        assert name not in CALLS, name
        CALLS[name] = function
        return function

    return register


def calls(stage: str, table: Mapping[Any, Any]) -> Callable[[Callable[[Any], Any]], None]:
    """Register a function of one argument for each entry of a table, under the entry's title."""

    def register(function: Callable[[Any], Any]) -> None:
        for title, value in table.items():
            call(f"{stage}: {title}")(partial(function, value))

    return register


def tuned(scores: Any, Y: Any, maximize: Any = "micro-f", **options: Any) -> Any:
    """Call `best_thresholds`; with `n_bootstrap`, return an interval beside the result."""
    options = {"random_state": 0} | options
    drawn = {name: options.pop(name) for name in ("n_bootstrap", "confidence") if name in options}
    found = decisions.best_thresholds(scores, Y, **target(maximize), **options)
    if not drawn:
        return found
    samples = {name: options.get(name) for name in ("groups", "random_state")}
    return found, decisions.confidence_interval(found, scores, Y, **drawn, **samples)


def target(maximize: Any) -> dict[str, Any]:
    """Spell what is optimised: a name, or an average and a function or `LinearFractional`."""
    if isinstance(maximize, str):
        return {"maximize": maximize}
    return {"average": maximize[0], "maximize": maximize[1]}


def logistic() -> OneVsRestClassifier:
    """Make a logistic regression a label."""
    return OneVsRestClassifier(LogisticRegression())


def frontier_parts(found: Any) -> dict[str, Any]:
    places = sorted({0, len(found) // 2, len(found) - 1})
    parts = {name: getattr(found, name) for name in ("decided", "hits", "precision", "recall")}
    return parts | {f"thresholds {i}": found.thresholds(p) for i, p in enumerate(places)}


# ------------------------------------------------------------------------------- Data of the calls


def problem(
    n: int = 160, m: int = 7, seed: int = 0, *, step: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores and labels of different frequency; `step` rounds the scores, so that many tie."""
    draw = np.random.default_rng(seed)
    Y = draw.random((n, m)) < np.linspace(0.08, 0.5, m)
    scores = 1.5 * Y + draw.normal(size=(n, m)) * np.linspace(0.6, 1.6, m)
    return (np.round(scores / step) * step if step else scores), Y


def probabilities(n: int = 160, m: int = 7, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    scores, Y = problem(n, m, seed)
    return 1 / (1 + np.exp(1.0 - scores)), Y


def with_missing(Y: np.ndarray, seed: int = 5) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return np.where(draw.random(Y.shape) < 0.1, np.nan, Y.astype(float))


def weights(n: int = 160) -> np.ndarray:
    return np.random.default_rng(9).integers(1, 5, n).astype(float)


def groups_of(n: int = 160) -> np.ndarray:
    return np.arange(n) // 3


def multilabel(n: int = 140, seed: int = 0) -> Any:
    made, _ = data.make_multilabel(n, 9, 5, random_state=seed)
    return made


def corpus() -> Any:
    return data.make_corpus(120, 300, 6, random_state=0)


def digit_bags() -> Any:
    return data.make_digit_bags(60, sizes=[1, 2, 3], random_state=0)


def square(counts: Any) -> Any:
    """Return a measure that the package does not know: the square of the Jaccard measure."""
    return measures.jaccard(counts) ** 2


# --------------------------------------------------------------------------------------- Thresholds

COUNT_MEASURES = ("f", "jaccard", "accuracy", "balanced-accuracy", "g-mean", "matthews")
AVERAGES = ("micro", "macro", "sample")
FRACTION = decisions.LinearFractional([2, 0, 0, 0.1], [2, 1, 0.5, 0.1])
SPARSE = sparse.csr_array(np.maximum(problem()[0], 0)), sparse.csr_array(problem()[1])
# Options of the F-measure of each average, and the data if they are others.
OPTIONS: dict[str, tuple[Any, ...]] = {
    "beta 2": ({"beta": 2.0},),
    "beta 0.5": ({"beta": 0.5},),
    "shared": ({"shared": True},),
    "shrink 0.3": ({"shrink": 0.3},),
    "shrink 1": ({"shrink": 1.0},),
    "shrink auto": ({"shrink": "auto"},),
    "fbr 0.5 rule 0": ({"fbr": (0.5, 0)},),
    "fbr 0.5 rule 1": ({"fbr": (0.5, 1)},),
    "fbr auto": ({"fbr": "auto"},),
    "min precision": ({"min_precision": 0.7},),
    "min recall": ({"min_recall": 0.8},),
    "min precision and recall": ({"min_precision": 0.3, "min_recall": 0.3},),
    "most decisions in all": ({"max_decisions": 120},),
    "most decisions on average": ({"max_decisions": 1.3},),
    "most decisions per sample": ({"max_decisions": "2 per sample"},),
    "bootstrap": ({"n_bootstrap": 30},),
    "bootstrap 0.8": ({"n_bootstrap": 30, "confidence": 0.8},),
    "weights": ({"sample_weight": weights()},),
    "weights and shrink auto": ({"sample_weight": weights(), "shrink": "auto"},),
    "missing labels": ({}, problem()[0], with_missing(problem()[1])),
    "groups and bootstrap": ({"groups": groups_of(), "n_bootstrap": 20, "shrink": "auto"},),
    "float32": ({}, problem()[0].astype(np.float32), problem()[1]),
    "sparse scores": ({}, *SPARSE),
}
THRESHOLDS: dict[str, tuple[Any, ...]] = {
    **{
        f"{average}-{measure}{' with ties' if step else ''}": (
            f"{average}-{measure}",
            {},
            *problem(step=step),
        )
        for average, measure, step in itertools.product(AVERAGES, COUNT_MEASURES, (0.0, 0.5))
    },
    **{
        f"{average} of a function": ((average, square), {}, *problem(60, 3)) for average in AVERAGES
    },
    **{
        f"{average}-f, {title}": (f"{average}-f", *options)
        for average, (title, options) in itertools.product(AVERAGES, OPTIONS.items())
    },
    "micro of a linear fractional": (("micro", FRACTION), {}),
    "cost": ("micro-f", {"cost": (1.0, 3.0)}),
    "one label without positives": (
        "macro-f",
        {},
        problem()[0],
        problem()[1] & (np.arange(7) != 3),
    ),
    "one label": ("micro-f", {}, *problem(80, 1)),
}
certify = decisions.Certify
GUARANTEES: dict[str, tuple[Any, ...]] = {
    "micro precision": ("micro-f", {"min_precision": 0.6, "guarantee": 0.9}),
    "micro recall": ("micro-f", {"min_recall": 0.6, "guarantee": 0.9}),
    "micro both": ("micro-f", {"min_precision": 0.35, "min_recall": 0.35, "guarantee": 0.9}),
    "macro precision of each": ("macro-f", {"min_precision": 0.4, "guarantee": 0.9}),
    "macro recall of all": (
        "macro-f",
        {"min_recall": 0.4, "guarantee": certify(0.9, across="all")},
    ),
    "sample recall": ("sample-f", {"min_recall": 0.5, "guarantee": 0.9}),
    "expectation": ("sample-f", {"min_recall": 0.7, "guarantee": "expectation"}),
    "tuning share": (
        "micro-f",
        {"min_precision": 0.6, "guarantee": certify(0.9, tuning_share=0.3)},
    ),
    "calibration": (
        "micro-f",
        {"min_precision": 0.6, "guarantee": certify(0.9, calibration=problem(600, 4, seed=3))},
        *problem(400, 4),
    ),
    "groups": ("micro-f", {"min_precision": 0.5, "guarantee": 0.9, "groups": groups_of(900)}),
}
THRESHOLDS |= {
    f"guarantee, {title}": (*request, *(() if request[2:] else problem(900, 4)))
    for title, request in GUARANTEES.items()
}


@calls("thresholds", THRESHOLDS)
def _(request: tuple[Any, ...]) -> Any:
    maximize, options, *given = request
    found = tuned(*(given or problem()), maximize, **options)
    rule = found[0] if isinstance(found, tuple) else found
    new, _ = problem(90, len(rule.values), seed=77)
    return found, rule.decide(new)


@call("thresholds: names of frames")
def _() -> Any:
    scores, Y = problem(50, 3)
    names = ["sky", "sea", "sand"]
    return tuned(pd.DataFrame(scores, columns=names), pd.DataFrame(Y, columns=names)[names[::-1]])


@call("thresholds: saved and loaded")
def _() -> Any:
    found = tuned(*problem(), "macro-f", min_precision=0.3, label_names=list("abcdefg"))
    with tempfile.TemporaryDirectory() as folder:
        found.save(f"{folder}/thresholds.json")
        return decisions.Thresholds.load(f"{folder}/thresholds.json")


@call("thresholds: decide frames, sparse scores, limits per row")
def _() -> Any:
    scores, Y = problem(50, 3)
    names = ["sky", "sea", "sand"]
    found = tuned(scores, Y, label_names=names)
    limited = tuned(scores, Y, label_names=names, max_decisions="1 per sample")
    frame = pd.DataFrame(scores, columns=names)[names[::-1]]
    positive = sparse.csr_array(np.maximum(scores, 0))
    return [one.decide(given) for one in (found, limited) for given in (scores, frame, positive)]


@calls(
    "frontier",
    {
        "plain": (problem(), {}),
        "ties": (problem(step=0.5), {}),
        "weights": (problem(), {"sample_weight": weights()}),
        "sparse": ((SPARSE[0], problem()[1]), {}),
    },
)
def _(request: Any) -> Any:
    given, options = request
    return frontier_parts(decisions.micro_frontier(*given, **options))


SCANS = ((1.0, None), (2.0, None), (1.0, 1))


@calls("scan", {f"beta {beta}, most scans {most}": (beta, most) for beta, most in SCANS})
def _(request: tuple[float, int | None]) -> Any:
    beta, most = request
    return decisions.scan_thresholds(*problem(60, 4), beta=beta, max_scans=most)


# ------------------------------------------- Bands, label shift, at k, expected F, tuned estimators

BANDS: dict[str, dict[str, Any]] = {
    "precision": {"min_precision": 0.9},
    "recall": {"min_recall": 0.9},
    "precision and recall": {"min_precision": 0.8, "min_recall": 0.8},
    "review in all": {"max_review": 60},
    "review on average": {"max_review": 0.4},
    "precision and review": {"min_precision": 0.8, "max_review": 200},
    "cost": {"cost": (5.0, 3.0, 1.0)},
    "guarantee": {"min_precision": 0.7, "min_recall": 0.7, "guarantee": 0.9, "random_state": 0},
}


@calls("bands", BANDS)
def _(options: dict[str, Any]) -> Any:
    found = decisions.review_bands(*problem(300, 4), **options)
    new, truth = problem(80, 4, seed=4)
    decided = found.decide(new)
    return [found, decided, decisions.review_measures(truth, decided), found.queue(new)]


@call("bands: groups")
def _() -> Any:
    options = {"min_precision": 0.6, "guarantee": 0.9, "random_state": 0}
    return decisions.review_bands(*problem(300, 4), groups=groups_of(300), **options)


@calls(
    "label shift",
    {
        "plain": {},
        "all labels": {"alpha": 1.0},
        "some labels": {"labels": [0, 2]},
        "calibrated": {"calibrate": problem(200, 5, seed=8)},
    },
)
def _(options: dict[str, Any]) -> Any:
    proba, Y = probabilities(200, 5)
    new, _ = probabilities(150, 5, seed=1)
    return decisions.adapt_thresholds(tuned(proba, Y, "macro-f"), new**1.3, **options)


# ------------------------------------------------------------------------ Decisions that are in use

DEPLOYED: dict[str, Callable[[], Any]] = {
    "thresholds": lambda: tuned(*probabilities(200, 5)),
    "macro, beta 2": lambda: tuned(*probabilities(200, 5), "macro-f", beta=2.0),
    "guarantee": lambda: tuned(*probabilities(600, 5), min_precision=0.5, guarantee=0.9),
    "constraints": lambda: tuned(*probabilities(200, 5), min_recall=0.6, max_decisions=300),
    "bands": lambda: decisions.review_bands(
        *probabilities(300, 5), min_precision=0.8, min_recall=0.8
    ),
}
ALL_RATES = {f"{a}-{m}": 0.6 for a in ("micro", "macro") for m in ("precision", "recall", "f")}


@calls("audit", DEPLOYED)
def _(rule: Callable[[], Any]) -> Any:
    proba, Y = probabilities(150, 5, seed=3)
    known = np.where(np.random.default_rng(0).random(Y.shape) < 0.1, Y, np.nan)
    plan = deployment.plan_audit(rule(), proba, 160, known=known, random_state=0)
    answers = Y[np.array(plan.ids, dtype=int), plan.labels].astype(int).tolist()
    some = ["?" if i % 19 == 0 else one for i, one in enumerate(answers)]
    reports = [
        deployment.audit_report(plan, one, at_least=ALL_RATES)
        for one in (answers, [*some[:90], *[None] * 70], [None] * 160)
    ]
    return [plan, *reports, *map(repr, reports)]


@calls("check and monitor", DEPLOYED)
def _(rule: Callable[[], Any]) -> Any:
    asked = {f"{a}-{m}": 0.6 for a in ("micro", "sample") for m in ("precision", "recall", "f")}
    monitor = deployment.Monitor(rule(), at_least=asked)
    found = []
    for seed in (1, 2, 3):
        proba, Y = probabilities(120, 5, seed=seed)
        groups = groups_of(120) if seed == 2 else None
        found.append(
            deployment.check_promises(
                rule(), proba, with_missing(Y), at_least=asked | {"macro-f": 0.5}, groups=groups
            )
        )
        monitor.update(proba, Y, groups=groups)
    return [*found, repr(found[0]), monitor.to_dict(), np.array(monitor.evidence), repr(monitor)]


@calls(
    "expect",
    {
        "probabilities": {},
        "calibrated": {"calibrate": problem(200, 5)},
        "groups and missing labels": {
            "calibrate": (problem(200, 5)[0], with_missing(problem(200, 5)[1]), groups_of(200))
        },
        "adapted": {"calibrate": problem(200, 5), "adapt": True, "level": 0.8},
    },
)
def _(options: dict[str, Any]) -> Any:
    draw = problem if options else probabilities
    new = draw(90, 5, seed=2)[0]
    found = deployment.expect(tuned(*draw(200, 5)), new, **options, random_state=0)
    return [found, found.to_dict(), repr(found)]


@call("label errors, and doctor")
def _() -> Any:
    scores, Y = probabilities(250, 6)
    errors = deployment.find_label_errors(scores, with_missing(Y), n_cells=40)
    rule = tuned(scores, Y, min_precision=0.7)
    inputs = [
        {},
        {"thresholds": rule, "groups": groups_of(250)},
        {"label_names": ["a", "A ", "b", "c", "d", "e"]},
    ]
    given = [(scores, Y), (np.round(scores, 1), Y), (problem(250, 6)[0], Y), (Y + 0.1, Y)]
    found = [deployment.doctor(*one, **more) for one in given for more in inputs]
    return [errors, errors.columns(), repr(errors), found]


AT_K = itertools.product((1, 3), ("macro-f", "micro-f", "coverage", "macro-jaccard"))


@calls("at k", {f"{maximize} at {k}": (k, maximize) for k, maximize in AT_K})
def _(request: tuple[int, str]) -> Any:
    k, maximize = request
    found = decisions.best_at_k(probabilities()[0], k, maximize=maximize)
    return [found.decided, found.value, found.bound, found.gap]


@calls("expected F", {f"beta {beta}": beta for beta in (1.0, 2.0)})
def _(beta: float) -> Any:
    samples = np.random.default_rng(0).random((6, 40, 5)) < 0.4
    joint, p_empty = decisions.joint_from_samples(samples)
    consistent = decisions.make_consistent(joint, p_empty)
    return [
        *(joint, p_empty, *consistent),
        *decisions.maximize_expected_f(joint, p_empty, beta=beta),
        *decisions.maximize_expected_f_independent(probabilities()[0], beta=beta),
    ]


@call("cuts by rank and proportion")
def _() -> Any:
    scores, Y = problem()
    return [decisions.rank_cut(scores, 2), decisions.proportion_cut(scores, Y, factor=1.2)]


TUNED: dict[str, tuple[Any, dict[str, Any]]] = {
    "micro-f": ("micro-f", {}),
    "macro-f": ("macro-f", {}),
    "sample-f": ("sample-f", {"shrink": 0.0}),
    "macro-jaccard, shrink 0.5": ("macro-jaccard", {"shrink": 0.5}),
    "min precision": ("micro-f", {"min_precision": 0.6}),
    "fbr auto": ("macro-f", {"fbr": "auto", "shrink": 0.0}),
    "per sample": ("micro-f", {"max_decisions": "2 per sample"}),
    "guarantee": (
        "micro-f",
        {
            "min_precision": 0.4,
            "guarantee": 0.8,
            "refit": False,
            "cv": splitting.MultilabelStratifiedShuffleSplit(1, test_size=0.5, random_state=0),
        },
    ),
    "cv 3": ("micro-f", {"cv": 3}),
    "function": (("macro", square), {"shrink": 0.0}),
}


@calls("TunedThresholds", TUNED)
def _(given: tuple[Any, ...]) -> Any:
    maximize, options = given
    made = multilabel(240)
    model = decisions.TunedThresholds(logistic(), **target(maximize), random_state=0, **options)
    model.fit(made.X, labels_of(made))
    return [model.thresholds_, model.predict(made.X), scores_by(model, made.X)]


@call("TunedThresholds: fitted before")
def _() -> Any:
    made = multilabel(240)
    model = logistic().fit(made.X[:120], labels_of(made)[:120])
    model = decisions.TunedThresholds(FrozenEstimator(model), maximize="macro-f", random_state=0)
    model.fit(made.X[120:], labels_of(made)[120:])
    return [model.thresholds_, model.predict(made.X)]


@calls("CalibratedLabels", {method: method for method in ("isotonic", "sigmoid")})
def _(method: str) -> Any:
    made = multilabel()
    model = decisions.CalibratedLabels(logistic(), method=method).fit(made.X, labels_of(made))
    return [model.predict_proba(made.X), model.predict(made.X)]


def labels_of(made: Any) -> np.ndarray:
    """Return the labels of a data set as scikit-learn takes them."""
    Y = made.Y
    return np.asarray(Y.toarray() if sparse.issparse(Y) else Y).astype(np.int64)


def scores_by(model: Any, X: Any) -> Any:
    method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    return getattr(model, method)(X)


# --------------------------------------------------------------------------- Files and dask arrays


def as_npy(folder: Path, name: str, matrix: np.ndarray) -> Any:
    np.save(folder / f"{name}.npy", matrix)
    return folder / f"{name}.npy"


def as_parquet(folder: Path, name: str, matrix: np.ndarray) -> Any:
    columns = {"id": np.arange(len(matrix))} | {
        f"l{j}": matrix[:, j] for j in range(matrix.shape[1])
    }
    pa.parquet.write_table(pa.table(columns), folder / f"{name}.parquet", row_group_size=50)
    return folder / f"{name}.parquet"


def as_folder(folder: Path, name: str, matrix: np.ndarray) -> Any:
    (folder / name).mkdir()
    for part, rows in enumerate(np.array_split(np.arange(len(matrix)), 3)):
        columns = {"id": rows} | {f"l{j}": matrix[rows, j] for j in range(matrix.shape[1])}
        pa.parquet.write_table(pa.table(columns), folder / name / f"part{part}.parquet")
    return folder / name


def as_zarr(folder: Path, name: str, matrix: np.ndarray) -> Any:
    import zarr

    path = folder / f"{name}.zarr"
    array = zarr.create_array(
        str(path), shape=matrix.shape, chunks=(64, matrix.shape[1]), dtype=matrix.dtype
    )
    array[:] = matrix
    return path


def as_dask(folder: Path, name: str, matrix: np.ndarray) -> Any:
    import dask.array

    return dask.array.from_array(matrix, chunks=(64, -1))


STORED = {made.__name__[3:]: made for made in (as_npy, as_parquet, as_folder, as_zarr, as_dask)}
BLOCK_REQUESTS: dict[str, dict[str, Any]] = {
    **{
        name: {"maximize": name}
        for name in ("micro-f", "macro-f", "micro-jaccard", "macro-matthews")
    },
    "micro-f, min precision": {"maximize": "micro-f", "min_precision": 0.7},
    "macro-f, min recall": {"maximize": "macro-f", "min_recall": 0.7},
    "micro-f, most decisions": {"maximize": "micro-f", "max_decisions": 150},
    "cost": {"cost": (1.0, 2.0)},
}


@contextlib.contextmanager
def stored(kind: str, n: int = 200, m: int = 5) -> Iterator[tuple[Path, Any, Any]]:
    """Write scores and labels into a temporary folder; they are read in blocks of 64 rows."""
    scores, Y = problem(n, m)
    with tempfile.TemporaryDirectory() as name, block_rows(64):
        folder = Path(name)
        yield folder, STORED[kind](folder, "scores", scores), STORED[kind](folder, "labels", Y)


@calls(
    "blocks",
    {
        f"thresholds of {kind}, {title}": (kind, options)
        for kind, (title, options) in itertools.product(STORED, BLOCK_REQUESTS.items())
    },
)
def _(request: tuple[str, dict[str, Any]]) -> Any:
    kind, options = request
    with stored(kind) as (_, scores, labels):
        return decisions.best_thresholds(scores, labels, **options)


@calls("blocks", {f"frontier of {kind}": kind for kind in STORED})
def _(kind: str) -> Any:
    with stored(kind) as (_, scores, labels):
        return frontier_parts(decisions.micro_frontier(scores, labels))


@calls("blocks", {f"evaluation of {kind}": kind for kind in STORED})
def _(kind: str) -> Any:
    with stored(kind) as (folder, scores, labels):
        decided = STORED[kind](folder, "decided", problem(200, 5)[0] > 0.5)
        return evaluation_parts(measures.evaluate(labels, scores=scores, decided=decided))


@calls("blocks", {f"splits of {kind}": kind for kind in STORED})
def _(kind: str) -> Any:
    with stored(kind) as (_, _, labels):
        return [
            splitting.assign(labels, 3, random_state=0),
            splitting.assign(labels, [0.7, 0.3], random_state=0),
            splitting.compare_splits(labels, 3, random_state=0).qualities,
        ]


@calls("blocks", {f"decisions of {kind}": kind for kind in STORED})
def _(kind: str) -> Any:
    with stored(kind) as (folder, scores, labels):
        found = decisions.best_thresholds(scores, labels)
        if kind == "dask":
            return found.decide(scores).compute()
        return [found.decide(scores, folder / "decided.npy"), np.load(folder / "decided.npy")]


# ----------------------------------------------------------------------------------------- Measures


def evaluation_parts(found: Any) -> dict[str, Any]:
    return {
        "values": {name: float(found[name]) for name in found},
        "per label": dict(found.per_label),
        "intervals": dict(found.intervals or {}),
        "undefined": found.n_undefined,
        "rows": [found.n_samples, found.n_missing, found.n_without_truth, found.n_empty_samples],
    }


EVALUATIONS: dict[str, tuple[Callable[[np.ndarray], Any], dict[str, Any]]] = {
    "plain": (lambda Y: Y, {}),
    "skip": (lambda Y: Y & (np.arange(7) != 2), {"undefined": "skip"}),
    "missing labels": (with_missing, {"undefined": "skip"}),
    "weights": (lambda Y: Y, {"sample_weight": weights(), "undefined": 0.0}),
    "weights and missing labels": (with_missing, {"sample_weight": weights(), "undefined": "skip"}),
    "bootstrap": (lambda Y: Y, {"n_bootstrap": 25, "random_state": 0, "undefined": "skip"}),
    "beta and cutoffs": (lambda Y: Y, {"beta": 2.0, "cutoffs": (1, 2, 4)}),
    "sparse": (sparse.csr_array, {"undefined": "skip"}),
}


@calls(
    "evaluate",
    {
        f"{title}{' with ties' if step else ''}": (*request, step)
        for (title, request), step in itertools.product(EVALUATIONS.items(), (0.0, 0.5))
    },
)
def _(request: tuple[Any, dict[str, Any], float]) -> Any:
    change, options, step = request
    scores, Y = problem(step=step)
    found = measures.evaluate(change(Y), scores=scores, decided=scores > 0.5, **options)
    return evaluation_parts(found)


@calls("counts", {f"by {by}": by for by in ("label", "sample")})
def _(by: str) -> Any:
    scores, Y = problem()
    counts = measures.count(Y, scores > 0.5, by=by)
    functions = (
        *(measures.precision, measures.recall, measures.f_measure, measures.jaccard),
        *(measures.accuracy, measures.balanced_accuracy, measures.g_mean, measures.matthews),
    )
    return [
        counts,
        [function(counts) for function in functions],
        [measures.micro(function, counts) for function in functions],
        [measures.macro(function, counts, undefined="skip") for function in functions],
    ]


SCORE_MEASURES: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: partial(measures.measure_scores, name=measure, undefined="skip")
        for name, measure in {
            "coverage": "coverage",
            "one error": "one-error",
            "ranking loss": "ranking-loss",
            "average precision, micro": "micro-average-precision",
            "average precision, macro": "macro-average-precision",
            "average precision, sample": "sample-average-precision",
            "roc, micro": "micro-auc",
            "roc, macro": "macro-auc",
            "roc, sample": "sample-auc",
            "R-precision": "r-precision",
        }.items()
    },
    "ranking loss, ties by column": lambda Y, S: measures.measure_scores(
        Y, S, "ranking-loss", ties="columns", undefined="skip"
    ),
    "precision at 3": lambda Y, S: measures.measure_scores(Y, S, "precision-at-3"),
    "recall at 3": lambda Y, S: measures.measure_scores(Y, S, "recall-at-3", undefined="skip"),
    "ndcg at 3": lambda Y, S: measures.measure_scores(Y, S, "ndcg-at-3", undefined="skip"),
    "rank cut F": rank_cut_f,
    "Hamming loss": lambda Y, S: measures.evaluate(Y, decided=S > 0.5)["hamming-loss"],
    "subset accuracy": lambda Y, S: measures.evaluate(Y, decided=S > 0.5)["subset-accuracy"],
    "inverse propensities": lambda Y, _: measures.inverse_propensities(Y),
    "reliability": lambda Y, S: measures.reliability(Y, 1 / (1 + np.exp(-S))),
}


@calls("measure", SCORE_MEASURES)
def _(function: Any) -> Any:
    ties, Y = problem(step=0.5)
    return [function(Y, problem()[0]), function(Y, ties)]


@call("measure: scorers")
def _() -> Any:
    made = multilabel()
    model = logistic().fit(made.X, labels_of(made))
    return measures.scorer(undefined="skip")(model, made.X, labels_of(made))


# --------------------------------------------------------------- Data, splits, features, learners


def dataset_parts(made: Any) -> dict[str, Any]:
    names = ("X", "Y", "name", "feature_names", "label_names", "train", "test")
    return {name: getattr(made, name) for name in names}


@call("data: generated")
def _() -> Any:
    made, posterior = data.make_multilabel(50, 6, 4, random_state=1)
    return [
        *(dataset_parts(made), posterior.marginals, posterior.joint, posterior.p_empty),
        *(posterior.sample(3, random_state=0), dataset_parts(corpus())),
        dataset_parts(digit_bags())["Y"],
    ]


@call("data: described")
def _() -> Any:
    made = multilabel()
    repeated = data.Dataset(np.round(made.X[:, :2]), made.Y, train=range(90), test=range(90, 140))
    return [
        made.describe().to_dict(),
        made.co_occurrence(),
        made.label_profile(),
        repeated.find_duplicates(),
    ]


@call("data: files")
def _() -> Any:
    with files() as folder:
        data.write_svmlight(multilabel(), folder / "made.svm")
        return [
            dataset_parts(data.load(folder / "data.csv", labels="topic_*")),
            dataset_parts(data.read_table(folder / "data.parquet", labels="topic_*")),
            dataset_parts(data.read_svmlight(folder / "made.svm")),
            dataset_parts(data.load(folder / "data.arff", labels=-4)),
        ]


@call("data: Reuters")
def _() -> Any:
    news = [
        {"newid": i, "part": ("TRAIN", "TEST")[i % 2], "topics": [("oil", "tea")[i % 3 % 2]]}
        | {"title": text.upper(), "body": text}
        for i, text in enumerate(TEXTS)
    ]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "reut2-000.sgm").write_bytes(sgm_bytes(news))
        return dataset_parts(data.load(folder))


@calls(
    "split",
    {method: method for method in ("random", "labelset", "iterative", "pairs", "balanced", "auto")},
)
def _(method: str) -> Any:
    Y = problem()[1]
    plain = splitting.assign(Y, 4, method=method, random_state=0)
    return [
        plain,
        splitting.assign(Y, [0.6, 0.3, 0.1], method=method, random_state=1),
        splitting.split_quality(Y, plain),
    ]


@call("split: groups, folds, holdouts")
def _() -> Any:
    X, Y = problem()
    folds = splitting.MultilabelStratifiedKFold(3, shuffle=True, random_state=0)
    repeated = splitting.RepeatedMultilabelStratifiedKFold(2, n_repeats=2, random_state=0)
    shuffled = splitting.MultilabelStratifiedShuffleSplit(2, test_size=0.3, random_state=0)
    compared = splitting.compare_splits(Y, 3, random_state=0)
    return [
        splitting.assign(Y, 3, groups=groups_of(), random_state=0),
        [list(one.split(X, Y)) for one in (folds, repeated, shuffled)],
        list(splitting.MultilabelStratifiedKFold(3).split(X, Y)),
        splitting.train_test_split(X, Y, test_size=0.25, stratify=Y, random_state=0),
        [compared.qualities, compared.chosen, compared.subsets],
    ]


TEXTS = [
    f"The {('red wine', 'blue sky', 'old ship', 'grey sea')[i % 4]} of port {i}, "
    f"{('sailing', 'drinking', 'raining')[i % 3]} on day {i * 7 % 11}."
    for i in range(40)
]


@call("features: term scores, combinations, selection")
def _() -> Any:
    made = corpus()
    by = ("df", "information-gain", "chi2-max", "chi2-avg")
    lists = [features.TermSelector(by=one, cut=1).fit(made.X, made.Y).scores_ for one in by]
    rules = ("lowest-rank", "highest-rank", "average-rank", "max-or", "length-or")
    selector = features.TermSelector(20).fit(made.X, labels_of(made))
    return [
        lists,
        [features.combine(lists, rule) for rule in rules],
        [selector.ranking_, selector.transform(made.X)],
        features.OkapiWeights().fit(made.X).transform(made.X),
    ]


@call("features: texts and tables")
def _() -> Any:
    terms = features.TextTerms(min_df=2, ngram_range=(1, 2)).fit(TEXTS)
    frame = pd.DataFrame(
        {"size": np.arange(40.0), "kind": [f"k{i % 3}" for i in range(40)], "text": TEXTS}
    )
    table = features.TableFeatures(text="text").fit(frame)
    return [
        *(terms.transform(TEXTS), list(terms.get_feature_names_out())),
        *(table.transform(frame), list(table.get_feature_names_out())),
    ]


LEARNERS: dict[str, Callable[[], Any]] = {
    "binary relevance": lambda: learners.BinaryRelevance(),
    "binary relevance, hinge": lambda: learners.BinaryRelevance(loss="squared_hinge"),
    "binary relevance, penalty": lambda: learners.BinaryRelevance(penalty=0.1),
    "binary relevance, rescaled": lambda: learners.BinaryRelevance(rescale=True),
    "binary relevance, k-NN": lambda: learners.BinaryRelevance(KNeighborsClassifier(5)),
    "exact F": lambda: learners.ExactFPlugin(penalty=0.1),
    "exact F, auto": lambda: learners.ExactFPlugin(cv=2, consistent=True),
    "independent F": lambda: learners.IndependentFPlugin(beta=2.0),
    "sampled F": lambda: learners.SampledFPlugin(random_state=0),
    "chains": lambda: learners.ChainEnsemble(n_chains=3, n_draws=30, random_state=0),
    "chains, Gibbs": lambda: learners.ChainEnsemble(
        n_chains=3, sampling="gibbs", n_draws=20, random_state=0
    ),
    "calibrated label ranking": lambda: learners.CalibratedLabelRanking(random_state=0),
    "calibrated label ranking, tree": lambda: learners.CalibratedLabelRanking(
        DecisionTreeClassifier(random_state=0), score_by="votes"
    ),
    "forest": lambda: learners.LabelForest(random_state=0),
    "forest a label": lambda: learners.LabelForest(joint=False, random_state=0),
    "reverse": lambda: learners.ReverseMultilabel(penalty=0.1, random_state=0),
    "submodular": lambda: learners.SubmodularMultilabel(penalty=0.1, random_state=0),
}


@calls("learner", LEARNERS)
def _(make: Callable[[], Any]) -> Any:
    made = multilabel()
    model = make().fit(made.X[:100], labels_of(made)[:100])
    parts = {"decided": model.predict(made.X), "scores": scores_by(model, made.X)}
    if hasattr(model, "expected_f"):
        parts["expected F"] = model.expected_f(made.X)
    return parts


@call("learner: Okapi neighbours")
def _() -> Any:
    made = corpus()
    model = learners.OkapiNeighbors(10).fit(made.X[:80], labels_of(made)[:80])
    order = np.arange(made.X.shape[1])
    return [
        *(model.decision_function(made.X[80:]), model.predict(made.X[80:])),
        model.score_curve(made.X[80:], order, [10, 100, 300]),
    ]


def bag_plugin(**options: Any) -> Any:
    options = {"maximize": "macro-f", "shrink": 0.0} | options
    return learners.BagPlugin(n_iter=2, cv=2, random_state=0, **options)


@calls(
    "learner",
    {
        "bags, macro-f": {},
        "bags, micro-f": target("micro-f"),
        "bags, mean": {"aggregation": "mean"},
    },
)
def _(options: dict[str, Any]) -> Any:
    made = digit_bags()
    model = bag_plugin(**options).fit(made.take(made.train))
    test = made.take(made.test)
    found = model.predict_instances(test)
    return [
        *(model.predict(test), model.decision_function(test), found.scores, found.decided),
        *(found.starts, model.thresholds_),
    ]


@calls(
    "learner",
    {
        "best, micro-f": {"maximize": "micro-f"},
        "best, macro-f, blended": {"maximize": "macro-f", "blend": True},
    },
)
def _(options: dict[str, Any]) -> Any:
    made = multilabel()
    candidates = {
        "linear": learners.BinaryRelevance(),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
        "near": KNeighborsClassifier(7),
    }
    model = learners.BestLearner(candidates, cv=3, random_state=0, **options)
    model.fit(made.X, labels_of(made))
    return [model.leaderboard_, model.predict(made.X), scores_by(model, made.X)]


# ------------------------------------------------------------------- Studies, statistics, reports


def small_study() -> Any:
    first, second = multilabel(90), multilabel(80, seed=3)
    return experiments.Study(
        {"one": first, "two": second},
        {"near": KNeighborsClassifier(3), "tree": DecisionTreeClassifier()},
        {"folds": splitting.MultilabelStratifiedKFold(3, shuffle=True)},
        ["micro-f", "macro-f", "hamming-loss", "subset-accuracy"],
        seeds=(0, 1),
        undefined="skip",
    )


@contextlib.contextmanager
def study_results() -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as folder:
        yield small_study().run(f"{folder}/study.sqlite")


def without_clock(rows: Any) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if not VOLATILE.search(k)} for row in rows]


@call("study: rows and summaries")
def _() -> Any:
    with study_results() as results:
        return [
            without_clock(results.rows()),
            list(results.summary().spreads.items()),
            numbers_in(results.summary().to_markdown()),
            numbers_in(results.summary().to_latex()),
        ]


VALUES = np.round(np.random.default_rng(0).random((14, 4)), 2)


@call("statistics: ranks and tests")
def _() -> Any:
    E = experiments
    options: dict[str, Any] = {"higher_is_better": True}
    frame = pd.DataFrame(VALUES, columns=list("abcd"))
    ranks = E.average_ranks(frame, **options)
    friedman = E.friedman_test(frame, **options)
    return [
        *(ranks.ranks, ranks.block_ranks, friedman.statistic, friedman.p_value),
        *(friedman.f_statistic, friedman.f_p_value),
        *(E.nemenyi_test(frame, **options).p_values, E.nemenyi_test(frame, **options).distance),
        E.holm_test(frame, control="a", **options).p_values,
        E.holm_adjusted([0.01, 0.04, 0.03, 0.2]),
        E.sign_test(frame, ("a", "b"), **options),
        E.wilcoxon_test(frame, ("a", "b"), **options),
        E.paired_difference(frame, ("a", "b"), n_bootstrap=200, random_state=0, **options),
    ]


def page_of(results: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        reports.write_report(results, path)
        return page_parts(path.read_text(encoding="utf-8"))


def page_parts(page: str) -> dict[str, Any]:
    """Return the data of a page, and the numbers in its text; style and scripts are left out."""
    body = re.sub(r"<style.*?</style>|<head.*?</head>", " ", page, flags=re.S)
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", body, flags=re.S)
    stored = [text for text in scripts if text.lstrip()[:1] in {"{", "["}]
    body = re.sub(r"<script.*?</script>", " ", body, flags=re.S)
    text = html.unescape(re.sub(r"<[^>]*>", " ", body))
    return {"data": [json_numbers(json.loads(one)) for one in stored], "text": numbers_in(text)}


def json_numbers(content: Any) -> Any:
    """Return the numbers and packed arrays of a JSON value, without the prose beside them."""
    if isinstance(content, dict):
        return {k: json_numbers(v) for k, v in content.items() if not VOLATILE.search(k)}
    if isinstance(content, list):
        return [json_numbers(one) for one in content]
    if isinstance(content, str) and " " in content:
        return numbers_in(content)
    return content


@call("page: desk")
def _() -> Any:
    return page_of(reports.Desk(*problem(80, 4), label_names=list("abcd"), random_state=0))


@call("page: desk with thresholds")
def _() -> Any:
    scores, Y = problem(80, 4)
    found = tuned(scores, Y, label_names=list("abcd"))
    return page_of(reports.Desk(scores, Y, found, label_names=list("abcd"), random_state=0))


@call("page: evaluation, split, data")
def _() -> Any:
    scores, Y = problem()
    return [
        page_of(measures.evaluate(Y, scores=scores, decided=scores > 0.5, undefined="skip")),
        page_of(splitting.compare_splits(Y, 3, random_state=0)),
        page_of(multilabel()),
    ]


@call("page: study")
def _() -> Any:
    with study_results() as results:
        return page_of(results)


# ----------------------------------------------------------------------------------------- Commands


def write_csv(path: Path, columns: list[str], rows: Any) -> None:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@contextlib.contextmanager
def files() -> Iterator[Path]:
    """Write small files of every kind that commands read, into a folder that is deleted after."""
    names = [f"topic_{j}" for j in range(4)]
    scores, Y = problem(120, 4)
    other, _ = problem(120, 4, seed=6)
    ids = [f"r{i}" for i in range(120)]
    X = np.round(np.hstack([scores + other, other[:, :2]]), 4)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, matrix in {"scores": scores, "other": other, "labels": Y.astype(int)}.items():
            rows = [(i, *row) for i, row in zip(ids, matrix.tolist(), strict=True)]
            write_csv(folder / f"{title}.csv", ["id", *names], rows)
        features_ = [f"x{f}" for f in range(X.shape[1])]
        table = np.hstack([X, Y.astype(int)])
        rows = [[*row[:6], *map(int, row[6:])] for row in table.tolist()]
        write_csv(folder / "data.csv", [*features_, *names], rows)
        columns = dict(zip([*features_, *names], np.array(rows).T, strict=True))
        pa.parquet.write_table(pa.table(columns), folder / "data.parquet")
        header = [f"@attribute {name} numeric" for name in features_]
        header += [f"@attribute {name} {{0,1}}" for name in names]
        lines = ["@relation made", *header, "@data", *(",".join(map(str, row)) for row in rows)]
        (folder / "data.arff").write_text("\n".join(lines) + "\n")
        texts = [[f'"{TEXTS[i % 40]}"', *map(int, Y[i])] for i in range(120)]
        write_csv(folder / "texts.csv", ["text", *names], texts)
        yield folder


def run_command(folder: Path, *words: str) -> str:
    """Run a command in a folder, and return its output."""
    from typer.testing import CliRunner

    from labelwise.cli import app

    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, list(words))
    if done.exit_code:
        raise RuntimeError(f"exit code {done.exit_code}: {done.output}") from done.exception
    return done.stdout


def numbers_in(text: str) -> list[str]:
    return NUMBER.findall(text)


def output_parts(text: str) -> Any:
    """Return the values of a JSON output, or the numbers of a text."""
    try:
        return json_numbers(json.loads(text))
    except ValueError:
        return numbers_in(re.sub(r"[\d.]+ s\b", "", text))


TUNE = "tune scores.csv labels.csv"
FIT = "fit data.csv --labels topic_* -o model.skops --force --json"
PREDICT = "predict model.skops data.csv --labels topic_*"
# The lines of each call; the numbers of each output and the files that are written are recorded.
COMMANDS = {
    "describe": "describe data.csv --labels topic_* --json",
    "describe, text": "describe data.arff --labels -4",
    "split": "split data.csv --labels topic_* --folds 3 --json -o s.csv",
    "split, proportions": "split data.csv --labels topic_* --proportions 0.7,0.3 -o -",
    "select": "select texts.csv --labels topic_* --text text -n 8 --json",
    "learners": "learners --json",
    "tune": f"{TUNE} --json -o t.json",
    "tune, text": f"{TUNE}",
    "tune, macro-f with bootstrap": f"{TUNE} --maximize macro-f --bootstrap 20 --json",
    "tune, sample-f": f"{TUNE} --maximize sample-f --shrink 0 --json",
    "tune, macro-matthews": f"{TUNE} --maximize macro-matthews --json",
    "tune, beta and fbr": f"{TUNE} --beta 2 --fbr 0.3,0 --json",
    "tune, fbr auto": f"{TUNE} --maximize macro-f --fbr auto --json",
    "tune, shared": f"{TUNE} --shared --json",
    "tune, constraints": f"{TUNE} --min-precision 0.6 --json",
    "tune, per sample": f"{TUNE} --max-decisions '1 per sample' --json",
    "tune, guarantee": f"{TUNE} --min-precision 0.3 --guarantee 0.8 --json",
    "tune, guarantee of each label": f"""
        {TUNE} --maximize macro-f --min-recall 0.3 --guarantee 0.8 --json
    """,
    "tune, review": f"{TUNE} --review auto --min-precision 0.8 --json",
    "tune, review budget": f"""
        {TUNE} --review 100 -o bands.json
        decide bands.json other.csv -o -
    """,
    "adapt": f"""
        {TUNE} -o t.json
        adapt t.json other.csv --calibrate scores.csv labels.csv --json
    """,
    "decide": f"""
        {TUNE} -o t.json
        decide t.json other.csv -o -
    """,
    "evaluate": "evaluate labels.csv --scores scores.csv --json",
    "evaluate, decided": f"""
        {TUNE} -o t.json
        decide t.json scores.csv -o decided.csv
        evaluate labels.csv --decided decided.csv --bootstrap 20 --json
        evaluate labels.csv --decided decided.csv --per-label
    """,
    "report": "report scores.csv labels.csv --versus other.csv -o page.html",
    "report of an evaluation": "evaluate labels.csv --scores scores.csv --report page.html --json",
    **{
        f"fit {name}": f"{FIT} --learner {name}\n{PREDICT} -o -\n{PREDICT} -o decided.csv"
        for name in ("br", "br-svm", "knn", "lfp", "efp", "chains", "forest", "rml", "sml", "clr")
    },
    "fit br for macro-f, calibrated": f"""
        {FIT} --learner br --maximize macro-f --calibrate
        {PREDICT} --scores - -o d.csv
    """,
    "compare and results": """
        compare study.toml --json
        results study.sqlite --json
        results study.sqlite --markdown
        results study.sqlite --ranks --measure micro-f --json
        results study.sqlite --export rows.csv
        report study.sqlite -o page.html
    """,
}
STUDY = """
datasets = ["digits"]
measures = ["micro-f", "hamming-loss"]
[models.near]
class = "sklearn.neighbors.KNeighborsClassifier"
params = {n_neighbors = 3}
[models.tree]
class = "sklearn.tree.DecisionTreeClassifier"
[splits.fixed]
class = "labelwise.splitting.MultilabelStratifiedKFold"
params = {n_splits = 2}
"""


@calls("command", COMMANDS)
def _(commands: str) -> Any:
    parts: dict[str, Any] = {}
    with files() as folder:
        (folder / "study.toml").write_text(STUDY)
        for place, line in enumerate(commands.strip().splitlines()):
            words = shlex.split(line)
            parts[f"{place} {words[0]}"] = output_parts(run_command(folder, *words))
        for path in sorted(folder.iterdir()):
            if path.name in {"t.json", "bands.json"}:
                parts[path.name] = json_numbers(json.loads(path.read_text()))
            elif path.name in {"s.csv", "d.csv", "decided.csv"}:
                parts[path.name] = path.read_bytes()
            elif path.name == "rows.csv":
                parts[path.name] = without_clock(pd.read_csv(path).to_dict("records"))
            elif path.name == "page.html":
                parts[path.name] = page_parts(path.read_text(encoding="utf-8"))
    return parts


# ---------------------------------------------------------------------------- Record and comparison


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """List the parts of a result by their path: arrays as digests, all else as text."""
    if dataclasses.is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        value = {name: part for name, part in value.items() if not VOLATILE.search(name)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from leaves(part, f"{path}/{key}")
    elif sparse.issparse(value):
        matrix = value.tocsr().sorted_indices()
        yield path, f"{value.format} {value.shape}"
        for part in ("data", "indices", "indptr"):
            array = getattr(matrix, part)
            array = array.astype(np.int64) if part != "data" else array
            yield from leaves(array, f"{path}/{part}")
    elif isinstance(value, np.ndarray) and value.ndim and value.dtype != object:
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:20]
        first = " ".join(map(str, value.ravel()[:3].tolist()))
        yield path, f"{value.dtype} {value.shape} {digest} {first}"
    elif isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        if len(value) > 50 and all(isinstance(one, int | float | str) for one in value):
            digest = hashlib.sha256(repr(list(value)).encode()).hexdigest()[:20]
            yield path, f"{len(value)} values {digest} {list(value)[:3]}"
        else:
            for place, part in enumerate(value):
                yield from leaves(part, f"{path}/{place}")
    elif isinstance(value, bytes):
        yield path, hashlib.sha256(value).hexdigest()[:20]
    else:
        plain = value.item() if isinstance(value, np.generic | np.ndarray) else value
        yield path, re.sub(r" at 0x\w+", "", repr(plain))


def record(names: list[str], verbose: bool = False) -> dict[str, dict[str, str]]:
    """Make calls, and return their parts; a call that raises has one part, the type of error."""
    found = {}
    for name in names:
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[name] = dict(leaves(CALLS[name]()))
            except Exception as error:
                found[name] = {"raised": type(error).__name__}
                if verbose:
                    print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        if verbose and (seconds := time.perf_counter() - start) > 5:
            print(f"{name}: {seconds:.0f} s", file=sys.stderr)
    return found


def differences(before: dict[str, dict[str, str]], after: dict[str, dict[str, str]]) -> list[str]:
    """Describe every part that differs, by the name of the call."""
    lines = []
    for name in sorted(before.keys() | after.keys()):
        if name not in after or name not in before:
            lines.append(f"{name}: only {'before' if name in before else 'after'}")
            continue
        old, new = before[name], after[name]
        lines += [
            f"{name} {path}: {old.get(path, 'absent')} -> {new.get(path, 'absent')}"
            for path in sorted(old.keys() | new.keys())
            if old.get(path) != new.get(path)
        ]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, metavar="FILE", help="record all calls")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="compare with a record")
    parser.add_argument("--only", default="", metavar="TEXT", help="calls whose name has this text")
    options = parser.parse_args()
    names = [name for name in CALLS if options.only in name]
    with threadpool_limits(1):  # sums of BLAS depend on the number of threads
        found = record(names, verbose=True)
    n_raised = sum("raised" in parts for parts in found.values())
    print(f"{len(found)} calls, {sum(map(len, found.values()))} parts, {n_raised} calls raised.")
    if options.write:
        options.write.write_text(json.dumps(found, indent=0), encoding="utf-8")
    if options.compare:
        before = json.loads(options.compare.read_text(encoding="utf-8"))
        before = {name: parts for name, parts in before.items() if options.only in name}
        lines = differences(before, found)
        print("\n".join(lines) if lines else "Every part is the same.")
        sys.exit(bool(lines))


if __name__ == "__main__":
    main()
