"""`labelwise select`: the best terms of a data set, and how many are enough."""

from __future__ import annotations

import codecs
import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise._io import ending_of, is_stream, written_whole
from labelwise._text import printable, safe_cell
from labelwise._validation import check_whole
from labelwise.cli._outputs import Outputs, check_safe_csv
from labelwise.cli._progress import working
from labelwise.cli.commands._describe import parse_labels
from labelwise.data import Dataset, input_files, load, write_svmlight
from labelwise.features import TermSelector, check_wishes
from labelwise.learners import OkapiNeighbors
from labelwise.measures import find_places, r_precision_of
from labelwise.reports import TermCurveDisplay
from labelwise.splitting import MultilabelStratifiedKFold

# Of olsson2006; the last point of a curve is all terms that are not cut.
SIZES = (50, 250, 500, 750, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 10_000)
_FIGURES = (".png", ".svg", ".pdf")
_N_SHOWN, _BAR = 10, 40
# Scores that are held at a time.
_BLOCK = 2**24


class SelectWishes(NamedTuple):
    """The options of the command, as they were typed."""

    by: str = "chi2-max,chi2-avg"
    combine: str = "lowest-rank"
    cut: int = 1
    n_terms: int | None = None
    curve: bool = False
    k: int = 100
    seed: int = 0
    safe_csv: bool = False

    def selector(self, n_terms: int | None = None) -> TermSelector:
        """Return the selector that was asked for."""
        by = tuple(self.by.split(","))
        return TermSelector(n_terms, by=by, combine=self.combine, cut=self.cut)


def show_selection(
    data: str,
    wishes: SelectWishes,
    *,
    labels: str | None = None,
    data_home: Path | None = None,
    output: Path | None = None,
    max_bytes: int | None = None,
) -> None:
    """Write the best terms of a data set, or show how many of them are enough."""
    _check_wishes(wishes, output)
    files = [output] if wishes.curve else [output, _columns_file(output)]
    check_safe_csv(wishes.safe_csv, *files)
    outputs = Outputs(files, inputs=input_files(data, data_home, labels))
    with working("reading"):
        columns = parse_labels(labels)
        dataset = load(data, data_home=data_home, labels=columns, max_bytes=max_bytes)
    if dataset.Y is None or dataset.bags is not None:
        problem = "labels are unknown" if dataset.Y is None else "rows are in bags"
        raise ValueError(f"{dataset.name!r} cannot be selected from: its {problem}.")
    outputs.say(repr(dataset))
    if wishes.curve:
        _show_curve(dataset, wishes, output, outputs)
    else:
        _write_reduced(dataset, wishes, output, outputs)


def _check_wishes(wishes: SelectWishes, output: Path | None) -> None:
    if wishes.curve == (wishes.n_terms is not None):
        raise ValueError("Give either -n, the number of terms to keep, or --curve to find it.")
    endings = _FIGURES if wishes.curve else (".svm",)
    if output is not None and ending_of(output, endings[0]) not in endings:
        raise ValueError(f"{output} must end in {' or '.join(endings)}.")
    check_wishes(wishes.selector(wishes.n_terms))
    check_whole(wishes.k, "k")


def _columns_file(output: Path | None) -> Path | None:
    """Return where the names of the columns go: beside the file, nowhere for a stream."""
    if output is None or is_stream(output):
        return None
    return output.with_name(f"{output.stem}-columns.csv")


