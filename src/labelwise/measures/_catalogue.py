"""The catalogue: every measure of an outcome by the name that tables and scorers use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from labelwise._validation import check_beta
from labelwise.measures import _count_measures as counts
from labelwise.measures._counts import both_rates, f_of
from labelwise.measures._undefined import mean
from labelwise.measures.ranking import _ranking as ranking
from labelwise.measures.ranking import _top as top
from labelwise.measures.ranking._ranking import RANKINGS

COUNT_MEASURES: dict[str, Callable[..., Any]] = {
    "precision": counts.precision,
    "recall": counts.recall,
    "f": counts.f_measure,
    "jaccard": counts.jaccard,
    "accuracy": counts.accuracy,
    "balanced-accuracy": counts.balanced_accuracy,
    "g-mean": counts.g_mean,
    "matthews": counts.matthews,
}
_AT_K = re.compile(r"(?:precision|ndcg)-at-(\d+)")


@dataclass(frozen=True)
class NamedMeasure:
    """A measure by name: what it needs, what it has a value for, and how these become one."""

    name: str
    needs: str  # "decided" or "scores"
    by: str  # "all", "label" or "sample"
    # Of Counts, Places or WeightedPlaces: a value for each label, sample or all.
    values_of: Callable[[Any], Any]
    higher_is_better: bool = True
    finish: Callable[[Any], Any] | None = None  # of the means, where values_of gives several rows
    k: int = 1  # labels that there must be

    def joined(self, values: Any, undefined: str | float, weights: np.ndarray | None = None) -> Any:
        """Return the one value that the values of `values_of` are averaged to.

        Weights are those of the samples, of a measure that has a value for each.
        """
        means = mean(values, undefined, weights)
        return means if self.finish is None else self.finish(means)


def catalogue(beta: float = 1.0, cutoffs: Iterable[int] = ()) -> dict[str, NamedMeasure]:
    """Return all measures, in the order of tables; those at k for each k in `cutoffs`."""
    measures = [*_of_decisions(beta), *_of_rankings(), *_of_tops(cutoffs)]
    return {measure.name: measure for measure in measures}


def measure_named(name: str, beta: float = 1.0) -> NamedMeasure:
    """Return one measure; "precision-at-7" and "ndcg-at-7" exist for every number."""
    at_k = _AT_K.fullmatch(name)
    known = catalogue(beta, [int(at_k[1])] if at_k else [])
    if name not in known:
        names = ", ".join([*known, "precision-at-K", "ndcg-at-K"])
        raise ValueError(f"name must be one of {names}, got {name!r}.")
    if beta != 1 and not (name == "f-of-means" or name.endswith("-f")):
        raise ValueError(f"beta must be 1 for {name}, which has none, got {beta}.")
    return known[name]


def count_measure_named(name: str, input_name: str = "maximize") -> tuple[str, Callable[..., Any]]:
    """Return the average and the measure of counts of a name such as "micro-f".

    Parameters
    ----------
    name : str
        "micro", "macro" or "sample", a hyphen, and a key of `COUNT_MEASURES`.
    input_name : str, default="maximize"
        Name of the argument in error messages.

    Returns
    -------
    average : str
        "micro", "macro" or "sample".
    measure : callable
        The measure, a function of `Counts`.

    Raises
    ------
    TypeError
        If `name` is not a string.
    ValueError
        If there is no such average or measure.
    """
    if not isinstance(name, str):
        raise TypeError(f'{input_name} must be a name such as "micro-f", got {name!r}.')
    average, _, measure = name.partition("-")
    if average not in RANKINGS or measure not in COUNT_MEASURES:
        raise ValueError(
            f"{input_name} must be micro-, macro- or sample- and one of "
            f"{', '.join(COUNT_MEASURES)}, got {name!r}."
        )
    return average, COUNT_MEASURES[measure]


def _of_decisions(beta: float) -> list[NamedMeasure]:
    check_beta(beta)
    f_beta = partial(counts.f_measure, beta=beta)
    averaged = [
        NamedMeasure(f"{average}-{name}", "decided", by, f_beta if name == "f" else measure)
        for name, measure in COUNT_MEASURES.items()
        for average, by in RANKINGS.items()
    ]
    return [
        *averaged,
        NamedMeasure("f-of-means", "decided", "label", both_rates, finish=partial(f_of, beta=beta)),
        NamedMeasure("hamming-loss", "decided", "sample", counts.wrong_share, False),
        NamedMeasure("subset-accuracy", "decided", "sample", counts.is_exact),
    ]


def _of_rankings() -> list[NamedMeasure]:
    averaged = [
        NamedMeasure(f"{average}-{name}", "scores", by, values_of)
        for name, values_of in (
            ("average-precision", ranking.average_precision_of),
            ("auc", ranking.area_under_roc_of),
        )
        for average, by in RANKINGS.items()
    ]
    return [
        *averaged,
        NamedMeasure("coverage", "scores", "sample", ranking.coverage_of, False),
        NamedMeasure("ranking-loss", "scores", "sample", ranking.ranking_loss_of, False),
        NamedMeasure("one-error", "scores", "sample", ranking.one_error_of, False),
        NamedMeasure("r-precision", "scores", "sample", top.r_precision_of),
    ]


def _of_tops(cutoffs: Iterable[int]) -> list[NamedMeasure]:
    return [
        NamedMeasure(f"{name}-at-{k}", "scores", "sample", partial(values_of, k=k), k=k)
        for name, values_of in (("precision", top.precision_at_of), ("ndcg", top.ndcg_at_of))
        for k in cutoffs
    ]
