"""`labelwise select`: write the best terms of a data set, or show how many are enough."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelwise import _io, data, features, learners, reports, splitting
from labelwise._text import printable
from labelwise.cli import _options as opt
from labelwise.cli._inputs import DataSource
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_figure,
    check_safe_csv,
    working,
    write_csv,
    write_figure,
)
from labelwise.cli.running import command

if TYPE_CHECKING:
    import numpy as np

# Which rank of a term each rule takes, of the ranks by several scores.
_RANKS = {"lowest-rank": "worst", "highest-rank": "best", "average-rank": "mean"}
_JOINS = {"or": "highest", "and": "lowest", "mean": "mean"}
_N_SHOWN, _BAR_LENGTH = 10, 40


@command(
    example="labelwise select corpus.svm -n 2000 -o reduced.svm",
    json=True,
    force=True,
    inputs=["data"],
    without=["bags"],
)
def select(
    *,
    by: Annotated[
        str, typer.Option(help="Scores of terms: df, information-gain, chi2-max, chi2-avg.")
    ] = "chi2-max,chi2-avg",
    combine: Annotated[
        str, typer.Option(help="Rule, as in labelwise.features.combine: lowest-rank, max-or, ...")
    ] = "lowest-rank",
    cut: Annotated[int, typer.Option(help="Ignore terms that are in at most this many rows.")] = 1,
    n_terms: Annotated[int | None, typer.Option("-n", help="Number of terms to keep.")] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Show R-precision by the number of terms.")
    ] = False,
    k: Annotated[int, typer.Option(help="Neighbours of the classifier behind the curve.")] = 100,
    seed: opt.Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help=".svm file; .png, .svg or .pdf with --curve; or -."),
    ] = None,
    source: DataSource,
    safe_csv: opt.SafeCsv = False,
) -> None:
    """Keep the terms that best predict the labels.

    With --curve, show how many terms are enough.
    """
    from labelwise._validation import check_whole

    if curve == (n_terms is not None):
        raise ValueError("Give either -n, the number of terms to keep, or --curve to find it.")
    if curve:
        check_figure(output)
    else:
        check_ending(output, ".svm")
    selector = features.TermSelector(n_terms, by=tuple(by.split(",")), combine=combine, cut=cut)
    selector._check_parameters()
    check_whole(k, "k")
    beside = None if curve else _columns_file(output)
    check_safe_csv(safe_csv, output, beside)
    outputs = Outputs([output, beside], inputs=source.files())
    dataset = source.load()
    if dataset.Y is None or dataset.bags is not None:
        problem = "labels are unknown" if dataset.Y is None else "rows are in bags"
        raise ValueError(f"{dataset.name!r} cannot be selected from: its {problem}.")
    dataset = _with_terms(dataset)
    if curve:
        with working("classifying"):
            display = curve_display(dataset, selector, k, seed)
        outputs.show("\n".join(_curve_lines(dataset, k, display)), _curve_record(dataset, display))
        if output is not None:
            write_figure(output, display.plot().figure_)
            outputs.say_written(output)
        return
    with working("scoring terms"):
        rows = slice(None) if dataset.train is None else dataset.train
        selector.fit(dataset.X[rows], dataset.Y[rows])
    record = _selection_record(dataset, selector)
    outputs.show("\n".join(_selection_lines(dataset, selector, record)), record)
    if output is not None:
        reduced, scores = _reduced(dataset, selector)
        data.write_svmlight(reduced, output)
        outputs.say_written(output, "\nwritten to")
        if beside is not None:
            _write_columns(reduced, scores, beside, safe_csv)
            outputs.say_written(beside, "names and scores of its columns written to")


def _columns_file(output: Path | None) -> Path | None:
    """Return the path of the file of column names, beside the output; None for a stream."""
    if output is None or _io.is_stream(output):
        return None
    return output.with_name(f"{_io.plain_name(output)}-columns.csv")


def _with_terms(dataset: data.Dataset) -> data.Dataset:
    """Return a data set with the counts of the terms of its texts as features."""
    from scipy import sparse

    if not dataset.texts:
        return dataset
    with working("counting terms"):
        counts = features.TableFeatures(text=dataset.texts, text_transformer=features.TextTerms())
        X = sparse.csr_array(counts.fit_transform(dataset.frame))
    names = counts.get_feature_names_out().tolist()
    return replace(dataset, X=X, feature_names=names, frame=None, texts=())


def _number_of_a_term(selector: features.TermSelector) -> tuple[str, str, int]:
    """Return the name of the number that orders terms, its meaning, and its sign in `scores_`."""
    if len(selector.by) == 1:
        return selector.by[0], "higher is better", 1
    scores = " and ".join(selector.by)
    if selector.combine in _RANKS:
        # A term is scored by its negative rank, so that a higher score is better.
        rank = _RANKS[selector.combine]
        return "rank", f"the {rank} rank of the term by {scores}; 1 is the best", -1
    if selector.combine == "round-robin":
        return "turn", f"in which the term is chosen by {scores}; 1 is the best", -1
    name, join = selector.combine.split("-")
    divisor = "maximum" if name == "max" else "Euclidean length"
    meaning = f"the {_JOINS[join]} of {scores}, each divided by its {divisor}; higher is better"
    return "score", meaning, 1


def _selection_lines(
    dataset: data.Dataset, selector: features.TermSelector, record: dict[str, Any]
) -> list[str]:
    """Return how many terms were kept, and the best of them with the number that ranks them."""
    n_rows = dataset.n_samples if dataset.train is None else dataset.train.size
    scored_on = "all samples" if dataset.train is None else f"the {n_rows:,} training samples"
    name, meaning, _ = _number_of_a_term(selector)
    return [
        repr(dataset),
        "",
        f"{len(record['terms']):,} of {dataset.n_features:,} terms kept, scored on {scored_on}; "
        f"{record['n_rare']:,} are in at most {selector.cut} rows",
        "",
        f"{'':>4}  {'term':<30}{name:>12}",
        *(
            f"{place:>4}  {printable(one['term']):<30}{one['value']:>12.6g}"
            for place, one in enumerate(record["terms"][:_N_SHOWN], start=1)
        ),
        f"{name}: {meaning}",
    ]


def _selection_record(dataset: data.Dataset, selector: features.TermSelector) -> dict[str, Any]:
    """Return the kept terms, the best first, for --json."""
    name, _, sign = _number_of_a_term(selector)
    return {
        "name": dataset.name,
        "n_terms": dataset.n_features,
        "n_rare": dataset.n_features - selector.ranking_.size,
        "value": name,
        "terms": [
            {"term": dataset.feature_names[j], "column": j, "value": sign * selector.scores_[j]}
            for j in selector.ranking_[: selector.n_terms].tolist()
        ],
    }


def _reduced(
    dataset: data.Dataset, selector: features.TermSelector
) -> tuple[data.Dataset, np.ndarray]:
    """Return the data set with the kept terms, and their scores."""
    import numpy as np
    from scipy import sparse

    kept = np.flatnonzero(selector.get_support())
    names = [dataset.feature_names[column] for column in kept]
    X = sparse.csr_array(dataset.X)[:, kept]
    reduced = data.Dataset(X, dataset.Y, dataset.name, names, dataset.label_names)
    return reduced, selector.scores_[kept]


def _write_columns(reduced: data.Dataset, scores: np.ndarray, path: Path, safe_csv: bool) -> None:
    """Write the names of the columns, which the other file has as numbers from 0."""
    n_terms, n_labels = len(reduced.feature_names), len(reduced.label_names)
    columns = {
        "kind": ["term"] * n_terms + ["label"] * n_labels,
        "column": [*range(n_terms), *range(n_labels)],
        "name": [*reduced.feature_names, *reduced.label_names],
        "score": [*scores.tolist(), *[""] * n_labels],
    }
    write_csv(path, columns, safe_csv=safe_csv)


def curve_display(
    dataset: data.Dataset, selector: features.TermSelector, k: int, seed: int
) -> reports.TermCurveDisplay:
    """Measure the curve on the test samples of a data set, or on five folds if it has none."""
    if dataset.train is not None and dataset.test is not None:
        splits = [(dataset.train, dataset.test)]
    else:
        folds = splitting.MultilabelStratifiedKFold(5, random_state=seed, shuffle=True)
        splits = list(folds.split(dataset.X, dataset.Y))
    curve = learners.term_curve(dataset.X, dataset.Y, selector, cv=splits, n_neighbors=k)
    name = ",".join(selector.by)
    name = f"{name} {selector.combine}" if len(selector.by) > 1 else name
    return reports.TermCurveDisplay(curve.sizes, curve.values, curve.errors, name=name)


def _curve_lines(dataset: data.Dataset, k: int, display: reports.TermCurveDisplay) -> list[str]:
    """Return the curve as bars, and the smallest number of terms that is enough."""
    rows = "the test samples" if dataset.test is not None else "each fifth of the samples in turn"
    highest = display.values[display.peak]
    title = f"R-precision on {rows}, {k} neighbours by Okapi weights"
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


def _curve_record(dataset: data.Dataset, display: reports.TermCurveDisplay) -> dict[str, Any]:
    """Return the curve for --json."""
    columns = (display.sizes, display.values, display.errors)
    keys = ("n_terms", "r_precision", "error")
    return {
        "name": dataset.name,
        "peak": display.sizes[display.peak],
        "smallest": display.sizes[display.chosen],
        "curve": [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)],
    }
