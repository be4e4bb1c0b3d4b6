"""Labels that have no positives to tune on."""

from __future__ import annotations

import warnings

import numpy as np

from labelwise._text import quoted
from labelwise.decisions.thresholds.curves._problem import Problem

_MOST_NAMED = 3


def warn_of_unseen_labels(problem: Problem) -> None:
    """Say once which labels have no positives."""
    unseen = np.flatnonzero(problem.support == 0)
    if unseen.size == problem.n_labels:
        warnings.warn("Y has no positives: no label is decided.", stacklevel=3)
    elif unseen.size:
        names = problem.names or tuple(map(str, range(problem.n_labels)))
        shown = ", ".join(quoted(names[j]) for j in unseen[:_MOST_NAMED])
        more = unseen.size - _MOST_NAMED
        rest = f" and {more} more" if more > 0 else ""
        warnings.warn(f"Y has no positives of {shown}{rest} to tune on.", stacklevel=3)
