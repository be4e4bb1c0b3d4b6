"""The result of `evaluate`: all values, as text, HTML, dictionary or data frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from labelwise._text import as_html, as_text

_AVERAGES = ("micro", "macro", "sample")
# Number of labels in the HTML table; frames and dictionaries contain all labels.
_MOST_LABELS_SHOWN = 100
# What each policy for undefined values does, for a note.
_EFFECTS = {
    "nan": "so the mean is undefined",
    "skip": "left out of the mean",
    "zero": "counted as 0",
}


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
        Weight of recall in the F-measures.
    undefined : {"nan", "skip", "zero"} or float, default="nan"
        How labels and samples without a value entered the means.
    confidence : float or None, default=None
        Confidence of the intervals; None without intervals.

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

    def __repr__(self) -> str:
        tables = [as_text(table) for table in (self._averages(), self._singles()) if table[1:]]
        return "\n\n".join([self._title(), *tables, *filter(None, ["\n".join(self._notes())])])

    def _repr_html_(self) -> str:
        tables = [as_html(table) for table in (self._averages(), self._singles()) if table[1:]]
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        labels = f"<details><summary>by label</summary>{as_html(self._label_rows())}</details>"
        return f"<p><b>{escape(self._title())}</b></p>{''.join(tables)}{notes}{labels}"

    def _title(self) -> str:
        return f"Evaluation of {self.n_samples:,} samples and {len(self.label_names):,} labels"

    def _averages(self) -> list[list[str]]:
        """List the measures that have a micro, a macro and a sample average."""
        split = [name.split("-", 1) for name in self.measured]
        names = dict.fromkeys(parts[1] for parts in split if parts[0] in _AVERAGES)
        return [
            ["", *_AVERAGES],
            *(
                [name, *(self._cell(f"{average}-{name}") for average in _AVERAGES)]
                for name in names
            ),
        ]

    def _singles(self) -> list[list[str]]:
        names = [name for name in self.measured if name.split("-", 1)[0] not in _AVERAGES]
        return [["", "value"], *([name, self._cell(name)] for name in names)]

    def _cell(self, name: str) -> str:
        if name not in self.measured:  # of some measures there is only one average
            return ""
        found = self.measured[name]
        if found.low is None or found.high is None:
            return _number(found.value)
        return f"{_number(found.value)} [{_number(found.low)}, {_number(found.high)}]"

    def _notes(self) -> list[str]:
        """Explain beta, intervals and undefined values below the tables."""
        notes = [] if self.beta == 1 else [f"F with beta = {self.beta:g}."]
        if self.confidence is not None:
            notes.append(f"In brackets: {self.confidence:.0%} interval by bootstrap over samples.")
        groups: dict[tuple[int, str], list[str]] = {}
        for name, found in self.measured.items():
            if found.n_undefined and found.by != "all":
                groups.setdefault((found.n_undefined, found.by), []).append(name)
        effect = _EFFECTS.get(str(self.undefined), f"counted as {self.undefined}")
        for (n_undefined, by), names in groups.items():
            plural = "" if n_undefined == 1 else "s"
            notes.append(
                f"No value for {n_undefined:,} {by}{plural}, {effect}: {', '.join(names)}."
            )
        if groups and self.undefined == "nan":
            notes.append('undefined="skip" (--undefined skip) leaves these out of the means.')
        return notes + self._note_of_empty_labels()

    def _note_of_empty_labels(self) -> list[str]:
        """Say how many labels count as 1 because they are neither present nor decided."""
        if "macro-f" not in self.measured or self.undefined in ("skip", "zero"):
            return []
        positives, f_of_label = self.per_label["positives"], self.per_label["f"]
        n_empty = int(np.sum((positives == 0) & (self.per_label["decided"] == 0)))
        if n_empty == 0:
            return []
        has = "label has" if n_empty == 1 else "labels have"
        count = "counts" if n_empty == 1 else "count"
        present = positives > 0
        average = _number(float(f_of_label[present].mean())) if present.any() else "not defined"
        return [
            f"{n_empty:,} {has} no positives and no decisions and {count} as 1 in macro-f and "
            f"macro-jaccard (0 in scikit-learn): macro-f is {average} over labels with positives, "
            'and undefined="skip" or "zero" (--undefined skip) leaves them out or counts 0.'
        ]

    def _label_rows(self) -> list[list[str]]:
        columns = [column[:_MOST_LABELS_SHOWN].tolist() for column in self.per_label.values()]
        rows = zip(self.label_names[:_MOST_LABELS_SHOWN], *columns, strict=True)
        n_more = len(self.label_names) - _MOST_LABELS_SHOWN
        return [
            ["label", *self.per_label],
            *([label, *map(_number, row)] for label, *row in rows),
            *([[f"and {n_more:,} more"]] if n_more > 0 else []),
        ]


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


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) < 10:
        return f"{value:.4f}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
