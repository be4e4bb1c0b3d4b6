"""The data set class: features, labels, their names, bags and the fixed split, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._tables import encode_table, has_text, plain_table
from labelwise._text import counted, printable, quoted
from labelwise._validation import (
    Labels,
    check_instance,
    check_labels,
    check_names,
    check_readable,
    check_whole,
    frame_columns,
    is_frame,
    refuse_other_index,
    refuse_sparse,
    with_nan,
)
from labelwise.data._bags import Bags, check_starts
from labelwise.data._duplicates import Duplicates, duplicates_of
from labelwise.data._label_statistics import (
    CoOccurrence,
    Description,
    LabelProfile,
    count_pairs,
    describe_labels,
    profile_labels,
)

_LONGEST_REPR = 300


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Multi-label data: features and labels of samples, and their names.

    The constructor checks and converts its arguments. All other code relies on the attributes
    without checking them again.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_rows, n_features), or list of 2-D arrays
        Features. NaN means a missing value. The columns of a frame with text are encoded as
        `read_table` does; texts and identifiers are not in X. For multi-instance data, each row is
        one instance; a list of 2-D arrays, one for each bag, is stacked, and `bags` follows from
        it.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels), or None
        Labels of each sample; None if they are unknown. NaN, null or a masked cell is a missing
        label: whether the sample has the label is not known.
    name : str, default="data"
        Name of the data set in tables and reports.
    feature_names : sequence of str, default=None
        Distinct names of the columns of X. None takes the columns of X if X is a frame, and
        "0", "1", ... otherwise.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
        Without any, they are "0", "1", ...
    train : array of int, default=None
        Samples of the training part, if the data have a fixed split.
    test : array of int, default=None
        Samples of the test part, if the data have a fixed split; none of them is in `train`.
    bags : array of int of shape (n_samples + 1,), default=None
        For multi-instance data: sample i consists of the rows ``bags[i]`` to ``bags[i + 1] - 1`` of
        X. None means that each row of X is a sample.
    ids : mapping of str to sequence of str, default={}
        Columns that identify the samples; they are not in X, and have one value for each sample.
    frame : frame of shape (n_samples, n_columns), default=None
        The columns that X was made from, before categories were encoded, and the texts, which are
        not in X. `labelwise.features.TableFeatures` takes it.
    texts : sequence of str, default=()
        Names of the columns of `frame` that are texts. Of a frame X with text, names of those of
        its columns that are texts; an empty sequence recognises them.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_rows, n_features)
        Features as float32 or float64: dense, or CSR if they were given as a sparse matrix.
    Y : csc_array of shape (n_samples, n_labels), or None
        Labels as bool. If labels are missing, Y is float64 with NaN stored in their cells, as all
        functions of labelwise take it.
    missing : csc_array of bool of shape (n_samples, n_labels), or None
        The cells of missing labels; None if no label is missing.
    name : str
        Name of the data set.
    feature_names : tuple of str
        Names of the columns of X.
    label_names : tuple of str
        Names of the columns of Y.
    train : ndarray of int64, or None
        Samples of the training part.
    test : ndarray of int64, or None
        Samples of the test part.
    bags : ndarray of int64 of shape (n_samples + 1,), or None
        Row of X at which each bag starts, and the number of rows.
    ids : dict of str to ndarray
        Identifiers of the samples by column.
    frame : pyarrow.Table, or None
        Columns before encoding; None if all features are numbers.
    texts : tuple of str
        Names of the columns of `frame` that are texts.
    n_samples : int
        Number of samples: rows of X, or bags.
    n_features : int
        Number of columns of X.
    n_labels : int
        Number of label names, also if Y is None.
    samples : ndarray, csr_array, pyarrow.Table or Bags
        One entry for each sample: X, or `frame` if there are texts, or the bags.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind, such as features that are not numbers.
    ValueError
        If shapes disagree, names are not distinct, a sample is in both `train` and `test`, or a
        bag is empty.

    See Also
    --------
    load : Load a data set by name, or from a file or folder.

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
    frame: Any = None
    texts: Any = ()

    def __post_init__(self) -> None:
        refuse_other_index(X=self.X, Y=self.Y)
        X, bags = _check_samples(self.X, self.bags)
        refuse_sparse(self.texts, "texts", "a sequence of names")
        refuse_sparse(self.frame, "frame", "a data frame")
        names, ids, texts, frame = self.feature_names, self.ids, self.texts, self.frame
        if has_text(X):
            X, names, found_ids, texts, frame, _ = encode_table(plain_table(X), texts or None)
            ids = {**found_ids, **ids}
        X, feature_names = _check_features(X, names)
        bags = None if bags is None else check_starts(bags, X.shape[0])
        n_samples = X.shape[0] if bags is None else bags.size - 1
        Y, label_names = _check_targets(self.Y, self.label_names, n_samples)
        train, test = _check_split(self.train, self.test, n_samples)
        check_instance(ids, Mapping, "ids")
        ids = {str(key): _check_id(key, values, n_samples) for key, values in ids.items()}
        frame, texts = _check_frame(frame, texts, n_samples)
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
            "frame": frame,
            "texts": texts,
        }
        for key, value in checked.items():
            object.__setattr__(self, key, value)

    @property
    def missing(self) -> sparse.csc_array | None:
        """The cells of missing labels; None if no label is missing."""
        if self.Y is None or self.Y.dtype == bool:
            return None
        return check_labels(self.Y, allow_missing=True).missing

    @property
    def n_samples(self) -> int:
        """Number of samples: rows of X, or bags."""
        return int(self.X.shape[0] if self.bags is None else self.bags.size - 1)

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of label names, also if Y is None."""
        return len(self.label_names)

    @property
    def samples(self) -> Any:
        """One entry for each sample: X, the frame if it has texts, or `Bags`."""
        if self.bags is not None:
            return Bags(self.X, self.bags)
        return self.frame if self.texts else self.X

    def samples_at(self, rows: Any) -> Any:
        """Select entries of `samples`, without labels and names.

        Parameters
        ----------
        rows : array of int of shape (n_selected,)
            Numbers of the samples.

        Returns
        -------
        ndarray, csr_array, pyarrow.Table or Bags
            The entries, in the order in which they are given.
        """
        refuse_sparse(rows, "rows", "row numbers")
        samples = self.samples
        return samples.take(rows) if self.texts and self.bags is None else samples[rows]

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        bags = "" if self.bags is None else f" in bags, {counted(self.X.shape[0], 'instance')}"
        texts = [counted(len(self.texts), "text")] if self.texts else []
        features = [counted(self.n_features, "feature")] if self.n_features or not texts else []
        missing = self.missing
        unknown = " (unknown)" if self.Y is None else ""
        if missing is not None:
            unknown = f" ({counted(missing.nnz, 'cell')} missing)"
        return (
            f"Dataset {quoted(self.name)}: {counted(self.n_samples, 'sample')}{bags}, "
            f"{', '.join([*features, *texts])}, {counted(self.n_labels, 'label')}{unknown}"
        )

    def _repr_html_(self) -> str:
        if self.Y is None or not self.n_samples or not self.n_labels:
            return f"<p>{escape(printable(repr(self), _LONGEST_REPR))}</p>"
        return self.describe()._repr_html_()

    def take(self, rows: Any) -> Dataset:
        """Select samples, in the order in which they are given.

        Parameters
        ----------
        rows : slice, array of int or array of bool of shape (n_samples,)
            Numbers of the samples, or a mask of them. Bags are taken as a whole.

        Returns
        -------
        Dataset
            The samples with the same names and identifiers, without the fixed split.
        """
        refuse_sparse(rows, "rows", "row numbers, booleans or a slice")
        rows = np.arange(self.n_samples)[rows]
        return Dataset(
            self.X[rows] if self.bags is None else self.samples_at(rows),
            None if self.Y is None else self.Y[rows],
            self.name,
            self.feature_names,
            self.label_names,
            ids={key: values[rows] for key, values in self.ids.items()},
            frame=None if self.frame is None else self.frame.take(rows),
            texts=self.texts,
        )

    def describe(self) -> Description:
        """Compute statistics of the labels, such as their number per sample.

        Returns
        -------
        Description
            The statistics, which print as a table and have the attributes `n_samples`,
            `n_features`, `n_labels`, `n_label_sets` (distinct label sets), `label_sets_per_sample`,
            `label_set_least`, `label_set_mean` and `label_set_most` (samples of a label set),
            `label_least`, `label_mean` and `label_most` (samples of a label), `cardinality` (mean
            number of labels of a sample), `density`, `n_without_labels`, `n_labels_unused` and
            `n_missing`. `advice` recommends a method to split such data, and `to_dict()` returns
            all statistics by name.

        Raises
        ------
        ValueError
            If the labels are unknown, or there is no sample or no label.

        References
        ----------
        K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data",
        ECML PKDD 2011, Table 1 and section 5 (sechidis2011).

        Examples
        --------
        >>> from labelwise.data import load
        >>> description = load("digits").describe()
        >>> description.n_label_sets, round(description.cardinality, 3)
        (260, 2.732)
        """
        labels = self._known_labels()
        n_missing = 0 if labels.missing is None else int(labels.missing.nnz)
        return describe_labels(
            labels.matrix, name=self.name, n_features=self.n_features, n_missing=n_missing
        )

    def label_profile(self, max_label_sets: int = 100) -> LabelProfile:
        r"""Count samples of labels and label sets, and measure imbalance.

        Parameters
        ----------
        max_label_sets : int, default=100
            Number of the most frequent label sets to list.

        Returns
        -------
        LabelProfile
            Counts, which print as a table of labels and have the attributes `label_names`; `counts`
            and `imbalance`, the number of samples and the imbalance ratio of each label;
            `mean_imbalance`; `sizes`, the number of samples with 0, 1, ... labels; `label_sets` and
            `label_set_counts`, the most frequent label sets as numbers of labels, and their number
            of samples; and `n_label_sets`. Missing labels count as labels that the sample does not
            have.

        Raises
        ------
        ValueError
            If the labels are unknown, or `max_label_sets` is negative.

        Notes
        -----
        The imbalance ratio of label j is :math:`IR_j = \max_i n_i / n_j`, where :math:`n_j` is its
        number of samples (IRLbl in the reference); 1 for the most frequent label.

        References
        ----------
        F. Charte, A. J. Rivera, M. J. del Jesus, F. Herrera, "Addressing Imbalance in Multilabel
        Classification: Measures and Random Resampling Algorithms", Neurocomputing 163, 2015.

        Examples
        --------
        >>> from labelwise.data import Dataset
        >>> data = Dataset([[0], [1], [2]], [[1, 0], [1, 1], [1, 0]], label_names=["sea", "sky"])
        >>> data.label_profile()
        label  samples  imbalance ratio
        sea          3                1
        sky          1                3
        """
        most = check_whole(max_label_sets, "max_label_sets", least=0)
        return profile_labels(self._known_labels().matrix, self.label_names, most)

    def co_occurrence(self, max_labels: int = 1000) -> CoOccurrence:
        """Count the samples of each pair of labels.

        Parameters
        ----------
        max_labels : int, default=1000
            Number of the most frequent labels whose pairs are counted; the memory is that of
            max_labels² numbers.

        Returns
        -------
        CoOccurrence
            Counts, which print as a table of pairs and have the attributes `label_names`, the most
            frequent label first; `counts`, the samples with both labels; `shares`, the share of the
            samples of label i that have label j; `n_samples` and `n_left_out`, the number of rarer
            labels. `pairs(most=100)` lists the most frequent pairs, with their lift: samples with
            both labels, divided by those of two independent labels of these frequencies. Missing
            labels count as labels that the sample does not have.

        Raises
        ------
        ValueError
            If the labels are unknown, or `max_labels` is below 1.

        Examples
        --------
        >>> from labelwise.data import Dataset
        >>> data = Dataset([[0], [1], [2], [3]], [{"sea"}, {"sea", "sky"}, {"sky", "sea"}, set()])
        >>> data.co_occurrence()
        label  with  samples  lift
        sea     sky        2  1.33
        """
        most = check_whole(max_labels, "max_labels", least=1)
        return count_pairs(self._known_labels().matrix, self.label_names, most)

    def find_duplicates(self) -> Duplicates:
        """Find samples with equal features, also across training and test.

        Two samples are equal if all features are, including texts, and for bags if their rows are
        equal in the same order. Missing values are equal to each other.

        Returns
        -------
        Duplicates
            Equal samples, which print as sentences and have the attributes `first`, the first equal
            sample of each sample; `n_repeated`; `contradicting`, samples that have the features of
            another, but other labels; `leaked` and `leaked_from`, test samples that are in the
            training part, and a training sample for each; and `n_test`.

        Notes
        -----
        Features are compared by a hash of 128 bits, in O(n) memory for n samples.

        Examples
        --------
        >>> from labelwise.data import Dataset
        >>> Dataset([[1, 0], [0, 1], [1, 0]], [[1], [0], [0]]).find_duplicates()
        1 sample with the features of an earlier sample.
        2 samples with the features of another, but other labels.
        """
        texts = [self.frame.column(name).to_pylist() for name in self.texts]
        return duplicates_of(self.X, self.bags, texts, self.Y, self.train, self.test)

    def _known_labels(self) -> Labels:
        if self.Y is None:
            raise ValueError(f"The labels of {self.name!r} are unknown and cannot be described.")
        return check_labels(self.Y, allow_missing=True)


