"""The result of tuning: the rule that decides, with the evidence for it.

`Thresholds` is the rule: a threshold for each label, and limits for each sample. It is saved, and
turns scores into decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from scipy import sparse

from labelwise._blocks import is_stored, refuse_in_blocks
from labelwise._text import as_html, as_text, counted, printable
from labelwise._tuning._evidence import Evidence, taken
from labelwise._tuning._saved_rule import SavedRule
from labelwise._tuning._slice_thresholds import SliceThresholds, check_slices, sum_text
from labelwise._tuning.problem._decisions import (
    as_given,
    columns_of_labels,
    decided_by_label,
    decisions_at,
)
from labelwise._validation import check_backend, check_scores, in_row_order, rows_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrameT

    from labelwise._tuning._decide_blocks import DecisionCounts

# Number of labels in the table of a repr.
_MOST_SHOWN = 20
_HEADING = ["label", "threshold", "support", "decided"]
# A threshold of fewer positives than this is marked in a report.
_FEW = 10


@dataclass(frozen=True, eq=False, repr=False)
class Thresholds(SavedRule):
    """One threshold for each label, and the value that the thresholds reach.

    `best_thresholds` and `scan_thresholds` return such objects, and `Thresholds.load` reads them
    from a file. A label is decided for a sample if its score is at least the threshold.

    Attributes
    ----------
    values : ndarray of float64 of shape (n_labels,)
        The thresholds, in the order of the columns of the scores that they were tuned on. inf
        decides no sample, -inf decides every sample that has a score. Read-only:
        ``dataclasses.replace(thresholds, values=...)`` makes other thresholds.
    label_names : tuple of str or None
        Names of the labels in the order of `values`, or None if the tuning data had no names.
    max_decided : int or None
        The most labels that are decided for a sample: of those that reach their thresholds, the
        highest scores are kept. None for no limit. Set by `best_thresholds` with `guarantee`.
    max_rank : int or None
        How many labels of a sample can be decided: those with its highest scores, if they reach
        their thresholds; None for all. Set by `best_thresholds` with `max_decisions` per sample.
    slices : SliceThresholds or None
        Thresholds of each slice of the samples. `values` are then those of all samples together,
        for samples of other slices. None without slices.
    evidence : Evidence
        What is known about the thresholds: value and corrected value, proof, constraints,
        guarantee, and the counts of each label.

    See Also
    --------
    best_thresholds : Find the thresholds with the highest value of a measure.
    TunedThresholds : Tune thresholds around a scikit-learn estimator.

    Examples
    --------
    >>> from labelwise.decisions import best_thresholds
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> tuned = best_thresholds(scores, [[1, 0], [0, 1], [1, 0], [0, 0]])
    >>> tuned.values, round(tuned.value, 4), tuned.evidence.exact
    (array([0.25, 0.35]), 0.8571, True)
    """

    values: np.ndarray
    evidence: Evidence
    label_names: tuple[str, ...] | None = None
    max_decided: int | None = None
    max_rank: int | None = None
    slices: SliceThresholds | None = None

    _file: ClassVar[str] = "ThresholdFile"
    _evidence: ClassVar[Any] = Evidence

    def __post_init__(self) -> None:
        self._protect()

    def _protect(self) -> None:
        """Make `values` read-only, without a change of the given array."""
        values = self.values.view()
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def _is_by_rank(self) -> bool:
        """Whether samples are decided by the ranks of their scores alone."""
        return self.max_rank is not None and bool(np.isneginf(self.values).all())

    @property
    def value(self) -> float:
        """Value of the measure on the tuning data, or the total cost."""
        return self.evidence.value

    @overload
    def decide(
        self, scores: np.ndarray | list[Any], output: None = None, *, slices: Any = None
    ) -> np.ndarray: ...

    @overload
    def decide(
        self, scores: IntoDataFrameT, output: None = None, *, slices: Any = None
    ) -> IntoDataFrameT: ...

    @overload
    def decide(self, scores: Any, output: str | Path, *, ids: Any = None) -> DecisionCounts: ...

    @overload
    def decide(
        self, scores: Any, output: None = None, *, slices: Any = None, ids: Any = None
    ) -> Any: ...

    def decide(
        self,
        scores: Any,
        output: str | Path | None = None,
        *,
        slices: Any = None,
        ids: str | Sequence[str | bool] | bool | None = None,
    ) -> Any:
        """Decide each label for the samples whose score is at least its threshold.

        Parameters
        ----------
        scores : array, sparse matrix, frame, path or dask array of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. A path names an npy or parquet file,
            a folder of parquet files, or a zarr array, which is read in blocks of rows. In a sparse
            matrix, an absent score is never decided. The columns of a frame are matched by name if
            the thresholds have label names. Those of an array have the order of `values` and
            `label_names`, which is that of the scores that the thresholds were tuned on.
        output : str, Path or None, default=None
            File to write the decisions to, block by block, with the ending .parquet, .npy or
            .zarr; they are int8. It appears only once it is complete. Ids of the rows are written
            along to parquet files.
        slices : array of shape (n_samples,), default=None
            Slice of each sample, for thresholds that were tuned with slices. Samples of slices that
            were not tuned on are decided by the thresholds of all slices together. Only for scores
            in memory.
        ids : str, sequence of str or False, default=None
            Name of the column of ids, or several names of which the file has one. Only for a
            parquet file of scores. None finds the column. False, alone or after the names, matches
            labels by position if only the thresholds or only the file has names, which is refused
            otherwise.

        Returns
        -------
        ndarray of int8 of shape (n_samples, n_labels), csr_array of bool, frame or dask array
            1 where a label is decided, with rows and columns as in the scores; sparse if the
            scores are sparse, a frame of the same library, with the same columns and index, if the
            scores are a frame, and a dask array, of which nothing is computed yet, if they are one.
            With `output`, the counts of what was written: a named tuple of `by_label` (decisions of
            each column), `n_rows` and `n_without` (rows without a decision).

        Raises
        ------
        ValueError
            If the scores are not finite, if their labels are not those of the thresholds, if slices
            are missing or not expected, or if the output has another ending.
        DataError
            If a file cannot be read.

        Warns
        -----
        UserWarning
            If thresholds were not tuned on a slice.

        Notes
        -----
        If `max_decided` or `max_rank` limits the labels of a sample, the first ones in the
        order of `label_names` are taken among equal scores, whatever the order of the columns.

        Examples
        --------
        >>> from labelwise.decisions import best_thresholds
        >>> tuned = best_thresholds([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]])
        >>> tuned.decide([[0.8, 0.1], [0.7, 0.35]])
        array([[1, 0],
               [0, 1]], dtype=int8)
        """
        self._check_slices_given(slices)
        if output is not None or is_stored(scores):
            refuse_in_blocks(slices=slices)
            from labelwise._tuning._decide_blocks import decide_stored

            return decide_stored(self, scores, output, ids)
        checked = check_scores(scores, n_labels=len(self))
        columns = columns_of_labels(self, checked.names, checked.matrix.shape[1])
        decide: Callable[[Any], Any] = self._decide
        if self.slices is not None:
            of_rows = in_row_order(slices, rows_of(scores, None, "scores")[1], "slices")
            numbers = self.slices._numbers(of_rows, checked.matrix.shape[0])
            decide = partial(self._decide, numbers=numbers)
        return as_given(decided_by_label(decide, checked.matrix, columns), scores)

    def _decide(self, scores: Any, numbers: np.ndarray | None = None) -> Any:
        """Decide checked scores whose columns have the order of the labels.

        `numbers` are those of the slices of the samples, -1 for slices that were not tuned on.
        """
        if self.slices is None or numbers is None:
            return decisions_at(scores, self.values, self.max_decided, self.max_rank)
        rows, parts, most = [], [], self.slices.max_decided
        scores = sparse.csr_array(scores) if sparse.issparse(scores) else scores
        for number in np.unique(numbers):
            mine = np.flatnonzero(numbers == number)
            limit = self.max_decided if most is None or number < 0 else int(most[number])
            values = self.values if number < 0 else self.slices.values[number]
            rows.append(mine)
            parts.append(decisions_at(scores[mine], values, limit, self.max_rank))
        order = np.argsort(np.concatenate(rows))
        if sparse.issparse(scores):
            return sparse.vstack(parts, format="csr")[order]
        return np.concatenate(parts)[order]

    def _check_slices_given(self, slices: Any) -> None:
        """Refuse slices for thresholds without slices, and the other way around."""
        if (self.slices is None) != (slices is None):
            why = "have no slices" if self.slices is None else "differ by slice"
            raise ValueError(f"slices must be given as in tuning: the thresholds {why}.")

    def _refuse_slices(self, what: str) -> None:
        """Refuse thresholds that differ by slice where each label needs one threshold."""
        if self.slices is not None:
            raise ValueError(
                f"{what} takes one threshold a label, not thresholds that differ by slice."
            )

    def _of_labels(
        self, places: np.ndarray, label_names: tuple[str, ...] | None, **evidence: Any
    ) -> Thresholds:
        """Return the thresholds of some of the labels, in any order, and of new ones.

        `places` has the number of each label in these thresholds; -1 for a new label, which is
        never decided. `evidence` are fields of the evidence to replace.
        """
        return replace(
            self,
            values=taken(self.values, places, np.inf),
            label_names=label_names,
            slices=None if self.slices is None else self.slices._of_labels(places),
            evidence=replace(self.evidence._of_labels(places), **evidence),
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "evidence" not in state:
            # Until 0.3.0, thresholds in model files had the fields of the evidence themselves.
            known = {one.name for one in fields(Evidence)}
            evidence = Evidence(**{name: state[name] for name in known & set(state)})
            renamed = {"max_decided": "most_per_row", "max_rank": "top_per_row"}
            limits = {name: state.get(old) for name, old in renamed.items()}
            kept = {name: state[name] for name in ("values", "label_names")}
            state = {**kept, **limits, "evidence": evidence}
        vars(self).update(state)
        if isinstance(state.get("values"), np.ndarray):
            self._protect()

    def _check_loaded(self) -> None:
        """Refuse thresholds of a model file unless there is one number for each label."""
        check_thresholds(self, len(self.values))

    def __len__(self) -> int:
        return self.values.size

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Convert to a data frame with a row for each label.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            Library of the frame; None takes the first of them that is installed.

        Returns
        -------
        DataFrame or pyarrow.Table
            Columns label, threshold, support, decided and f, as in the table that thresholds print
            as; f is NaN if it is not known.

        Raises
        ------
        ValueError
            If `backend` is unknown, or if thresholds differ by slice.

        Examples
        --------
        >>> from labelwise.decisions import best_thresholds
        >>> tuned = best_thresholds(
        ...     [[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]], label_names=["sea", "sky"]
        ... )
        >>> tuned.to_frame(backend="pandas")
          label  threshold  support  decided    f
        0   sea       0.75        1        1  1.0
        1   sky       0.30        1        1  1.0
        """
        import narwhals as nw

        self._refuse_slices("a frame")
        known, f = self.evidence, self.evidence.f_of_labels
        columns = {
            "label": [*(self.label_names or map(str, range(len(self))))],
            "threshold": self.values,
            "support": known.support,
            "decided": known.decided,
            "f": np.full(len(self), np.nan) if f is None else f,
        }
        return nw.from_dict(columns, backend=check_backend(backend)).to_native()

    def report(self) -> str:
        """Write what is known about the thresholds, as ``labelwise tune`` prints it.

        Returns
        -------
        str
            The lines of ``evidence.report``, with a table of the labels between them: if there are
            many, of those that are never decided and those of the lowest F.
        """
        known, f_of_labels = self.evidence, self.evidence.f_of_labels
        expected = known._expectations(self.label_names, by_rank=self._is_by_rank)
        if f_of_labels is None:
            return "\n".join([repr(self), *(["", *expected] if expected else [])])
        order, is_few = np.arange(len(self)), known.support < _FEW
        if len(self) > _MOST_SHOWN:
            order = np.lexsort((f_of_labels, known.decided > 0))[:_MOST_SHOWN]
        rows = [
            [label, threshold + ("*" if is_few[j] else ""), *counts, f"{f_of_labels[j]:.4f}"]
            for j, (label, threshold, *counts) in zip(order, self._rows(order), strict=True)
        ]
        below = [f"{line}, which are better" for line in self._more()]
        if is_few.any():
            marked = counted(int(is_few.sum()), "label")
            below.append(f"* fewer than {_FEW} positives ({marked}): not reliable")
        table = as_text([[*_HEADING, "F"], *rows])
        below += self._slice_lines()
        return "\n".join([*self._above(), *known._rates(), "", table, *below, "", *expected])

    def __repr__(self) -> str:
        table = as_text([_HEADING, *self._rows(range(len(self))[:_MOST_SHOWN])])
        return "\n".join([*self._above(), "", table, *self._more(), *self._slice_lines()])

    def _slice_lines(self) -> list[str]:
        """Return a table of the slices, or no line."""
        found = self.slices
        return [] if found is None else ["", as_text(found._rows()), *found._more()]

    def _repr_html_(self) -> str:
        above = "".join(f"<p>{escape(line)}</p>" for line in self._above())
        below = "".join(f"<p>{line}</p>" for line in self._more())
        table = as_html([_HEADING, *self._rows(range(len(self))[:_MOST_SHOWN])])
        slices = "" if self.slices is None else as_html(self.slices._rows())
        return f"{above}{table}{below}{slices}"

    def _above(self) -> list[str]:
        """Return the lines above the table."""
        names, in_slices = self.label_names, ""
        if self.slices is not None:
            labels = names or tuple(map(str, range(len(self))))
            names = tuple(f"{label} in {one}" for one in self.slices.names for label in labels)
            in_slices = f" in {counted(len(self.slices.names), 'slice')}"
            if self.evidence.guarantee is not None and self.evidence.guarantee.across == "slices":
                names = self.slices.names
        by_slice = self.slices is not None and self.slices.max_decided is not None
        limit = None if by_slice else self.max_decided
        notes = self.evidence._notes(limit, self.max_rank, names)
        title = f"Thresholds of {len(self)} labels{in_slices}: {self.evidence._title()}"
        return [title, *notes]

    def _rows(self, labels: Sequence[int] | np.ndarray) -> list[list[str]]:
        """Return the rows of a table of labels."""
        names = self.label_names or range(len(self))
        support, decided = self.evidence.support, self.evidence.decided
        return [
            [
                printable(str(names[j])),
                f"{self.values[j]:.6g}",
                *map(sum_text, (support[j], decided[j])),
            ]
            for j in labels
        ]

    def _more(self) -> list[str]:
        more = len(self) - _MOST_SHOWN
        return [f"... and {more:,} more"] if more > 0 else []


def check_thresholds(thresholds: Any, n_labels: int) -> None:
    """Refuse loaded thresholds unless they have one number for each of `n_labels` labels."""
    if type(thresholds) is not Thresholds:
        raise ValueError(f"thresholds must be Thresholds, got {type(thresholds).__name__}")
    values: Any = thresholds.values
    if type(thresholds.evidence) is not Evidence:
        raise ValueError("evidence must be Evidence")
    names: Any = thresholds.label_names
    if not isinstance(values, np.ndarray) or values.dtype != np.float64:
        raise ValueError("values must be an array of numbers")
    if values.shape != (n_labels,) or np.isnan(values).any():
        raise ValueError(f"values must be one number for each of {n_labels} labels")
    if names is not None and (type(names) is not tuple or len(names) != n_labels):
        raise ValueError(f"label_names must be those of {n_labels} labels")
    if getattr(thresholds, "slices", None) is not None:
        check_slices(thresholds.slices, n_labels)
