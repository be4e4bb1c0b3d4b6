"""Means and standard deviations over folds and seeds, as text and as tables for a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from labelwise._measuring import measure_named
from labelwise._text import as_html, as_text, check_known, latex_table, markdown_table
from labelwise._validation import is_frame

# Columns that identify a cell of a study; means are taken over the last two.
KEYS = ("dataset", "model", "split", "fold", "seed")
REPEATED = ("fold", "seed")
_COLUMNS = "model"


class Spread(NamedTuple):
    """Mean and standard deviation of n values; NaN if a value is undefined."""

    mean: float
    deviation: float
    n: int
    n_undefined: int


class PaperCell(NamedTuple):
    """Mean and deviation as text, the mean as a number, and whether it is the best."""

    mean: str
    deviation: str = ""  # "" for none
    is_best: bool = False
    value: float = float("nan")


class PaperTable(NamedTuple):
    """Names of the columns before the models, names of models, and rows of names and cells."""

    keys: tuple[str, ...]
    models: tuple[str, ...]
    rows: list[tuple[tuple[str, ...], list[PaperCell]]]


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """Mean ± standard deviation for each group of rows; prints as a table.

    `directions` says of measures whether higher values are better, if that is known.
    """

    by: tuple[str, ...]
    spreads: dict[tuple[str, ...], Spread]
    directions: Mapping[str, bool]

    def table(self, measure: str | None = None) -> PaperTable:
        """Arrange the means in a table of data sets by models; mark the best ones.

        Parameters
        ----------
        measure : str, default=None
            Name of the measure to show; None shows all measures, each in rows of its own.

        Returns
        -------
        PaperTable
            A named tuple of `keys`, the names of the columns before the models, `models`, and
            `rows`: pairs of names and cells. A cell has the texts `mean` and `deviation`, the
            number `value`, and `is_best`, which is False if the direction of the measure is not
            known.

        Raises
        ------
        ValueError
            If there is no such measure, or the groups are not by model.
        """
        if _COLUMNS not in self.by:
            raise ValueError(
                f"the summary must be grouped by {_COLUMNS}, got {', '.join(self.by)}."
            )
        measures = tuple(dict.fromkeys(group[-1] for group in self.spreads))
        if measure is not None:
            check_known(measure, measures)
        place = self.by.index(_COLUMNS)
        groups = [group for group in self.spreads if measure is None or group[-1] == measure]
        models = tuple(dict.fromkeys(group[place] for group in groups))
        rests = dict.fromkeys((*group[:place], *group[place + 1 :]) for group in groups)
        keys = (*self.by[:place], *self.by[place + 1 :])
        # A column with one value everywhere is left out, except the first.
        shown = [j for j in range(len(keys)) if j == 0 or len({rest[j] for rest in rests}) > 1]
        rows = []
        for rest in rests:
            found = [self.spreads.get((*rest[:place], model, *rest[place:])) for model in models]
            rows.append(
                (tuple(rest[j] for j in shown), _cells(found, self.directions.get(rest[-1])))
            )
        return PaperTable(tuple(keys[j] for j in shown), models, rows)

    def to_latex(self, measure: str | None = None) -> str:
        """Format the means as a LaTeX table of data sets by models.

        The best mean of each row is bold, if the direction of the measure is known; names are
        escaped. The document needs the package booktabs.

        Parameters
        ----------
        measure : str, default=None
            Name of the measure to show; None shows all measures, each in rows of its own.

        Returns
        -------
        str
            A tabular environment.

        Raises
        ------
        ValueError
            If there is no such measure, or the groups are not by model.
        """
        found = self.table(measure)
        rows = _written(found, "\\textbf{{{}}}", " $\\pm$ ")
        return latex_table((*found.keys, *found.models), rows, len(found.keys))

    def to_markdown(self, measure: str | None = None) -> str:
        """Format the means as a Markdown table of data sets by models.

        The best mean of each row is bold, if the direction of the measure is known; names are
        escaped.

        Parameters
        ----------
        measure : str, default=None
            Name of the measure to show; None shows all measures, each in rows of its own.

        Returns
        -------
        str
            A table with pipes, as GitHub and pandoc read it.

        Raises
        ------
        ValueError
            If there is no such measure, or the groups are not by model.
        """
        found = self.table(measure)
        rows = _written(found, "**{}**", " ± ")
        return markdown_table((*found.keys, *found.models), rows, len(found.keys))

    def __repr__(self) -> str:
        return "\n\n".join([as_text(self._rows()), *self._notes()])

    def _repr_html_(self) -> str:
        return as_html(self._rows()) + "".join(f"<p>{note}</p>" for note in self._notes())

    def _rows(self) -> list[list[str]]:
        rows = [
            [" / ".join(group), f"{one.mean:.4f} ± {one.deviation:.4f}", f"{one.n}"]
            for group, one in self.spreads.items()
        ]
        return [[" / ".join(self.by), "mean ± deviation", "n"], *rows]

    def _notes(self) -> list[str]:
        n = sum(one.n_undefined for one in self.spreads.values())
        return [f"{n} values are undefined; their groups have the mean NaN."] if n else []


def summarize(rows: Any, *, by: str | Sequence[str] | None = None) -> Summary:
    """Compute mean and standard deviation of each measure for each group of rows.

    Parameters
    ----------
    rows : Results, sequence of mappings, or frame
        Rows of a study, with the columns `measure` and `value`.
    by : str or sequence of str, default=None
        Columns that define the groups, in addition to the measure. None takes all of "dataset",
        "model" and "split" that the rows have.

    Returns
    -------
    Summary
        Prints as a table. Attributes: `by`, the columns that define the groups, the last of them
        "measure"; `spreads`, a dictionary from groups, in the order of their first rows, to named
        tuples of `mean`, `deviation`, `n` and `n_undefined`. Standard deviations are those of a
        sample, with n - 1, and NaN for a single value. An undefined value makes mean and deviation
        of its group NaN; undefined values are counted. Methods `to_latex` and `to_markdown` format
        the means as a table of data sets by models for a paper, in which the best mean of each row
        is bold; `table` returns its cells.

    Raises
    ------
    TypeError
        If `rows` are not mappings or a frame with the columns `measure` and `value`.
    ValueError
        If `by` names a column that the rows do not have.

    Examples
    --------
    >>> from labelwise.experiments import summarize
    >>> rows = [dict(dataset="d", fold=i, measure="micro-f", value=v) for i, v in enumerate([1, 3])]
    >>> summarize(rows)
    dataset / measure  mean ± deviation  n
    d / micro-f         2.0000 ± 1.4142  2
    """
    if not is_tidy(rows):
        raise TypeError("rows must be mappings or a frame with the columns measure and value.")
    columns = tidy_columns(rows)
    if by is None:
        by = [name for name in KEYS if name in columns and name not in REPEATED]
    names = (*([by] if isinstance(by, str) else by), "measure")
    unknown = [name for name in names if name not in columns]
    if unknown:
        raise ValueError(f"by must name columns of the rows, got {unknown[0]!r}.")
    numbers: dict[tuple[str, ...], int] = {}
    groups = zip(*(map(str, columns[name]) for name in names), strict=True)
    group_of = [numbers.setdefault(group, len(numbers)) for group in groups]
    values = [np.nan if value is None else float(value) for value in columns["value"]]
    found = spreads_of_groups(np.array(group_of, dtype=np.int64), np.array(values), len(numbers))
    spreads = dict(zip(numbers, found, strict=True))
    direction = getattr(rows, "higher_is_better", known_direction)
    return Summary(names, spreads, known_directions((group[-1] for group in spreads), direction))


def known_direction(measure: str) -> bool | None:
    """Return whether higher values of a measure of this package are better; None for others."""
    try:
        return measure_named(measure).higher_is_better
    except ValueError:
        return None


def known_directions(
    measures: Iterable[str], direction: Callable[[str], bool | None]
) -> dict[str, bool]:
    """Return whether higher values are better, of each measure for which that is known."""
    found = ((measure, direction(measure)) for measure in dict.fromkeys(measures))
    return {measure: higher for measure, higher in found if higher is not None}


def spreads_of_groups(group: np.ndarray, values: np.ndarray, n_groups: int) -> list[Spread]:
    """Return mean, sample deviation, number of values and of NaN of each group."""
    n = np.bincount(group, minlength=n_groups)
    n_undefined = np.bincount(group, weights=np.isnan(values), minlength=n_groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(group, weights=values, minlength=n_groups) / n
        squares = np.bincount(group, weights=(values - mean[group]) ** 2, minlength=n_groups)
        # A single value has no deviation: 0 / 0 is NaN.
        deviation = np.sqrt(squares / (n - 1.0))
    columns = (mean.tolist(), deviation.tolist(), n.tolist(), n_undefined.astype(int).tolist())
    return list(map(Spread, *columns))


def _written(table: PaperTable, bold: str, plus_minus: str) -> Iterable[list[str]]:
    """Yield the names of each row, and the text of its cells."""
    for names, cells in table.rows:
        texts = [
            (bold.format(cell.mean) if cell.is_best else cell.mean)
            + (plus_minus + cell.deviation if cell.deviation else "")
            for cell in cells
        ]
        yield [*names, *texts]


def _cells(found: Sequence[Spread | None], higher: bool | None) -> list[PaperCell]:
    """Format the spreads of a row; means that look like the best one are the best as well."""
    known = [one.mean for one in found if one is not None and not np.isnan(one.mean)]
    is_marked = known and higher is not None
    best = f"{max(known) if higher else min(known):.4f}" if is_marked else None
    cells = []
    for one in found:
        if one is None:
            cells.append(PaperCell("-"))
            continue
        text = f"{one.mean:.4f}"
        deviation = f"{one.deviation:.4f}" if one.n > 1 else ""
        cells.append(PaperCell(text, deviation, text == best, one.mean))
    return cells


def is_tidy(values: Any) -> bool:
    """Return whether values are rows of a study: Results, mappings, or a frame with `value`."""
    if isinstance(values, Mapping | np.ndarray | str):
        return False
    if isinstance(values, list | tuple):
        return bool(values) and all(isinstance(row, Mapping) for row in values)
    # Results are recognised by their method, since their module imports this one.
    return hasattr(values, "to_table") or (
        is_frame(values) and {"measure", "value"} <= set(_frame(values).columns)
    )


def tidy_columns(rows: Any) -> dict[str, list[Any]]:
    """Return the columns of Results, mappings or a frame as lists."""
    rows = rows.to_table() if hasattr(rows, "to_table") else rows
    if is_frame(rows):
        columns: dict[str, list[Any]] = _frame(rows).to_dict(as_series=False)
        return columns
    names = dict.fromkeys(name for row in rows for name in row)
    lacking = {"measure", "value"} - set(names)
    if lacking:
        raise ValueError(f"values must have the column {min(lacking)!r} if they are tidy rows.")
    return {name: [row.get(name) for row in rows] for name in names}


def _frame(rows: Any) -> Any:
    import narwhals as nw

    return nw.from_native(rows, eager_only=True)
