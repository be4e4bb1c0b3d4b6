"""Promises of deployed rules: what they are, the numbers of samples that test them, and one test.

A promise is a least value of precision, recall or F (micro average, mean over samples, or one
label), or a largest mean number of decisions. Each sample has a number whose mean is at least 0 if
and only if the promise is kept, and which lies between known bounds: tests by betting need no more.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import as_text, printable
from labelwise._tuning import log_capitals
from labelwise._validation import (
    check_groups,
    check_instance,
    check_outcome,
    check_random_state,
    check_real,
)
from labelwise.decisions import Bands, Thresholds

KEPT, BROKEN, OPEN = "kept", "broken", "not enough rows"
# Measures of an audit, and of the promises that samples test.
GOALS = ("micro-f", "micro-precision", "micro-recall", "macro-f", "macro-precision", "macro-recall")
# Values of labels that are tested for a macro average, and samples of which they are in memory.
_GRID, _TOGETHER = np.linspace(0.0, 1.0, 101), 10_000
_RATES = ("precision", "recall")
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


def records(
    promises: Sequence[Promise], label_names: Any, columns: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return a dict for each promise, with its item of each column."""
    return [
        {"promise": one.text(label_names), "measure": one.name, "limit": one.limit}
        | {"source": one.source}
        | {name: column[k] for name, column in columns.items()}
        for k, one in enumerate(promises)
    ]


def table_of(promises: Sequence[Mapping[str, Any]], shown: Mapping[str, str]) -> str:
    """Return the table of records, with the columns that are shown in their formats."""
    shown = {"promise": "", "source": "", **shown}
    head = ["from" if name == "source" else name.replace("_", " ") for name in shown]
    rows = [
        ["-" if one[name] is None else format(one[name], form) for name, form in shown.items()]
        for one in promises
    ]
    return as_text([head, *rows])


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
    found = [] if isinstance(rule, Bands) else promises_of_rule(rule, 0.0)
    return {one.name: one.limit for one in found if one.source == "guarantee" and one.name in GOALS}


def promises_of(
    rule: Thresholds | Bands,
    at_least: Mapping[str, float] | None,
    tolerance: float,
    *,
    macro: bool = False,
) -> tuple[Promise, ...]:
    """Return the promises of a rule, and those that are asked for in addition.

    A corrected value is an estimate, so that it is promised less the tolerance. Promises of macro
    averages are left out unless `macro` says that they can be tested.
    """
    if not isinstance(rule, Bands):
        check_instance(rule, Thresholds, "thresholds")
        rule._refuse_slices("a test of promises")
    tolerance = check_real(tolerance, "tolerance", least=0, most=1)
    asked = (
        {}
        if at_least is None
        else check_at_least(at_least, (*NAMES, *GOALS[3:]) if macro else NAMES)
    )
    beta = 1.0 if isinstance(rule, Bands) else rule.evidence.beta
    stored = promises_of_rule(rule, tolerance)
    kept = [one for one in stored if one.name not in asked and (macro or one.name != "macro-f")]
    kept += [Promise(name, limit, "asked", beta=beta) for name, limit in asked.items()]
    if not kept:
        raise ValueError(
            "thresholds must have a guarantee, a constraint or a corrected value, or "
            "at_least must name a measure with its least value, got neither."
        )
    return tuple(kept)


