"""`labelwise select`: write the best terms of a data set, or show how many are enough."""

from __future__ import annotations

import codecs
import csv
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._io import is_stream, written_whole
from labelwise._text import printable, safe_cell
from labelwise._validation import check_whole
from labelwise.cli._data_source import DataSource
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_figure,
    check_safe_csv,
    write_figure,
)
from labelwise.cli._progress import working
from labelwise.data import Dataset, write_svmlight
from labelwise.features import TableFeatures, TermSelector, TextTerms, check_parameters
from labelwise.learners import term_curve
from labelwise.reports import TermCurveDisplay
from labelwise.splitting import MultilabelStratifiedKFold

# Which rank of a term each rule takes, of the ranks by several scores.
_RANKS = {"lowest-rank": "worst", "highest-rank": "best", "average-rank": "mean"}
_N_SHOWN, _BAR_LENGTH = 10, 40


class SelectOptions(NamedTuple):
    """Options of the command as the user typed them."""

    by: str = "chi2-max,chi2-avg"
    combine: str = "lowest-rank"
    cut: int = 1
    n_terms: int | None = None
    curve: bool = False
    k: int = 100
    seed: int = 0
    safe_csv: bool = False

    @property
    def combines_ranks(self) -> bool:
        """Whether terms are ordered by ranks instead of scores."""
        return "," in self.by and self.combine in _RANKS

    @property
    def number_name(self) -> str:
        """What the number of a term is called: rank, score, or the name of the only score."""
        if "," not in self.by:
            return self.by
        return "rank" if self.combines_ranks else "score"

    @property
    def number_meaning(self) -> str:
        """What the number of a term is, in words."""
        if "," not in self.by:
            return "higher is better"
        scores = " and ".join(self.by.split(","))
        if self.combines_ranks:
            return f"the {_RANKS[self.combine]} rank of the term by {scores}; 1 is the best"
        divisor = "maximum" if self.combine == "max-or" else "Euclidean length"
        return f"the highest of {scores}, each divided by its {divisor}; higher is better"

    def selector(self, n_terms: int | None = None) -> TermSelector:
        """Return the selector that the options describe."""
        by = tuple(self.by.split(","))
        return TermSelector(n_terms, by=by, combine=self.combine, cut=self.cut)


def show_selection(
    source: DataSource, options: SelectOptions, *, output: Path | None = None
) -> None:
    """Write the best terms of a data set, or show how many of them are enough."""
    _check_options(options, output)
    files = [output] if options.curve else [output, _columns_file(output)]
    check_safe_csv(options.safe_csv, *files)
    outputs = Outputs(files, inputs=source.files())
    dataset = source.load()
    if dataset.Y is None or dataset.bags is not None:
        problem = "labels are unknown" if dataset.Y is None else "rows are in bags"
        raise ValueError(f"{dataset.name!r} cannot be selected from: its {problem}.")
    dataset = _with_terms(dataset)
    if options.curve:
        _show_curve(dataset, options, output, outputs)
    else:
        _write_reduced(dataset, options, output, outputs)


def _check_options(options: SelectOptions, output: Path | None) -> None:
    if options.curve == (options.n_terms is not None):
        raise ValueError("Give either -n, the number of terms to keep, or --curve to find it.")
    if options.curve:
        check_figure(output)
    else:
        check_ending(output, ".svm")
    check_parameters(options.selector(options.n_terms))
    check_whole(options.k, "k")


def _with_terms(dataset: Dataset) -> Dataset:
    """Return a data set with the counts of the terms of its texts as features."""
    if not dataset.texts:
        return dataset
    with working("counting terms"):
        counts = TableFeatures(text=dataset.texts, text_transformer=TextTerms())
        X = sparse.csr_array(counts.fit_transform(dataset.frame))
    names = counts.get_feature_names_out().tolist()
    return replace(dataset, X=X, feature_names=names, frame=None, texts=())


def _columns_file(output: Path | None) -> Path | None:
    """Return the path of the file of column names, beside the output; None for a stream."""
    if output is None or is_stream(output):
        return None
    return output.with_name(f"{output.stem}-columns.csv")


def _write_reduced(
    dataset: Dataset, options: SelectOptions, output: Path | None, outputs: Outputs
) -> None:
    selector = options.selector(options.n_terms)
    rows = np.arange(dataset.n_samples) if dataset.train is None else dataset.train
    with working("scoring terms"):
        selector.fit(dataset.X[rows], dataset.Y[rows])
    kept = np.flatnonzero(selector.get_support())
    outputs.show(
        "\n".join(_selection_lines(dataset, options, selector)),
        _selection_record(dataset, options, selector),
    )
    if output is None:
        return
    names = [dataset.feature_names[column] for column in kept]
    X = sparse.csr_array(dataset.X)[:, kept]
    reduced = Dataset(X, dataset.Y, dataset.name, names, dataset.label_names)
    write_svmlight(reduced, output)
    outputs.say_written(output, "\nwritten to")
    beside = _columns_file(output)
    if beside is not None:
        _write_columns(reduced, selector.scores_[kept], beside, options.safe_csv)
        outputs.say_written(beside, "names and scores of its columns written to")


