"""The register: one record for each measure, read by tables, scorers and the optimisers.

A new measure of counts is a function in `_count_measures` and one record in `MEASURES`. A record
stands for one `NamedMeasure` for each average ("micro-f") or each k ("ndcg-at-5"), by whose name
`evaluate`, scorers, studies and the commands find it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelwise._text import did_you_mean
from labelwise._validation import check_beta
from labelwise.measures import _count_measures as counts
from labelwise.measures import _rankings as rankings
from labelwise.measures._count_measures import mean, unchecked
from labelwise.measures._rankings import RANKINGS

_AT_K = re.compile(r".+-at-(\d+)")


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
_by_label = partial(_at_k, average="macro", of_top=True)
_by_propensity = partial(
    _at_k, combine_means=rankings.share_of_best, of_top=True, needs_propensity=True
)
_MEAN = "Mean {} of the labels if the k highest scores of a sample are decided."

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
        rankings.average_precision_of,
        "scores",
        meaning="Mean precision at the ranks of the positives, by falling score.",
    ),
    MeasureRecord(
        "auc",
        rankings.area_under_roc_of,
        "scores",
        meaning="Chance that a positive has a higher score than a negative; 0.5 by chance.",
    ),
    _of_ranking(
        "coverage",
        rankings.coverage_of,
        "How far down the ranked labels the last positive is, counted from 0.",
        higher_is_better=False,
    ),
    _of_ranking(
        "ranking-loss",
        rankings.ranking_loss_of,
        "Share of pairs of a positive and a negative label in the wrong order.",
        higher_is_better=False,
    ),
    _of_ranking(
        "one-error",
        rankings.one_error_of,
        "Share of the samples whose highest score belongs to a wrong label.",
        higher_is_better=False,
    ),
    _of_ranking(
        "r-precision",
        rankings.r_precision_of,
        "Precision of as many highest scores as the sample has labels.",
    ),
    _at_k(
        "precision",
        rankings.precision_at_of,
        "Share of positives among the k highest scores of a sample.",
    ),
    _at_k(
        "recall",
        rankings.recall_at_of,
        "Share of the positives of a sample among its k highest scores.",
    ),
    _at_k(
        "ndcg",
        rankings.ndcg_at_of,
        "Gain of positives among the k highest scores; earlier ranks count more.",
    ),
    _by_label("macro-precision", rankings.macro_precision_of, _MEAN.format("precision")),
    _by_label("macro-recall", rankings.macro_recall_of, _MEAN.format("recall")),
    _by_label(
        "macro-f", rankings.macro_f_of, _MEAN.format("F"), takes_beta=True, empty_is_one=True
    ),
    _by_label(
        "label-coverage",
        rankings.label_coverage_of,
        "Share of the labels found among the k highest scores of at least one sample.",
    ),
    _by_propensity(
        "ps-precision",
        rankings.ps_precision_of,
        "Precision at k in which rare labels count more, as a share of the best ranking.",
    ),
    _by_propensity(
        "ps-ndcg",
        rankings.ps_ndcg_of,
        "NDCG at k in which rare labels count more, as a share of the best ranking.",
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
        A function of the register, checked or unchecked, or a `functools.partial` of one that
        sets only `beta`.

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
        if measure is record.function or measure is unchecked(record.function):
            return record, beta
    return None


@dataclass(frozen=True)
class NamedMeasure:
    """A measure with its average, beta and k chosen.

    Parameters
    ----------
    name : str
        Full name, such as "macro-f".
    needs : {"decided", "scores"}
        Whether the measure is computed from decisions or from scores.
    by : {"all", "label", "sample"}
        What each value of `values_of` belongs to: all cells, one label or one sample.
    values_of : callable
        The values before averaging, from `Counts`, `RankedPositives` or `WeightedPositives`.
    higher_is_better : bool, default=True
        Direction: False for losses.
    takes_beta : bool, default=False
        Whether the measure depends on beta.
    combine_means : callable or None, default=None
        Turns several means into one value, if `values_of` returns several rows.
    k : int, default=1
        The least number of labels that the measure needs.
    empty_is_one : bool, default=False
        Whether the value is 1, by convention, where there are neither positives nor decisions.
    of_top : bool, default=False
        Whether the values come from `TopLabels`.
    needs_propensity : bool, default=False
        Whether the measure needs the propensities of labels.
    meaning : str, default=""
        What the value says, in a sentence for reports.
    """

    name: str
    needs: str
    by: str
    values_of: Callable[[Any], Any]
    higher_is_better: bool = True
    takes_beta: bool = False
    combine_means: Callable[[Any], Any] | None = None
    k: int = 1
    empty_is_one: bool = False
    of_top: bool = False
    needs_propensity: bool = False
    meaning: str = ""

    def under(self, undefined: str | float) -> NamedMeasure:
        """Return the measure for a policy; "skip" and "zero" replace the conventional 1 by NaN."""
        applies = undefined == "zero" or (undefined == "skip" and self.by != "all")
        if not (self.empty_is_one and applies):
            return self
        at_k = self.k if self.of_top else None
        return replace(self, values_of=partial(_nan_where_empty, self.values_of, at_k))

    def averaged(
        self, values: Any, undefined: str | float, weights: np.ndarray | None = None
    ) -> Any:
        """Average the values of `values_of`; `weights` are sample weights, for by="sample"."""
        means = mean(values, undefined, weights)
        return means if self.combine_means is None else self.combine_means(means)


def _nan_where_empty(values_of: Callable[[Any], Any], at_k: int | None, evidence: Any) -> Any:
    """Compute a measure of counts, or of counts at k, NaN without positives and decisions."""
    counts = evidence if at_k is None else evidence.counts(at_k)
    is_empty = np.equal(counts.tp + counts.fp + counts.fn, 0)
    return np.where(is_empty, np.nan, values_of(evidence))


def named_measures(beta: float = 1.0, cutoffs: Iterable[int] = ()) -> dict[str, NamedMeasure]:
    """Return all measures in the order of tables; those at k for each k in `cutoffs`."""
    check_beta(beta)
    cutoffs = tuple(cutoffs)
    measures = [one for record in MEASURES for one in _named(record, beta, cutoffs)]
    return {measure.name: measure for measure in measures}


def measure_named(name: str, beta: float = 1.0) -> NamedMeasure:
    """Return one measure; those such as "precision-at-7" exist for every number."""
    at_k = _AT_K.fullmatch(name)
    known = named_measures(beta, [int(at_k[1])] if at_k else [])
    if name not in known:
        at_any_k = [f"{record.name}-at-K" for record in MEASURES if record.takes_k]
        names = ", ".join([*named_measures(), *at_any_k])
        meant = did_you_mean(name, named_measures())
        raise ValueError(f"name must be one of {names}, got {name!r}{meant}")
    if beta != 1 and not known[name].takes_beta:
        raise ValueError(f"beta must be 1 for {name}, which has none, got {beta}.")
    return known[name]


def average_and_measure(name: str, input_name: str = "maximize") -> tuple[str, Callable[..., Any]]:
    """Split a name such as "micro-f" into the average and the function of counts.

    Parameters
    ----------
    name : str
        An average ("micro", "macro" or "sample"), a hyphen and the name of a measure of counts.
    input_name : str, default="maximize"
        What error messages call the argument.

    Returns
    -------
    average : str
        The average.
    measure : callable
        The function of counts.

    Raises
    ------
    TypeError
        If the name is not a string.
    ValueError
        If the average or the measure is unknown.

    Examples
    --------
    >>> from labelwise.measures import average_and_measure
    >>> average, measure = average_and_measure("macro-jaccard")
    >>> average, measure.__name__
    ('macro', 'jaccard')
    """
    if not isinstance(name, str):
        raise TypeError(f"{input_name} must be a name such as 'micro-f', got {name!r}.")
    average, _, measure = name.partition("-")
    records = averaged_records()
    if average not in RANKINGS or measure not in records:
        full = [f"{average}-{record}" for average in RANKINGS for record in records]
        raise ValueError(
            f"{input_name} must be micro-, macro- or sample- and one of {', '.join(records)}, "
            f"got {name!r}{did_you_mean(name, full)}"
        )
    return average, records[measure].function


def _named(record: MeasureRecord, beta: float, cutoffs: tuple[int, ...]) -> Iterator[NamedMeasure]:
    """Yield the measures of a record: one for each average, or one for each k."""
    values_of, combine = unchecked(record.function), record.combine_means
    if record.takes_beta and combine is not None:
        combine = partial(combine, beta=beta)
    elif record.takes_beta:
        values_of = partial(values_of, beta=beta)
    if record.average is None:
        names = {average: f"{average}-{record.name}" for average in RANKINGS}
    else:
        names = {record.average: record.name}
    named = [
        NamedMeasure(
            name,
            record.needs,
            RANKINGS[average],
            values_of,
            record.higher_is_better,
            record.takes_beta,
            combine,
            empty_is_one=record.empty_is_one,
            of_top=record.of_top,
            needs_propensity=record.needs_propensity,
            meaning=record.meaning,
        )
        for average, name in names.items()
    ]
    if not record.takes_k:
        yield from named
        return
    for k in cutoffs:
        for one in named:
            yield replace(one, name=f"{one.name}-at-{k}", values_of=partial(values_of, k=k), k=k)