def _write_reduced(
    dataset: Dataset, wishes: SelectWishes, output: Path | None, outputs: Outputs
) -> None:
    selector = wishes.selector(wishes.n_terms)
    rows = np.arange(dataset.n_samples) if dataset.train is None else dataset.train
    with working("scoring terms"):
        selector.fit(dataset.X[rows], dataset.Y[rows])
    kept = np.flatnonzero(selector.get_support())
    scored_on = "all rows" if dataset.train is None else f"the {rows.size:,} training rows"
    outputs.say(
        f"\n{kept.size:,} of {dataset.n_features:,} terms kept, scored on {scored_on}; "
        f"{dataset.n_features - selector.ranking_.size:,} are in at most {wishes.cut} rows\n"
    )
    for place, column in enumerate(selector.ranking_[: min(_N_SHOWN, kept.size)], start=1):
        score = selector.scores_[column]
        outputs.say(f"{place:>4}  {printable(dataset.feature_names[column]):<30}{score:>12.6g}")
    if output is None:
        return
    names = [dataset.feature_names[column] for column in kept]
    X = sparse.csr_array(dataset.X)[:, kept]
    reduced = Dataset(X, dataset.Y, dataset.name, names, dataset.label_names)
    write_svmlight(reduced, output)
    outputs.say_written(output, "\nwritten to")
    beside = _columns_file(output)
    if beside is not None:
        _write_columns(reduced, selector.scores_[kept], beside, wishes.safe_csv)
        outputs.say_written(beside, "names and scores of its columns written to")


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
    dataset: Dataset, wishes: SelectWishes, output: Path | None, outputs: Outputs
) -> None:
    with working("classifying"):
        display = term_curve(dataset, wishes)
    rows = "the test rows" if dataset.test is not None else "each fifth of the rows in turn"
    outputs.say(f"\nR-precision on {rows}, {wishes.k} neighbours by Okapi weights\n")
    highest = display.values[display.peak]
    for j, (size, value, error) in enumerate(
        zip(display.sizes, display.values, display.errors, strict=True)
    ):
        bar = "█" * round(_BAR * value / highest) if highest > 0 else ""
        mark = " peak" if j == display.peak else ""
        mark += " smallest within one error" if j == display.chosen else ""
        outputs.say(f"{size:>8,}{value:>9.4f} ± {error:.4f}  {bar}{mark}")
    outputs.say(
        f"\n{display.sizes[display.chosen]:,} terms are the smallest set within one standard error "
        f"of the peak ({highest:.4f} at {display.sizes[display.peak]:,})."
    )
    if output is not None:
        kind = ending_of(output, _FIGURES[0])[1:]
        with written_whole(output) as stream:
            display.plot().figure_.savefig(stream, format=kind, bbox_inches="tight")
        outputs.say_written(output)


def term_curve(dataset: Dataset, wishes: SelectWishes) -> TermCurveDisplay:
    """Return R-precision on rows that were not learned from, by the number of terms."""
    if dataset.train is not None and dataset.test is not None:
        splits = [(dataset.train, dataset.test)]
    else:
        folds = MultilabelStratifiedKFold(5, random_state=wishes.seed, shuffle=True)
        splits = list(folds.split(dataset.X, dataset.Y))
    parts = []
    for train, test in splits:
        ranking = wishes.selector().fit(dataset.X[train], dataset.Y[train]).ranking_
        model = OkapiNeighbors(wishes.k).fit(dataset.X[train], dataset.Y[train])
        parts.append((ranking, model, test))
    least = min(ranking.size for ranking, _, _ in parts)
    if least == 0:
        raise ValueError(f"--cut {wishes.cut} leaves no term of {dataset.name!r}.")
    sizes = [size for size in SIZES if size < least]
    values = np.hstack([_r_precisions(dataset, *part, sizes) for part in parts])
    values = values[:, ~np.isnan(values[0])]
    if values.shape[1] == 0:
        raise ValueError(f"No test row of {dataset.name!r} has a label.")
    errors = values.std(axis=1, ddof=min(1, values.shape[1] - 1)) / np.sqrt(values.shape[1])
    name = f"{wishes.by} {wishes.combine}" if "," in wishes.by else wishes.by
    return TermCurveDisplay([*sizes, least], values.mean(axis=1), errors, name=name)


def _r_precisions(
    dataset: Dataset, ranking: np.ndarray, model: OkapiNeighbors, test: np.ndarray, sizes: list[int]
) -> np.ndarray:
    """Return R-precision of each test row at each size and with all terms of the ranking."""
    every = [*sizes, ranking.size]
    together = max(1, _BLOCK // (len(every) * dataset.n_labels))
    found = []
    for start in range(0, test.size, together):
        rows = test[start : start + together]
        curve = model.score_curve(dataset.X[rows], ranking, every)
        Y = sparse.csc_array(dataset.Y[rows])
        found.append([r_precision_of(find_places(Y, scores, "sample")) for scores in curve])
    return np.hstack(found)
