"""`Results`: the values of a study as tidy rows, their summary, and their export to files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, compress
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._extras import require
from labelwise._io import ending_of, written_whole
from labelwise._text import as_text, check_known, printable, safe_cell
from labelwise.experiments.running._cells import FailedCell
from labelwise.experiments.running._store import Columns, Store, unpacked
from labelwise.experiments.statistics._summary import (
    Spread,
    Summary,
    known_direction,
    known_directions,
    spreads_of_groups,
)

_TEXTS, _NUMBERS = ("study", "dataset", "model", "split"), ("fold", "seed")
_CELL = (*_TEXTS, *_NUMBERS)
_COST = ("fit_seconds", "predict_seconds", "peak_memory")
_TYPES = (
    dict.fromkeys(_TEXTS, "string")
    | dict.fromkeys((*_NUMBERS, "peak_memory"), "int64")
    | dict.fromkeys(("fit_seconds", "predict_seconds"), "float64")
)
_PROVENANCE = ("labelwise", "python", "numpy", "scipy", "scikit-learn", "date")
_SHOWN_FAILURES, _SHOWN_WARNINGS = 5, 10
_LONGEST = 500  # characters of a warning or an error


class Results:
    """Values of the cells of one or more studies; prints as a table of means.

    `Study.run` and `read_results` create results; there is no need to call the class. The length
    of results is the number of values.

    Parameters
    ----------
    columns : dict of str to list
        Columns of the planned cells, as read from a store.
    texts : mapping of int to list or dict
        Versions and names of measures that the columns refer to.
    directions : mapping of str to bool, default=None
        Whether higher values are better, by the names of measures of which this is known.
    parameters : sequence of tuple, default=()
        Study, kind, name and canonical form of each model and split, as read from a store.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures, in the order of the cells.
    n_cells : int
        Number of planned cells.
    n_done : int
        Number of finished cells.
    n_missing : int
        Number of cells that have not been run.

    See Also
    --------
    read_results : Read results from a store.
    paired_values : Arrange results for ranks and tests.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from labelwise.experiments import Study
    >>> models, splits = {"tree": DecisionTreeClassifier()}, {"fixed": "train-test"}
    >>> study = Study(["digits"], models, splits, ["micro-f", "hamming-loss"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = study.run(f"{folder}/study.sqlite")
    >>> results.measures, results.n_done, results.failed
    (('micro-f', 'hamming-loss'), 1, ())
    """

    def __init__(
        self,
        columns: Columns,
        texts: Mapping[int | None, Any],
        directions: Mapping[str, bool] | None = None,
        parameters: Sequence[tuple[str, str, str, Any]] = (),
    ) -> None:
        self._directions = dict(directions or {})
        self._parameters = list(parameters)
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
        """Cells that failed, a tuple of named tuples.

        The fields are dataset, model, split, fold, seed and error: the traceback, or a sentence if
        the cell exceeded its timeout or its worker died.
        """
        is_failed = [status == "failed" for status in self._planned["status"]]
        parts = (self._planned[name] for name in FailedCell._fields)
        return tuple(compress(map(FailedCell, *parts), is_failed))

    @property
    def warnings(self) -> dict[str, int]:
        """Texts of warnings, and the number of cells with each."""
        found: dict[str, int] = {}
        for text in chain.from_iterable((w or "").splitlines() for w in self._cells["warnings"]):
            found[text] = found.get(text, 0) + 1
        return found

    def __len__(self) -> int:
        return int(self._values[2].size)

    def __repr__(self) -> str:
        return f"{self.summary()}\n\n{self.state()}" if self.n_done else self.state()

    def _repr_html_(self) -> str:
        table = self.summary()._repr_html_() if self.n_done else ""
        return f"{table}<p>{self.state()}</p>"

    def state(self) -> str:
        """Describe the numbers of done, failed and missing cells in a sentence.

        Returns
        -------
        str
            A sentence such as "20 of 24 cells are done, 3 failed, 1 are missing.".
        """
        parts = [f"{self.n_done:,} of {self.n_cells:,} cells are done"]
        if self.failed:
            parts.append(f"{len(self.failed):,} failed")
        if self.n_missing:
            parts.append(f"{self.n_missing:,} are missing")
        return f"{', '.join(parts)}."

    def parameters(self) -> list[dict[str, str]]:
        """List the models and splits with their classes and parameters.

        Returns
        -------
        list of dict
            The keys are study, kind ("model" or "split"), name, class, and parameters: a text such
            as "n_neighbors=10, weights=uniform", without parameters that are None.
        """
        found = []
        for study, kind, name, form in self._parameters:
            words, parameters = _in_words(form), ""
            if words.endswith(")"):
                words, _, parameters = words[:-1].partition("(")
            row = {"study": study, "kind": kind, "name": name, "class": words}
            found.append({**row, "parameters": parameters})
        return found

    def higher_is_better(self, measure: str) -> bool | None:
        """Say whether higher values of a measure are better.

        Parameters
        ----------
        measure : str
            Name of a measure of the results.

        Returns
        -------
        bool or None
            As the study says (`Study`, argument `lower_is_better`), or as known of a measure of
            this package; None if neither says it.
        """
        for name in (measure, measure.split("/")[0]):
            if name in self._directions:
                return self._directions[name]
        return known_direction(measure)

    def rows(self) -> list[dict[str, Any]]:
        """List the values, each as a dictionary with its cell and measure.

        Returns
        -------
        list of dict
            The keys are study, dataset, model, split, fold, seed, measure, value, fit_seconds,
            predict_seconds, peak_memory (bytes), the versions of labelwise, python, numpy, scipy
            and scikit-learn, and the date on which the cell was run.
        """
        rows: list[dict[str, Any]] = self.to_table().to_pylist()
        return rows

    def to_table(self) -> Any:
        """Convert the rows to a pyarrow table, for pandas, polars or narwhals.

        Returns
        -------
        pyarrow.Table
            A row for each value, with the columns of `rows`.
        """
        require("pyarrow", "a table of results")
        import pyarrow as pa

        places, measures, values = self._values
        columns = {}
        for name in (*_CELL, *_COST):
            kind = pa.type_for_alias(_TYPES[name])
            columns[name] = pa.array(self._cells[name], type=kind).take(pa.array(places))
        for name in _PROVENANCE:
            known = [self._texts[number].get(name) for number in self._cells["versions"]]
            columns[name] = pa.array(known, type=pa.string()).take(pa.array(places))
        named = pa.array(self.measures, type=pa.string())
        columns["measure"], columns["value"] = named.take(pa.array(measures)), pa.array(values)
        return pa.table({n: columns[n] for n in (*_CELL, "measure", "value", *_COST, *_PROVENANCE)})

    def export(self, path: str | Path, *, safe_csv: bool = False) -> None:
        """Write the rows to a csv or parquet file; on failure no file is left behind.

        Parameters
        ----------
        path : str or Path
            File to write; its suffix, .parquet or .csv, is the format. ``-`` writes csv to the
            standard output.
        safe_csv : bool, default=False
            Whether to put an apostrophe before text in csv that a spreadsheet program would
            evaluate, such as a name that begins with ``=``.

        Raises
        ------
        ValueError
            If the suffix is neither .parquet nor .csv.
        OSError
            If the file cannot be written.
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
        """Compute means and standard deviations over folds and seeds.

        Returns
        -------
        Summary
            A group for each data set, model, split and measure; also for each study if there are
            several.
        """
        by: tuple[str, ...] = ("dataset", "model", "split")
        if len(set(self._cells["study"])) > 1:
            by = ("study", *by)
        groups: dict[tuple[str, ...], int] = {}
        of_cells = zip(*(self._cells[name] for name in by), strict=True)
        group_of = [groups.setdefault(group, len(groups)) for group in of_cells]
        cells, measures, values = self._values
        n_measures = len(self.measures)
        place = np.array(group_of, dtype=np.int64)[cells] * n_measures + measures
        spreads = spreads_of_groups(place, values, len(groups) * n_measures)
        named = [(*group, measure) for group in groups for measure in self.measures]
        found = {name: one for name, one in zip(named, spreads, strict=True) if one.n}
        directions = known_directions(self.measures, self.higher_is_better)
        return Summary((*by, "measure"), found, directions)

    def report(self, measure: str | None = None) -> str:
        """Describe means and deviations, warnings, and failed and missing cells.

        Parameters
        ----------
        measure : str, default=None
            Name of the measure to show; None shows all measures.

        Returns
        -------
        str
            The text that ``labelwise results`` prints.

        Raises
        ------
        ValueError
            If there is no such measure.
        """
        chosen = self._chosen(measure)
        parts = []
        if self.measures:
            summary = self.summary()
            parts = [_table_of_means(summary, chosen), *_undefined_note(summary, chosen)]
        parts.append("\n".join([self.state(), *_warning_lines(self.warnings)]))
        return "\n\n".join([*parts, *_failure_note(self.failed)])

    def to_dict(self, measure: str | None = None) -> dict[str, Any]:
        """Return the content of `report`, as ``labelwise results --json`` prints it.

        Parameters
        ----------
        measure : str, default=None
            Name of the measure to return; None returns all measures.

        Returns
        -------
        dict
            Under "means", a dictionary for each group of the summary; numbers of planned, done,
            failed and missing cells; "warnings" with the number of cells of each; and "failed",
            a dictionary for each failed cell.

        Raises
        ------
        ValueError
            If there is no such measure.
        """
        chosen = self._chosen(measure)
        found = self.summary() if self.measures else Summary((), {}, {})
        return {
            "means": [
                {**dict(zip(found.by, group, strict=True)), **one._asdict()}
                for group, one in found.spreads.items()
                if group[-1] in chosen
            ],
            "n_cells": self.n_cells,
            "n_done": self.n_done,
            "n_failed": len(self.failed),
            "n_missing": self.n_missing,
            "warnings": self.warnings,
            "failed": [cell._asdict() for cell in self.failed],
        }

    def _chosen(self, measure: str | None) -> tuple[str, ...]:
        """Return the measures to show: the one that is asked for, or all."""
        return self.measures if measure is None else (check_known(measure, self.measures),)

    @cached_property
    def _values(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For every value: the index of its cell, the index of its measure, and the number."""
        number = {name: j for j, name in enumerate(self.measures)}
        lists = self._cells["measures"]
        codes = {
            text: np.array([number[name] for name in self._texts[text]], dtype=np.int64)
            for text in set(lists)
        }
        sizes = [codes[text].size for text in lists]
        measures = [codes[text] for text in lists] or [np.empty(0, dtype=np.int64)]
        cells = np.repeat(np.arange(len(lists)), sizes)
        return cells, np.concatenate(measures), unpacked(self._cells["found"])


def read_results(store: str | Path, *, study: str | None = None) -> Results:
    """Read the results in a store, also while a study is running on it.

    Parameters
    ----------
    store : str or Path
        File that `Study.run` wrote.
    study : str, default=None
        Name of the study to read; None reads all studies. If the settings of a study were changed,
        the cells of its last run are read.

    Returns
    -------
    Results
        Values of the finished cells, and the cells that failed or are missing.

    Raises
    ------
    DataError
        If the file does not exist, is not a store, is damaged or locked.
    ValueError
        If the store has no study of that name.

    See Also
    --------
    Study.run : Run a study and return its results.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from labelwise.experiments import Study, read_results
    >>> models, splits = {"tree": DecisionTreeClassifier()}, {"fixed": "train-test"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Study(["digits"], models, splits, ["micro-f"]).run(f"{folder}/study.sqlite")
    ...     results = read_results(f"{folder}/study.sqlite")
    >>> results.state()
    '1 of 1 cells are done.'
    """
    with Store(store, create=False) as opened:
        of_store = opened.directions(study), opened.parameters(study)
        results = Results(opened.columns(study), opened.texts(), *of_store)
    if study is not None and not results.n_cells:
        raise ValueError(f"study must be the name of a study in {store}, got {study!r}.")
    return results


def _in_words(form: Any) -> str:
    """Return the canonical form of an estimator or a value as text: Name(parameter=value, ...)."""
    if isinstance(form, list) and len(form) == 2 and isinstance(form[1], dict):
        given = form[1].items()
        parts = [f"{name}={_in_words(value)}" for name, value in given if value is not None]
        return f"{str(form[0]).rpartition('.')[2]}({', '.join(parts)})"
    if isinstance(form, list) and len(form) == 2 and form[0] == "float":
        return str(form[1])
    if isinstance(form, list):
        return f"[{', '.join(map(_in_words, form))}]"
    return str(form)


def _with_safe_texts(table: Any) -> Any:
    """Return a table whose texts a spreadsheet program does not evaluate."""
    import pyarrow as pa

    for j, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_string(column.type):
            texts = [None if text is None else safe_cell(text) for text in column.to_pylist()]
            table = table.set_column(j, name, pa.array(texts, pa.string()))
    return table


def _table_of_means(summary: Summary, measures: Sequence[str]) -> str:
    """Return a row for each data set, model and split, and a column for each measure."""
    places = list(dict.fromkeys(group[:-1] for group in summary.spreads))
    # A column with one value everywhere is left out.
    shown = [j for j in range(len(summary.by) - 1) if len({place[j] for place in places}) > 1]
    shown = shown or [0]
    rows = [
        [
            " / ".join(place[j] for j in shown),
            *(_spread_text(summary.spreads.get((*place, measure))) for measure in measures),
        ]
        for place in places
    ]
    heading = [" / ".join(summary.by[j] for j in shown), *measures]
    return as_text([heading, *rows])


def _spread_text(found: Spread | None) -> str:
    if found is None:
        return "-"
    if found.n_undefined:
        return "undefined"
    return f"{found.mean:.4f}" if found.n == 1 else f"{found.mean:.4f} ± {found.deviation:.4f}"


def _undefined_note(summary: Summary, measures: Sequence[str]) -> list[str]:
    """Explain means that are undefined, with the number of undefined values of each measure."""
    counts = []
    for measure in measures:
        found = [one for group, one in summary.spreads.items() if group[-1] == measure]
        n_undefined, n = sum(one.n_undefined for one in found), sum(one.n for one in found)
        if n_undefined:
            counts.append(f"{measure} ({n_undefined:,} of {n:,} values)")
    if not counts:
        return []
    return [
        "undefined: in a fold, no label or sample has a value, or one has none and the study says "
        'undefined = "nan"; precision has none without decisions, recall without positives: '
        f"{', '.join(counts)}"
    ]


def _warning_lines(warnings: Mapping[str, int]) -> list[str]:
    """Return lines of the most frequent warnings, with the number of cells that have each."""
    most = sorted(warnings.items(), key=lambda one: -one[1])[:_SHOWN_WARNINGS]
    lines = [f"in {n:,} cells: {printable(text, _LONGEST)}" for text, n in most]
    n_more = len(warnings) - len(most)
    return [*lines, f"and {n_more:,} more warnings"] if n_more else lines


def _failure_note(failed: Sequence[FailedCell]) -> list[str]:
    """Return the failed cells, each with the last line of its error."""
    lines = [
        f"failed: {printable(c.dataset)} / {printable(c.model)} / {printable(c.split)}, "
        f"fold {c.fold}, seed {c.seed}: "
        f"{printable(c.reason, _LONGEST)}"
        for c in failed[:_SHOWN_FAILURES]
    ]
    if len(failed) > _SHOWN_FAILURES:
        lines.append(f"and {len(failed) - _SHOWN_FAILURES:,} more failed")
    return ["\n".join(lines)] if lines else []
