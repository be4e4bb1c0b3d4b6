"""Results: what a study found, as tidy rows, one value each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain, compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._io import ending_of, written_whole
from labelwise._text import safe_cell
from labelwise.experiments.running._store import Columns, Store, unpacked
from labelwise.experiments.statistics._summary import Spread, Summary

_TEXTS, _NUMBERS = ("study", "dataset", "model", "split"), ("fold", "seed")
_CELL = (*_TEXTS, *_NUMBERS)
_COST = ("fit_seconds", "predict_seconds", "peak_memory")
_TYPES = (
    dict.fromkeys(_TEXTS, "string")
    | dict.fromkeys((*_NUMBERS, "peak_memory"), "int64")
    | dict.fromkeys(("fit_seconds", "predict_seconds"), "float64")
)
_VERSIONS = ("labelwise", "python", "numpy", "scipy", "scikit-learn")


class FailedCell(NamedTuple):
    """A cell that raised, and its traceback."""

    dataset: str
    model: str
    split: str
    fold: int
    seed: int
    error: str


class _Values(NamedTuple):
    """Every value: the number of its cell, the number of its measure, and itself."""

    cell: np.ndarray
    measure: np.ndarray
    value: np.ndarray


class Results:
    """Values of the cells of one or more studies; prints as a table of means and deviations.

    `Study.run` and `read_results` give it.

    Attributes
    ----------
    measures : tuple of str
        Names, in the order in which they were found.
    failed : tuple of FailedCell
        Cells that raised, with tracebacks.
    n_cells, n_done, n_missing : int
        Cells that were planned, those that are done, and those that have not been tried.
    """

    def __init__(self, columns: Columns, texts: Mapping[int | None, Any]) -> None:
        self._planned = columns
        is_done = [status == "done" for status in columns["status"]]
        self._cells = {name: list(compress(column, is_done)) for name, column in columns.items()}
        self._texts = texts
        self.n_cells = len(is_done)
        self.n_done = sum(is_done)
        self.n_missing = columns["status"].count("planned")
        names = (texts[number] for number in dict.fromkeys(self._cells["measures"]))
        self.measures: tuple[str, ...] = tuple(dict.fromkeys(chain.from_iterable(names)))

    @cached_property
    def failed(self) -> tuple[FailedCell, ...]:
        """Cells that raised, with tracebacks."""
        is_failed = [status == "failed" for status in self._planned["status"]]
        parts = (self._planned[name] for name in FailedCell._fields)
        return tuple(compress(map(FailedCell, *parts), is_failed))

    @property
    def warnings(self) -> dict[str, int]:
        """What models warned of, and in how many cells."""
        found: dict[str, int] = {}
        for text in chain.from_iterable((w or "").splitlines() for w in self._cells["warnings"]):
            found[text] = found.get(text, 0) + 1
        return found

    def __len__(self) -> int:
        return int(self._values.value.size)

    def __repr__(self) -> str:
        return f"{self.summary()}\n\n{self.state()}" if self.n_done else self.state()

    def state(self) -> str:
        """Return in a sentence how many cells are done, failed and missing."""
        parts = [f"{self.n_done:,} of {self.n_cells:,} cells are done"]
        if self.failed:
            parts.append(f"{len(self.failed):,} failed")
        if self.n_missing:
            parts.append(f"{self.n_missing:,} are missing")
        return f"{', '.join(parts)}."

    def rows(self) -> list[dict[str, Any]]:
        """Return a mapping for each value: cell, measure, value, time, memory and versions."""
        rows: list[dict[str, Any]] = self.to_table().to_pylist()
        return rows

    def to_table(self) -> Any:
        """Return the rows as a pyarrow table, which pandas, polars and narwhals take."""
        import pyarrow as pa

        places, measures, values = self._values
        columns = {}
        for name in (*_CELL, *_COST):
            kind = pa.type_for_alias(_TYPES[name])
            columns[name] = pa.array(self._cells[name], type=kind).take(pa.array(places))
        for name in _VERSIONS:
            known = [self._texts[number].get(name) for number in self._cells["versions"]]
            columns[name] = pa.array(known, type=pa.string()).take(pa.array(places))
        named = pa.array(self.measures, type=pa.string())
        columns["measure"], columns["value"] = named.take(pa.array(measures)), pa.array(values)
        return pa.table({n: columns[n] for n in (*_CELL, "measure", "value", *_COST, *_VERSIONS)})

    def export(self, path: str | Path, *, safe_csv: bool = False) -> None:
        """Write the rows to a file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            Where to write; the ending .parquet or .csv says how. ``-`` is the standard output and
            gets csv.
        safe_csv : bool, default=False
            Whether text in csv that a spreadsheet program would compute, such as a name that
            begins with ``=``, gets an apostrophe before it.
        """
        ending = ending_of(path, ".csv")
        if ending not in (".parquet", ".csv"):
            raise ValueError(f"path must end with .parquet or .csv, got {str(path)!r}.")
        table = self.to_table()
        with written_whole(path) as stream:
            if ending == ".parquet":
                from pyarrow import parquet

                parquet.write_table(table, stream)
            else:
                from pyarrow import csv

                csv.write_csv(_with_safe_texts(table) if safe_csv else table, stream)

    def summary(self) -> Summary:
        """Return mean and standard deviation over folds and seeds; see `summarize`."""
        by: tuple[str, ...] = ("dataset", "model", "split")
        if len(set(self._cells["study"])) > 1:
            by = ("study", *by)
        groups: dict[tuple[str, ...], int] = {}
        of_cells = zip(*(self._cells[name] for name in by), strict=True)
        group_of = [groups.setdefault(group, len(groups)) for group in of_cells]
        cells, measures, values = self._values
        n_measures = len(self.measures)
        place = np.array(group_of, dtype=np.int64)[cells] * n_measures + measures
        spreads = _spreads(place, values, len(groups) * n_measures)
        named = [(*group, measure) for group in groups for measure in self.measures]
        found = {name: one for name, one in zip(named, spreads, strict=True) if one.n}
        return Summary((*by, "measure"), found)

    @cached_property
    def _values(self) -> _Values:
        number = {name: j for j, name in enumerate(self.measures)}
        lists = self._cells["measures"]
        codes = {
            text: np.array([number[name] for name in self._texts[text]], dtype=np.int64)
            for text in set(lists)
        }
        sizes = [codes[text].size for text in lists]
        measures = [codes[text] for text in lists] or [np.empty(0, dtype=np.int64)]
        return _Values(
            np.repeat(np.arange(len(lists)), sizes),
            np.concatenate(measures),
            unpacked(self._cells["found"]),
        )


def read_results(store: str | Path, *, study: str | None = None) -> Results:
    """Return what a store holds, whether or not a study is running on it.

    Parameters
    ----------
    store : str or Path
        A file that `Study.run` wrote.
    study : str, optional
        Name of the one study to read; by default all. Of a study that was changed, the cells of
        the last plan are read.

    Returns
    -------
    Results
        Also of cells that failed or are missing.
    """
    with Store(store, create=False) as opened:
        results = Results(opened.columns(study), opened.texts())
    if study is not None and not results.n_cells:
        raise ValueError(f"study must be in {store}, got {study!r}.")
    return results


def _with_safe_texts(table: Any) -> Any:
    """Return a table whose texts are no formulas in a spreadsheet."""
    import pyarrow as pa

    for j, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_string(column.type):
            texts = [None if text is None else safe_cell(text) for text in column.to_pylist()]
            table = table.set_column(j, name, pa.array(texts, pa.string()))
    return table


def _spreads(place: np.ndarray, values: np.ndarray, n_places: int) -> list[Spread]:
    """Return mean, sample deviation, number and number of NaN of the values at each place."""
    n = np.bincount(place, minlength=n_places)
    n_undefined = np.bincount(place, weights=np.isnan(values), minlength=n_places)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(place, weights=values, minlength=n_places) / n
        squares = np.bincount(place, weights=(values - mean[place]) ** 2, minlength=n_places)
        # Of one value there is no deviation: 0 / 0.
        deviation = np.sqrt(squares / (n - 1.0))
    columns = (mean.tolist(), deviation.tolist(), n.tolist(), n_undefined.astype(int).tolist())
    return list(map(Spread, *columns))
