"""Promises of deployed rules: what they are, and the numbers of samples that test them.

A promise is a least value of precision, recall or F (micro average, mean over samples, or one
label), or a largest mean number of decisions. Each sample has a number whose mean is at least 0 if
and only if the promise is kept, and which lies between known bounds: tests by betting need no more.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import printable
from labelwise._validation import check_groups, check_instance, check_outcome, check_real
from labelwise.decisions import Bands, Thresholds

# Measures of an audit, and of the promises that samples test.
GOALS = ("micro-f", "micro-precision", "micro-recall", "macro-f", "macro-precision", "macro-recall")
# Bets of monitors, as shares of the largest one that cannot lose more than everything.
BETS = 0.95 * 0.5 ** np.arange(10)
NAMES = tuple(f"{a}-{m}" for a in ("micro", "sample") for m in ("precision", "recall", "f"))


class Promise(NamedTuple):
    """A least value of a measure, or a largest mean number of decisions.

    Attributes
    ----------
    name : str
        Average and measure, as "micro-precision", "sample-f" or "label-recall"; "decisions" for
        the mean number of decisions.
    limit : float
        The least value, or the largest number of decisions.
    source : {"guarantee", "constraint", "corrected value", "asked"}
        Where the promise comes from.
    label : int or None
        Number of the label, for promises of single labels.
    beta : float
        Weight of recall in F.
    """

    name: str
    limit: float
    source: str
    label: int | None = None
    beta: float = 1.0

    def text(self, label_names: tuple[str, ...] | None) -> str:
        """Write the promise in a few words.

        Parameters
        ----------
        label_names : tuple of str or None
            Names of the labels; None for their numbers.

        Returns
        -------
        str
            Words without a full stop.
        """
        if self.name == "decisions":
            return f"at most {self.limit:g} decisions a sample"
        measure = self.name.split("-")[1]
        if self.label is None:
            return f"{self.name} at least {self.limit:.4g}"
        name = label_names[self.label] if label_names else str(self.label)
        return f"{measure} of {printable(name)} at least {self.limit:.4g}"


def check_at_least(at_least: Any, names: Collection[str]) -> dict[str, float]:
    """Return checked promises by name."""
    if not isinstance(at_least, Mapping):
        raise TypeError(f"at_least must be a dict of names and limits, got {at_least!r:.80}.")
    for name in at_least:
        if name not in names:
            raise ValueError(f"at_least must name one of {', '.join(names)}, got {name!r:.80}.")
    return {
        str(name): check_real(limit, f"at_least of {name}", least=0, most=1)
        for name, limit in at_least.items()
    }


def promised_rates(rule: Thresholds | Bands) -> dict[str, float]:
    """Return the guaranteed micro rates of a rule by name, without those of review bands."""
    if isinstance(rule, Bands):
        return {}
    return {one.name: one.limit for one in _guaranteed(rule) if one.name.startswith("micro")}


def promises_of(
    rule: Thresholds | Bands, at_least: Mapping[str, float] | None, tolerance: float
) -> tuple[Promise, ...]:
    """Return the promises of a rule, and those that are asked for in addition.

    A corrected value is an estimate, so that it is promised less the tolerance.
    """
    if not isinstance(rule, Bands):
        check_instance(rule, Thresholds, "thresholds")
        rule._refuse_slices("a test of promises")
    tolerance = check_real(tolerance, "tolerance", least=0, most=1)
    found = _of_bands(rule) if isinstance(rule, Bands) else _of_thresholds(rule, tolerance)
    asked = {} if at_least is None else check_at_least(at_least, NAMES)
    beta = 1.0 if isinstance(rule, Bands) else rule.evidence.beta
    kept = [one for one in found if one.name not in asked]
    kept += [Promise(name, limit, "asked", beta=beta) for name, limit in asked.items()]
    if not kept:
        raise ValueError(
            "thresholds must have a guarantee, a constraint or a corrected value, or "
            "at_least must name a measure with its least value, got neither."
        )
    return tuple(kept)


def _of_thresholds(rule: Thresholds, tolerance: float) -> list[Promise]:
    evidence = rule.evidence
    found = _guaranteed(rule)
    names = {one.name for one in found}
    for check in evidence.constraints:
        if check.name == "max_decisions":
            most = check.limit / max(evidence.n_samples, 1)
            found.append(Promise("decisions", most, "constraint"))
            continue
        measure = check.name.removeprefix("min_")
        by_label = evidence.average == "macro"
        name = f"{'label' if by_label else evidence.average}-{measure}"
        if name not in names:
            found += _each(rule, name, check.limit, "constraint", by_label)
    value, name = evidence.corrected_value, f"{evidence.average}-f"
    is_tested = name in NAMES and evidence.measure == "f_measure" and name not in names
    if math.isfinite(value) and is_tested:
        limit = max(value - tolerance, 0.0)
        found.append(Promise(name, limit, "corrected value", beta=evidence.beta))
    return found


def _guaranteed(rule: Thresholds) -> list[Promise]:
    guarantee, found = rule.evidence.guarantee, []
    if guarantee is None:
        return []
    by_label = guarantee.average == "macro"
    average = "label" if by_label else guarantee.average
    for measure in ("precision", "recall"):
        limit = getattr(guarantee, f"min_{measure}")
        if limit is not None:
            found += _each(rule, f"{average}-{measure}", limit, "guarantee", by_label)
    if guarantee.f_bound:
        beta = rule.evidence.beta
        found.append(Promise("micro-f", guarantee.f_bound, "guarantee", beta=beta))
    return found


def _each(rule: Thresholds, name: str, limit: float, source: str, by_label: bool) -> list[Promise]:
    """Return a promise, or one for each label that can be decided."""
    if not by_label:
        return [Promise(name, limit, source)]
    decided = np.flatnonzero(rule.values < np.inf).tolist()
    return [Promise(name, limit, source, label=j) for j in decided]


def _of_bands(bands: Bands) -> list[Promise]:
    guarantee, request = bands.evidence.guarantee, bands.evidence.request
    asked, source = (request, "constraint") if guarantee is None else (guarantee, "guarantee")
    limits = {name: getattr(asked, f"min_{name}", None) for name in ("precision", "recall")}
    return [Promise(f"micro-{name}", limit, source) for name, limit in limits.items() if limit]


class SampleNumbers(NamedTuple):
    """Numbers of independent units for each promise, and their bounds.

    The mean number of column k is at least 0 if promise k is kept. `numbers` is of shape (n_units,
    n_promises), `least` and `most` are the bounds of each column, `squares` are rough mean squares
    for the first bets, and `values` the measures on these samples.
    """

    numbers: np.ndarray
    least: np.ndarray
    most: np.ndarray
    squares: np.ndarray
    values: np.ndarray
    n_samples: int


def sample_numbers(
    rule: Thresholds | Bands, promises: tuple[Promise, ...], scores: Any, Y: Any, groups: Any
) -> SampleNumbers:
    """Decide samples, and compute the number of each unit (sample or group) for each promise."""
    outcome = check_outcome(
        Y, scores=scores, label_names=rule.label_names, allow_missing=True, labels_of="scores"
    )
    if outcome.Y.shape[1] != len(rule):
        raise ValueError(
            f"scores must have the {len(rule)} labels of the rule, got {outcome.Y.shape[1]}."
        )
    unit = None if groups is None else check_groups(groups, outcome.Y.shape[0])
    decided = replace(rule, label_names=None).decide(outcome.scores)
    # The cells that are decided, and those that are not rejected: a person finds those to review.
    accepted, kept = (
        _with_truth(sparse.csc_array(part), outcome.missing)
        for part in (decided == 1, decided != 0)
    )
    n_labels = len(rule)
    ends = rule.upper if isinstance(rule, Bands) else rule.values
    most_decided = min(rule.max_decided or n_labels, int((ends < np.inf).sum())) or 1
    rows = _SampleCounts.of(outcome.Y, accepted, kept)
    numbers, facts = [], []
    for one in promises:
        counts = rows
        if one.label is not None:
            columns = (part[:, [one.label]] for part in (outcome.Y, accepted, kept))
            counts = _SampleCounts.of(*columns)
        number, *others = _number(one, counts, most_decided, n_labels)
        numbers.append(_per_unit(number, unit))
        facts.append(others)
    values, least, most, squares = np.array(facts).T
    return SampleNumbers(
        np.stack(numbers, axis=1), least, most, squares, values, outcome.Y.shape[0]
    )


def _with_truth(cells: sparse.csc_array, missing: sparse.csc_array | None) -> sparse.csc_array:
    """Return the cells whose truth is known, as ones."""
    found = cells.astype(np.int8)
    return found if missing is None else found - found.multiply(missing)


class _SampleCounts(NamedTuple):
    """True positives, kept positives (decided or to review), decisions and positives of rows."""

    hits: np.ndarray
    found: np.ndarray
    decided: np.ndarray
    positives: np.ndarray

    @staticmethod
    def of(truth: Any, accepted: Any, kept: Any) -> _SampleCounts:
        parts = (truth.multiply(accepted), truth.multiply(kept), accepted, truth)
        return _SampleCounts(*(np.asarray(part.sum(axis=1), np.float64).ravel() for part in parts))


def _number(
    promise: Promise, counts: _SampleCounts, most_decided: int, n_labels: int
) -> tuple[np.ndarray, float, float, float, float]:
    """Return the numbers of rows, the value on them, bounds of a number and a rough mean square."""
    limit, beta = promise.limit, promise.beta
    hits, found, decided, positives = counts
    if promise.name == "decisions":
        bounds = (min(limit - most_decided, -1e-9), max(limit, 1e-9))
        return limit - decided, float(decided.mean()), *bounds, limit + 1e-9
    average, measure = promise.name.split("-")
    if average == "label":
        most_decided = n_labels = 1
    above, below, largest = {
        "precision": (hits, decided, (most_decided, most_decided)),
        "recall": (found, positives, (n_labels, n_labels)),
        "f": (
            (1 + beta**2) * hits,
            decided + beta**2 * positives,
            (min(most_decided, n_labels) * (1 + beta**2), most_decided + beta**2 * n_labels),
        ),
    }[measure]
    if average == "sample":
        quotient = np.divide(above, below, out=np.ones(below.size), where=below > 0)
        # F of an empty truth met by an empty decision is 1; other empty rows are left out.
        counted = np.ones(below.size, bool) if measure == "f" else below > 0
        numbers = np.where(counted, quotient - limit, 0.0)
        value = float(quotient[counted].mean()) if counted.any() else math.nan
        return numbers, value, *_open(-limit, 1 - limit), limit * (1 - limit) + 1e-3
    numbers = above - limit * below
    value = float(above.sum() / below.sum()) if below.any() else math.nan
    bounds = _open(-limit * largest[1], (1 - limit) * largest[0])
    return numbers, value, *bounds, (limit * (1 - limit) + 1e-3) * (1 + beta**2)


def _open(least: float, most: float) -> tuple[float, float]:
    """Return bounds that are not 0, so that a limit of 0 or 1 can be tested as well."""
    return min(least, -1e-9), max(most, 1e-9)


def _per_unit(numbers: np.ndarray, unit: np.ndarray | None) -> np.ndarray:
    """Return the mean number of each group; the numbers themselves without groups."""
    if unit is None:
        return numbers
    sizes = np.bincount(unit)
    return np.asarray(np.bincount(unit, numbers)[sizes > 0] / sizes[sizes > 0])
