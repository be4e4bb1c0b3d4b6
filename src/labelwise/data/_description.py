"""Statistics of a label matrix: cardinality, density, distinct label sets, label counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from scipy import sparse

from labelwise._text import printable, quoted, titles_as_html
from labelwise._validation import labelset_numbers

# Up to this share of distinct label sets sechidis2011 (section 5) recommends label set sampling.
FEW_LABELSETS = 0.1


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
    n_labelsets : int
        Number of distinct label sets that occur, including the empty one.
    labelsets_per_sample : float
        `n_labelsets` divided by `n_samples`.
    labelset_least : int
        Samples of the rarest label set that occurs.
    labelset_mean : float
        Mean number of samples of a label set that occurs.
    labelset_most : int
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

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data",
    ECML PKDD 2011, Table 1 and section 5 (sechidis2011).

    Examples
    --------
    >>> from labelwise.data import load
    >>> description = load("digits").describe()
    >>> description.n_labelsets, round(description.cardinality, 3)
    (260, 2.732)
    """

    name: str
    n_samples: int
    n_features: int
    n_labels: int
    n_labelsets: int
    labelsets_per_sample: float
    labelset_least: int
    labelset_mean: float
    labelset_most: int
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
        few = self.labelsets_per_sample <= FEW_LABELSETS
        return (
            f"{self.labelsets_per_sample:.3g} distinct label sets per example, "
            f"{'up to' if few else 'above'} {FEW_LABELSETS}: to split such data, Sechidis et al. "
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


_TITLES = {
    "n_samples": "examples",
    "n_features": "features",
    "n_labels": "labels",
    "n_labelsets": "distinct labelsets",
    "labelsets_per_sample": "labelsets / examples",
    "labelset_least": "examples per labelset: least",
    "labelset_mean": "examples per labelset: mean",
    "labelset_most": "examples per labelset: most",
    "label_least": "examples per label: least",
    "label_mean": "examples per label: mean",
    "label_most": "examples per label: most",
    "cardinality": "labels per example (cardinality)",
    "density": "cardinality / labels (density)",
    "n_without_labels": "examples without labels",
    "n_labels_unused": "labels without examples",
    "n_missing": "missing labels (cells)",
}


def describe_labels(
    Y: sparse.csc_array, *, name: str, n_features: int, n_missing: int = 0
) -> Description:
    """Compute the statistics of a label matrix with at least one row and one label."""
    n_samples, n_labels = Y.shape
    if n_samples == 0 or n_labels == 0:
        raise ValueError(f"{quoted(name)} has {n_samples} examples and {n_labels} labels.")
    per_label = np.diff(Y.indptr)
    per_labelset = np.bincount(labelset_numbers(Y))
    without = n_samples - np.unique(Y.indices).size
    return Description(
        name=name,
        n_samples=n_samples,
        n_features=n_features,
        n_labels=n_labels,
        n_labelsets=per_labelset.size,
        labelsets_per_sample=per_labelset.size / n_samples,
        labelset_least=int(per_labelset.min()),
        labelset_mean=float(per_labelset.mean()),
        labelset_most=int(per_labelset.max()),
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
