"""Scorers for scikit-learn's model selection: measures by name, applied to an estimator.

A scorer matches the true labels with the labels that the model was fitted to, asks the model for
the decisions and scores that its measures need, and computes the measures as `evaluate` does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import MeasureRecord
from labelwise._measuring import (
    check_inverse,
    check_k,
    measure_named,
    measure_outcome,
    named_measures,
)
from labelwise._text import NamedValues
from labelwise._validation import (
    Labels,
    ModelTruth,
    Outcome,
    as_dense,
    check_instance,
    check_outcome,
    check_readable,
    check_undefined,
    is_array_per_label,
    refuse_other_index,
    scores_of_class_1,
    truth_for,
    with_nan,
    without_cells,
)

_NEGATED = "neg-"
_UNKNOWN = ("raise", "missed")


def scorer(
    names: str | Iterable[str] | None = None,
    *,
    beta: float = 1.0,
    undefined: str | float = "nan",
    unknown_labels: str = "raise",
    inverse_propensity: Any = None,
) -> Scorers:
    """Build a scikit-learn scorer for one or several measures, by name.

    For several measures, the scorer calls the estimator once and returns the values by name. It
    serves as ``scoring=`` of ``cross_validate`` and of searches with ``refit=name``.

    Parameters
    ----------
    names : str, iterable of str or None, default=None
        For instance "micro-f", "macro-auc" or "precision-at-5"; None for every measure without a
        cutoff k. Losses are negated, since scikit-learn maximises scores, and have the prefix
        "neg-": "neg-hamming-loss".
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. A name
        of any other measure allows only 1.
    undefined : {"nan", "defined", "skip", "zero"} or float, default="nan"
        How labels and samples without a value enter a mean, as in `evaluate`.
    unknown_labels : {"raise", "missed"}, default="raise"
        What happens if Y (sets or a frame) has labels that the model was not fitted to. "raise" is
        an error. With "missed", such a label is never decided, so its positives are false
        negatives, and its scores are below all others.
    inverse_propensity : array-like of shape (n_labels,) or None, default=None
        Weights of the labels from `inverse_propensities`, for measures such as "ps-precision-at-5".

    Returns
    -------
    Scorer or Scorers
        A callable ``scorer(estimator, X, Y, sample_weight=None)`` that returns a number for one
        name, and a dictionary for several. Its method ``set_score_request`` requests sample
        weights under scikit-learn's metadata routing.

    Raises
    ------
    TypeError
        If a name is not a string.
    ValueError
        If a name is unknown, a loss lacks its prefix, or an option is out of its range.

    Notes
    -----
    Measures of counts call ``predict`` of the estimator; ranking measures call
    ``decision_function``, or ``predict_proba`` if there is none. If ``predict_proba`` returns a
    list with an array for each label, a label without positives in training has probability 0.

    Sets and columns of frames are matched by the names that the model was fitted to:
    ``label_names_`` of the estimator, of the last step of a pipeline, or of the best estimator of a
    search. Without names, frames are matched by position, and sets must contain column numbers.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.model_selection import cross_val_score, cross_validate
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelwise.measures import scorer
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> cross_val_score(KNeighborsClassifier(), X, Y, scoring=scorer("micro-f"), cv=3).round(2)
    array([0.64, 0.62, 0.58])
    >>> scoring = scorer(["micro-f", "neg-coverage"], undefined="skip")
    >>> found = cross_validate(KNeighborsClassifier(), X, Y, scoring=scoring, cv=3)
    >>> found["test_neg-coverage"].round(2)
    array([-2.81, -2.62, -2.27])
    """
    options = _check_options(undefined, unknown_labels, inverse_propensity)
    if isinstance(names, str):
        return Scorer((_measure_of(names, beta),), *options)
    if names is None:
        return Scorers(tuple(named_measures(beta).values()), *options)
    return Scorers(tuple(_measure_of(name, beta) for name in names), *options)


@dataclass(frozen=True)
class Scorers:
    """Several measures of an estimator's predictions by name; higher is better."""

    measures: tuple[MeasureRecord, ...]
    undefined: str | float = "nan"
    unknown_labels: str = "raise"
    inverse_propensity: tuple[float, ...] | None = None
    # Requests under scikit-learn's metadata routing.
    _requests: dict[str, Any] = field(
        default_factory=lambda: {"sample_weight": None}, init=False, repr=False, compare=False
    )

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Any:
        """Choose whether the scorer requests sample weights when metadata is routed.

        Parameters
        ----------
        sample_weight : bool, str, default=None
            True requests the weights, False ignores them, None makes it an error to pass them, and
            a string is the name under which they are passed.

        Returns
        -------
        Scorer or Scorers
            This object.

        Raises
        ------
        RuntimeError
            If scikit-learn's metadata routing is not enabled.
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
        """Describe the requests in the form of scikit-learn's metadata routing.

        Returns
        -------
        MetadataRequest
            The requests of the scorer.
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def __call__(
        self, estimator: Any, X: Any, Y: Any, sample_weight: Any = None
    ) -> dict[str, float]:
        """Compute each measure on these samples.

        Parameters
        ----------
        estimator : fitted estimator
            The model to evaluate.
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            Samples.
        Y : array, sparse matrix, frame or list of sets
            True labels, 0 or 1.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        dict of str to float
            Values by name.
        """
        refuse_other_index(X=X, Y=Y, sample_weight=sample_weight)
        truth = truth_for(estimator, Y, self.unknown_labels)
        if truth.n_known is not None:  # before the estimator predicts
            check_k(max((m.k for m in self.measures), default=1), truth.n_known + truth.n_unknown)
        needs = {measure.needs for measure in self.measures}
        given = _outcome_of(estimator, X, truth, needs).weighted(sample_weight)
        inverse = check_inverse(self.inverse_propensity, given)
        measured, _ = measure_outcome(
            given.with_truth(), self.measures, self.undefined, inverse=inverse
        )
        signed = ((m, 1 if m.higher_is_better else -1) for m in self.measures)
        return NamedValues((_name_of(m), sign * measured[m.name].value) for m, sign in signed)


