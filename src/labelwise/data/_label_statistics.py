"""Statistics of a label matrix: summary, frequencies of labels and label sets, pairs of labels.

`Dataset.describe`, `Dataset.label_profile` and `Dataset.co_occurrence` return them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import as_text, printable, quoted, titles_as_html
from labelwise._validation import label_set_numbers

# Up to this share of distinct label sets sechidis2011 (section 5) recommends label set sampling.
FEW_LABEL_SETS = 0.1
# Labels, and pairs of labels, in a printed table.
_LABELS_SHOWN, _PAIRS_SHOWN = 20, 10
_TITLES = {
    "n_samples": "samples",
    "n_features": "features",
    "n_labels": "labels",
    "n_label_sets": "distinct label sets",
    "label_sets_per_sample": "label sets / samples",
    "label_set_least": "samples per label set: least",
    "label_set_mean": "samples per label set: mean",
    "label_set_most": "samples per label set: most",
    "label_least": "samples per label: least",
    "label_mean": "samples per label: mean",
    "label_most": "samples per label: most",
    "cardinality": "labels per sample (cardinality)",
    "density": "cardinality / labels (density)",
    "n_without_labels": "samples without labels",
    "n_labels_unused": "labels without samples",
    "n_missing": "missing labels (cells)",
}


@dataclass(frozen=True)
class Description:
    """Statistics of multi-label data; prints as a table.

    `Dataset.describe` returns them.

    Parameters
    ----------
    name : str
        Name of the data set.
    n_samples : int
        Number of samples.
    n_features : int
        Number of features.
    n_labels : int
        Number of labels, including labels without samples.
    n_label_sets : int
        Number of distinct label sets that occur, including the empty one.
    label_sets_per_sample : float
        `n_label_sets` divided by `n_samples`.
    label_set_least : int
        Samples of the rarest label set that occurs.
    label_set_mean : float
        Mean number of samples of a label set that occurs.
    label_set_most : int
        Samples of the most frequent label set.
    label_least : int
        Samples of the rarest label.
    label_mean : float
        Mean number of samples of a label.
    label_most : int
        Samples of the most frequent label.
    cardinality : float
        Mean number of labels of a sample.
    density : float
        `cardinality` divided by `n_labels`.
    n_without_labels : int
        Number of samples without labels.
    n_labels_unused : int
        Number of labels without samples.
    n_missing : int, default=0
        Number of missing labels: cells of which it is not known whether the sample has the label.
        In all other numbers they count as labels that the sample does not have.

    Attributes
    ----------
    advice : str
        Sentence that recommends a method to split such data.

    """

    name: str
    n_samples: int
    n_features: int
    n_labels: int
    n_label_sets: int
    label_sets_per_sample: float
    label_set_least: int
    label_set_mean: float
    label_set_most: int
    label_least: int
    label_mean: float
    label_most: int
    cardinality: float
    density: float
    n_without_labels: int
    n_labels_unused: int
    n_missing: int = 0

    @property
    def advice(self) -> str:
        """Sentence that recommends a method to split such data."""
        few = self.label_sets_per_sample <= FEW_LABEL_SETS
        return (
            f"{self.label_sets_per_sample:.3g} distinct label sets per sample, "
            f"{'up to' if few else 'above'} {FEW_LABEL_SETS}: to split such data, Sechidis et al. "
            f"(2011) advise {'label set sampling' if few else 'iterative stratification'}."
        )

    def to_dict(self) -> dict[str, object]:
        """Convert the statistics to a dictionary.

        Returns
        -------
        dict of str to object
            The statistics by name.
        """
        return asdict(self)

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(title) for title, _ in rows)
        lines = [f"{title:<{width}}  {text:>12}" for title, text in rows]
        return "\n".join([printable(self.name), "-" * (width + 14), *lines])

    def _repr_html_(self) -> str:
        return titles_as_html(self._rows(), printable(self.name))

    def _rows(self) -> list[tuple[str, str]]:
        values = self.to_dict()
        if not self.n_missing:
            del values["n_missing"]
        return [(title, _as_text(values[key])) for key, title in _TITLES.items() if key in values]


def describe_labels(
    Y: sparse.csc_array, *, name: str, n_features: int, n_missing: int = 0
) -> Description:
    """Compute the statistics of a label matrix with at least one row and one label."""
    n_samples, n_labels = Y.shape
    if n_samples == 0 or n_labels == 0:
        raise ValueError(f"{quoted(name)} has {n_samples} samples and {n_labels} labels.")
    per_label = np.diff(Y.indptr)
    per_labelset = np.bincount(label_set_numbers(Y))
    without = n_samples - np.unique(Y.indices).size
    return Description(
        name=name,
        n_samples=n_samples,
        n_features=n_features,
        n_labels=n_labels,
        n_label_sets=per_labelset.size,
        label_sets_per_sample=per_labelset.size / n_samples,
        label_set_least=int(per_labelset.min()),
        label_set_mean=float(per_labelset.mean()),
        label_set_most=int(per_labelset.max()),
        label_least=int(per_label.min()),
        label_mean=float(per_label.mean()),
        label_most=int(per_label.max()),
        cardinality=Y.nnz / n_samples,
        density=Y.nnz / n_samples / n_labels,
        n_without_labels=int(without),
        n_labels_unused=int((per_label == 0).sum()),
        n_missing=n_missing,
    )


def _as_text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"


@dataclass(frozen=True, eq=False, repr=False)
class LabelProfile:
    """How often labels and label sets occur; prints as a table of labels.

    `Dataset.label_profile` returns it.

    Parameters
    ----------
    label_names : tuple of str
        Names of the labels.
    counts : array of int of shape (n_labels,)
        Number of samples of each label.
    imbalance : array of shape (n_labels,)
        Imbalance ratio of each label: samples of the most frequent label for each sample of this
        one. Infinite for labels without samples.
    mean_imbalance : float
        Mean imbalance ratio of the labels with samples; NaN if there are none.
    sizes : array of int
        ``sizes[s]`` is the number of samples with s labels.
    label_sets : tuple of tuple of int
        The most frequent label sets, each as the numbers of its labels.
    label_set_counts : array of int of shape (n_shown,)
        Number of samples of each of `label_sets`.
    n_label_sets : int
        Number of distinct label sets, including those that are not in `label_sets`.

    """

    label_names: tuple[str, ...]
    counts: np.ndarray
    imbalance: np.ndarray
    mean_imbalance: float
    sizes: np.ndarray
    label_sets: tuple[tuple[int, ...], ...]
    label_set_counts: np.ndarray
    n_label_sets: int

    def __repr__(self) -> str:
        order = np.argsort(-self.counts, kind="stable")
        rows = [
            [self.label_names[j], f"{self.counts[j]:,}", f"{self.imbalance[j]:.4g}"]
            for j in order[:_LABELS_SHOWN]
        ]
        more = [f"and {order.size - _LABELS_SHOWN:,} more"] if order.size > _LABELS_SHOWN else []
        return "\n".join([as_text([["label", "samples", "imbalance ratio"], *rows]), *more])


def profile_labels(Y: sparse.csc_array, names: tuple[str, ...], most: int) -> LabelProfile:
    """Count samples of labels and of the `most` most frequent label sets."""
    counts = np.diff(Y.indptr).astype(np.int64)
    highest = counts.max(initial=0)
    imbalance = np.divide(highest, counts, out=np.full(counts.size, np.inf), where=counts > 0)
    present = imbalance[counts > 0]
    found, set_counts, n_sets = _common_label_sets(Y, most)
    return LabelProfile(
        label_names=names,
        counts=counts,
        imbalance=imbalance,
        mean_imbalance=float(present.mean()) if present.size else float("nan"),
        sizes=np.bincount(np.bincount(Y.indices, minlength=Y.shape[0])),
        label_sets=found,
        label_set_counts=set_counts,
        n_label_sets=n_sets,
    )


def _common_label_sets(
    Y: sparse.csc_array, most: int
) -> tuple[tuple[tuple[int, ...], ...], np.ndarray, int]:
    """Return the most frequent label sets with their counts, and how many sets there are."""
    numbers = label_set_numbers(Y)
    _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))[:most]
    rows = sparse.csr_array(Y)[first[order]]
    rows.sort_indices()
    sets = np.split(rows.indices, rows.indptr[1:-1]) if order.size else []
    return tuple(tuple(one.tolist()) for one in sets), counts[order], counts.size


class LabelPair(NamedTuple):
    """Two labels, and how often they occur together."""

    first: str
    second: str
    together: int
    share_of_first: float
    share_of_second: float
    lift: float


@dataclass(frozen=True, eq=False, repr=False)
class CoOccurrence:
    """Number of samples with two labels, for all pairs; prints frequent pairs.

    `Dataset.co_occurrence` returns it.

    Parameters
    ----------
    label_names : tuple of str
        Names of the labels, the most frequent one first.
    counts : array of int of shape (n_labels, n_labels)
        Samples with both labels; on the diagonal, samples with the label.
    n_samples : int
        Number of samples.
    n_left_out : int, default=0
        Number of rarer labels that are not counted.

    """

    label_names: tuple[str, ...]
    counts: np.ndarray
    n_samples: int
    n_left_out: int = 0

    @property
    def shares(self) -> np.ndarray:
        """Share of the samples of label i with label j; NaN without samples."""
        sizes = np.diagonal(self.counts)[:, np.newaxis].astype(np.float64)
        shares = np.full(self.counts.shape, np.nan)
        np.divide(self.counts, sizes, out=shares, where=sizes > 0)
        return shares

    def pairs(self, most: int = 100) -> list[LabelPair]:
        """List the pairs of labels that occur together most often.

        Parameters
        ----------
        most : int, default=100
            Number of pairs; pairs that never occur together are not listed.

        Returns
        -------
        list of LabelPair
            Names of two labels, samples with both, the share of the samples of each label that
            have the other one, and the lift: samples with both, divided by those that two
            independent labels of these frequencies would have.
        """
        first, second = np.triu_indices(len(self.label_names), 1)
        together = self.counts[first, second]
        order = np.argsort(-together, kind="stable")[:most]
        sizes = np.diagonal(self.counts)
        return [
            LabelPair(
                self.label_names[i],
                self.label_names[j],
                both,
                both / int(sizes[i]),
                both / int(sizes[j]),
                both * self.n_samples / (int(sizes[i]) * int(sizes[j])),
            )
            for i, j, both in zip(
                first[order].tolist(), second[order].tolist(), together[order].tolist(), strict=True
            )
            if both
        ]

    def __repr__(self) -> str:
        rows = [
            [pair.first, pair.second, f"{pair.together:,}", f"{pair.lift:.3g}"]
            for pair in self.pairs(_PAIRS_SHOWN)
        ]
        return as_text([["label", "with", "samples", "lift"], *rows])


def count_pairs(Y: sparse.csc_array, names: tuple[str, ...], most: int) -> CoOccurrence:
    """Count the samples of each pair of the `most` most frequent labels."""
    n_samples, n_labels = Y.shape
    order = np.argsort(-np.diff(Y.indptr), kind="stable")[:most]
    chosen = sparse.csc_array(Y[:, order], dtype=np.int64)
    counts = (chosen.T @ chosen).toarray()
    return CoOccurrence(tuple(names[j] for j in order), counts, n_samples, max(n_labels - most, 0))
