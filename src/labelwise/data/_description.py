"""What a label matrix looks like, in the columns of sechidis2011 Table 1 and more."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from html import escape

import numpy as np
from scipy import sparse

from labelwise._text import printable, quoted
from labelwise._validation import labelset_numbers

# Below this share of distinct labelsets sechidis2011 (section 5) finds labelset sampling adequate.
FEW_LABELSETS = 0.1


@dataclass(frozen=True)
class Description:
    """Statistics of multi-label data; prints as a table.

    Per labelset and per label, the examples that carry it: least, mean and most. A labelset
    counts if it occurs, the empty one included; a label counts even if nobody carries it.
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

    @property
    def advice(self) -> str:
        """How to split such data, in a sentence (sechidis2011, section 5)."""
        few = self.labelsets_per_sample <= FEW_LABELSETS
        return (
            f"{self.labelsets_per_sample:.3g} labelsets per example: sechidis2011 advises "
            + ("labelset sampling" if few else "iterative stratification")
            + f" {'up to' if few else 'above'} {FEW_LABELSETS}."
        )

    def to_dict(self) -> dict[str, object]:
        """Return the statistics by name."""
        return asdict(self)

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(title) for title, _ in rows)
        lines = [f"{title:<{width}}  {text:>12}" for title, text in rows]
        return "\n".join([printable(self.name), "-" * (width + 14), *lines])

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th style='text-align:left'>{title}</th><td>{text}</td></tr>"
            for title, text in self._rows()
        )
        return f"<table><caption>{escape(printable(self.name))}</caption>{cells}</table>"

    def _rows(self) -> list[tuple[str, str]]:
        values = self.to_dict()
        return [(_TITLES[key.name], _as_text(values[key.name])) for key in fields(self)[1:]]


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
}


def describe_labels(Y: sparse.csc_array, *, name: str, n_features: int) -> Description:
    """Return the statistics of a label matrix with at least one row and one label."""
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
    )


def _as_text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"
