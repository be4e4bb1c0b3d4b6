"""Evaluate a cell: fit the model to the training samples, predict the test samples, measure.

A user's measure is called with a `CellOutcome`: the fitted model with its scores and decisions.
`CellEvaluator` turns a cell into a record, which also has time, memory, warnings and the traceback
of an exception. Random states that a model leaves open are drawn from the seed and the fold.
"""

from __future__ import annotations

import copy
import platform
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelwise import __version__
from labelwise._estimators import (
    METHODS,
    ConstantLabelWarning,
    groups_for,
    score_matrix,
    splits_of,
    weights_for,
)
from labelwise._measuring import Measured, measure_named, measure_outcome
from labelwise._validation import check_outcome
from labelwise.data import Dataset
from labelwise.experiments.running._cells import (
    Cell,
    CellRecord,
    StudyInputs,
    groups_of,
    load_source,
    storable_text,
    weights_of,
)
from labelwise.experiments.running._fingerprint import data_fingerprint, fingerprint

# Data sets and splits that a worker keeps in memory.
_KEPT_DATASETS = 2
_KEPT_SPLITS = 8
_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"  # what Linux expects in clear_refs to reset the peak
_Rows = list[tuple[np.ndarray, np.ndarray]]
_measure_named = cache(measure_named)
_MAX_WARNING = 1_000  # characters
_MAX_WARNINGS = 100


class CellOutcome:
    """A fitted model with the samples of its fold, passed to users' measures.

    Scores and decisions are computed on first access and then kept.

    Parameters
    ----------
    model : estimator
        Model fitted to the training samples.
    data : Dataset
        The whole data set.
    train_indices : array of int of shape (n_train,)
        Indices of the training samples of the fold.
    test_indices : array of int of shape (n_test,)
        Indices of the test samples of the fold.
    fold : int, default=0
        Number of the fold, from 0.
    seed : int, default=0
        Seed of the cell.
    fit_seconds : float, default=0.0
        Time that fitting took.
    sample_weight : array of shape (n_test,), default=None
        Weight of each sample, finite and not negative. It is None in studies without weights.

    Attributes
    ----------
    predict_seconds : float
        Time that scores and decisions have taken so far.

    See Also
    --------
    Study : Calls each measure that is a function with a `CellOutcome`.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelwise.data import load
    >>> from labelwise.experiments import CellOutcome
    >>> data = load("digits")
    >>> model = KNeighborsClassifier().fit(data.X[data.train], data.Y[data.train].toarray())
    >>> outcome = CellOutcome(model, data, data.train, data.test)
    >>> outcome.decided.shape == outcome.truth.shape == outcome.scores.shape
    True
    """

    def __init__(
        self,
        model: Any,
        data: Dataset,
        train_indices: np.ndarray,
        test_indices: np.ndarray,
        *,
        fold: int = 0,
        seed: int = 0,
        fit_seconds: float = 0.0,
        sample_weight: np.ndarray | None = None,
    ) -> None:
        self.model = model
        self.data = data
        self.train_indices = train_indices
        self.test_indices = test_indices
        self.fold = fold
        self.seed = seed
        self.fit_seconds = fit_seconds
        self.sample_weight = sample_weight
        self.predict_seconds = 0.0

    @cached_property
    def truth(self) -> sparse.csc_array:
        """Labels of the test samples, CSC array of shape (n_test, n_labels), as in `Dataset.Y`."""
        return self.data.Y[self.test_indices]

    @cached_property
    def train(self) -> Dataset:
        """Training samples as a data set."""
        return self.data.take(self.train_indices)

    @cached_property
    def test(self) -> Dataset:
        """Test samples as a data set."""
        return self.data.take(self.test_indices)

    @cached_property
    def scores(self) -> np.ndarray | None:
        """Scores of the test samples, of shape (n_test, n_labels); None if the model has none."""
        if not any(hasattr(self.model, method) for method in METHODS):
            return None
        X = self.data.samples_at(self.test_indices)
        start = time.perf_counter()
        scores = score_matrix(self.model, X, self.data.n_labels)
        self.predict_seconds += time.perf_counter() - start
        return scores

    @cached_property
    def decided(self) -> Any:
        """Predicted labels of the test samples, 0 or 1, of shape (n_test, n_labels)."""
        X = self.data.samples_at(self.test_indices)
        start = time.perf_counter()
        decided = self.model.predict(X)
        self.predict_seconds += time.perf_counter() - start
        if self.data.n_labels == 1 and not sparse.issparse(decided):
            decided = np.asarray(decided).reshape(self.test_indices.size, -1)
        return decided