def promises_of_rule(rule: Thresholds | Bands, tolerance: float) -> list[Promise]:
    """Return what a rule promises: guarantees first, then constraints and the corrected value."""
    if isinstance(rule, Bands):
        proven = rule.evidence.guarantee
        source = "guarantee" if proven else "constraint"
        given = {
            one: getattr(proven or rule.evidence.request, f"min_{one}", None) for one in _RATES
        }
        return [Promise(f"micro-{one}", limit, source) for one, limit in given.items() if limit]
    evidence, guarantee = rule.evidence, rule.evidence.guarantee
    limits = []
    if guarantee is not None:
        given = {one: getattr(guarantee, f"min_{one}") for one in _RATES}
        limits += [(guarantee.average, one, limit, "guarantee") for one, limit in given.items()]
        limits.append(("micro", "f", guarantee.f_bound or None, "guarantee"))
    for check in evidence.constraints:
        scale = evidence.n_samples if check.name == "max_decisions" else 1
        measure = check.name.removeprefix("min_")
        limits.append((evidence.average, measure, check.limit / max(scale, 1), "constraint"))
    if math.isfinite(evidence.corrected_value) and evidence.measure == "f_measure":
        value = max(evidence.corrected_value - tolerance, 0.0)
        limits.append((evidence.average, "f", value, "corrected value"))
    found: dict[str, list[Promise]] = {}
    for average, measure, limit, source in limits:
        by_label = average == "macro" and measure in _RATES
        name = f"{'label' if by_label else average}-{measure}"
        name = "decisions" if measure == "max_decisions" else name
        if limit is not None:
            # Labels that are never decided promise nothing.
            labels = np.flatnonzero(rule.values < np.inf).tolist() if by_label else [None]
            beta = evidence.beta if measure == "f" else 1.0
            found.setdefault(name, [Promise(name, limit, source, j, beta) for j in labels])
    return [one for some in found.values() for one in some]


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

    def columns(self, which: slice, order: np.ndarray) -> SampleNumbers:
        """Return the numbers of some promises, in another order of units."""
        parts = {name: getattr(self, name)[which] for name in self._fields[1:5]}
        return self._replace(numbers=np.ascontiguousarray(self.numbers[order, which]), **parts)


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
    cells = [outcome.Y]
    for part in (decided == 1, decided != 0):
        one = sparse.csc_array(part).astype(np.int8)
        # Cells without truth count nowhere.
        cells.append(one if outcome.missing is None else one - one.multiply(outcome.missing))
    ends = rule.upper if isinstance(rule, Bands) else rule.values
    most_decided = min(rule.max_decided or len(rule), int((ends < np.inf).sum())) or 1
    whole = _counts_of_samples(*cells)
    numbers, facts = [], []
    for one in promises:
        of_label = one.label is not None
        counts = _counts_of_samples(*(c[:, [one.label]] for c in cells)) if of_label else whole
        most = (1, 1) if of_label else (most_decided, len(rule))
        above, below, largest, square = _quotient(one, counts, *most)
        above, below = _per_unit(above, unit), _per_unit(below, unit)
        value = above.sum() / below.sum() if below.any() else math.nan
        if one.name == "decisions":
            numbers.append(one.limit - above)
            facts.append((one.limit - largest[0], one.limit, one.limit + 1e-9, value))
        else:
            numbers.append(above - one.limit * below)
            bounds = (-one.limit * largest[1], (1 - one.limit) * largest[0])
            facts.append((*bounds, (one.limit * (1 - one.limit) + 1e-3) * square, value))
    least, most_of_all, squares, values = np.array(facts).T
    # Bounds that are not 0 allow tests of a limit of 0 or 1.
    least, most_of_all = np.minimum(least, -1e-9), np.maximum(most_of_all, 1e-9)
    columns = np.stack(numbers, axis=1)
    return SampleNumbers(columns, least, most_of_all, squares, values, outcome.Y.shape[0])


def _counts_of_samples(truth: Any, accepted: Any, kept: Any) -> list[np.ndarray]:
    """Count true positives, positives that are decided or to review, decisions, and positives."""
    parts = (truth.multiply(accepted), truth.multiply(kept), accepted, truth)
    return [np.asarray(part.sum(axis=1), np.float64).ravel() for part in parts]


def _quotient(
    promise: Promise, counts: list[np.ndarray], most_decided: int, n_labels: int
) -> tuple[np.ndarray, np.ndarray, Sequence[float], float]:
    """Return what rows add above and below the line of a measure, and the most that one can add.

    The last number scales a rough mean square of the numbers of rows.
    """
    hits, found, decided, positives = counts
    if promise.name == "decisions":
        return decided, np.ones(decided.size), (most_decided, 1), 1.0
    average, measure = promise.name.split("-")
    b = promise.beta**2
    above, below, *most = {
        "precision": (hits, decided, most_decided, most_decided),
        "recall": (found, positives, n_labels, n_labels),
        "f": (
            (1 + b) * hits,
            decided + b * positives,
            (1 + b) * most_decided,
            most_decided + b * n_labels,
        ),
    }[measure]
    if average != "sample":
        return above, below, most, 1 + b
    # F of an empty truth met by an empty decision is 1; other empty rows are left out.
    counted = (below > 0) | (measure == "f")
    shares = np.divide(above, below, out=np.ones(below.size), where=below > 0) * counted
    return shares, counted.astype(np.float64), (1, 1), 1.0


def units_needed(numbers: np.ndarray, alpha: float) -> float:
    """Estimate how many such numbers a test by betting needs to find that their mean is not 0.

    It needs about ``2 log(1 / alpha) v / m²`` numbers of mean m and mean square v.
    """
    mean = float(numbers.mean())
    return 2 * math.log(1 / alpha) * float(np.mean(numbers**2)) / mean**2 if mean else math.inf


def _per_unit(numbers: np.ndarray, unit: np.ndarray | None) -> np.ndarray:
    """Return the mean of each group; the numbers themselves without groups."""
    if unit is None:
        return numbers
    sizes = np.bincount(unit)
    return np.asarray(np.bincount(unit, numbers)[sizes > 0] / sizes[sizes > 0])


