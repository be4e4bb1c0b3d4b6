"""Everything that the page of a desk shows, as data for its script."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import count_matched
from labelwise._text import printable, rates_in_words
from labelwise._tuning import Problem
from labelwise.decisions import (
    BandCurves,
    BandEvidence,
    Bands,
    Evidence,
    Thresholds,
    certified_frontier,
    macro_frontier,
)
from labelwise.measures import Counts, f_measure, macro, micro, precision, recall
from labelwise.reports.desk._cells import NotableCells, notable_rows, score_bins
from labelwise.reports.desk._cuts import (
    MOST_GROUPS,
    MOST_VERTICES,
    StoredCuts,
    slice_counts,
    stored_cuts,
)
from labelwise.reports.desk._desk import Desk, Slicing
from labelwise.reports.desk._points import (
    Marked,
    MarkedPoint,
    are_probabilities,
    compare_models,
    marked_points,
    measured,
)
from labelwise.reports.page import Page, packed, packed_small

_LONGEST_TEXT = 300
# Numbers of slices in the page: cuts times groups.
_MOST_SLICE_CELLS = 400_000
# Cells up to which a certified line is computed, and thresholds of its points in the page.
_MOST_CERTIFIED, _MOST_CERTIFIED_THRESHOLDS = 2**22, 30_000
# Vertices of the frontier without a fold, of which the page has five.
_MOST_HELD_OUT = 2_000
# Points of the macro frontier that are drawn.
_MOST_MACRO = 600


def desk_page(desk: Desk) -> Page:
    """Collect the data of a desk's page."""
    problem = desk.problem
    marked = marked_points(desk)
    exact = marked.point("exact")
    decided = {point.key: point.decided for point in marked.points}
    certificate = None if exact.result is None else exact.result.evidence.certificate
    cuts = stored_cuts(problem, certificate, _most_vertices(desk))
    certified = _certified_data(desk)
    data = {
        "nRows": problem.total_weight,
        "nSamples": problem.n_samples,
        "isWeighted": problem.weights is not None,
        "effective": problem.total_weight / float(problem.everyone @ problem.everyone),
        **_label_data(desk),
        "cuts": _cut_data(cuts),
        "points": [_point_data(desk, point) for point in marked.points],
        "start": _start(marked),
        "folds": _fold_data(marked),
        "heldOut": [_held_out_data(one) for one in marked.frontiers],
        "macro": _macro_data(problem),
        "bins": _bin_data(problem),
        "rows": _row_data(desk, marked.points),
        "slices": [_slice_data(desk, slicing, cuts, decided) for slicing in desk.slicings],
        "versus": _rival_data(desk, exact),
        "certified": certified,
        "files": _file_data(),
    }
    words = {
        "summary": _summary(desk),
        "headline": _headline(desk.problem, marked),
        "has_texts": desk.texts is not None,
        "has_terms": desk.model is not None,
        "has_sentences": data["rows"]["hasSentences"],
        "has_rival": desk.rival is not None,
        "has_certified": certified is not None,
        "has_macro": data["macro"] is not None,
        "has_sample": any(point.key == "sample-f" for point in marked.points),
    }
    return Page("desk.html", desk.title, data, words)