@dataclass(frozen=True)
class Scorer(Scorers):
    """A measure of an estimator's predictions; higher is better."""

    def __call__(  # type: ignore[override]
        self, estimator: Any, X: Any, Y: Any, sample_weight: Any = None
    ) -> float:
        """Compute the measure on these samples.

        Parameters
        ----------
        estimator : fitted estimator
            The model to evaluate.
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            Samples.
        Y : array, sparse matrix, frame or list of sets
            True labels, 0 or 1.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            The value.
        """
        (value,) = super().__call__(estimator, X, Y, sample_weight).values()
        return value


def _check_options(
    undefined: Any, unknown_labels: Any, inverse_propensity: Any
) -> tuple[str | float, str, tuple[float, ...] | None]:
    """Check the options of scorers; weights become a tuple, so that equal scorers are equal."""
    if unknown_labels not in _UNKNOWN:
        raise ValueError(f'unknown_labels must be "raise" or "missed", got {unknown_labels!r}.')
    inverse = check_inverse(inverse_propensity)
    weights = None if inverse is None else tuple(inverse.tolist())
    return check_undefined(undefined, allow_zero=True), unknown_labels, weights


def _measure_of(name: str, beta: float = 1.0) -> MeasureRecord:
    """Find the measure of a scorer's name; names of losses need their prefix."""
    check_instance(name, str, "name")
    measure = measure_named(name.removeprefix(_NEGATED), beta)
    if name != _name_of(measure):
        raise ValueError(f"name must be {_name_of(measure)!r}, as greater is better, got {name!r}.")
    return measure


def _name_of(measure: MeasureRecord) -> str:
    return measure.name if measure.higher_is_better else _NEGATED + measure.name


def _outcome_of(estimator: Any, X: Any, truth: ModelTruth, needs: Collection[str]) -> Outcome:
    """Predict what is needed ("decided", "scores") and join the predictions with the truth.

    Labels that the model does not know are never decided, and their scores are the lowest.
    """
    check_readable(X, "X")
    answers = {}
    if "decided" in needs:
        answers["decided"] = _as_matrix(estimator.predict(X), truth.n_known, "predict")
    if "scores" in needs:
        answers["scores"] = _scores(estimator, X, truth.n_known)
    if not isinstance(truth.known, Labels):
        return check_outcome(truth.known, ids=False, **answers)
    Y = with_nan(truth.known.matrix, truth.known.missing)
    found = check_outcome(Y, label_names=truth.known.names, allow_missing=True, **answers)
    return found if truth.unknown is None else _with_unknown(found, truth.unknown)


def _with_unknown(found: Outcome, unknown: Labels) -> Outcome:
    """Append labels that the model does not know."""
    never = sparse.csc_array(unknown.matrix.shape, dtype=bool)
    scores = None if found.scores is None else _with_lowest(found.scores, never)
    gaps = [found.missing, unknown.missing]
    missing = None
    if any(part is not None for part in gaps):
        none = [sparse.csc_array(found.Y.shape, dtype=bool), never]
        pairs = zip(gaps, none, strict=True)
        missing = sparse.csc_array(sparse.hstack([b if a is None else a for a, b in pairs]))
        scores = None if scores is None else without_cells(scores, missing)
    decided = None
    if found.decided is not None:
        decided = sparse.csc_array(sparse.hstack([found.decided, never]))
    Y = sparse.csc_array(sparse.hstack([found.Y, unknown.matrix]))
    return Outcome(Y, scores, decided, None, missing=missing)


def _with_lowest(scores: Any, never: sparse.csc_array) -> Any:
    """Append columns whose scores are below all others."""
    if sparse.issparse(scores):
        return sparse.csr_array(sparse.hstack([scores, never.astype(scores.dtype)]))
    return np.hstack([scores, np.full(never.shape, -np.inf, dtype=scores.dtype)])


def _scores(estimator: Any, X: Any, n_labels: int | None) -> Any:
    """Compute scores of the labels by the estimator, as one matrix."""
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
    """Return predictions as a matrix, also if one label has another form."""
    if (n_labels != 1 and np.ndim(answer) != 1) or sparse.issparse(answer):
        return answer
    return as_dense(answer, method).reshape(len(answer), -1)[:, -1:]
