"""The review queue as a csv file: a row for each cell, the most useful review first."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from labelwise._io import written_whole
from labelwise._text import safe_cell
from labelwise._validation import NamedMatrix
from labelwise.decisions import Bands, ReviewQueue


def write_queue(
    path: Path, queue: ReviewQueue, bands: Bands, matrix: NamedMatrix, *, safe_csv: bool = False
) -> None:
    """Write id (or row, from 0), label, score, lower, upper and probability of each cell.

    Bands and matrix have the same labels. A threshold that is infinite is an empty cell. With
    `safe_csv`, texts that a spreadsheet would run as formulas get an apostrophe.
    """
    names = matrix.label_names or tuple(map(str, range(len(bands))))
    ids = matrix.ids
    written = safe_cell if safe_csv else str
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    first = "row" if ids is None else matrix.id_name
    writer.writerow([written(first), "label", "score", "lower", "upper", "probability"])
    for row, label, score, probability in zip(*(part.tolist() for part in queue), strict=True):
        who = row if ids is None else written(ids[row])
        ends = (_number(bands.lower[label]), _number(bands.upper[label]))
        writer.writerow([who, written(names[label]), score, *ends, f"{probability:.6g}"])
    with written_whole(path) as stream:
        stream.write(text.getvalue().encode())


def _number(threshold: np.floating) -> str:
    return repr(float(threshold)) if np.isfinite(threshold) else ""
