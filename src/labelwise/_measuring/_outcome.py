"""Measure an outcome: compute counts and ranks once, and from them the values of all measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import MeasureRecord, count_matched, weighted_counts
from labelwise._measuring._rankings import TopLabels, find_top
from labelwise._measuring._ranks import find_places, find_weighted_places
from labelwise._parallel import in_threads
from labelwise._validation import Outcome, check_whole

_NEEDS = ("decided", "scores")
_BY = ("all", "label", "sample")
# Number of positives from which counts and ranks are computed in threads.
_MANY = 2**20


class Measured(NamedTuple):
    """The value of a measure, what it averages, its interval, and its mean over defined values."""

    value: float
    by: str
    n_undefined: int
    low: float | None = None
    high: float | None = None
    mean_of_defined: float = float("nan")


def measure_outcome(
    outcome: Outcome,
    measures: Sequence[MeasureRecord],
    undefined: str | float,
    *,
    keep_samples: bool = False,
    inverse: np.ndarray | None = None,
) -> tuple[dict[str, Measured], dict[str, np.ndarray]]:
    """Compute each measure, and its values for each label (and sample, if kept)."""
    for measure in measures:
        check_k(measure.k, outcome.Y.shape[1])
    measured, each = {}, {}
    under = [one.under(undefined) for one in measures]
    for measure, evidence in _with_evidence(outcome, under, inverse):
        values = measure.function(evidence)
        weights = outcome.weights if measure.by == "sample" else None
        measured[measure.name] = measured_values(measure, values, undefined, weights)
        is_mean = measure.combine_means is None
        if measure.by == "label" or (measure.by == "sample" and keep_samples and is_mean):
            each[measure.name] = values
    return measured, each


def measured_values(
    measure: MeasureRecord,
    values: Any,
    undefined: str | float,
    weights: np.ndarray | None = None,
) -> Measured:
    """Average the values of a measure, and count the undefined ones."""
    n_undefined = int(np.isnan(np.atleast_2d(values)).any(axis=0).sum())
    value, of_defined = (
        float(measure.averaged(values, policy, weights)) for policy in (undefined, "defined")
    )
    return Measured(value, measure.by, n_undefined, mean_of_defined=of_defined)


def check_k(k: int, n_labels: int) -> None:
    """Refuse a measure of more top-ranked labels than there are."""
    if check_whole(k, "k") > n_labels:
        raise ValueError(f"k must be at most the {n_labels} labels, got {k}.")


def _with_evidence(
    outcome: Outcome, measures: Sequence[MeasureRecord], inverse: np.ndarray | None
) -> Iterator[tuple[MeasureRecord, Any]]:
    """Pair each measure with the counts or ranks that it needs, computed once."""
    of_top = [measure for measure in measures if measure.of_top]
    chosen: dict[tuple[str, str], list[MeasureRecord]] = {}
    for measure in measures:
        if not measure.of_top:
            chosen.setdefault((measure.needs, measure.by), []).append(measure)
    pairs = [(needs, by) for needs in _NEEDS for by in _BY if (needs, by) in chosen]
    compute = partial(_evidence, outcome)
    # With few positives, threads take longer to start than to work.
    found = in_threads(compute, pairs) if outcome.Y.nnz > _MANY else map(compute, pairs)
    for pair, evidence in zip(pairs, found, strict=True):
        yield from ((measure, evidence) for measure in chosen[pair])
    if of_top:
        top = _top(outcome, of_top, inverse)
        yield from ((measure, top) for measure in of_top)


def _top(
    outcome: Outcome, measures: Sequence[MeasureRecord], inverse: np.ndarray | None
) -> TopLabels:
    """Rank as many labels of each sample as the measures need."""
    unweighted = [one.name for one in measures if one.needs_propensity and inverse is None]
    if unweighted:
        raise ValueError(f"{unweighted[0]} needs inverse_propensity, see inverse_propensities.")
    k = max(measure.k for measure in measures)
    return find_top(outcome.Y, outcome.scores, k, outcome.weights, inverse)


def _evidence(outcome: Outcome, needs_and_by: tuple[str, str]) -> Any:
    """Compute counts or ranks of positives by label, by sample or overall."""
    needs, by = needs_and_by
    answers = getattr(outcome, needs)
    # A sample by itself has the same value whatever its weight.
    if outcome.weights is None or by == "sample":
        find: Any = count_matched if needs == "decided" else find_places
        return find(outcome.Y, answers, by, outcome.missing)
    find = weighted_counts if needs == "decided" else find_weighted_places
    return find(outcome.Y, answers, by, outcome.weights, outcome.missing)
