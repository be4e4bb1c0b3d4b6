"""The one form in which data travels: features, labels, their names, and fixed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import quoted
from labelwise._validation import (
    check_labels,
    check_names,
    check_readable,
    frame_columns,
    is_frame,
)
from labelwise.data._bags import Bags, as_bags, check_starts, is_bags
from labelwise.data._description import Description, describe_labels


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Multi-label data: what each row looks like, and which labels it carries.

    The constructor checks and converts; afterwards every stage trusts the fields.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_rows, n_features), or list of such arrays
        Features; kept dense, or CSR if sparse. NaN means missing. With `bags`, the rows are
        instances; a list of 2-D arrays, one for each bag, is stacked and gives `bags` itself.
    Y : array, sparse matrix, frame, list of sets, or None
        Labels of each sample, kept as boolean CSC; None if they are to be predicted.
    name : str
        What tables and reports call the data.
    feature_names, label_names : sequence of str, optional
        Distinct names; from the frame's columns if X or Y is one, else "0", "1", ….
    train, test : array of int, optional
        Rows of the fixed split that the data came with.
    bags : array of int of shape (n_samples + 1,), optional
        Multi-instance data: sample i owns the rows ``bags[i]`` to ``bags[i + 1]`` of X.
    ids : mapping of str to sequence of str, optional
        Attributes that name the samples, one value each, left out of X.

    Examples
    --------
    >>> from labelwise.data import Dataset
    >>> tiny = Dataset([[0.1, 2.0], [0.7, 1.0]], [{"sea"}, {"sea", "sky"}], name="tiny")
    >>> tiny
    Dataset 'tiny': 2 samples, 2 features, 2 labels
    >>> tiny.label_names
    ('sea', 'sky')
    """

    X: Any
    Y: Any
    name: str = "data"
    feature_names: Any = None
    label_names: Any = None
    train: Any = None
    test: Any = None
    bags: Any = None
    ids: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        X, bags = _check_samples(self.X, self.bags)
        X, feature_names = _check_features(X, self.feature_names)
        bags = None if bags is None else check_starts(bags, X.shape[0])
        n_samples = X.shape[0] if bags is None else bags.size - 1
        Y, label_names = _check_targets(self.Y, self.label_names, n_samples)
        train, test = _check_split(self.train, self.test, n_samples)
        ids = {str(key): _check_id(key, values, n_samples) for key, values in self.ids.items()}
        checked = {
            "X": X,
            "Y": Y,
            "name": str(self.name),
            "feature_names": feature_names,
            "label_names": label_names,
            "train": train,
            "test": test,
            "bags": bags,
            "ids": ids,
        }
        for key, value in checked.items():
            object.__setattr__(self, key, value)

    @property
    def n_samples(self) -> int:
        """Number of rows, or of bags."""
        return int(self.X.shape[0] if self.bags is None else self.bags.size - 1)

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of labels, also where their values are unknown."""
        return len(self.label_names)

    @property
    def samples(self) -> Any:
        """What has an entry for each row of Y: X, or the bags as a sequence of 2-D arrays."""
        return self.X if self.bags is None else Bags(self.X, self.bags)

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        bags = "" if self.bags is None else f" in bags, {self.X.shape[0]} instances"
        unknown = " (unknown)" if self.Y is None else ""
        return (
            f"Dataset {quoted(self.name)}: {self.n_samples} samples{bags}, "
            f"{self.n_features} features, {self.n_labels} labels{unknown}"
        )

    def take(self, rows: Any) -> Dataset:
        """Return the samples at `rows` (numbers or a boolean mask), in that order.

        The fixed split is left behind; bags stay whole.
        """
        rows = np.arange(self.n_samples)[rows]
        return Dataset(
            self.samples[rows],
            None if self.Y is None else self.Y[rows],
            self.name,
            self.feature_names,
            self.label_names,
            ids={key: values[rows] for key, values in self.ids.items()},
        )

    def describe(self) -> Description:
        """Return the statistics of sechidis2011 Table 1 and more; prints as a table."""
        if self.Y is None:
            raise ValueError(f"The labels of {self.name!r} are unknown: nothing to describe.")
        return describe_labels(self.Y, name=self.name, n_features=self.n_features)


def _check_samples(X: Any, bags: Any) -> tuple[Any, Any]:
    """Return the rows of X and where bags begin; None where every row is a sample."""
    if not is_bags(X):
        return X, bags
    if bags is not None:
        raise ValueError("bags must be left out where X is a list of bags.")
    stacked = as_bags(X)
    return stacked.rows, stacked.starts


def _check_features(X: Any, names: Sequence[str] | None) -> tuple[Any, tuple[str, ...]]:
    check_readable(X, "X")
    if sparse.issparse(X):
        X = _with_short_indices(sparse.csr_array(X))
    elif not isinstance(X, np.ndarray) and is_frame(X):
        X, columns = frame_columns(X)
        names = columns if names is None else names
    else:
        X = np.asarray(X)
    if X.dtype.kind not in "biuf":
        raise TypeError(f"X must hold numbers, got {X.dtype}.")
    if X.ndim != 2:
        raise ValueError(f"X must be 2-D, rows by features, got {X.ndim}-D.")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return X, _names_or_numbers(names, X.shape[1], "feature_names")


def _with_short_indices(X: sparse.csr_array) -> sparse.csr_array:
    """Return X with 32-bit indices if they suffice: some of scikit-learn takes no others."""
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    indices, indptr = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
    return sparse.csr_array((X.data, indices, indptr), shape=X.shape)


def _check_targets(
    Y: Any, names: Sequence[str] | None, n_samples: int
) -> tuple[sparse.csc_array | None, tuple[str, ...]]:
    if Y is None:
        return None, () if names is None else check_names(names, "label_names")
    labels = check_labels(Y, label_names=names)
    if labels.matrix.shape[0] != n_samples:
        raise ValueError(f"Y has {labels.matrix.shape[0]} rows for {n_samples} samples.")
    return labels.matrix, _names_or_numbers(labels.names, labels.matrix.shape[1], "label_names")


def _names_or_numbers(
    names: Sequence[str] | None, n_columns: int, input_name: str
) -> tuple[str, ...]:
    if names is None:
        return tuple(map(str, range(n_columns)))
    checked = check_names(names, input_name)
    if len(checked) != n_columns:
        raise ValueError(f"{input_name} has {len(checked)} names for {n_columns} columns.")
    return checked


def _check_split(
    train: Any, test: Any, n_samples: int
) -> tuple[np.ndarray | None, np.ndarray | None]:
    parts = [
        _check_rows(rows, name, n_samples) for rows, name in ((train, "train"), (test, "test"))
    ]
    if parts[0] is not None and parts[1] is not None:
        both = np.intersect1d(parts[0], parts[1])
        if both.size:
            raise ValueError(f"train and test must not overlap, but row {both[0]} is in both.")
    return parts[0], parts[1]


def _check_rows(rows: Any, input_name: str, n_samples: int) -> np.ndarray | None:
    if rows is None:
        return None
    numbers = np.asarray(rows)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise TypeError(f"{input_name} must be a 1-D array of row numbers.")
    outside = (numbers < 0) | (numbers >= n_samples)
    if outside.any():
        raise ValueError(
            f"{input_name} must hold rows from 0 to {n_samples - 1}, got {numbers[outside][0]}."
        )
    if np.unique(numbers).size < numbers.size:
        raise ValueError(f"{input_name} must hold each row once.")
    return numbers.astype(np.int64)


def _check_id(key: str, values: Any, n_samples: int) -> np.ndarray:
    checked = np.array(values, dtype=object)
    if checked.shape != (n_samples,):
        raise ValueError(f"ids[{key!r}] has shape {checked.shape} for {n_samples} samples.")
    return checked
