"""Scorers: measures by name, in the form that scikit-learn's model selection takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._validation import (
    Labels,
    Outcome,
    as_dense,
    check_outcome,
    check_undefined,
    is_array_per_label,
    scores_of_class_1,
)
from labelwise.measures._evaluate import measure_outcome
from labelwise.measures._model_labels import ModelTruth, truth_for
from labelwise.measures._named_measures import NamedMeasure, measure_named, named_measures
from labelwise.measures.ranking._mean_over_rankings import check_k

_NEGATED = "neg-"
_UNKNOWN = ("raise", "missed")


def scorer(
    name: str,
    *,
    beta: float = 1.0,
    undefined: str | float = "nan",
    unknown_labels: str = "raise",
) -> Scorer:
    """Return a scikit-learn scorer for the measure that `evaluate` calls by that name.

    Parameters
    ----------
    name : str
        For instance "micro-f", "macro-auc" or "precision-at-5". Losses come negated, since
        scikit-learn takes greater for better, and are called so: "neg-hamming-loss".
    beta : float
        For F-measures; other than 1 for any other measure is a ValueError.
    undefined : {"nan", "skip"} or float
        As in `evaluate`.
    unknown_labels : {"raise", "missed"}, default="raise"
        What happens if Y has labels that the model was not fitted to, as sets and frames may. With
        "missed" such a label is never decided, so that its positives are false negatives, and its
        score is below all others.

    Returns
    -------
    Scorer
        To be called with estimator, X, Y and, if wanted, ``sample_weight=``; for scikit-learn's
        metadata routing it has ``set_score_request(sample_weight=True)``. Measures of counts ask
        the estimator for ``predict``, ranking measures for ``decision_function`` or else
        ``predict_proba``; where this is a list with an array for each label, a label that was
        never seen has the probability 0.

    Notes
    -----
    Sets and the columns of frames go by the names that the model was fitted to: the
    ``label_names_`` of the estimator, of the last step of a pipeline, or of the best estimator of
    a search. If there are none, frames go by position, and sets must hold column numbers.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelwise.measures import scorer
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> cross_val_score(KNeighborsClassifier(), X, Y, scoring=scorer("micro-f"), cv=3).round(2)
    array([0.64, 0.62, 0.58])
    """
    return Scorer(
        _measure_of(name, beta), check_undefined(undefined), _check_unknown(unknown_labels)
    )


def scorers(
    names: Iterable[str] | None = None,
    *,
    undefined: str | float = "nan",
    unknown_labels: str = "raise",
) -> Scorers:
    """Return one scorer for several measures: it asks the estimator once and gives them by name.

    It serves as ``scoring=`` of ``cross_validate`` and of searches with ``refit=name``. Without
    names, every measure that has no cutoff. For names and arguments see `scorer`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelwise.measures import scorers
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> scoring = scorers(["micro-f", "neg-coverage"], undefined="skip")
    >>> found = cross_validate(KNeighborsClassifier(), X, Y, scoring=scoring, cv=3)
    >>> found["test_neg-coverage"].round(2)
    array([-2.81, -2.62, -2.27])
    """
    if isinstance(names, str):
        raise TypeError(f"names must be several names, got the one string {names!r}.")
    measures = named_measures().values() if names is None else map(_measure_of, names)
    return Scorers(tuple(measures), check_undefined(undefined), _check_unknown(unknown_labels))


@dataclass(frozen=True)
class _Routed:
    """What makes a scorer ask for weights under scikit-learn's metadata routing."""

    _requests: dict[str, Any] = field(
        default_factory=lambda: {"sample_weight": None}, init=False, repr=False, compare=False
    )

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Any:
        """Say whether the scorer asks for ``sample_weight`` when metadata is routed.

        Parameters
        ----------
        sample_weight : bool, str or None, default=None
            True asks for it, False ignores it, None makes it an error to give it, and a string is
            the name under which it is given.

        Returns
        -------
        Scorer or Scorers
            This object.
        """
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing: "
                "call sklearn.set_config(enable_metadata_routing=True) first."
            )
        self._requests["sample_weight"] = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return what the scorer asks for, in the form of scikit-learn's metadata routing."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request


