"""The register: one record for each measure, read by tables, scorers and the optimisers.

A new measure of counts is a function in `_count_measures` and one record in `MEASURES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from labelwise.measures import _count_measures as counts
from labelwise.measures.ranking import _per_sample, _rankings, _top, _top_labels


class LinearWeights(NamedTuple):
    """A measure as a quotient of two weighted sums of (tp, fp, fn, tn)."""

    numerator: Sequence[float]
    denominator: Sequence[float]


# Weights of a measure for a beta, a number of positives and a number of negatives.
WeightsRule = Callable[[float, float, float], LinearWeights]


@dataclass(frozen=True)
class MeasureRecord:
    """What the package knows about one measure.

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


def _of_ranking(name: str, function: Any, meaning: str, **more: Any) -> MeasureRecord:
    """Build the record of a measure of the ranked labels of a sample."""
    options = {"average": "sample", "meaning": meaning, **more}
    return MeasureRecord(name, function, "scores", **options)


_at_k = partial(_of_ranking, takes_k=True)
_MEAN = "Mean {} of the labels if the k highest scores of a sample are decided."
_BY_LABEL: dict[str, Any] = {"average": "macro", "of_top": True}
_BY_PROPENSITY: dict[str, Any] = {
    "combine_means": _top_labels.share_of_best,
    "of_top": True,
    "needs_propensity": True,
}

# In the order of tables.
MEASURES: tuple[MeasureRecord, ...] = (
    MeasureRecord(
        "precision",
        counts.precision,
        weights=constant_weights((1, 0, 0, 0), (1, 1, 0, 0)),
        meaning="Share of the decisions that are right.",
    ),
    MeasureRecord(
        "recall",
        counts.recall,
        weights=constant_weights((1, 0, 0, 0), (1, 0, 1, 0)),
        meaning="Share of the positives that are decided.",
    ),
    MeasureRecord(
        "f",
        counts.f_measure,
        takes_beta=True,
        weights=_weights_of_f,
        falls_with_decisions=True,
        empty_is_one=True,
        meaning="Balance (harmonic mean) of precision and recall.",
    ),
    MeasureRecord(
        "jaccard",
        counts.jaccard,
        weights=constant_weights((1, 0, 0, 0), (1, 1, 1, 0)),
        falls_with_decisions=True,
        empty_is_one=True,
        meaning="Right decisions, divided by everything that is decided or positive.",
    ),
    MeasureRecord(
        "accuracy",
        counts.accuracy,
        weights=constant_weights((1, 0, 0, 1), (1, 1, 1, 1)),
        meaning="Share of right answers; high for rare labels even if nothing is decided.",
    ),
    MeasureRecord(
        "balanced-accuracy",
        counts.balanced_accuracy,
        weights=_weights_of_balanced_accuracy,
        meaning="Mean of the shares of positives and of negatives that are right; 0.5 by chance.",
    ),
    MeasureRecord(
        "g-mean",
        counts.g_mean,
        gains_from_hits=True,
        meaning="Geometric mean of the shares of positives and of negatives that are right.",
    ),
    MeasureRecord(
        "matthews",
        counts.matthews,
        gains_from_hits=True,
        meaning="Correlation of truth and decisions, from -1 to 1; 0 by chance.",
    ),
    MeasureRecord(
        "f-of-means",
        counts.precision_and_recall,
        average="macro",
        takes_beta=True,
        combine_means=counts.f_of_rates,
        meaning="F of the mean precision and the mean recall of the labels.",
    ),
    MeasureRecord(
        "hamming-loss",
        counts.wrong_share,
        average="sample",
        higher_is_better=False,
        meaning="Share of wrong answers over all samples and labels.",
    ),
    MeasureRecord(
        "subset-accuracy",
        counts.is_exact,
        average="sample",
        meaning="Share of the samples whose label set is exactly right.",
    ),
    MeasureRecord(
        "average-precision",
        _rankings.average_precision_of,
        "scores",
        meaning="Mean precision at the ranks of the positives, by falling score.",
    ),
    MeasureRecord(
        "auc",
        _rankings.area_under_roc_of,
        "scores",
        meaning="Chance that a positive has a higher score than a negative; 0.5 by chance.",
    ),
    _of_ranking(
        "coverage",
        _per_sample.coverage_of,
        "How far down the ranked labels the last positive is, counted from 0.",
        higher_is_better=False,
    ),
    _of_ranking(
        "ranking-loss",
        _per_sample.ranking_loss_of,
        "Share of pairs of a positive and a negative label in the wrong order.",
        higher_is_better=False,
    ),
    _of_ranking(
        "one-error",
        _per_sample.one_error_of,
        "Share of the samples whose highest score belongs to a wrong label.",
        higher_is_better=False,
    ),
    _of_ranking(
        "r-precision",
        _top.r_precision_of,
        "Precision of as many highest scores as the sample has labels.",
    ),
    _at_k(
        "precision",
        _top.precision_at_of,
        "Share of positives among the k highest scores of a sample.",
    ),
    _at_k(
        "recall",
        _top.recall_at_of,
        "Share of the positives of a sample among its k highest scores.",
    ),
    _at_k(
        "ndcg",
        _top.ndcg_at_of,
        "Gain of positives among the k highest scores; earlier ranks count more.",
    ),
    _at_k(
        "macro-precision", _top_labels.macro_precision_of, _MEAN.format("precision"), **_BY_LABEL
    ),
    _at_k("macro-recall", _top_labels.macro_recall_of, _MEAN.format("recall"), **_BY_LABEL),
    _at_k(
        "macro-f",
        _top_labels.macro_f_of,
        _MEAN.format("F"),
        takes_beta=True,
        empty_is_one=True,
        **_BY_LABEL,
    ),
    _at_k(
        "label-coverage",
        _top_labels.label_coverage_of,
        "Share of the labels found among the k highest scores of at least one sample.",
        **_BY_LABEL,
    ),
    _at_k(
        "ps-precision",
        _top_labels.ps_precision_of,
        "Precision at k in which rare labels count more, as a share of the best ranking.",
        **_BY_PROPENSITY,
    ),
    _at_k(
        "ps-ndcg",
        _top_labels.ps_ndcg_of,
        "NDCG at k in which rare labels count more, as a share of the best ranking.",
        **_BY_PROPENSITY,
    ),
)


def averaged_records() -> dict[str, MeasureRecord]:
    """Return the measures of counts that have all three averages, by name."""
    records = [one for one in MEASURES if one.needs == "decided" and one.average is None]
    return {record.name: record for record in records}


def record_of(measure: Any) -> tuple[MeasureRecord, float] | None:
    """Find the record and the beta of a measure of counts.

    Parameters
    ----------
    measure : callable
        A function of the register, or a `functools.partial` of one that sets only `beta`.

    Returns
    -------
    tuple of (MeasureRecord, float) or None
        None for any other function: nothing is known about it.
    """
    beta = 1.0
    if isinstance(measure, partial):
        if measure.args or set(measure.keywords) != {"beta"}:
            return None
        measure, beta = measure.func, measure.keywords["beta"]
    for record in MEASURES:
        if record.function is measure:
            return record, beta
    return None
