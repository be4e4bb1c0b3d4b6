"""Average ranks: how methods stand to each other over many data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import as_text
from labelwise.experiments.statistics._paired_values import (
    PairedValues,
    dropped_note,
    paired_values,
)


@dataclass(frozen=True, eq=False, repr=False)
class AverageRanks:
    """The mean rank of each method, 1 for the best; prints as a table, best first.

    Parameters
    ----------
    methods : tuple of str
        In the order in which they came.
    ranks : array of shape (n_methods,)
        Mean over the blocks.
    block_ranks : array of shape (n_blocks, n_methods)
        Rank on each block; methods that tie share the mean of their ranks.
    blocks : tuple of str
        What the columns were ranked on.
    dropped : tuple of str
        Blocks left out because a value is missing.
    """

    methods: tuple[str, ...]
    ranks: np.ndarray
    block_ranks: np.ndarray
    blocks: tuple[str, ...]
    dropped: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, float]:
        """Return the average rank of each method."""
        return dict(zip(self.methods, self.ranks.tolist(), strict=True))

    @property
    def n_all_tied(self) -> int:
        """On how many blocks all methods have the same value."""
        return int((np.ptp(self.block_ranks, axis=1) == 0).sum())

    def __repr__(self) -> str:
        best_first = np.argsort(self.ranks, kind="stable")
        rows = [[self.methods[j], f"{self.ranks[j]:.3f}"] for j in best_first]
        notes = [f"Over {len(self.blocks)} data sets.", *dropped_note(self.dropped)]
        if self.n_all_tied:
            notes.append(f"All methods tie on {self.n_all_tied} of them.")
        return "\n\n".join([as_text([["method", "average rank"], *rows]), "\n".join(notes)])


def average_ranks(
    values: Any,
    *,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> AverageRanks:
    """Return the mean rank of each method over the data sets, 1 for the best.

    Parameters
    ----------
    values : array, mapping, frame, tidy rows or PairedValues
        Data sets by methods; see `paired_values`, also for the other arguments.
    measure : str, optional
        Name of the measure, which says which end is the good one.
    higher_is_better : bool, optional
        The same in words of your own.
    missing : {"refuse", "drop"}
        What to do about data sets without a value for each method.

    Returns
    -------
    AverageRanks
        Methods with equal values share the mean of their ranks.

    References
    ----------
    J. Demšar, *Statistical Comparisons of Classifiers over Multiple Data Sets*, JMLR 7, 2006,
    section 3.2.2.

    Examples
    --------
    >>> from labelwise.experiments import average_ranks
    >>> average_ranks({"new": [0.9, 0.8, 0.7], "old": [0.6, 0.8, 0.5]}, measure="micro-f")
    method  average rank
    new            1.167
    old            1.833
    <BLANKLINE>
    Over 3 data sets.
    All methods tie on 1 of them.
    """
    table = paired_values(
        values, measure=measure, higher_is_better=higher_is_better, missing=missing
    )
    return ranks_of(table)


def ranks_of(table: PairedValues) -> AverageRanks:
    """Return the ranks of checked values."""
    from scipy.stats import rankdata

    ranks = rankdata(table.losses, axis=1)
    return AverageRanks(table.methods, ranks.mean(axis=0), ranks, table.blocks, table.dropped)
