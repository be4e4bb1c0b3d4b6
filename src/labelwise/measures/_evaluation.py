"""The result of `evaluate`: all values, as text, HTML, dictionary or data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from labelwise._counts import AVERAGES, MeasureRecord
from labelwise._measuring import Measured
from labelwise._text import (
    NamedValues,
    as_html,
    as_text,
    counted,
    latex_table,
    markdown_table,
    printable,
)
from labelwise._validation import check_backend

Rows = list[list[str]]
# Number of labels in the HTML table; frames and dictionaries contain all labels.
_MOST_LABELS_SHOWN = 100
# What the counts beside means are.
_COUNTS = "In brackets: the number of labels or samples over which a mean is taken"

# Measures in the table of slices, if decisions are given.
_OF_SLICES = ("micro-precision", "micro-recall", "micro-f", "macro-f")


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Mapping[str, float]):
    """All measures of one outcome: a mapping from names to values.

    An evaluation prints as a table. `labelwise.measures.evaluate` creates it.

    Parameters
    ----------
    measured : mapping of str to Measured
        For each measure its value, what it averages over, the number of undefined values, and the
        ends of the interval if there is one.
    per_label : mapping of str to array of shape (n_labels,)
        Values of each label; the first columns are the numbers of positives and of decisions.
    label_names : tuple of str
        Names of the labels; "0", "1", ... if they have none.
    n_samples : int
        Number of samples.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision.
    undefined : {"nan", "defined", "skip", "zero"} or float, default="nan"
        How labels and samples without a value entered the means.
    confidence : float or None, default=None
        Confidence of the intervals; None without intervals.
    n_missing : int, default=0
        Number of cells of Y without truth, which count nowhere.
    n_without_truth : tuple of two ints, default=(0, 0)
        Number of samples and of labels that have no truth at all and are left out.
    n_empty_samples : int, default=0
        Number of samples without positives and decisions, of which F and the Jaccard index are 1
        unless `undefined` is "skip" or "zero".
    slices : mapping of str to Evaluation, default={}
        Evaluation of each slice of the samples; empty without slices.

    See Also
    --------
    evaluate : Compute every measure of scores and decisions.

    Examples
    --------
    >>> from labelwise.measures import evaluate
    >>> evaluation = evaluate([[1, 0], [0, 1]], decided=[[1, 0], [1, 1]])
    >>> evaluation["micro-precision"], evaluation["hamming-loss"]
    (0.6666666666666666, 0.25)
    >>> evaluation.to_dict(by="label")["0"]["precision"]
    0.5
    """

    measured: Mapping[str, Measured]
    per_label: Mapping[str, np.ndarray]
    label_names: tuple[str, ...]
    n_samples: int
    beta: float = 1.0
    undefined: str | float = "nan"
    confidence: float | None = None
    n_missing: int = 0
    n_without_truth: tuple[int, int] = (0, 0)
    n_empty_samples: int = 0
    slices: Mapping[str, Evaluation] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        return self.measured[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.measured)

    def __len__(self) -> int:
        return len(self.measured)

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Ends (low, high) of the interval of each measure that has one."""
        return NamedValues(
            (name, (found.low, found.high))
            for name, found in self.measured.items()
            if found.low is not None and found.high is not None
        )

    @property
    def n_undefined(self) -> dict[str, int]:
        """Number of labels or samples without a value, for each measure."""
        return NamedValues((name, found.n_undefined) for name, found in self.measured.items())

    def to_dict(self, by: str = "measure") -> dict[str, Any]:
        """Convert to a dictionary of plain numbers.

        Parameters
        ----------
        by : {"measure", "label"}, default="measure"
            Whether the keys are measures, or labels with a dictionary of measures each.

        Returns
        -------
        dict
            Values by measure, or dictionaries by label.

        Raises
        ------
        ValueError
            If `by` is unknown.
        """
        if _check_by(by) == "measure":
            return dict(self)
        rows = zip(*(column.tolist() for column in self.per_label.values()), strict=True)
        return {
            label: dict(zip(self.per_label, row, strict=True))
            for label, row in zip(self.label_names, rows, strict=True)
        }

    def to_frame(self, by: str = "measure", *, backend: str | None = None) -> Any:
        """Convert to a data frame.

        Parameters
        ----------
        by : {"measure", "label"}, default="measure"
            Whether there is a row for each measure or for each label.
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            Library of the frame; None takes the first of them that is installed.

        Returns
        -------
        DataFrame or pyarrow.Table
            Columns measure, value, (low, high,) undefined; or label and its measures.

        Raises
        ------
        ValueError
            If `by` or `backend` is unknown.
        """
        import narwhals as nw

        columns = self._measure_columns() if _check_by(by) == "measure" else self._label_columns()
        return nw.from_dict(columns, backend=check_backend(backend)).to_native()

    def _measure_columns(self) -> dict[str, Any]:
        found = self.measured.values()
        columns: dict[str, Any] = {
            "measure": list(self.measured),
            "value": [one.value for one in found],
        }
        if self.confidence is not None:
            for end, values in (("low", [f.low for f in found]), ("high", [f.high for f in found])):
                columns[end] = [np.nan if value is None else value for value in values]
        return columns | {"undefined": [one.n_undefined for one in found]}

    def _label_columns(self) -> dict[str, Any]:
        return {"label": list(self.label_names), **self.per_label}

    def notes(self) -> list[str]:
        """Explain what is not in the values: beta, intervals, and undefined values.

        Returns
        -------
        list of str
            Sentences; none if there is nothing to explain.
        """
        found = [] if self.beta == 1 else [f"F with beta = {self.beta:g}."]
        if self.confidence is not None:
            found.append(f"Intervals: {self.confidence:.0%}, by bootstrap over samples.")
        found += self._notes_of_undefined()
        return found + _note_of_missing_labels(self) + _notes_of_empty(self)

    def _notes_of_undefined(self) -> list[str]:
        """Say how labels and samples without a value entered the means, if there are any."""
        groups: dict[tuple[int, str], list[str]] = {}
        for name, one in self.measured.items():
            if one.n_undefined and one.by != "all":
                groups.setdefault((one.n_undefined, one.by), []).append(name)
        if not groups:
            return []
        if self.undefined in ("defined", "skip"):
            return [f"{_COUNTS}; the others have no value and are left out."]
        if self.undefined == "nan":
            return [
                f"{_COUNTS}; the others have no value, so the mean is NaN; "
                'undefined="defined" (--undefined defined) leaves them out.'
            ]
        effect = "counted as 0" if self.undefined == "zero" else f"counted as {self.undefined}"
        return [
            f"No value for {counted(n_undefined, by)}, {effect}: {', '.join(names)}."
            for (n_undefined, by), names in groups.items()
        ]

    def to_latex(self, by: str = "measure") -> str:
        """Format the values as a LaTeX table; names are escaped.

        The document needs the package booktabs.

        Parameters
        ----------
        by : {"measure", "label"}, default="measure"
            Whether there is a row for each measure, with a column for each average, or a row for
            each label.

        Returns
        -------
        str
            A tabular environment.

        Raises
        ------
        ValueError
            If `by` is unknown.
        """
        heading, *rows = self._paper_rows(by)
        return latex_table(heading, rows, 1)

    def to_markdown(self, by: str = "measure") -> str:
        """Format the values as a Markdown table; names are escaped.

        Parameters
        ----------
        by : {"measure", "label"}, default="measure"
            Whether there is a row for each measure, with a column for each average, or a row for
            each label.

        Returns
        -------
        str
            A table with pipes, as GitHub and pandoc read it.

        Raises
        ------
        ValueError
            If `by` is unknown.
        """
        heading, *rows = self._paper_rows(by)
        return markdown_table(heading, rows, 1)

    def _paper_rows(self, by: str) -> list[list[str]]:
        if _check_by(by) == "measure":
            return _by_average(self)
        return _label_rows(self, len(self.label_names))

    def __repr__(self) -> str:
        tables = [*_tables(self), *([self._slice_rows()] if self.slices else [])]
        shown = [as_text(table) for table in tables]
        return "\n\n".join([self._title(), *shown, *filter(None, ["\n".join(self.notes())])])

    def _repr_html_(self) -> str:
        tables = [*_tables(self), *([self._slice_rows()] if self.slices else [])]
        shown = "".join(as_html(table) for table in tables)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        rows = as_html(_label_rows(self))
        labels = f"<details><summary>by label</summary>{rows}</details>"
        return f"<p><b>{escape(self._title())}</b></p>{shown}{notes}{labels}"

    def _count_beside(self, name: str) -> str:
        """Return over how many labels or samples a mean is taken, if not over all, in brackets.

        Beside a mean that is NaN, it is the mean of the others.
        """
        found = self.measured[name]
        n_all = self.n_samples if found.by == "sample" else len(self.label_names)
        if not found.n_undefined or found.by == "all":
            return ""
        count = f"{n_all - found.n_undefined:,} of {n_all:,}"
        if self.undefined in ("defined", "skip"):
            return f"({count})"
        is_known = self.undefined == "nan" and found.n_undefined < n_all
        return f"({_number(found.mean_of_defined)} over {count})" if is_known else ""

    def _slice_rows(self) -> list[list[str]]:
        """Return a table of the slices, with some of the measures."""
        shown = [name for name in _OF_SLICES if name in self.measured] or list(self.measured)[:4]
        rows = [
            [printable(name), f"{one.n_samples:,}", *(f"{one[measure]:.4f}" for measure in shown)]
            for name, one in self.slices.items()
        ]
        return [["slice", "samples", *shown], *rows]

    def _title(self) -> str:
        return f"Evaluation of {self.n_samples:,} samples and {len(self.label_names):,} labels"


