"""Linear-fractional measures, and when the micro frontier proves their optimum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import Counts, LinearWeights, ratio, record_of, wide
from labelwise._curves import ROUNDING


class LinearFractional:
    """A measure that is a quotient of two weighted sums of the four counts.

    An object is a function of counts, and can be passed as `measure` wherever one is expected.

    Parameters
    ----------
    numerator : sequence of 4 numbers
        Weights of the true positives, false positives, false negatives and true negatives.
    denominator : sequence of 4 numbers
        Weights of the same counts in the denominator.
    when_empty : float, default=nan
        Value where the denominator is 0.

    Attributes
    ----------
    numerator : tuple of 4 floats
        Weights of the counts in the numerator.
    denominator : tuple of 4 floats
        Weights of the counts in the denominator.
    when_empty : float
        Value where the denominator is 0.

    Raises
    ------
    ValueError
        If `numerator` or `denominator` are not 4 finite numbers.

    See Also
    --------
    best_thresholds : Find the thresholds with the highest value of a measure.

    Notes
    -----
    With weights a and b the value is ::

        (a1·TP + a2·FP + a3·FN + a4·TN) / (b1·TP + b2·FP + b3·FN + b4·TN).

    The F-measure, Jaccard, precision, recall, accuracy and balanced accuracy are of this form.
    `best_thresholds` proves the highest micro average of all threshold vectors if the denominator
    is positive for all decisions, or 0 only together with the numerator, and if the value rises
    with true positives and does not rise with false positives. For other weights, such as the odds
    ``TP / FP``, whose denominator is 0 without false positives, `best_thresholds` returns the best
    point of the micro frontier, and `Evidence.gap` and `Evidence.certificate` are None.

    Examples
    --------
    >>> from labelwise.decisions import LinearFractional
    >>> from labelwise.measures import Counts
    >>> tversky = LinearFractional((1, 0, 0, 0), (1, 0.3, 0.7, 0))
    >>> round(float(tversky(Counts(tp=6, fp=2, fn=2, tn=9))), 3)
    0.75
    """

    def __init__(
        self,
        numerator: Sequence[float],
        denominator: Sequence[float],
        when_empty: float = np.nan,
    ) -> None:
        self.numerator = _check_weights(numerator, "numerator")
        self.denominator = _check_weights(denominator, "denominator")
        self.when_empty = float(when_empty)

    def __call__(self, counts: Any) -> Any:
        """Compute the measure of counts.

        Parameters
        ----------
        counts : Counts
            True positives, false positives, false negatives and true negatives: numbers, or arrays
            of one shape.

        Returns
        -------
        float or ndarray of the shape of the counts
            The quotient, or `when_empty` where the denominator is 0.
        """
        above, below = (
            sum(weight * cells for weight, cells in zip(weights, wide(counts), strict=True))
            for weights in (self.numerator, self.denominator)
        )
        return ratio(above, below, self.when_empty)

    def __repr__(self) -> str:
        return f"LinearFractional({self.numerator}, {self.denominator})"


class Plane(NamedTuple):
    """The linear function ``constant + hits·TP + decided·D`` of true positives and decisions."""

    constant: float
    hits: float
    decided: float

    def at(self, hits: float, decided: float) -> float:
        """Return the value at a number of true positives and of decisions."""
        return self.constant + self.hits * hits + self.decided * decided

    @property
    def change(self) -> float:
        """Largest change of the value by one true positive or one decision."""
        return max(abs(self.hits), abs(self.decided))

    def size(self, n_cells: float) -> float:
        """Return an upper bound of the terms' magnitudes, for rounding errors."""
        return abs(self.constant) + self.change * n_cells


def certificate_of(measure: Any, value: float, n_positive: float, n_cells: float) -> float | None:
    """Return the λ that proves the best `value` on the frontier to be the best of all thresholds.

    Let ``a`` and ``b`` be the numerator and the denominator as functions of (TP, D), with ``b``
    nowhere negative. No thresholds beat the value v if ``a - v·b`` is nowhere positive. If this
    linear function rises with TP and does not rise with D, it is a multiple of ``TP - λ·D`` plus a
    constant, and its maximum over all thresholds lies on the frontier (see `none_is_higher`), where
    every label maximises ``TP - λ·D`` by itself. Return None for all other measures.
    """
    planes = _planes_of(measure, value, n_positive, n_cells)
    if planes is None:
        return None
    above, below = planes
    lowest = min(below.at(*corner) for corner in _corners(n_positive, n_cells))
    slack = ROUNDING * below.size(n_cells)
    if lowest < -slack or (lowest <= slack and getattr(measure, "when_empty", np.nan) > value):
        return None
    rise, fall = above.hits - value * below.hits, value * below.decided - above.decided
    least = ROUNDING * (abs(above.hits) + abs(value * below.hits))
    return float(fall / rise) if rise > least and fall >= 0 else None


