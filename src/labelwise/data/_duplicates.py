"""Samples whose features repeat those of an earlier sample, also across training and test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._text import counted
from labelwise._validation import check_labels, label_set_numbers, without_cells


@dataclass(frozen=True, eq=False, repr=False)
class Duplicates:
    """Samples with equal features; prints as sentences.

    `Dataset.find_duplicates` returns it.

    Parameters
    ----------
    first : array of int of shape (n_samples,)
        For each sample the first sample with equal features, which may be the sample itself.
    contradicting : array of int
        Samples that have the features of another sample, but other labels.
    leaked : array of int of shape (n_leaked,)
        Test samples whose features a training sample has, too.
    leaked_from : array of int of shape (n_leaked,)
        The first training sample with the features of each of `leaked`.
    n_test : int or None, default=None
        Number of test samples; None if the data have no fixed split.
    """

    first: np.ndarray
    contradicting: np.ndarray
    leaked: np.ndarray
    leaked_from: np.ndarray
    n_test: int | None = None

    @property
    def n_repeated(self) -> int:
        """Number of samples whose features an earlier sample has."""
        return int((self.first != np.arange(self.first.size)).sum())

    def __repr__(self) -> str:
        lines = [f"{counted(self.n_repeated, 'sample')} with the features of an earlier sample."]
        if self.n_repeated:
            n = self.contradicting.size
            lines.append(f"{counted(n, 'sample')} with the features of another, but other labels.")
        if self.n_test is not None:
            lines.append(
                f"{self.leaked.size:,} of {counted(self.n_test, 'test sample')} with the features "
                "of a training sample."
            )
        return "\n".join(lines)


def duplicates_of(
    X: Any, bags: np.ndarray | None, texts: list[list[Any]], Y: Any, train: Any, test: Any
) -> Duplicates:
    """Find the first sample with the features and texts of each sample, by a hash of 128 bits."""
    seen: dict[bytes, int] = {}
    keys = _keys(X, bags, texts)
    first = np.array([seen.setdefault(key, i) for i, key in enumerate(keys)], dtype=np.int64)
    leaked, sources = _leaked(first, train, test)
    n_test = None if train is None or test is None else test.size
    return Duplicates(first, _contradicting(first, Y), leaked, sources, n_test)


def _leaked(first: np.ndarray, train: Any, test: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the test samples that are in the training part, and a training sample of each."""
    if train is None or test is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    in_training = np.full(first.size, -1, dtype=np.int64)
    backwards = np.sort(train)[::-1]
    in_training[first[backwards]] = backwards
    leaked = test[in_training[first[test]] >= 0]
    return leaked, in_training[first[leaked]]


def _contradicting(first: np.ndarray, Y: Any) -> np.ndarray:
    """Return the samples in groups of equal features that have several label sets."""
    if Y is None or not first.size:
        return np.zeros(0, dtype=np.int64)
    matrix, _, missing = check_labels(Y, allow_missing=True)
    if missing is None:
        labels = label_set_numbers(matrix)
        differs = labels != labels[first]
    else:
        rows, gaps = sparse.csr_array(matrix), sparse.csr_array(missing)
        # Missing labels contradict no others.
        either = sparse.csc_array(gaps.astype(np.int8) + gaps[first].astype(np.int8)).astype(bool)
        known = without_cells(sparse.csr_array(rows != rows[first]), either)
        differs = np.diff(known.indptr) > 0
    return np.flatnonzero(np.isin(first, first[differs]))


def _keys(X: Any, bags: np.ndarray | None, texts: list[list[Any]]) -> Iterator[bytes]:
    """Yield a hash of the features of each sample."""
    rows = list(_row_bytes(X))
    starts = np.arange(len(rows) + 1) if bags is None else bags
    for i in range(starts.size - 1):
        key = blake2b(b"".join(rows[starts[i] : starts[i + 1]]), digest_size=16)
        for column in texts:
            key.update(blake2b(repr(column[i]).encode("utf-8", "backslashreplace")).digest())
        yield key.digest()


def _row_bytes(X: Any) -> Iterator[bytes]:
    """Yield a hash of each row; -0 is 0, and every missing value is the same one."""
    for i in range(X.shape[0]):
        if sparse.issparse(X):
            start, end = X.indptr[i], X.indptr[i + 1]
            order = np.argsort(X.indices[start:end], kind="stable")
            numbers, places = X.data[start:end][order], X.indices[start:end][order]
            numbers, places = numbers[numbers != 0], places[numbers != 0].astype(np.int64)
            content = places.tobytes()
        else:
            numbers, content = X[i], b""
        plain = np.where(np.isnan(numbers), np.nan, numbers + 0.0)
        yield blake2b(content + plain.tobytes(), digest_size=16).digest()
