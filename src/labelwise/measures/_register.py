"""The register: measures by the names that tables, scorers, studies and commands use.

A record describes one measure; those of counts are in `_counts`, those of scores are here. A record
stands for one `NamedMeasure` for each average ("micro-f") or each k ("ndcg-at-5").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from labelwise._counts import MeasureRecord, count_records, mean, unchecked
from labelwise._text import did_you_mean
from labelwise._validation import check_beta
from labelwise.measures import _rankings as rankings
from labelwise.measures._rankings import RANKINGS

_AT_K = re.compile(r".+-at-(\d+)")


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
SCORE_MEASURES: tuple[MeasureRecord, ...] = (
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


def every_record() -> tuple[MeasureRecord, ...]:
    """Return the records of all measures, in the order of tables."""
    return (*count_records(), *SCORE_MEASURES)


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
    measures = [one for record in every_record() for one in _named(record, beta, cutoffs)]
    return {measure.name: measure for measure in measures}


def measure_named(name: str, beta: float = 1.0) -> NamedMeasure:
    """Return one measure; those such as "precision-at-7" exist for every number."""
    at_k = _AT_K.fullmatch(name)
    known = named_measures(beta, [int(at_k[1])] if at_k else [])
    if name not in known:
        at_any_k = [f"{record.name}-at-K" for record in SCORE_MEASURES if record.takes_k]
        names = ", ".join([*named_measures(), *at_any_k])
        meant = did_you_mean(name, named_measures())
        raise ValueError(f"name must be one of {names}, got {name!r}{meant}")
    if beta != 1 and not known[name].takes_beta:
        raise ValueError(f"beta must be 1 for {name}, which has none, got {beta}.")
    return known[name]


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
