"""Measure the quality of a split: label ratios (LD, FZ, FLZ) and sizes (ED).

`compare_splits` measures one method of `assign` beside the others on the same data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._blocks import is_stored
from labelwise._text import as_html, as_text, printable, titles_as_html
from labelwise._validation import check_labels, check_readable, in_row_order, rows_of
from labelwise.splitting._assign import assign_checked, label_blocks, method_for
from labelwise.splitting._subsets import (
    check_proportions,
    label_distribution,
    positives_by_subset,
)

_COMPARED = ("random", "labelset", "iterative", "balanced")


@dataclass(frozen=True)
class SplitQuality:
    """Quality of a split, smaller is better; prints as a table.

    `split_quality` returns it.

    Parameters
    ----------
    ld : float
        Labels distribution: mean distance of the odds of labels in subsets from those in all data.
    ed : float
        Examples distribution: mean distance of the sizes of subsets from those wanted.
    fz : int
        Number of subsets in which some label has no positives.
    flz : int
        Number of pairs of subset and label without positives.
    worst_label : str
        The label with the largest labels distribution.
    worst_ld : float
        Labels distribution of `worst_label`.
    n_left_out : int
        Number of labels that belong to every sample; they have no odds and are not in `ld`.
    sizes : tuple of int
        Number of samples of each subset.
    n_labels : int
        Number of labels, including those that are not in `ld`.
    label_names : tuple of str, default=()
        Names of the labels.
    label_ld : array of shape (n_labels,), default=()
        Labels distribution of each label; NaN for labels that belong to every sample.
    positives : array of int of shape (n_labels, n_subsets), default=()
        Number of positives of each label in each subset.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data",
    ECML PKDD 2011, section 4.2 (sechidis2011).

    Examples
    --------
    >>> from labelwise.splitting import split_quality
    >>> quality = split_quality([[1, 0], [1, 1], [0, 1], [0, 0]], [0, 1, 0, 1])
    >>> quality.sizes, quality.flz
    ((2, 2), 0)
    """

    ld: float
    ed: float
    fz: int
    flz: int
    worst_label: str
    worst_ld: float
    n_left_out: int
    sizes: tuple[int, ...]
    n_labels: int
    label_names: tuple[str, ...] = field(default=(), repr=False)
    label_ld: Any = field(default=(), repr=False, compare=False)
    positives: Any = field(default=(), repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Convert the quality to a dictionary.

        Returns
        -------
        dict of str to object
            The values by name, without those of single labels.
        """
        single = ("label_names", "label_ld", "positives")
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in single}

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(title) for title, _ in rows)
        return "\n".join(f"{title:<{width}}  {text}" for title, text in rows)

    def _repr_html_(self) -> str:
        return titles_as_html(self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        n_subsets = len(self.sizes)
        texts = {
            "ld": f"{self.ld:.6g}",
            "ed": f"{self.ed:.4g}",
            "fz": f"{self.fz} of {n_subsets}",
            "flz": f"{self.flz} of {n_subsets * self.n_labels}",
            "worst_label": f"{printable(self.worst_label)} ({self.worst_ld:.6g})",
            "n_left_out": f"{self.n_left_out}",
            "sizes": f"{min(self.sizes)} to {max(self.sizes)}",
        }
        return [(_TITLES[f.name], texts[f.name]) for f in fields(self) if f.name in texts]


_TITLES = {
    "ld": "LD, labels distribution",
    "ed": "ED, examples distribution",
    "fz": "FZ, subsets that lack a label",
    "flz": "FLZ, (subset, label) without positives",
    "worst_label": "worst label (its LD)",
    "n_left_out": "labels of every sample, left out of LD",
    "sizes": "samples per subset",
}


def split_quality(
    Y: Any, subsets: Any, proportions: Any = None, *, label_names: Sequence[str] | None = None
) -> SplitQuality:
    r"""Measure how well subsets preserve label ratios and sizes.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        Labels of the samples, 0 or 1.
    subsets : array of int of shape (n_samples,)
        Subset of each sample, counted from 0, as `assign` returns it.
    proportions : int or sequence of float, default=None
        Wanted share of each subset, as for `assign`; None means equal shares.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
        Without any, they are "0", "1", ...

    Returns
    -------
    SplitQuality
        The measures LD, ED, FZ and FLZ; prints as a table.

    Raises
    ------
    TypeError
        If `subsets` is not a 1-D array of whole numbers.
    ValueError
        If `subsets` has another length than Y, a negative number, or a number for which
        `proportions` has no share.

    See Also
    --------
    assign : Assign each sample to a subset, with equal label ratios in all subsets.

    Notes
    -----
    For q labels and k subsets,

    .. math::

        LD = \frac{1}{qk} \sum_{i,j} \left| \frac{|S_j^i|}{|S_j| - |S_j^i|}
             - \frac{|D^i|}{|D| - |D^i|} \right| \qquad
        ED = \frac{1}{k} \sum_j \bigl| |S_j| - r_j |D| \bigr|

    where :math:`S_j^i` are the samples of subset :math:`S_j` with label i, :math:`D^i` those of the
    whole data D, and :math:`r_j` is the wanted share of subset j. FZ is the number of subsets in
    which some label has no positives, FLZ the number of pairs of subset and label without
    positives.

    Labels of every sample are not in LD but in `n_left_out`. LD is infinite if a label has no
    negatives in a subset, or if a subset is empty. A label without positives adds 0 to LD, and k
    to FLZ. A missing label (NaN in Y) is neither a positive nor a negative. The time is
    O(nnz + q·k) for nnz positives.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data",
    ECML PKDD 2011, section 4.2 (sechidis2011).

    Examples
    --------
    >>> from labelwise.splitting import split_quality
    >>> split_quality([[1, 0], [1, 1], [0, 1], [0, 0]], [0, 1, 0, 1]).ld
    0.0
    """
    labels = check_labels(Y, label_names=label_names, allow_missing=True)
    of_rows = in_row_order(subsets, rows_of(Y, None, "Y")[1], "subsets")
    numbers = _check_subsets(of_rows, labels.matrix.shape[0])
    highest = int(numbers.max())
    shares = check_proportions(max(highest + 1, 2) if proportions is None else proportions)
    if highest >= shares.size:
        raise ValueError(f"subsets must be below the {shares.size} of proportions, got {highest}.")
    names = labels.names or tuple(map(str, range(labels.matrix.shape[1])))
    counts = positives_by_subset(labels.matrix, numbers, shares.size)
    return _quality(counts, numbers, shares, names, labels.missing)


def _quality(
    counts: np.ndarray,
    subsets: np.ndarray,
    proportions: np.ndarray,
    names: tuple[str, ...],
    missing: sparse.csc_array | None,
) -> SplitQuality:
    """Compute the quality of a split from the positives of each label in each subset."""
    sizes = np.bincount(subsets, minlength=proportions.size)
    # The samples of each subset that have truth for a label.
    known = sizes if missing is None else sizes - positives_by_subset(missing, subsets, sizes.size)
    by_label = label_distribution(counts, known)
    counted = ~np.isnan(by_label)
    worst = int(np.nanargmax(by_label)) if counted.any() else None
    return SplitQuality(
        ld=float(by_label[counted].mean()) if counted.any() else 0.0,
        ed=float(np.abs(sizes - sizes.sum() * proportions).mean()),
        fz=int((counts == 0).any(axis=0).sum()),
        flz=int((counts == 0).sum()),
        worst_label="none" if worst is None else names[worst],
        worst_ld=0.0 if worst is None else float(by_label[worst]),
        n_left_out=int((~counted).sum()),
        sizes=tuple(sizes.tolist()),
        n_labels=len(names),
        label_names=names,
        label_ld=by_label,
        positives=counts,
    )


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
    columns: str | Sequence[str] | None = None,
    ids: str | Sequence[str] | None = None,
) -> SplitComparison:
    """Split data by one method, and measure it beside the other methods.

    Parameters
    ----------
    Y : array, sparse matrix, frame, list of sets, path or dask array of shape (n_samples, n_labels)
        Labels of the samples, 0 or 1. A path (npy, parquet file or folder, zarr) and a dask array
        are read in blocks.
    proportions : int or sequence of float
        Share of each subset, as for `assign`; a whole number k means k equal parts.
    method : str, default="auto"
        Method of the split, as for `assign`.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. An int is the seed of every
        method.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
        Without any, they are "0", "1", ...
    columns : str or sequence of str, default=None
        Only for a parquet file or folder: names of the columns that are labels, or a prefix with a
        star such as ``"label:*"``; other columns are not read. None means all columns but the ids.
    ids : str or sequence of str, default=None
        Name of the column of ids, or several names of which the file has one. Only for a parquet
        file or folder. None finds the column.

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
    "labelset" is left out if there are groups, since it would separate them. For a path or a dask
    array, only "random" is compared, since the other methods need all positives in memory.

    Examples
    --------
    >>> from labelwise.splitting import compare_splits
    >>> compare_splits([[1, 0], [1, 0], [0, 1], [0, 1]], 2, random_state=0).quality.flz
    0
    """
    shares = check_proportions(proportions)
    labels: Any
    if is_stored(Y) or columns is not None:
        # Labels in memory need no readers of files.
        from labelwise._blocks import open_blocks

        labels = open_blocks({"Y": Y}, label_names, columns, ids)
        names, n_labels, missing = labels.names, labels.n_labels, None
        meant = {name: name for name in (method, "random")}
    else:
        labels, names, missing = check_labels(Y, label_names=label_names, allow_missing=True)
        groups = in_row_order(groups, rows_of(Y, None, "Y")[1], "groups")
        n_labels = labels.shape[1]
        others = [name for name in _COMPARED if groups is None or name != "labelset"]
        meant = {name: method_for(labels, name) for name in (method, *others)}
    subsets = {
        name: assign_checked(labels, shares, method=name, groups=groups, random_state=random_state)
        for name in dict.fromkeys(meant.values())
    }
    counts = {name: np.zeros((n_labels, shares.size), dtype=np.int64) for name in subsets}
    start = 0
    for block in label_blocks(labels):
        end = start + block.shape[0]
        for name, numbers in subsets.items():
            counts[name] += positives_by_subset(block, numbers[start:end], shares.size)
        start = end
    all_names = names or tuple(map(str, range(n_labels)))
    qualities = {
        name: _quality(counts[name], subsets[name], shares, all_names, missing) for name in subsets
    }
    found = {name: qualities[of] for name, of in meant.items()}
    return SplitComparison(method, subsets[meant[method]], found)


def _check_subsets(subsets: Any, n_samples: int) -> np.ndarray:
    check_readable(subsets, "subsets")
    numbers = np.asarray(subsets)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise TypeError("subsets must be a 1-D array of whole numbers, one for each sample.")
    if numbers.size != n_samples:
        raise ValueError(f"subsets has {numbers.size} entries but Y has {n_samples} samples.")
    if n_samples == 0:
        raise ValueError("Y must have at least one sample.")
    if numbers.min() < 0:
        raise ValueError(f"subsets must be counted from 0, got {numbers.min()}.")
    return numbers.astype(np.int64, copy=False)
