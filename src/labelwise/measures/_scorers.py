"""Scorers: measures by name, in the form that scikit-learn's model selection takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelwise.measures._catalogue import NamedMeasure, catalogue, measure_named
from labelwise.measures._evaluate import measure_outcome
from labelwise.measures._outcome import check_outcome
from labelwise.measures._ranking import check_k
from labelwise.measures._undefined import check_undefined

_NEGATED = "neg-"


def scorer(name: str, *, beta: float = 1.0, undefined: str | float = "nan") -> Scorer:
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

    Returns
    -------
    Scorer
        To be called with estimator, X and Y. Measures of counts ask the estimator for ``predict``,
        ranking measures for ``decision_function`` or else ``predict_proba``; where this is a list
        with an array for each label, a label that was never seen has the probability 0.

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
    return Scorer(_measure_of(name, beta), check_undefined(undefined))


def scorers(names: Iterable[str] | None = None, *, undefined: str | float = "nan") -> Scorers:
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
    measures = catalogue().values() if names is None else map(_measure_of, names)
    return Scorers(tuple(measures), check_undefined(undefined))


@dataclass(frozen=True)
class Scorers:
    """Several measures of an estimator's answers by name, greater being better."""

    measures: tuple[NamedMeasure, ...]
    undefined: str | float = "nan"

    def __call__(self, estimator: Any, X: Any, Y: Any) -> dict[str, float]:
        """Return the value of each measure on these samples."""
        n_labels = check_outcome(Y).Y.shape[1]
        for measure in self.measures:
            check_k(measure.k, n_labels)
        answers = {
            needs: answer(estimator, X, n_labels)
            for needs, answer in (("decided", _decisions), ("scores", _scores))
            if any(measure.needs == needs for measure in self.measures)
        }
        outcome = check_outcome(Y, **answers)
        measured, _ = measure_outcome(outcome, self.measures, self.undefined)
        return {_name_of(m): _sign(m) * measured[m.name].value for m in self.measures}


@dataclass(frozen=True)
class Scorer:
    """A measure of an estimator's answers, greater being better."""

    measure: NamedMeasure
    undefined: str | float = "nan"

    def __call__(self, estimator: Any, X: Any, Y: Any) -> float:
        """Return the value on these samples."""
        (value,) = Scorers((self.measure,), self.undefined)(estimator, X, Y).values()
        return value


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


def _decisions(estimator: Any, X: Any, n_labels: int) -> Any:
    return _as_matrix(estimator.predict(X), n_labels)


def _scores(estimator: Any, X: Any, n_labels: int) -> Any:
    """Return what the estimator scores the labels by, as one matrix."""
    if hasattr(estimator, "decision_function"):
        return _as_matrix(estimator.decision_function(X), n_labels)
    if not hasattr(estimator, "predict_proba"):
        kind = type(estimator).__name__
        raise TypeError(f"{kind} must have decision_function or predict_proba for this measure.")
    proba = estimator.predict_proba(X)
    if not isinstance(proba, list):
        return _as_matrix(proba, n_labels)
    # A label of one class has one column: that of 0, or of 1.
    pairs = zip(proba, estimator.classes_, strict=True)
    return np.column_stack([(p * (np.asarray(classes) == 1)).sum(axis=1) for p, classes in pairs])


def _as_matrix(answer: Any, n_labels: int) -> Any:
    """Return answers as a matrix; one label comes as a vector, or with its complement first."""
    if n_labels > 1 or sparse.issparse(answer):
        return answer
    return np.asarray(answer).reshape(len(answer), -1)[:, -1:]
