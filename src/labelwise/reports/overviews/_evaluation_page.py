"""The page of an `Evaluation`: all measures, each explained, and a table of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._measuring import measure_named
from labelwise._text import counted, printable, rates_in_words
from labelwise.measures import Evaluation
from labelwise.reports.overviews._blocks import (
    MOST_ROWS,
    Block,
    KeyNumber,
    PageSection,
    axis,
    number_column,
    overview_page,
    table,
    text_column,
)
from labelwise.reports.page import Page

# Measures in large type, those of decisions first.
_LARGE = ("micro-f", "macro-f", "sample-f", "micro-precision", "micro-recall", "hamming-loss")
_LARGE_OF_SCORES = ("micro-average-precision", "macro-average-precision", "micro-auc", "one-error")
_AVERAGES = {
    "all": "all cells together",
    "label": "mean over labels",
    "sample": "mean over samples",
}
_MOST_POINTS = 2000
_WHOLE = ("positives", "decided")
_LABEL_NOTES = {
    "positives": "Samples that have the label.",
    "decided": "Samples for which the label is decided.",
}


def evaluation_page(evaluation: Evaluation) -> Page:
    """Arrange the measures and labels of an evaluation as a page."""
    n_labels = len(evaluation.label_names)
    summary = f"{counted(evaluation.n_samples, 'sample')}, {counted(n_labels, 'label')}"
    large = [name for name in _LARGE if name in evaluation]
    large = large or [name for name in _LARGE_OF_SCORES if name in evaluation]
    numbers = [
        KeyNumber(name, evaluation[name], "share", _interval(evaluation, name)) for name in large
    ]
    measures = PageSection(
        "measures",
        "Measures",
        "All measures",
        evaluation.notes(),
        numbers,
        [_measure_table(evaluation)],
    )
    labels = PageSection(
        "labels", "Labels", "Each label by itself", (), (), _label_blocks(evaluation)
    )
    head = ""
    if "micro-f" in evaluation:
        words = rates_in_words(evaluation["micro-precision"], evaluation["micro-recall"])
        head = f"{words[0].upper()}{words[1:]}. "
    return overview_page("Evaluation", f"{head}{summary}.", [measures, labels])


def _interval(evaluation: Evaluation, name: str) -> str:
    found, count = evaluation.intervals.get(name), evaluation._count_beside(name)
    if found is None:
        return count or measure_named(name).meaning.split(";")[0].removesuffix(".")
    return f"{found[0]:.4f} to {found[1]:.4f} {count}".rstrip()


def _measure_table(evaluation: Evaluation) -> Block:
    names = list(evaluation)
    found = [evaluation.measured[name] for name in names]
    known = [measure_named(name) for name in names]
    columns = [
        text_column("measure", "measure", names),
        number_column(
            "value",
            "value",
            [one.value for one in found],
            "share",
            beside=[evaluation._count_beside(name) for name in names],
        ),
    ]
    if evaluation.confidence is not None:
        for end, values in (("low", [f.low for f in found]), ("high", [f.high for f in found])):
            ends = [np.nan if value is None else value for value in values]
            columns.append(number_column(end, f"{end} end", ends, "share"))
    columns += [
        text_column(
            "better", "better", ["higher" if m.higher_is_better else "lower" for m in known]
        ),
        text_column("average", "averaged as", [_AVERAGES[one.by] for one in found]),
        text_column("meaning", "what it says", [m.meaning for m in known]),
    ]
    return table("Measures", columns, len(names), page_size=100)


def _label_blocks(evaluation: Evaluation) -> list[Block]:
    columns = evaluation.per_label
    main = "f" if "f" in columns else "average-precision"
    positives = columns["positives"]
    blocks = []
    order = np.argsort(-positives, kind="stable")[:_MOST_POINTS]
    if main in columns and len(order) > 1:
        name = "F" if main == "f" else main
        blocks.append(
            {
                "kind": "points",
                "title": f"{name} of each label, by its number of positives",
                "x": axis("positives", positives[order], log=True),
                "y": axis(name, columns[main][order], full=(0.0, 1.0)),
                "names": [printable(evaluation.label_names[j]) for j in order],
                "note": "A point is a label; point at it for its name.",
            }
        )
    return [*blocks, _label_table(evaluation, main)]


def _label_table(evaluation: Evaluation, main: str) -> Block:
    """Return the table of the labels, the worst first; labels without a value are last."""
    columns: dict[str, Any] = dict(evaluation.per_label)
    n_labels = len(evaluation.label_names)
    order = np.arange(n_labels)
    if n_labels > MOST_ROWS:
        order = np.argsort(-columns["positives"], kind="stable")[:MOST_ROWS]
    shown = [text_column("label", "label", [evaluation.label_names[j] for j in order])]
    for name, values in columns.items():
        show = "number" if name in _WHOLE else "share"
        note = _LABEL_NOTES.get(name, "")
        shown.append(number_column(name, name, values[order], show, note=note, bar=name == main))
    note = (
        "" if n_labels <= MOST_ROWS else f"The {MOST_ROWS:,} most frequent of {n_labels:,} labels."
    )
    return table("Labels", shown, order.size, sort=main if main in columns else "", note=note)
