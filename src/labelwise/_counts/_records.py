"""One record for each measure of counts: its names, and what the optimisers may assume of it.

A new measure of counts is a function in `_measures` and one record in `COUNT_MEASURES`. `with_beta`
turns a measure that a user gave (a function, checked once) into the function that code behind the
public functions calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import _measures as measures
from labelwise._counts._counting import Counts, pooled
from labelwise._counts._measures import Measure, is_unchecked, mean, unchecked
from labelwise._text import check_known, did_you_mean
from labelwise._validation import check_beta

# The averages of measures, and what each value before averaging belongs to.
AVERAGES = {"micro": "all", "macro": "label", "sample": "sample"}


class LinearWeights(NamedTuple):
    """A measure as a quotient of two weighted sums of (tp, fp, fn, tn)."""

    numerator: Sequence[float]
    denominator: Sequence[float]


# Weights of a measure for a beta, a number of positives and a number of negatives.
WeightsRule = Callable[[float, float, float], LinearWeights]


@dataclass(frozen=True, eq=False)
class MeasureRecord:
    """What the package knows about one measure; the register has each measure once.

    Parameters
    ----------
    name : str
        Name in tables and on the command line, without the average: "f".
    function : callable
        Values of the measure, from `Counts` if `needs` is "decided", else from ranked positives.
    needs : {"decided", "scores"}, default="decided"
        Whether the measure is computed from decisions or from scores.
    average : {"micro", "macro", "sample"} or None, default=None
        The only average that exists; its name then has no prefix. None for all three averages.
    higher_is_better : bool, default=True
        Direction: False for losses.
    takes_beta : bool, default=False
        Whether the function (or `combine_means`) has an argument `beta`.
    takes_k : bool, default=False
        Whether the function has an argument `k`; the name ends with "-at-k".
    combine_means : callable or None, default=None
        Turns several means into one value, for a function that returns several rows of values.
    weights : callable or None, default=None
        For a quotient of linear functions of the counts: its weights for (beta, n_positive,
        n_negative). Optimisers prove the best micro average by these weights.
    gains_from_hits : bool, default=False
        For a measure without weights: the value never falls with more true positives at the same
        number of decisions, and never rises with more decisions at the same true positives.
    falls_with_decisions : bool, default=False
        At the same number of true positives, the value only falls with more decisions.
        Optimisers then consider only thresholds at scores of positives.
    empty_is_one : bool, default=False
        Whether the value is 1, by convention, where there are neither positives nor decisions.
    of_top : bool, default=False
        Whether the function takes `TopLabels`, the k top-ranked labels of each sample, instead of
        ranked positives. `evaluate` then computes the measure only if it is named.
    needs_propensity : bool, default=False
        Whether the function needs the propensities of labels.
    meaning : str, default=""
        What the value says, in a sentence for reports.
    k : int, default=1
        The least number of labels that the measure needs.
    """

    name: str
    function: Callable[..., Any]
    needs: str = "decided"
    average: str | None = None
    higher_is_better: bool = True
    takes_beta: bool = False
    takes_k: bool = False
    combine_means: Callable[..., Any] | None = None
    weights: WeightsRule | None = None
    gains_from_hits: bool = False
    falls_with_decisions: bool = False
    empty_is_one: bool = False
    of_top: bool = False
    needs_propensity: bool = False
    meaning: str = ""
    k: int = 1

    @property
    def by(self) -> str:
        """What each value of the function belongs to: "all" cells, a "label" or a "sample"."""
        return AVERAGES[self.average or "micro"]

    def under(self, undefined: str | float) -> MeasureRecord:
        """Return the measure for a policy; "skip" and "zero" replace the conventional 1 by NaN."""
        applies = undefined == "zero" or (undefined == "skip" and self.by != "all")
        if not (self.empty_is_one and applies):
            return self
        at_k = self.k if self.of_top else None
        return replace(self, function=partial(_nan_where_empty, self.function, at_k))

    def averaged(
        self, values: Any, undefined: str | float, weights: np.ndarray | None = None
    ) -> Any:
        """Average the values of the function; `weights` are sample weights, for by="sample"."""
        means = measures.mean(values, undefined, weights)
        return means if self.combine_means is None else self.combine_means(means)


def _nan_where_empty(function: Measure, at_k: int | None, evidence: Any) -> Any:
    """Compute a measure of counts, or of counts at k, NaN without positives and decisions."""
    counts = evidence if at_k is None else evidence.counts(at_k)
    is_empty = np.equal(counts.tp + counts.fp + counts.fn, 0)
    return np.where(is_empty, np.nan, function(evidence))


def constant_weights(numerator: Sequence[float], denominator: Sequence[float]) -> WeightsRule:
    """Build the rule of weights that depend neither on beta nor on the data."""
    weights = LinearWeights(numerator, denominator)
    return lambda *_: weights


def _weights_of_f(beta: float, _positive: float, _negative: float) -> LinearWeights:
    return LinearWeights((1 + beta**2, 0, 0, 0), (1 + beta**2, 1, beta**2, 0))


def _weights_of_balanced_accuracy(
    _beta: float, n_positive: float, n_negative: float
) -> LinearWeights:
    # tp / P + tn / N over 2, both multiplied by P N; P is tp + fn.
    return LinearWeights((n_negative, 0, 0, n_positive), (2 * n_negative, 0, 2 * n_negative, 0))


# In the order of tables.
COUNT_MEASURES: tuple[MeasureRecord, ...] = (
    MeasureRecord(
        "precision",
        measures.precision,
        weights=constant_weights((1, 0, 0, 0), (1, 1, 0, 0)),
        meaning="Share of the decisions that are right.",
    ),
    MeasureRecord(
        "recall",
        measures.recall,
        weights=constant_weights((1, 0, 0, 0), (1, 0, 1, 0)),
        meaning="Share of the positives that are decided.",
    ),
    MeasureRecord(
        "f",
        measures.f_measure,
        takes_beta=True,
        weights=_weights_of_f,
        falls_with_decisions=True,
        empty_is_one=True,
        meaning="Balance (harmonic mean) of precision and recall.",
    ),
    MeasureRecord(
        "jaccard",
        measures.jaccard,
        weights=constant_weights((1, 0, 0, 0), (1, 1, 1, 0)),
        falls_with_decisions=True,
        empty_is_one=True,
        meaning="Right decisions, divided by everything that is decided or positive.",
    ),
    MeasureRecord(
        "accuracy",
        measures.accuracy,
        weights=constant_weights((1, 0, 0, 1), (1, 1, 1, 1)),
        meaning="Share of right answers; high for rare labels even if nothing is decided.",
    ),
    MeasureRecord(
        "balanced-accuracy",
        measures.balanced_accuracy,
        weights=_weights_of_balanced_accuracy,
        meaning="Mean of the shares of positives and of negatives that are right; 0.5 by chance.",
    ),
    MeasureRecord(
        "g-mean",
        measures.g_mean,
        gains_from_hits=True,
        meaning="Geometric mean of the shares of positives and of negatives that are right.",
    ),
    MeasureRecord(
        "matthews",
        measures.matthews,
        gains_from_hits=True,
        meaning="Correlation of truth and decisions, from -1 to 1; 0 by chance.",
    ),
    MeasureRecord(
        "f-of-means",
        measures.precision_and_recall,
        average="macro",
        takes_beta=True,
        combine_means=measures.f_of_rates,
        meaning="F of the mean precision and the mean recall of the labels.",
    ),
    MeasureRecord(
        "hamming-loss",
        measures.wrong_share,
        average="sample",
        higher_is_better=False,
        meaning="Share of wrong answers over all samples and labels.",
    ),
    MeasureRecord(
        "subset-accuracy",
        measures.is_exact,
        average="sample",
        meaning="Share of the samples whose label set is exactly right.",
    ),
)


def count_records() -> tuple[MeasureRecord, ...]:
    """Return the records of all measures of counts, in the order of tables."""
    return COUNT_MEASURES


def averaged_records() -> dict[str, MeasureRecord]:
    """Return the measures of counts that have all three averages, by name."""
    return {record.name: record for record in COUNT_MEASURES if record.average is None}


def record_of(measure: Any) -> tuple[MeasureRecord, float] | None:
    """Find the record and the beta of a measure of counts; None for a function not of the register.

    The function may be unchecked, or a `functools.partial` that sets only `beta`.
    """
    beta = 1.0
    if isinstance(measure, partial):
        if measure.args or set(measure.keywords) != {"beta"}:
            return None
        measure, beta = measure.func, measure.keywords["beta"]
    for record in COUNT_MEASURES:
        if measure is record.function or measure is unchecked(record.function):
            return record, beta
    return None


def average_and_measure(name: str, input_name: str = "maximize") -> tuple[str, Callable[..., Any]]:
    """Split a name such as "micro-f" into the average and the function of counts; refuse others."""
    if not isinstance(name, str):
        raise TypeError(f"{input_name} must be a name such as 'micro-f', got {name!r}.")
    average, _, measure = name.partition("-")
    records = averaged_records()
    if average not in AVERAGES or measure not in records:
        full = [f"{average}-{record}" for average in AVERAGES for record in records]
        raise ValueError(
            f"{input_name} must be micro-, macro- or sample- and one of {', '.join(records)}, "
            f"got {name!r}{did_you_mean(name, full)}"
        )
    return average, records[measure].function


def averaged_name(measure: Any, average: str | None) -> str | None:
    """Return the name of a measure and its average; None for a function that has none."""
    if isinstance(measure, str):
        return measure
    records = averaged_records().items()
    return next((f"{average}-{name}" for name, one in records if one.function is measure), None)


def with_beta(measure: Measure, beta: float) -> Measure:
    """Set the beta of a measure, and check both once.

    Code behind a public function calls the result as often as it needs: measures of the register
    are returned unchecked. A function of the user's own is returned as it is, or as a partial.
    """
    check_beta(beta)
    if not callable(measure):
        raise TypeError(f"measure must be a function of counts, got {measure!r}.")
    found = record_of(measure)
    if found is not None:
        record, own_beta = found
        beta = own_beta if beta == 1 else beta
        check_beta(beta)
        if beta == 1:
            return unchecked(record.function)
        if record.takes_beta:
            return partial(unchecked(record.function), beta=beta)
    elif beta == 1:
        return measure
    elif "beta" in inspect.signature(measure).parameters:
        return partial(measure, beta=beta)
    name = getattr(measure, "__name__", repr(measure))
    raise ValueError(f"beta must be 1 for {name}, which has none, got {beta}.")


def function_of(measure: Measure | str) -> Measure:
    """Return a measure of counts that is given as its function or by its name, such as "f"."""
    if not isinstance(measure, str):
        return measure
    records = averaged_records()
    return records[check_known(measure, records)].function


def measured(measure: Measure, counts: Counts) -> Any:
    """Compute a measure cell by cell, refusing a function that does not work on arrays."""
    if is_unchecked(measure):
        return measure(counts)
    shape = np.broadcast_shapes(*map(np.shape, counts))
    name = getattr(measure, "__name__", repr(measure))
    rule = "measure must take Counts of arrays and return an array of numbers of their shape"
    try:
        values = np.asarray(measure(counts))
    except (TypeError, ValueError, IndexError) as error:
        raise TypeError(f"{rule}, but {name} raised {type(error).__name__}: {error}") from error
    if values.shape != shape or values.dtype.kind not in "biuf":
        raise TypeError(f"{rule}, but {name} returned {values!r} for counts of shape {shape}.")
    return values[()]


def micro_of(measure: Measure, counts: Counts) -> Any:
    """Compute the measure of the summed counts; `measures.micro` also checks both."""
    return measured(measure, pooled(counts))


def macro_of(measure: Measure, counts: Counts, undefined: str | float = "nan") -> Any:
    """Compute the mean of the measure; `measures.macro` also checks both."""
    return mean(measured(measure, counts), undefined)