@dataclass(frozen=True)
class Scorers(_Routed):
    """Several measures of an estimator's answers by name, greater being better."""

    measures: tuple[NamedMeasure, ...]
    undefined: str | float = "nan"
    unknown_labels: str = "raise"

    def __call__(
        self, estimator: Any, X: Any, Y: Any, sample_weight: Any = None
    ) -> dict[str, float]:
        """Return the value of each measure on these samples."""
        truth = truth_for(estimator, Y, self.unknown_labels)
        if truth.n_known is not None:
            self._check_cutoffs(truth.n_known + truth.n_unknown)
        answers = {
            needs: answer(estimator, X, truth.n_known)
            for needs, answer in (("decided", _decisions), ("scores", _scores))
            if any(measure.needs == needs for measure in self.measures)
        }
        outcome = _outcome(truth, answers).weighted(sample_weight)
        self._check_cutoffs(outcome.Y.shape[1])
        measured, _ = measure_outcome(outcome, self.measures, self.undefined)
        return {_name_of(m): _sign(m) * measured[m.name].value for m in self.measures}

    def _check_cutoffs(self, n_labels: int) -> None:
        for measure in self.measures:
            check_k(measure.k, n_labels)


@dataclass(frozen=True)
class Scorer(_Routed):
    """A measure of an estimator's answers, greater being better."""

    measure: NamedMeasure
    undefined: str | float = "nan"
    unknown_labels: str = "raise"

    def __call__(self, estimator: Any, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """Return the value on these samples."""
        several = Scorers((self.measure,), self.undefined, self.unknown_labels)
        (value,) = several(estimator, X, Y, sample_weight).values()
        return value


def _outcome(truth: ModelTruth, answers: dict[str, Any]) -> Outcome:
    """Return truth and answers; labels that the model does not know are never decided."""
    if not isinstance(truth.known, Labels):
        return check_outcome(truth.known, **answers)
    found = check_outcome(truth.known.matrix, label_names=truth.known.names, **answers)
    if truth.unknown is None:
        return found
    never = sparse.csc_array(truth.unknown.matrix.shape, dtype=bool)
    return Outcome(
        sparse.csc_array(sparse.hstack([found.Y, truth.unknown.matrix])),
        None if found.scores is None else _with_lowest(found.scores, never),
        None if found.decided is None else sparse.csc_array(sparse.hstack([found.decided, never])),
        None,
    )


def _with_lowest(scores: Any, never: sparse.csc_array) -> Any:
    """Return scores with further columns below all of them."""
    if sparse.issparse(scores):
        return sparse.csr_array(sparse.hstack([scores, never.astype(scores.dtype)]))
    return np.hstack([scores, np.full(never.shape, -np.inf, dtype=scores.dtype)])


def _check_unknown(unknown_labels: Any) -> str:
    if unknown_labels not in _UNKNOWN:
        raise ValueError(f'unknown_labels must be "raise" or "missed", got {unknown_labels!r}.')
    return str(unknown_labels)


def _measure_of(name: str, beta: float = 1.0) -> NamedMeasure:
    """Return the measure behind a scorer's name; a loss must be asked for as negated."""
    measure = measure_named(name.removeprefix(_NEGATED), beta)
    if name != _name_of(measure):
        raise ValueError(f"name must be {_name_of(measure)!r}, as greater is better, got {name!r}.")
    return measure


def _name_of(measure: NamedMeasure) -> str:
    return measure.name if measure.higher_is_better else _NEGATED + measure.name


def _sign(measure: NamedMeasure) -> int:
    return 1 if measure.higher_is_better else -1


def _decisions(estimator: Any, X: Any, n_labels: int | None) -> Any:
    return _as_matrix(estimator.predict(X), n_labels, "predict")


def _scores(estimator: Any, X: Any, n_labels: int | None) -> Any:
    """Return what the estimator scores the labels by, as one matrix."""
    if hasattr(estimator, "decision_function"):
        return _as_matrix(estimator.decision_function(X), n_labels, "decision_function")
    if not hasattr(estimator, "predict_proba"):
        kind = type(estimator).__name__
        raise TypeError(f"{kind} must have decision_function or predict_proba for this measure.")
    proba = estimator.predict_proba(X)
    if is_array_per_label(proba):
        return scores_of_class_1(proba, "predict_proba", getattr(estimator, "classes_", None))
    return _as_matrix(proba, n_labels, "predict_proba")


def _as_matrix(answer: Any, n_labels: int | None, method: str) -> Any:
    """Return answers as a matrix; one label comes as a vector, or with its complement first."""
    if (n_labels != 1 and np.ndim(answer) != 1) or sparse.issparse(answer):
        return answer
    return as_dense(answer, method).reshape(len(answer), -1)[:, -1:]