def label_columns(
    measures: Iterable[MeasureRecord],
    each: Mapping[str, np.ndarray],
    **sizes: np.ndarray | None,
) -> NamedValues[np.ndarray]:
    """List the sizes of truth and decisions, if given, then the measures, of each label."""
    columns = NamedValues((name, size) for name, size in sizes.items() if size is not None)
    for one in measures:
        if one.by == "label" and one.combine_means is None and not one.of_top:
            columns[one.name.removeprefix("macro-")] = each[one.name]
    return columns


def _check_by(by: str) -> str:
    if by not in ("measure", "label"):
        raise ValueError(f'by must be "measure" or "label", got {by!r}.')
    return by


def _tables(evaluation: Evaluation) -> list[Rows]:
    """List the measures with three averages in one table, and the others in another."""
    names = [name for name in evaluation if name.split("-", 1)[0] not in AVERAGES]
    singles = [["", "value"], *([name, _cell(evaluation, name)] for name in names)]
    averages = [
        ["", *AVERAGES],
        *([name, *_averages_of(evaluation, name)] for name in _averaged(evaluation)),
    ]
    return [table for table in (averages, singles) if table[1:]]


def _by_average(evaluation: Evaluation) -> Rows:
    """List every measure in one table, in the column of what it averages over."""
    rows = [[name, *_averages_of(evaluation, name)] for name in _averaged(evaluation)]
    for name, found in evaluation.measured.items():
        if name.split("-", 1)[0] not in AVERAGES:
            cell = _cell(evaluation, name)
            rows.append([name, *(cell if found.by == by else "" for by in AVERAGES.values())])
    return [["measure", *AVERAGES], *rows]