@dataclass(frozen=True, eq=False, repr=False)
class PromiseCheck:
    """Which promises new samples confirm or disprove; prints as a table.

    `check_promises` returns such objects. Arrays have one entry for each promise.

    Attributes
    ----------
    promises : tuple of Promise
        The promises, each with `name`, `limit`, `source` and `label`.
    values : ndarray
        Value of each measure on the samples.
    p_kept : ndarray
        P values of the hypothesis that the promise is broken: a low one proves that it is kept.
    p_broken : ndarray
        P values of the hypothesis that the promise is kept.
    verdicts : tuple of str
        "kept", "broken" or "not enough rows".
    level : float
        Probability that no verdict is wrong.
    n_samples : int
        Number of samples.
    label_names : tuple of str or None
        Names of the labels.

    See Also
    --------
    check_promises : Check promises on new samples with labels.
    """

    promises: tuple[Promise, ...]
    values: np.ndarray
    p_kept: np.ndarray
    p_broken: np.ndarray
    verdicts: tuple[str, ...]
    level: float
    n_samples: int
    label_names: tuple[str, ...] | None

    @property
    def verdict(self) -> str:
        """The verdict on all promises: "broken" if one is, "kept" if all are."""
        return next((one for one in (BROKEN, OPEN) if one in self.verdicts), KEPT)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as dicts and lists, as --json writes them.

        Returns
        -------
        dict
            The verdict on all promises, and a dict for each promise.
        """
        of_promises = {name: getattr(self, name) for name in ("p_kept", "p_broken")}
        columns = {"value": self.values, **of_promises, "verdict": self.verdicts}
        about = {name: getattr(self, name) for name in ("verdict", "n_samples", "level")}
        return about | {"promises": records(self.promises, self.label_names, columns)}

    def __repr__(self) -> str:
        title = (
            f"{self.n_samples:,} samples: {self.verdict} (level {self.level:g} for all verdicts)"
        )
        shown = {"value": ".4f", "p_kept": ".2g", "p_broken": ".2g", "verdict": ""}
        return f"{title}\n\n{table_of(self.to_dict()['promises'], shown)}"


def check_promises(
    thresholds: Thresholds | Bands,
    scores: Any,
    Y: Any,
    *,
    at_least: Mapping[str, float] | None = None,
    level: float = 0.95,
    tolerance: float = 0.05,
    groups: Any = None,
    random_state: Any = 0,
) -> PromiseCheck:
    """Check on new labelled samples whether thresholds keep their promises.

    Parameters
    ----------
    thresholds : Thresholds or Bands
        The deployed rule. Its promises are a guarantee, constraints, and the corrected value.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. Their samples must be independent of
        those that the thresholds were tuned on.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. NaN where the truth is missing; such cells are not counted.
    at_least : mapping of str to float, default=None
        Further promises, as ``{"micro-f": 0.6}``, in place of those of the same measure. Measures
        are precision, recall and f, with the average micro, sample or macro. A macro average needs
        many samples with each label.
    level : float, default=0.95
        Probability, at least, that no verdict is wrong.
    tolerance : float, default=0.05
        A corrected value is an estimate: it counts as promised less this number.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, and every group counts the same.
    random_state : int, RandomState or None, default=0
        Seed of the random numbers; the same int gives the same result. It sets the order of the
        tests' bets, because a file may be sorted.

    Returns
    -------
    PromiseCheck
        A verdict on each promise with its p values, and on all of them.

    Raises
    ------
    ValueError
        If there is nothing to check, or if an argument has a wrong value.

    See Also
    --------
    Monitor : Check promises as samples arrive, and find a change.

    Notes
    -----
    For each promise, two hypotheses are tested by betting: that it is broken, and that it is kept.
    Holm's method is used for both sets of hypotheses, each at half of 1 - `level`: with probability
    `level`, no promise is called kept that is broken, and none broken that is kept. A macro average
    is bounded by the mean of bounds of its labels, which hold together.

    References
    ----------
    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979.

    I. Waudby-Smith, A. Ramdas, "Estimating Means of Bounded Random Variables by Betting", 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import best_thresholds
    >>> from labelwise.deployment import check_promises
    >>> random = np.random.default_rng(0)
    >>> proba = random.beta(0.3, 1.5, size=(4000, 4))
    >>> Y = random.random(proba.shape) < proba
    >>> tuned = best_thresholds(
    ...     proba[:2000], Y[:2000], min_precision=0.6, guarantee=0.95, random_state=0
    ... )
    >>> check_promises(tuned, proba[2000:], Y[2000:], at_least={"micro-f": 0.9}).verdicts
    ('kept', 'broken')
    """
    level = check_real(level, "level", least=0.5, most=0.9999)
    promises = promises_of(thresholds, at_least, tolerance, macro=True)
    parts = [_tested(one, len(thresholds)) for one in promises]
    found = sample_numbers(thresholds, sum(parts, ()), scores, Y, groups)
    order = check_random_state(random_state).permutation(len(found.numbers))
    alpha = (1 - level) / 2
    # Bets go on until they would reject at the strictest level of Holm's method.
    strictest = alpha / len(promises)
    ends = np.cumsum([len(part) for part in parts]).tolist()
    p_values, values = [], []
    for one, part, end in zip(promises, parts, ends, strict=True):
        mine = found.columns(slice(end - len(part), end), order)
        p_values.append(_p_values(one, mine, strictest))
        values.append(_mean_of_defined(mine.values[:: min(len(part), 2)]))
    p_kept, p_broken = np.array(p_values).T
    is_kept, is_broken = _holm(p_kept, alpha), _holm(p_broken, alpha)
    verdicts = tuple(
        BROKEN if broken else KEPT if kept else OPEN
        for kept, broken in zip(is_kept, is_broken, strict=True)
    )
    facts = (np.array(values), p_kept, p_broken, verdicts, level, found.n_samples)
    return PromiseCheck(promises, *facts, thresholds.label_names)


def _tested(promise: Promise, n_labels: int) -> tuple[Promise, ...]:
    """Return what is tested: the promise, or limits of 0 and 1 of each label for a macro average.

    The numbers of a limit in between lie between those of 0 and 1, in proportion.
    """
    if not promise.name.startswith("macro"):
        return (promise,)
    name = promise.name.replace("macro", "label")
    ends = [(j, limit) for j in range(n_labels) for limit in (0.0, 1.0)]
    return tuple(promise._replace(name=name, label=j, limit=limit) for j, limit in ends)


def _p_values(promise: Promise, found: SampleNumbers, alpha: float) -> tuple[float, float]:
    """Return p values of the hypotheses that the promise is broken, and that it is kept.

    Of a macro average, each value of a grid is tested for each label: values that are rejected one
    after the other bound the label, and the mean of the bounds of q labels at capitals of q / p
    bounds the average with probability 1 - p.
    """
    columns, n_units = found.numbers, len(found.numbers)
    if not promise.name.startswith("macro"):
        return tuple(  # type: ignore[return-value]
            float(np.exp(-log_capitals([sign * columns], bound, found.squares, n_units, alpha)[0]))
            for sign, bound in ((1.0, found.least), (-1.0, -found.most))
        )
    n_labels = columns.shape[1] // 2
    squares = (_GRID * (1 - _GRID) + 1e-3) * (1 + promise.beta**2)
    capitals = np.zeros((2, n_labels, _GRID.size))
    for j in range(n_labels):
        pair = columns[:, 2 * j : 2 * j + 2]
        least = np.minimum(_GRID * found.least[2 * j + 1], -1e-9)
        most = np.maximum((1 - _GRID) * found.most[2 * j], 1e-9)
        for k, (sign, bound) in enumerate(((1.0, least), (-1.0, -most))):
            blocks = (
                sign * pair[first : first + _TOGETHER] @ np.stack([1 - _GRID, _GRID])
                for first in range(0, n_units, _TOGETHER)
            )
            capitals[k, j] = log_capitals(blocks, bound, squares, n_units, alpha / n_labels)
    # An average below the limit is one minus an average above one minus the limit.
    other = 1 - promise.limit + 1e-9
    return _p_of_mean(capitals[0], promise.limit), _p_of_mean(capitals[1, :, ::-1], other)


def _p_of_mean(capitals: np.ndarray, limit: float) -> float:
    """Return the lowest p value at which the mean of the lower bounds of labels is at the limit."""
    falling = np.minimum.accumulate(capitals, axis=1)

    def is_below(capital: float) -> bool:
        n_rejected = (falling >= capital).sum(axis=1)
        return bool(_GRID[np.maximum(n_rejected - 1, 0)].mean() < limit - 1e-12)

    known = np.unique(falling)
    place = bisect_left(known, True, key=is_below)
    return min(1.0, len(capitals) * math.exp(-known[place - 1])) if place else 1.0


def _mean_of_defined(values: np.ndarray) -> float:
    return math.nan if np.isnan(values).all() else float(np.nanmean(values))


def _holm(p_values: np.ndarray, alpha: float) -> np.ndarray:
    """Return which hypotheses Holm's method rejects."""
    order = np.argsort(p_values, kind="stable")
    passes = p_values[order] <= alpha / np.arange(p_values.size, 0, -1)
    rejected = np.zeros(p_values.size, dtype=bool)
    rejected[order] = np.logical_and.accumulate(passes)
    return rejected
