"""The request: what bands are asked for, and which options exclude each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._validation import check_real, is_real
from labelwise.decisions.bands.search._review_cost import ReviewCost, check_review_cost
from labelwise.decisions.objectives._request import Certify


class BandRequest(NamedTuple):
    """The checked options of one call; None where an option is not given."""

    min_precision: float | None = None
    min_recall: float | None = None
    max_review: int | float | None = None  # int: in total, float: mean per sample
    cost: ReviewCost | None = None
    certify: Certify | None = None

    def most_reviewed(self, n_samples: int) -> int | None:
        """Return the largest number of cells to review in total; None without a limit."""
        most = self.max_review
        if not isinstance(most, float | np.floating):
            return most
        # 0.7 must allow 7 cells on 10 samples, whatever 0.7 * 10 rounds to.
        return int(most * n_samples * (1 + 1e-12))

    def for_parts(self, n_samples: int) -> BandRequest:
        """Return the request for parts of `n_samples` samples: reviews are limited per sample."""
        most = self.most_reviewed(n_samples)
        return self if most is None else self._replace(max_review=most / n_samples)


def check_band_request(
    min_precision: Any,
    min_recall: Any,
    max_review: Any,
    cost: Any,
    n_labels: int,
    guarantee: Any = None,
) -> BandRequest:
    """Check the arguments of a caller, and build the request."""
    rates = {"min_precision": min_precision, "min_recall": min_recall}
    checked = {
        name: None if rate is None else check_real(rate, name, least=0, most=1)
        for name, rate in rates.items()
    }
    if max_review is not None and not (is_real(max_review) and 0 <= max_review < np.inf):
        raise ValueError(
            "max_review must be a whole number in total or a decimal number as mean per sample, "
            f"not negative, got {max_review!r}."
        )
    limits = {**checked, "max_review": max_review}
    given = [name for name, limit in limits.items() if limit is not None]
    if cost is not None and given:
        raise ValueError(f"cost does not go together with {given[0]}.")
    if cost is None and not given:
        raise ValueError("min_precision, min_recall, max_review or cost must be given, got none.")
    certify = guarantee if isinstance(guarantee, Certify | None) else Certify(guarantee)
    if certify is not None:
        if certify.in_expectation or certify.across != "each":
            raise ValueError("guarantee of bands must be a probability, without across.")
        if cost is not None or max_review is not None:
            other = "max_review" if cost is None else "cost"
            raise ValueError(f"guarantee does not go together with {other}.")
    costs = None if cost is None else check_review_cost(cost, n_labels)
    return BandRequest(**limits, cost=costs, certify=certify)