class CellEvaluator:
    """Evaluates cells in one process; keeps the data sets and folds that it used last."""

    def __init__(self, inputs: StudyInputs) -> None:
        self.inputs = inputs
        self.data = lru_cache(_KEPT_DATASETS)(self._load)
        self.folds = lru_cache(_KEPT_SPLITS)(self._split)

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickled evaluator has no data sets and folds in its caches.
        return CellEvaluator, (self.inputs,)

    def run(self, cells: Sequence[Cell]) -> list[CellRecord]:
        """Return a record for each cell; an exception becomes a traceback in the record."""
        from threadpoolctl import threadpool_limits

        # One thread for any n_jobs, since sums in another order differ in the last digit.
        with threadpool_limits(1):
            return [self._record(cell) for cell in cells]

    def _record(self, cell: Cell) -> CellRecord:
        reset_peak_memory()
        values: dict[str, float] = {}
        left_out: list[str] = []
        error, seconds, label_names = None, (0.0, 0.0), ()
        with _seeded(cell), _recorded_warnings() as caught_texts:
            try:
                label_names = self.data(cell.dataset)[0].label_names
                outcome = self._fit(cell)
                values, left_out = self._measure(outcome)
                seconds = outcome.fit_seconds, outcome.predict_seconds
            except BaseException as raised:
                if _is_ctrl_c(raised):
                    raise
                error = error_text(raised)
        peak = peak_memory_bytes()
        texts = (*caught_texts(label_names), *left_out)
        return CellRecord(cell.key, values, error, *seconds, peak, texts, provenance())

    def _fit(self, cell: Cell) -> CellOutcome:
        data, Y = self.data(cell.dataset)
        train, test = self.folds(cell.dataset, cell.split, cell.seed)[cell.fold]
        model = seeded_model(self.inputs.models[cell.model], cell.seed, cell.fold)
        X = data.samples_at(train)
        units, weights = self._groups(data), self._weights(data)
        params = groups_for(model, None if units is None else units[train])
        if weights is not None:
            params |= _weights_for(model, weights[train])
        start = time.perf_counter()
        model = model.fit(X, Y[train], **params)
        seconds = time.perf_counter() - start
        return CellOutcome(
            model,
            data,
            train,
            test,
            fold=cell.fold,
            seed=cell.seed,
            fit_seconds=seconds,
            sample_weight=None if weights is None else weights[test],
        )

    def _measure(self, outcome: CellOutcome) -> tuple[dict[str, float], list[str]]:
        """Return a value for each measure, in their order, and what means leave out."""
        measures, undefined = self.inputs.measures, self.inputs.undefined
        of_names, shape = _measured(
            outcome, [m for m in measures.values() if isinstance(m, str)], undefined
        )
        named = {name: one.value for name, one in of_names.items()}
        left_out = undefined in ("defined", "skip")
        values: dict[str, float] = {}
        for name, measure in measures.items():
            found = named[measure] if isinstance(measure, str) else measure(outcome)
            if isinstance(found, Mapping):
                values |= {
                    storable_text(f"{name}/{part}"): float(value) for part, value in found.items()
                }
            else:
                values[name] = float(found)
        return values, _left_out(of_names, shape) if left_out else []

    def _load(self, name: str) -> tuple[Dataset, np.ndarray]:
        """Return a data set, and its labels as scikit-learn takes them."""
        data = load_source(self.inputs.sources[name])
        if data is not self.inputs.sources[name] and (
            data_fingerprint(data) != self.inputs.digests[name]
        ):
            raise ValueError(f"The data of {name!r} changed while the study ran.")
        Y = data.Y.toarray()
        # Labels of type float have NaN where they are missing.
        return data, Y if Y.dtype.kind == "f" else Y.astype(np.int64)

    def _split(self, dataset: str, split: str, seed: int) -> _Rows:
        """Return the indices of the training and the test samples of each fold."""
        data, Y = self.data(dataset)
        splitter = self.inputs.splits[split]
        if isinstance(splitter, str):
            return [(data.train, data.test)]
        return splits_of(seeded_splitter(splitter, seed), data.samples, Y, self._groups(data))

    def _groups(self, data: Dataset) -> np.ndarray | None:
        column = self.inputs.groups
        return None if column is None else groups_of(data, column)

    def _weights(self, data: Dataset) -> np.ndarray | None:
        column = self.inputs.weights
        return None if column is None else weights_of(data, column)


def _weights_for(model: Any, weights: np.ndarray) -> dict[str, Any]:
    """Return the argument with the weights of the samples; warn of a model that takes none."""
    found = weights_for(model, weights)
    if not found:
        warnings.warn(
            f"weights count for the measures only: the fit of {type(model).__name__} takes none.",
            stacklevel=1,
        )
    return found


def run_batch(evaluator: CellEvaluator, cells: Sequence[Cell]) -> tuple[float, list[CellRecord]]:
    """Run cells; return their records and the seconds they took."""
    start = time.perf_counter()
    finished = evaluator.run(cells)
    return time.perf_counter() - start, finished


