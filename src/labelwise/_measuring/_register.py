"""The register: measures by the names that tables, scorers, studies and commands use.

A record describes one measure; those of counts are in `_counts`, those of scores are here. A record
stands for one measure for each average ("micro-f") or each k ("ndcg-at-5"), again a record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from labelwise._counts import AVERAGES, MeasureRecord, count_records, unchecked
from labelwise._measuring import _rankings as rankings
from labelwise._text import did_you_mean
from labelwise._validation import check_beta, check_instance

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


def named_measures(beta: float = 1.0, cutoffs: Iterable[int] = ()) -> dict[str, MeasureRecord]:
    """Return all measures in the order of tables; those at k for each k in `cutoffs`."""
    check_beta(beta)
    cutoffs, records = tuple(cutoffs), (*count_records(), *SCORE_MEASURES)
    return {one.name: one for record in records for one in _named(record, beta, cutoffs)}


def measure_named(name: str, beta: float = 1.0) -> MeasureRecord:
    """Return one measure; those such as "precision-at-7" exist for every number."""
    check_instance(name, str, "name")
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


@lru_cache(maxsize=1024)
def _named(record: MeasureRecord, beta: float, cutoffs: tuple[int, ...]) -> list[MeasureRecord]:
    """Return the measures of a record: one for each average, or one for each k."""
    function, combine = unchecked(record.function), record.combine_means
    if record.takes_beta and combine is not None:
        combine = partial(combine, beta=beta)
    elif record.takes_beta:
        function = partial(function, beta=beta)
    if record.takes_k:
        return [
            replace(record, name=f"{record.name}-at-{k}", function=partial(function, k=k), k=k)
            for k in cutoffs
        ]
    chosen = {record.average: record.name}
    if record.average is None:
        chosen = {average: f"{average}-{record.name}" for average in AVERAGES}
    return [
        replace(record, name=name, average=average, function=function, combine_means=combine)
        for average, name in chosen.items()
    ]