def none_is_higher(measure: Any, value: float, counts: Counts) -> bool:
    """Return whether ``a - value·b`` is nowhere positive on counts, such as those of the frontier.

    At a denominator of 0 the measure has no value; if the numerator is positive there, points
    nearby may have any value.
    """
    weights = _weights_of(measure, *_totals(counts)) if np.isfinite(value) else None
    if weights is None:
        return False
    above, below = (
        sum(float(weight) * cells for weight, cells in zip(part, counts, strict=True))
        for part in weights
    )
    size = sum(
        (abs(over) + abs(value * under)) * cells
        for over, under, cells in zip(*weights, counts, strict=True)
    )
    return bool(np.all(above - value * below <= ROUNDING * size))


def gains_from_hits(measure: Any, n_positive: float, n_cells: float) -> bool:
    """Return whether true positives never lower a measure, and other decisions never raise it.

    As a function of (TP, D), the measure then does not fall with TP nor rise with D, and has a
    value wherever some but not all cells are decided. The derivatives of a quotient ``a/b`` have
    the signs of ``a'b - ab'``, which is linear in D or in TP, so that its end points are enough.
    False if this is not known of the measure.
    """
    found = record_of(measure)
    if found is not None and found[0].gains_from_hits:
        return True
    planes = _planes_of(measure, 0.0, n_positive, n_cells)
    if planes is None:
        return False
    above, below = planes
    others = [corner for corner in _corners(n_positive, n_cells) if corner != (0.0, 0.0)]
    tiny = ROUNDING * below.size(n_cells)
    if below.at(0, 0) < -tiny or min(below.at(*corner) for corner in others) <= tiny:
        return False
    slack = ROUNDING * (above.change * below.size(n_cells) + below.change * above.size(n_cells))
    both = above.hits * below.decided - above.decided * below.hits
    by_hits = above.hits * below.constant - above.constant * below.hits
    by_decided = above.decided * below.constant - above.constant * below.decided
    return bool(
        min(by_hits, by_hits + both * n_cells) >= -slack
        and max(by_decided, by_decided - both * n_positive) <= slack
    )


def least_certificate(
    measure: Any, value: float, n_positive: float, n_cells: float
) -> float | None:
    """Return a lower bound of the optimum's certificate λ, given that `value` is reached.

    Return None if no positive bound is known; the certificate must not fall as the value rises.
    """
    least = certificate_of(measure, value, n_positive, n_cells)
    planes = _planes_of(measure, value, n_positive, n_cells)
    if not least or planes is None:
        return None
    above, below = planes
    return least if below.decided * above.hits >= below.hits * above.decided else None


def _planes_of(
    measure: Any, value: float, n_positive: float, n_cells: float
) -> tuple[Plane, Plane] | None:
    """Return numerator and denominator as functions of (TP, D), or None if they are unknown."""
    weights = _weights_of(measure, n_positive, n_cells) if np.isfinite(value) else None
    if weights is None:
        return None
    above, below = weights
    return _plane(above, n_positive, n_cells), _plane(below, n_positive, n_cells)


def _corners(n_positive: float, n_cells: float) -> tuple[tuple[float, float], ...]:
    """Return the corners (TP, D) of the region that contains all possible decisions."""
    n_negative = n_cells - n_positive
    return (0, 0), (n_positive, n_positive), (n_positive, n_cells), (0, n_negative)


def _totals(counts: Counts) -> tuple[float, float]:
    """Return the number of positives and of all cells, from counts."""
    tp, fp, fn, tn = (np.ravel(cells)[0].item() for cells in counts)
    return tp + fn, tp + fp + fn + tn


def _plane(weights: Sequence[float], n_positive: float, n_cells: float) -> Plane:
    """Return a weighted sum of the counts as a function of true positives and decisions."""
    tp, fp, fn, tn = weights
    constant = fn * n_positive + tn * (n_cells - n_positive)
    return Plane(constant, tp - fp - fn + tn, fp - tn)


def _weights_of(measure: Any, n_positive: float, n_cells: float) -> LinearWeights | None:
    """Return numerator and denominator as weights of the counts, None if unknown."""
    if isinstance(measure, LinearFractional):
        return LinearWeights(measure.numerator, measure.denominator)
    found = record_of(measure)
    if found is None:
        return None
    record, beta = found
    return record.weights and record.weights(beta, n_positive, n_cells - n_positive)


def _check_weights(weights: Sequence[float], input_name: str) -> tuple[float, ...]:
    checked = tuple(float(weight) for weight in weights)
    if len(checked) != len(Counts._fields) or not np.isfinite(checked).all():
        raise ValueError(f"{input_name} must be 4 finite weights, got {weights!r}.")
    return checked