def seeded_model(model: Any, seed: int, fold: int) -> Any:
    """Clone a model; each `random_state` that is None is drawn from the seed and the fold."""
    from sklearn.base import clone

    copied = clone(model)
    unset = {
        name: number_from(seed, fold, name)
        for name, value in copied.get_params(deep=True).items()
        if value is None and name.split("__")[-1] == "random_state"
    }
    return copied.set_params(**unset) if unset else copied


def seeded_splitter(splitter: Any, seed: int) -> Any:
    """Return a splitter that shuffles by the seed if its `random_state` is None."""
    draws = getattr(splitter, "shuffle", True)
    if not draws or getattr(splitter, "random_state", seed) is not None:
        return splitter
    copied = copy.copy(splitter)
    copied.random_state = seed
    return copied


def number_from(*texts: Any) -> int:
    """Return a number below 2**31 that is determined by the arguments."""
    return int(fingerprint(*texts)[:8], 16) >> 1


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that values may depend on."""
    import scipy
    import sklearn

    return {
        "labelwise": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def provenance() -> dict[str, str]:
    """Return the versions that values may depend on, and today's date."""
    return versions() | {"date": date.today().isoformat()}


def _measured(
    outcome: CellOutcome, names: Sequence[str], undefined: str | float
) -> tuple[dict[str, Measured], tuple[int, int]]:
    """Return what is measured, and the numbers of samples and labels that it is measured on."""
    measures = [_measure_named(name) for name in names]
    needs = {measure.needs for measure in measures}
    if not needs:
        return {}, (0, 0)
    answers = {need: getattr(outcome, need) for need in ("scores", "decided") if need in needs}
    if answers.get("scores", 0) is None:
        kind = type(outcome.model).__name__
        first = next(measure.name for measure in measures if measure.needs == "scores")
        raise TypeError(f"{kind} must have decision_function or predict_proba for {first}.")
    given = check_outcome(outcome.truth, allow_missing=True, **answers)
    checked = given.weighted(outcome.sample_weight).with_truth()
    return measure_outcome(checked, measures, undefined)[0], checked.Y.shape


def _left_out(measured: Mapping[str, Measured], shape: tuple[int, int]) -> list[str]:
    """Return a sentence for each number of labels and of samples without a value."""
    found: dict[str, list[str]] = {}
    for name, one in measured.items():
        if one.n_undefined and one.by != "all":
            n_all = shape[one.by == "label"]
            found.setdefault(f"{one.n_undefined:,} of {n_all:,} {one.by}s", []).append(name)
    return [f"left out of the mean, {of}: {', '.join(names)}" for of, names in found.items()]


@contextmanager
def _seeded(cell: Cell) -> Iterator[None]:
    """Seed the global generator, which some estimators use, and restore it afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(number_from(cell.seed, cell.fold))  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


@contextmanager
def _recorded_warnings() -> Iterator[Any]:
    """Provide a function of label names to the distinct texts of the warnings, not shown."""
    if threading.current_thread() is not threading.main_thread():
        # Warning filters belong to the process: threads would overwrite each other's.
        yield lambda _: ()
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lambda names: _warning_texts((w.category, _named(w.message, names)) for w in caught)


def _named(message: Any, label_names: Sequence[str]) -> Any:
    """Name the labels of a warning; models are fitted to arrays, which have no names."""
    named = isinstance(message, ConstantLabelWarning) and bool(label_names)
    return message.with_names(label_names) if named else message


def _warning_texts(caught: Iterable[tuple[type, object]]) -> tuple[str, ...]:
    """Return the distinct texts of warnings, each as one line, at most 100 of them."""
    texts: dict[str, None] = {}
    for category, message in caught:
        try:
            text = str(message)
        except Exception:
            text = "(its text cannot be formatted)"
        text = " ".join(storable_text(text, _MAX_WARNING).split())
        texts[f"{category.__name__}: {text}"] = None
        if len(texts) == _MAX_WARNINGS:
            break
    return tuple(texts)


def error_text(error: BaseException) -> str:
    """Return the traceback of an exception, also if the exception cannot be formatted."""
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:
        text = f"{type(error).__qualname__} (its traceback cannot be formatted)\n"
    return storable_text(text)


def _is_ctrl_c(error: BaseException) -> bool:
    """Return False for a KeyboardInterrupt that a model raised where Ctrl-C is ignored."""
    return isinstance(error, KeyboardInterrupt) and (
        signal.getsignal(signal.SIGINT) != signal.SIG_IGN
    )


def reset_peak_memory() -> None:
    """Reset the peak memory of this process; only Linux can."""
    with suppress(OSError):
        _CLEAR_REFS.write_text(_RESET_PEAK)


def peak_memory_bytes() -> int | None:
    """Return the peak of the resident set since the last reset, or since the process began."""
    with suppress(OSError, ValueError, IndexError):
        status = _STATUS.read_text()
        return int(status.split("VmHWM:")[1].split(maxsplit=1)[0]) * 1024
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
