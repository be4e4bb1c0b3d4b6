"""Lists of cells, a label of a row each: decided labels with their terms, and the review queue.

A list is written as csv, or as JSON lines, in which the terms are lists as well.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelwise import _io, learners
from labelwise.cli._outputs import write_csv

if TYPE_CHECKING:
    import numpy as np

    from labelwise import decisions

CELL_LISTS = (".csv", ".jsonl")
# Terms with their contributions, of one cell.
Terms = list[tuple[str, float]]


def row_columns(
    rows: np.ndarray,
    ids: tuple[Sequence[str] | None, str],
    texts: Mapping[str, Sequence[str]],
) -> dict[str, list[Any]]:
    """Return the id of each cell's row (its number, from 0, without ids), and further texts."""
    from labelwise._tables import BETWEEN_TEXTS

    known, id_name = ids
    numbers = rows.tolist()
    first = {"row": numbers} if known is None else {id_name: [known[i] for i in numbers]}
    # A spreadsheet shows the texts of a list, such as sentences, as paragraphs.
    return first | {
        name: [column[i].replace(BETWEEN_TEXTS, "\n\n") for i in numbers]
        for name, column in texts.items()
    }


def queue_columns(
    queue: decisions.ReviewQueue, bands: decisions.Bands, names: Sequence[str]
) -> dict[str, list[Any]]:
    """Return label, score, both thresholds and probability of each cell to review."""
    labels = queue.labels.tolist()
    return {
        "label": [names[j] for j in labels],
        "score": queue.scores.tolist(),
        "lower": [_threshold(bands.lower[j]) for j in labels],
        "upper": [_threshold(bands.upper[j]) for j in labels],
        "probability": [float(f"{p:.6g}") for p in queue.probability.tolist()],
    }


def terms_of_cells(
    model: Any, X: Any, rows: np.ndarray, labels: np.ndarray, top: int
) -> list[Terms]:
    """Return the terms that favour each cell most; stems as words of the text."""
    found = learners.explain(model, X, top=top, cells=(rows, labels), in_words=True)
    return [found.of_cell(cell) for cell in range(len(found))]


def write_cells(path: Path, columns: Mapping[str, list[Any]], *, safe_csv: bool = False) -> None:
    """Write a row for each cell; with `safe_csv`, texts that a spreadsheet would run are quoted."""
    if _io.ending_of(path, ".csv") != ".jsonl":
        in_words = {name: map(_for_csv, column) for name, column in columns.items()}
        write_csv(path, in_words, safe_csv=safe_csv)
        return
    with _io.written_whole(path) as stream:
        for row in zip(*columns.values(), strict=True):
            record = dict(zip(columns, map(_for_json, row), strict=True))
            stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def _for_csv(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return "; ".join(f"{term} ({contribution:+.3g})" for term, contribution in value)


def _for_json(value: Any) -> Any:
    if isinstance(value, list):
        return [{"term": term, "contribution": contribution} for term, contribution in value]
    return value


def _threshold(value: np.floating) -> float | None:
    return float(value) if math.isfinite(value) else None
