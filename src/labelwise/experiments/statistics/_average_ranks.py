"""Average ranks of methods over data sets, which the rank tests compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import as_text, counted
from labelwise.experiments.statistics._paired_values import (
    PairedValues,
    dropped_note,
    paired_values,
)


@dataclass(frozen=True, eq=False, repr=False)
class AverageRanks:
    """Mean rank of each method, 1 for the best; prints as a table, best first.

    Parameters
    ----------
    methods : tuple of str
        Names of the methods, in the order of the input.
    ranks : array of shape (n_methods,)
        Mean over the blocks of the rank of each method.
    block_ranks : array of shape (n_blocks, n_methods)
        Rank of each method on each block; methods with equal values share the mean of their ranks.
    blocks : tuple of str
        Names of the blocks: data sets, or data sets and folds.
    dropped : tuple of str, default=()
        Blocks that were left out because a value is missing.

    See Also
    --------
    average_ranks : Compute the average ranks.

    Examples
    --------
    >>> from labelwise.experiments import average_ranks
    >>> found = average_ranks({"new": [0.9, 0.8], "old": [0.6, 0.8]}, measure="micro-f")
    >>> found.to_dict()
    {'new': 1.25, 'old': 1.75}
    """

    methods: tuple[str, ...]
    ranks: np.ndarray
    block_ranks: np.ndarray
    blocks: tuple[str, ...]
    dropped: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, float]:
        """Return the average rank of each method by its name.

        Returns
        -------
        dict of str to float
            The names in the order of `methods`.
        """
        return dict(zip(self.methods, self.ranks.tolist(), strict=True))

    @property
    def n_all_tied(self) -> int:
        """Number of blocks on which all methods have the same value."""
        return int((np.ptp(self.block_ranks, axis=1) == 0).sum())

    def __repr__(self) -> str:
        best_first = np.argsort(self.ranks, kind="stable")
        rows = [[self.methods[j], f"{self.ranks[j]:.3f}"] for j in best_first]
        notes = [f"Over {counted(len(self.blocks), 'data set')}.", *dropped_note(self.dropped)]
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
    """Compute the mean rank of each method over data sets, 1 for the best.

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        Data sets by methods, in any form that `paired_values` accepts.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.

    Returns
    -------
    AverageRanks
        Methods with equal values on a data set share the mean of their ranks.

    Raises
    ------
    ValueError
        If a value is missing and `missing` is "refuse", or if an argument is wrong.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006, section 3.2.2.

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
    """Compute the average ranks of checked values."""
    from scipy.stats import rankdata

    ranks = rankdata(table.losses, axis=1)
    return AverageRanks(table.methods, ranks.mean(axis=0), ranks, table.blocks, table.dropped)
