"""Tables and notes of an `Evaluation`: rows of text for the terminal, HTML, LaTeX and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from labelwise._text import counted

if TYPE_CHECKING:
    from labelwise.measures._evaluation_result import Evaluation

Rows = list[list[str]]
# What each average is taken over.
_AVERAGES = {"micro": "all", "macro": "label", "sample": "sample"}
# Number of labels in the HTML table; frames and dictionaries contain all labels.
_MOST_LABELS_SHOWN = 100
# What each policy for undefined values does, for a note.
_EFFECTS = {
    "nan": "so the mean is undefined",
    "skip": "left out of the mean",
    "zero": "counted as 0",
}


def of_measures(evaluation: Evaluation) -> list[Rows]:
    """List the measures with three averages in one table, and the others in another."""
    names = [name for name in evaluation if name.split("-", 1)[0] not in _AVERAGES]
    singles = [["", "value"], *([name, _cell(evaluation, name)] for name in names)]
    averages = [
        ["", *_AVERAGES],
        *([name, *_averages_of(evaluation, name)] for name in _averaged(evaluation)),
    ]
    return [table for table in (averages, singles) if table[1:]]


def by_average(evaluation: Evaluation) -> Rows:
    """List every measure in one table, in the column of what it averages over."""
    rows = [[name, *_averages_of(evaluation, name)] for name in _averaged(evaluation)]
    for name, found in evaluation.measured.items():
        if name.split("-", 1)[0] not in _AVERAGES:
            cell = _cell(evaluation, name)
            rows.append([name, *(cell if found.by == by else "" for by in _AVERAGES.values())])
    return [["measure", *_AVERAGES], *rows]


def label_rows(evaluation: Evaluation, most: int = _MOST_LABELS_SHOWN) -> Rows:
    """List the first labels with their values."""
    columns = [column[:most].tolist() for column in evaluation.per_label.values()]
    rows = zip(evaluation.label_names[:most], *columns, strict=True)
    n_more = len(evaluation.label_names) - most
    return [
        ["label", *evaluation.per_label],
        *([label, *map(_number, row)] for label, *row in rows),
        *([[f"and {n_more:,} more"]] if n_more > 0 else []),
    ]


def _averaged(evaluation: Evaluation) -> list[str]:
    """List the measures that have a micro, a macro and a sample average, without the average."""
    split = [name.split("-", 1) for name in evaluation]
    return list(dict.fromkeys(parts[1] for parts in split if parts[0] in _AVERAGES))


def _averages_of(evaluation: Evaluation, name: str) -> list[str]:
    return [_cell(evaluation, f"{average}-{name}") for average in _AVERAGES]


def _cell(evaluation: Evaluation, name: str) -> str:
    if name not in evaluation:  # at k there is only one average
        return ""
    found = evaluation.measured[name]
    if found.low is None or found.high is None:
        return _number(found.value)
    return f"{_number(found.value)} [{_number(found.low)}, {_number(found.high)}]"


def notes(evaluation: Evaluation) -> list[str]:
    """Explain beta, intervals and undefined values below the tables."""
    found = [] if evaluation.beta == 1 else [f"F with beta = {evaluation.beta:g}."]
    if evaluation.confidence is not None:
        found.append(f"Intervals: {evaluation.confidence:.0%}, by bootstrap over samples.")
    groups: dict[tuple[int, str], list[str]] = {}
    for name, one in evaluation.measured.items():
        if one.n_undefined and one.by != "all":
            groups.setdefault((one.n_undefined, one.by), []).append(name)
    effect = _EFFECTS.get(str(evaluation.undefined), f"counted as {evaluation.undefined}")
    for (n_undefined, by), names in groups.items():
        plural = "" if n_undefined == 1 else "s"
        found.append(f"No value for {n_undefined:,} {by}{plural}, {effect}: {', '.join(names)}.")
    if groups and evaluation.undefined == "nan":
        found.append('undefined="skip" (--undefined skip) leaves these out of the means.')
    return found + _note_of_missing_labels(evaluation) + _notes_of_empty(evaluation)


def _note_of_missing_labels(evaluation: Evaluation) -> list[str]:
    """Say how many cells have no truth, and how many samples and labels were left out."""
    n_missing = evaluation.n_missing
    if not n_missing:
        return []
    words = "has no truth in Y and counts" if n_missing == 1 else "have no truth in Y and count"
    left_out = " and ".join(
        counted(n, kind)
        for n, kind in zip(evaluation.n_without_truth, ("sample", "label"), strict=True)
        if n
    )
    rest = f"; {left_out} without any truth left out" if left_out else ""
    return [f"{counted(n_missing, 'cell')} {words} nowhere{rest}."]


def _notes_of_empty(evaluation: Evaluation) -> list[str]:
    """Say how many labels and samples count as 1 because they have no positives and decisions."""
    if "macro-f" not in evaluation.measured or evaluation.undefined in ("skip", "zero"):
        return []
    positives, f_of_label = evaluation.per_label["positives"], evaluation.per_label["f"]
    n_labels = int(np.sum((positives == 0) & (evaluation.per_label["decided"] == 0)))
    present = positives > 0
    average = _number(float(f_of_label[present].mean())) if present.any() else "not defined"
    of_labels = f"macro-f is {average} over labels with positives, and "
    return [
        *_note_of_empty(n_labels, "label", "macro", of_labels),
        *_note_of_empty(evaluation.n_empty_samples, "sample", "sample"),
    ]


def _note_of_empty(n_empty: int, kind: str, average: str, without: str = "") -> list[str]:
    if n_empty == 0:
        return []
    has, count = ("has", "counts") if n_empty == 1 else ("have", "count")
    return [
        f"{counted(n_empty, kind)} {has} no positives and no decisions and {count} as 1 in "
        f"{average}-f and {average}-jaccard (0 in scikit-learn): {without}"
        'undefined="skip" or "zero" (--undefined skip) leaves them out or counts 0.'
    ]


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) < 10:
        return f"{value:.4f}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
