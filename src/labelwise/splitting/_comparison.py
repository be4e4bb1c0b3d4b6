"""Compare the methods of splitting: the quality of each on the same data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._text import as_html, as_text
from labelwise._validation import check_labels
from labelwise.splitting._assign import assign_checked, method_for
from labelwise.splitting._proportions import check_proportions
from labelwise.splitting._quality import SplitQuality, quality_of

_COMPARED = ("random", "labelset", "iterative", "balanced")


@dataclass(frozen=True, eq=False, repr=False)
class SplitComparison:
    """A split, and its quality beside that of other methods; prints as a table.

    `compare_splits` creates it.

    Parameters
    ----------
    chosen : str
        Method of the split.
    subsets : array of int of shape (n_samples,)
        Subset of each sample by the chosen method.
    qualities : dict of str to SplitQuality
        Quality of each method, the chosen one first.

    See Also
    --------
    compare_splits : Split data and compare the methods.

    Examples
    --------
    >>> from labelwise.splitting import compare_splits
    >>> found = compare_splits([[1, 0], [1, 1], [0, 1], [0, 0]], 2, random_state=0)
    >>> found.chosen, list(found.qualities)
    ('auto', ['auto', 'random', 'labelset', 'iterative', 'balanced'])
    """

    chosen: str
    subsets: np.ndarray
    qualities: Mapping[str, SplitQuality]

    @property
    def quality(self) -> SplitQuality:
        """Quality of the chosen method."""
        return self.qualities[self.chosen]

    def __repr__(self) -> str:
        return as_text(self._rows())

    def _repr_html_(self) -> str:
        return as_html(self._rows())

    def _rows(self) -> list[list[str]]:
        rows = [
            [
                f"{name} (chosen)" if name == self.chosen else name,
                f"{one.ld:.6f}",
                f"{one.ed:.2f}",
                f"{one.fz}",
                f"{one.flz}",
            ]
            for name, one in self.qualities.items()
        ]
        return [["method", "LD", "ED", "FZ", "FLZ"], *rows]


def compare_splits(
    Y: Any,
    proportions: Any,
    *,
    method: str = "auto",
    groups: Any = None,
    random_state: Any = None,
    label_names: Sequence[str] | None = None,
) -> SplitComparison:
    """Split data by one method, and measure it beside the other methods.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Labels of the samples.
    proportions : int or sequence of float
        Share of each subset, as for `assign`; a whole number k means k equal parts.
    method : str, default="auto"
        Method of the split, as for `assign`.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together.
    random_state : int, RandomState or None, default=None
        Seed, the same for every method if it is an int.
    label_names : sequence of str, default=None
        Names of the labels; None takes those of a frame or of sets, otherwise "0", "1", ...

    Returns
    -------
    SplitComparison
        The subsets of the chosen method, and LD, ED, FZ and FLZ of every method.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If `assign` refuses the arguments.

    See Also
    --------
    assign : Assign each sample to a subset, with equal label ratios in all subsets.
    split_quality : Measure how well subsets preserve label ratios and sizes.

    Notes
    -----
    The methods "random", "labelset", "iterative" and "balanced" are compared with the chosen one;
    "labelset" is left out if there are groups, since it would separate them.

    Examples
    --------
    >>> from labelwise.splitting import compare_splits
    >>> compare_splits([[1, 0], [1, 0], [0, 1], [0, 1]], 2, random_state=0).quality.flz
    0
    """
    labels = check_labels(Y, label_names=label_names, allow_missing=True)
    matrix = labels.matrix
    names = labels.names or tuple(map(str, range(matrix.shape[1])))
    shares = check_proportions(proportions)
    others = [name for name in _COMPARED if groups is None or name != "labelset"]
    meant = {name: method_for(matrix, name) for name in (method, *others)}
    subsets_by = {
        name: assign_checked(matrix, shares, method=name, groups=groups, random_state=random_state)
        for name in dict.fromkeys(meant.values())
    }
    found = {name: subsets_by[meant[name]] for name in meant}
    qualities = {
        name: quality_of(matrix, subsets, shares, names, labels.missing)
        for name, subsets in found.items()
    }
    return SplitComparison(method, found[method], qualities)