def _label_rows(evaluation: Evaluation, most: int = _MOST_LABELS_SHOWN) -> Rows:
    """List the first labels with their values."""
    columns = [column[:most].tolist() for column in evaluation.per_label.values()]
    rows = zip(evaluation.label_names[:most], *columns, strict=True)
    n_more = len(evaluation.label_names) - most
    return [
        ["label", *evaluation.per_label],
        *([label, *map(_number, row)] for label, *row in rows),
        *([[f"and {n_more:,} more"]] if n_more > 0 else []),
    ]


def _averaged(evaluation: Evaluation) -> list[str]:
    """List the measures that have a micro, a macro and a sample average, without the average."""
    split = [name.split("-", 1) for name in evaluation]
    return list(dict.fromkeys(parts[1] for parts in split if parts[0] in AVERAGES))


def _averages_of(evaluation: Evaluation, name: str) -> list[str]:
    return [_cell(evaluation, f"{average}-{name}") for average in AVERAGES]


def _cell(evaluation: Evaluation, name: str) -> str:
    if name not in evaluation:  # at k there is only one average
        return ""
    found = evaluation.measured[name]
    text = _number(found.value)
    if found.low is not None and found.high is not None:
        text = f"{text} [{_number(found.low)}, {_number(found.high)}]"
    return f"{text} {evaluation._count_beside(name)}".rstrip()


def _note_of_missing_labels(evaluation: Evaluation) -> list[str]:
    """Say how many cells have no truth, and how many samples and labels were left out."""
    n_missing = evaluation.n_missing
    if not n_missing:
        return []
    words = "has no truth in Y and counts" if n_missing == 1 else "have no truth in Y and count"
    left_out = " and ".join(
        counted(n, kind)
        for n, kind in zip(evaluation.n_without_truth, ("sample", "label"), strict=True)
        if n
    )
    rest = f"; {left_out} without any truth left out" if left_out else ""
    return [f"{counted(n_missing, 'cell')} {words} nowhere{rest}."]


def _notes_of_empty(evaluation: Evaluation) -> list[str]:
    """Say how many labels and samples count as 1 because they have no positives and decisions."""
    if "macro-f" not in evaluation.measured or evaluation.undefined in ("skip", "zero"):
        return []
    positives, f_of_label = evaluation.per_label["positives"], evaluation.per_label["f"]
    n_labels = int(np.sum((positives == 0) & (evaluation.per_label["decided"] == 0)))
    present = positives > 0
    average = _number(float(f_of_label[present].mean())) if present.any() else "not defined"
    of_labels = f"macro-f is {average} over labels with positives, and "
    return [
        *_note_of_empty(n_labels, "label", "macro", of_labels),
        *_note_of_empty(evaluation.n_empty_samples, "sample", "sample"),
    ]


def _note_of_empty(n_empty: int, kind: str, average: str, without: str = "") -> list[str]:
    if n_empty == 0:
        return []
    has, count = ("has", "counts") if n_empty == 1 else ("have", "count")
    return [
        f"{counted(n_empty, kind)} {has} no positives and no decisions and {count} as 1 in "
        f"{average}-f and {average}-jaccard (0 in scikit-learn): {without}"
        'undefined="skip" or "zero" (--undefined skip) leaves them out or counts 0.'
    ]


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) < 10:
        return f"{value:.4f}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