def _check_samples(X: Any, bags: Any) -> tuple[Any, Any]:
    """Return the rows of X and the start of each bag, None if every row is a sample."""
    stacked = Bags.of(X)
    if stacked is None:
        return X, bags
    if bags is not None:
        raise ValueError("bags must be left out if X is a list of bags.")
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
        raise TypeError(f"X must contain numbers, got {X.dtype}.")
    if X.ndim != 2:
        raise ValueError(f"X must be 2-D, rows by features, got {X.ndim}-D.")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return X, _names_or_numbers(names, X.shape[1], "feature_names")


def _with_short_indices(X: sparse.csr_array) -> sparse.csr_array:
    """Return X with 32-bit indices if they suffice: parts of scikit-learn need them."""
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    indices, indptr = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
    return sparse.csr_array((X.data, indices, indptr), shape=X.shape)


def _check_frame(frame: Any, texts: Any, n_samples: int) -> tuple[Any, tuple[str, ...]]:
    """Return the columns before encoding as an Arrow table, and the names of the texts."""
    if frame is None:
        if texts:
            raise ValueError("texts must be left out without frame.")
        return None, ()
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True).to_arrow()
    if table.num_rows != n_samples:
        raise ValueError(f"frame has {table.num_rows} rows for {n_samples} samples.")
    missing = [name for name in texts if name not in table.column_names]
    if missing:
        raise ValueError(f"texts must be columns of frame, got {missing[0]!r}.")
    return table, tuple(map(str, texts))


def _check_targets(
    Y: Any, names: Sequence[str] | None, n_samples: int
) -> tuple[sparse.csc_array | None, tuple[str, ...]]:
    if Y is None:
        return None, () if names is None else check_names(names, "label_names")
    matrix, label_names, missing = check_labels(Y, label_names=names, allow_missing=True)
    if matrix.shape[0] != n_samples:
        raise ValueError(f"Y has {matrix.shape[0]} rows for {n_samples} samples.")
    label_names = _names_or_numbers(label_names, matrix.shape[1], "label_names")
    if missing is not None and missing.nnz == matrix.shape[0] * matrix.shape[1]:
        return None, label_names
    return with_nan(matrix, missing), label_names


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
            f"{input_name} must contain rows from 0 to {n_samples - 1}, got {numbers[outside][0]}."
        )
    if np.unique(numbers).size < numbers.size:
        raise ValueError(f"{input_name} must contain each row once.")
    return numbers.astype(np.int64)


def _check_id(key: str, values: Any, n_samples: int) -> np.ndarray:
    checked = np.array(values, dtype=object)
    if checked.shape != (n_samples,):
        raise ValueError(f"ids[{key!r}] has shape {checked.shape} for {n_samples} samples.")
    return checked