def _selection_lines(dataset: Dataset, options: SelectOptions, selector: TermSelector) -> list[str]:
    """Return how many terms were kept, and the best of them with the number that ranks them."""
    n_rows = dataset.n_samples if dataset.train is None else dataset.train.size
    scored_on = "all rows" if dataset.train is None else f"the {n_rows:,} training rows"
    record = _selection_record(dataset, options, selector)
    return [
        repr(dataset),
        "",
        f"{len(record['terms']):,} of {dataset.n_features:,} terms kept, scored on {scored_on}; "
        f"{record['n_rare']:,} are in at most {options.cut} rows",
        "",
        f"{'':>4}  {'term':<30}{options.number_name:>12}",
        *(
            f"{place:>4}  {printable(one['term']):<30}{one['value']:>12.6g}"
            for place, one in enumerate(record["terms"][:_N_SHOWN], start=1)
        ),
        f"{options.number_name}: {options.number_meaning}",
    ]


def _selection_record(
    dataset: Dataset, options: SelectOptions, selector: TermSelector
) -> dict[str, Any]:
    """Return the kept terms, the best first, for --json."""
    kept = selector.ranking_[: options.n_terms]
    # Rank rules score a term by its negative rank, so that a higher score is better.
    sign = -1 if options.combines_ranks else 1
    return {
        "name": dataset.name,
        "n_terms": dataset.n_features,
        "n_rare": dataset.n_features - selector.ranking_.size,
        "value": options.number_name,
        "terms": [
            {"term": dataset.feature_names[j], "column": j, "value": sign * selector.scores_[j]}
            for j in kept.tolist()
        ],
    }


def _write_columns(reduced: Dataset, scores: np.ndarray, path: Path, safe_csv: bool) -> None:
    """Write the names of the columns, which the other file has as numbers from 0."""
    written = safe_cell if safe_csv else str
    with written_whole(path) as stream:
        lines = csv.writer(codecs.getwriter("utf-8")(stream), lineterminator="\n")
        lines.writerow(("kind", "column", "name", "score"))
        terms = zip(map(written, reduced.feature_names), scores.tolist(), strict=True)
        lines.writerows(("term", j, name, score) for j, (name, score) in enumerate(terms))
        labels = enumerate(map(written, reduced.label_names))
        lines.writerows(("label", j, name, "") for j, name in labels)


def _show_curve(
    dataset: Dataset, options: SelectOptions, output: Path | None, outputs: Outputs
) -> None:
    with working("classifying"):
        display = curve_display(dataset, options)
    outputs.show(
        "\n".join(_curve_lines(dataset, options, display)), _curve_record(dataset, display)
    )
    if output is not None:
        write_figure(output, display.plot().figure_)
        outputs.say_written(output)


def _curve_lines(dataset: Dataset, options: SelectOptions, display: TermCurveDisplay) -> list[str]:
    """Return the curve as bars, and the smallest number of terms that is enough."""
    rows = "the test rows" if dataset.test is not None else "each fifth of the rows in turn"
    highest = display.values[display.peak]
    title = f"R-precision on {rows}, {options.k} neighbours by Okapi weights"
    lines = [repr(dataset), "", title, ""]
    for j, (size, value, error) in enumerate(
        zip(display.sizes, display.values, display.errors, strict=True)
    ):
        bar = "█" * round(_BAR_LENGTH * value / highest) if highest > 0 else ""
        mark = " peak" if j == display.peak else ""
        mark += " smallest within one error" if j == display.chosen else ""
        lines.append(f"{size:>8,}{value:>9.4f} ± {error:.4f}  {bar}{mark}")
    return [
        *lines,
        "",
        f"{display.sizes[display.chosen]:,} terms are the smallest set within one standard error "
        f"of the peak ({highest:.4f} at {display.sizes[display.peak]:,}).",
    ]


def _curve_record(dataset: Dataset, display: TermCurveDisplay) -> dict[str, Any]:
    """Return the curve for --json."""
    columns = (display.sizes, display.values, display.errors)
    keys = ("n_terms", "r_precision", "error")
    return {
        "name": dataset.name,
        "peak": display.sizes[display.peak],
        "smallest": display.sizes[display.chosen],
        "curve": [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)],
    }


def curve_display(dataset: Dataset, options: SelectOptions) -> TermCurveDisplay:
    """Measure the curve on the test rows of a data set, or on five folds if it has none."""
    if dataset.train is not None and dataset.test is not None:
        splits = [(dataset.train, dataset.test)]
    else:
        folds = MultilabelStratifiedKFold(5, random_state=options.seed, shuffle=True)
        splits = list(folds.split(dataset.X, dataset.Y))
    curve = term_curve(dataset.X, dataset.Y, splits, options.selector(), options.k)
    name = f"{options.by} {options.combine}" if "," in options.by else options.by
    return TermCurveDisplay(curve.sizes, curve.values, curve.errors, name=name)