def _most_vertices(desk: Desk) -> int:
    """Return how many vertices of hulls the page may store, fewer with slices."""
    n_groups = sum(min(len(slicing.groups), MOST_GROUPS) for slicing in desk.slicings)
    return min(MOST_VERTICES, _MOST_SLICE_CELLS // max(n_groups, 1))


def _summary(desk: Desk) -> str:
    positives = int(desk.problem.support.sum())
    total = desk.problem.total_weight
    weighted = "" if desk.problem.weights is None else f" counted as {total:,} by weight"
    per_sample = positives / total
    n_missing = int(desk.n_missing.sum())
    missing = f", {n_missing:,} cells without truth, which count nowhere" if n_missing else ""
    return (
        f"{desk.n_samples:,} samples{weighted}, {desk.n_labels:,} labels, {positives:,} positives "
        f"({per_sample:.2f} each){missing}"
    )


def _start(marked: Marked) -> str:
    """Return the key of the first given point, at which the page opens; "best" if none is given."""
    first = marked.points[0].key
    return "best" if first == "default" else first


def _headline(problem: Problem, marked: Marked) -> tuple[str, str]:
    """Return a sentence on the first given point, or on thresholds tuned here, and a comment."""
    is_given = _start(marked) != "best"
    point = marked.points[0] if is_given else marked.point("exact")
    whose = printable(point.name) if is_given else "thresholds tuned for F"
    here = _micro_f(problem, point.decided)
    if not point.is_optimistic:
        more = _tuned_here(problem, marked.point("exact"))
        head = f"On these samples ({whose}): {_in_words(problem, point.decided)}."
        return head, f"Micro F is {here:.3f}. {more}"
    if point.held_out is None:
        head = f"On the samples of tuning ({whose}): {_in_words(problem, point.decided)}."
        return (
            head,
            f"Micro F is {here:.3f} there. The value to expect on new samples is not known.",
        )
    head = f"Expected on new samples ({whose}): {_in_words(problem, point.held_out)}."
    expected = _micro_f(problem, point.held_out)
    return head, f"Micro F is about {expected:.3f} there, and {here:.3f} here, where it was tuned."


def _in_words(problem: Problem, decided: sparse.csc_array) -> str:
    """Say precision and recall as numbers out of ten."""
    tp, fp, fn, _ = (float(np.sum(one)) for one in problem.counts_of_decisions(decided, "label"))
    found, right = tp / (tp + fn) if tp + fn else np.nan, tp / (tp + fp) if tp + fp else np.nan
    return rates_in_words(right, found)


def _tuned_here(problem: Problem, exact: MarkedPoint) -> str:
    """Return a sentence on the thresholds that are tuned on these samples."""
    here = _micro_f(problem, exact.decided)
    tuned = f"The best thresholds for these samples have {here:.3f} here"
    if exact.held_out is None:
        return f"{tuned}."
    return f"{tuned}, and about {_micro_f(problem, exact.held_out):.3f} on new samples."


def _micro_f(problem: Problem, decided: sparse.csc_array) -> float:
    return float(micro(f_measure, problem.counts_of_decisions(decided, "label")))


def _label_data(desk: Desk) -> dict[str, Any]:
    problem = desk.problem
    names = problem.names or tuple(map(str, range(problem.n_labels)))
    shown = {j: text for j, name in enumerate(names) if (text := printable(name)) != name}
    return {
        "names": list(names),
        "shown": shown,  # names that are not safe or too long to show as they are
        "hasNames": problem.names is not None,
        "support": packed(problem.support, np.int32),
        "known": packed(problem.total_weight - desk.n_missing, np.int32),
    }


def _cut_data(cuts: StoredCuts) -> dict[str, Any]:
    return {
        "starts": packed(cuts.starts, np.int32),
        "decided": packed(cuts.decided, np.int32),
        "hits": packed(cuts.hits, np.int32),
        "thresholds": packed(cuts.thresholds, np.float64),
        "isHull": packed(cuts.is_hull, np.uint8),
        "levels": None if cuts.levels is None else packed(cuts.levels, np.int32),
        "slopes": None if cuts.slopes is None else packed(cuts.slopes, np.float64),
        "nVertices": cuts.n_vertices,
    }


def _point_data(desk: Desk, point: MarkedPoint) -> dict[str, Any]:
    """Return the thresholds of a point with their counts, here and on held-out folds."""
    counts = desk.problem.counts_of_decisions(point.decided, "label")
    honest = point.decided if point.held_out is None else point.held_out
    is_unknown = point.is_optimistic and point.held_out is None
    result, values = point.result, point.values
    measures = None if is_unknown else measured(desk.problem, honest, desk.seed)
    if measures is not None:
        measures["counts"][3] -= int(desk.n_missing.sum())
    return {
        "key": point.key,
        "name": printable(point.name),
        "note": printable(point.note, 200),
        "hasThresholds": values is not None,
        "thresholds": packed(
            np.full(desk.n_labels, np.nan) if values is None else values, np.float64
        ),
        "decided": packed(counts.tp + counts.fp, np.int32),
        "hits": packed(counts.tp, np.int32),
        "isHeldOut": point.held_out is not None,
        "averages": _averages(desk.problem, point.decided),
        "expected": None if is_unknown else _averages(desk.problem, honest),
        "honest": measures,
        "known": None if result is None else _known(result),
    }


def _averages(problem: Problem, decided: sparse.csc_array) -> dict[str, float | None]:
    """Return averages over labels and samples, precision of a label without decisions being 0.

    Precision and recall are means over the labels with positives, as in `macro_frontier`.
    """
    counts = problem.counts_of_decisions(decided, "label")
    present = Counts(*(cells[problem.support > 0] for cells in counts))
    found = {
        "macro-f": macro(f_measure, counts),
        "sample-f": np.average(
            f_measure(count_matched(problem.Y, decided, "sample")), weights=problem.everyone
        ),
        "precision": macro(precision, present, undefined=0.0) if present.tp.size else np.nan,
        "recall": macro(recall, present) if present.tp.size else np.nan,
    }
    return {name: float(one) if np.isfinite(one) else None for name, one in found.items()}


def _macro_data(problem: Problem) -> dict[str, Any] | None:
    """Return points of the macro frontier; None without positives."""
    if not problem.support.any():
        return None
    found = macro_frontier(problem.scores, problem.Y, sample_weight=problem.weights)
    last = len(found) - 1
    places = np.unique(np.linspace(0, last, min(_MOST_MACRO, last + 1)).round().astype(np.intp))
    return {
        "precision": packed(found.precision[places], np.float32),
        "recall": packed(found.recall[places], np.float32),
    }


def _known(result: Thresholds) -> dict[str, Any]:
    """Return a file of thresholds without those entries that the page has already."""
    content = result.to_dict()
    return {key: content[key] for key in content if key not in ("values", "label_names")}


def _fold_data(marked: Marked) -> dict[str, Any] | None:
    found = marked.fold_thresholds
    if found is None:
        return None
    return {
        "n": found.shape[0],
        "low": packed(found.min(axis=0), np.float64),
        "high": packed(found.max(axis=0), np.float64),
    }


def _held_out_data(found: Any) -> dict[str, Any]:
    """Return the frontier without a fold; of many vertices some, with the one of highest F."""
    tp = found.hits
    f_of = f_measure(Counts(tp, found.decided - tp, found.n_positive - tp, np.zeros_like(tp)))
    last = tp.size - 1
    places = np.linspace(0, last, min(_MOST_HELD_OUT, tp.size)).round().astype(np.intp)
    kept = np.unique(np.append(places, np.argmax(f_of)))
    return {
        "slopes": packed(found.slopes[kept], np.float64),
        "decided": packed(found.decided[kept], np.int32),
        "hits": packed(found.hits[kept], np.int32),
        "outDecided": packed(found.held_out_decided[kept], np.int32),
        "outHits": packed(found.held_out_hits[kept], np.int32),
        "nRows": found.n_samples,
        "nPositive": found.n_positive,
        "nOutRows": found.n_held_out,
        "nOutPositive": found.n_held_out_positive,
    }


def _bin_data(problem: Problem) -> dict[str, Any]:
    bins = score_bins(problem)
    return {
        "areProbabilities": are_probabilities(problem),
        "low": packed(bins.low, np.float64),
        "high": packed(bins.high, np.float64),
        "count": packed_small(bins.n_rows),
        "positive": packed_small(bins.n_positive),
        "mean": packed(bins.mean, np.float32),
        "n": bins.n_rows.shape[1],
    }


def _row_data(desk: Desk, points: list[MarkedPoint]) -> dict[str, Any]:
    """Return the lists of samples, and the ids and texts of the samples in them."""
    cuts = {point.key: point.values for point in points if point.values is not None}
    found = notable_rows(desk.problem, cuts)
    every = [one.rows for one in (found.unexpected, found.missed, *found.nearest.values())]
    rows = np.unique(np.concatenate(every)).tolist()
    ids, texts = desk.ids, desk.texts
    sentences: list[str] = []
    return {
        "hasIds": ids is not None,
        "hasTerms": desk.model is not None,
        "ids": {row: printable(row if ids is None else ids[row]) for row in rows},
        "texts": texts and {row: printable(texts[row], _LONGEST_TEXT) for row in rows},
        "unexpected": _cell_list(desk, found.unexpected, sentences),
        "missed": _cell_list(desk, found.missed, sentences),
        "nearest": {key: _cell_list(desk, near, sentences) for key, near in found.nearest.items()},
        "hasSentences": any(sentences),
    }


def _cell_list(desk: Desk, found: NotableCells, sentences: list[str]) -> list[list[Any]]:
    """Return the cells as lists; the last entries are the terms and the sentence for the label.

    The sentences are added to `sentences`.
    """
    parts = found._replace(truth=found.truth.astype(int))._asdict()
    del parts["chance"]
    columns = [column.tolist() for column in parts.values()]
    columns += [
        desk.terms(found.rows, found.labels),
        of_cells := desk.sentences(found.rows, found.labels),
    ]
    sentences += of_cells
    return [list(cell) for cell in zip(*columns, strict=True)]


def _slice_data(
    desk: Desk, slicing: Slicing, cuts: StoredCuts, decided: dict[str, sparse.csc_array]
) -> dict[str, Any]:
    found = slice_counts(desk.problem, slicing, cuts, decided)
    return found | {name: packed_small(found[name]) for name in ("decided", "hits")}


def _rival_data(desk: Desk, exact: MarkedPoint) -> dict[str, Any] | None:
    if desk.rival is None:
        return None
    found = compare_models(desk.problem, exact.held_out, desk.rival, desk.seed)
    labels = {name: packed(column, np.float64) for name, column in found["labels"].items()}
    return {**found, "labels": labels}


def _certified_data(desk: Desk) -> dict[str, Any] | None:
    """Return the points of the certified line; None for too few samples, or too many cells.

    Each point is a rule with its counts here, and with a guarantee that its file carries.
    """
    problem = desk.problem
    if problem.n_samples * problem.n_labels > _MOST_CERTIFIED:
        return None
    try:
        found = certified_frontier(
            problem.scores,
            problem.Y,
            groups=problem.groups,
            sample_weight=problem.weights,
            random_state=desk.seed,
        )
    except ValueError:
        return None
    n_points = max(1, min(len(found), _MOST_CERTIFIED_THRESHOLDS // problem.n_labels))
    chosen = np.unique(np.linspace(0, len(found) - 1, n_points).round().astype(np.intp))
    return {
        "level": found.level,
        "nCalibration": found.n_calibration,
        "units": "samples" if problem.groups is None else "groups of samples",
        "points": [_certified_point(found.at(int(point)), int(point)) for point in chosen],
    }


def _certified_point(rule: Thresholds, number: int) -> dict[str, Any]:
    content, known = rule.to_dict(), rule.evidence
    return {
        "key": f"certified-{number}",
        "name": f"certified point {number}",
        "thresholds": packed(rule.values, np.float64),
        "decided": packed(known.decided, np.int32),
        "hits": packed(np.asarray(known.true_positives), np.int32),
        "guarantee": content["guarantee"],
        "mostPerRow": content["most_per_row"],
    }


def _file_data() -> dict[str, Any]:
    """Return files of thresholds and bands without numbers, which the page fills in."""
    empty, nothing = np.zeros(0), np.zeros(0, dtype=np.int64)
    thresholds = Thresholds(empty, Evidence(0.0, "", "micro", nothing, nothing, 0))
    known = BandEvidence(nothing, nothing, nothing, nothing, nothing, n_samples=0)
    bands = Bands(empty, empty, known, BandCurves(nothing, empty, empty))
    return {"thresholds": thresholds.to_dict(), "bands": bands.to_dict()}
