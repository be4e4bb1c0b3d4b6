"""The result of `evaluate`: all values, as text, HTML, dictionary or data frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from labelwise._text import as_html, as_text, latex_table, markdown_table
from labelwise.measures import _evaluation_tables as tables


class Measured(NamedTuple):
    """The value of a measure, what it averages, and its interval."""

    value: float
    by: str
    n_undefined: int
    low: float | None = None
    high: float | None = None


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
    undefined : {"nan", "skip", "zero"} or float, default="nan"
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

    def __getitem__(self, name: str) -> float:
        return self.measured[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.measured)

    def __len__(self) -> int:
        return len(self.measured)

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Ends (low, high) of the interval of each measure that has one."""
        return {
            name: (found.low, found.high)
            for name, found in self.measured.items()
            if found.low is not None and found.high is not None
        }

    @property
    def n_undefined(self) -> dict[str, int]:
        """Number of labels or samples without a value, for each measure."""
        return {name: found.n_undefined for name, found in self.measured.items()}

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
        return nw.from_dict(columns, backend=_check_backend(backend)).to_native()

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
        return tables.notes(self)

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
            return tables.by_average(self)
        return tables.label_rows(self, len(self.label_names))

    def __repr__(self) -> str:
        shown = [as_text(table) for table in tables.of_measures(self)]
        return "\n\n".join([self._title(), *shown, *filter(None, ["\n".join(self.notes())])])

    def _repr_html_(self) -> str:
        shown = "".join(as_html(table) for table in tables.of_measures(self))
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        rows = as_html(tables.label_rows(self))
        labels = f"<details><summary>by label</summary>{rows}</details>"
        return f"<p><b>{escape(self._title())}</b></p>{shown}{notes}{labels}"

    def _title(self) -> str:
        return f"Evaluation of {self.n_samples:,} samples and {len(self.label_names):,} labels"


def _check_by(by: str) -> str:
    if by not in ("measure", "label"):
        raise ValueError(f'by must be "measure" or "label", got {by!r}.')
    return by


def _check_backend(backend: str | None) -> Any:
    known = ("pandas", "polars", "pyarrow")
    if backend is None:
        return next(name for name in known if find_spec(name) is not None)
    if backend not in known:
        raise ValueError(f"backend must be one of {', '.join(known)}, got {backend!r}.")
    return backend
