"""`labelwise tune --review`: find bands for scores and labels in files, and print the result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from labelwise._matrices import Matching, matched
from labelwise.cli._inputs import parse_ids, read_truth
from labelwise.cli._outputs import Outputs, check_ending, note, warnings_as_notes, working
from labelwise.data import input_files, read_scores
from labelwise.decisions import (
    BandGuarantee,
    Bands,
    Problem,
    ReviewMeasures,
    check_band_request,
    parse_count,
    solve_bands,
    unseen_review,
)


def show_bands(
    review: str,
    scores: Path,
    labels: Path,
    given: Mapping[str, Any],
    seed: int,
    output: Path | None,
    *,
    columns: str | None,
    bags: str | None,
    ids: str | None,
    matching: Matching,
    max_bytes: int | None,
) -> None:
    """Print bands of scores, the size of the queue, and what they reach on unseen rows.

    `given` are arguments of `best_thresholds`, of which bands take the constraints and the
    guarantee. With `output`, the bands are also written to a JSON file.
    """
    rates = given["min_precision"], given["min_recall"]
    if review == "auto" and rates == (None, None):
        raise ValueError("--review auto needs --min-precision or --min-recall.")
    most = None if review == "auto" else parse_count(review, "--review")
    check_ending(output, ".json")
    outputs = Outputs([output], inputs=[scores, *input_files(labels, None, columns)])
    with working("reading"), warnings_as_notes():
        truth = read_truth(labels, columns, max_bytes, bags=bags, ids=ids)
        scored = read_scores(scores, ids=parse_ids(ids), max_bytes=max_bytes)
        same = matched(truth, [scored], matching, labels_of_scores=True)
    problem = Problem(same.others[0].values, same.truth.values, same.truth.label_names)
    request = check_band_request(*rates, most, None, problem.n_labels, given["guarantee"])
    with working("tuning"), warnings_as_notes():
        bands = solve_bands(problem, request, seed)
        unseen = bands.guarantee or unseen_review(problem, request)
    if output is not None:
        bands.save(output)
    for text in same.notes:
        note(text)
    lines = [repr(bands)]
    if bands.guarantee is None:
        lines += ["", *_unseen_lines(unseen, *rates)]
    outputs.show("\n".join(lines), _band_record(bands, unseen))
    outputs.say_written(output)


def _unseen_lines(
    unseen: ReviewMeasures | BandGuarantee | None,
    min_precision: float | None,
    min_recall: float | None,
) -> list[str]:
    """Say what bands reach on rows that they were not tuned on, and which rate is not kept."""
    if unseen is None:
        return ["on unseen rows: not known, the other folds give no bands"]
    lines = [
        f"on unseen rows (cross-validation): precision {unseen.precision:.4f} of accepted cells, "
        f"recall {unseen.recall:.4f}, about {unseen.review_per_1000:,.0f} cells of 1,000 rows to "
        "review"
    ]
    wanted = {
        "precision": (unseen.precision, min_precision),
        "recall": (unseen.recall, min_recall),
    }
    for name, (rate, least) in wanted.items():
        if least is not None and rate < least:
            met = f"--min-{name} {least:g} is met on the tuning rows only"
            lines.append(f"Expect a {name} of about {rate:.4f} on new rows: {met}.")
    return lines


def _band_record(bands: Bands, unseen: ReviewMeasures | BandGuarantee | None) -> dict[str, Any]:
    """Return the result for --json, with all labels."""
    names = bands.label_names or tuple(map(str, range(len(bands))))
    keys = ("lower", "upper", "support", "accepted", "accepted_positives", "reviewed")
    columns = [getattr(bands, key) for key in (*keys, "reviewed_positives")]
    return {
        "objective": bands.objective,
        "value": bands.value,
        "is_best": bands.exact,
        "gap": bands.gap,
        "precision": bands.precision,
        "recall": bands.recall,
        "recall_accepted": bands.recall_accepted,
        "review_per_1000": bands.review_per_1000,
        "unseen_precision": np.nan if unseen is None else unseen.precision,
        "unseen_recall": np.nan if unseen is None else unseen.recall,
        "unseen_review_per_1000": np.nan if unseen is None else unseen.review_per_1000,
        "n_samples": bands.n_samples,
        "most_per_row": bands.most_per_row,
        "guarantee": None if bands.guarantee is None else bands.guarantee._asdict(),
        "labels": [
            {"label": name, **dict(zip((*keys, "reviewed_positives"), row, strict=True))}
            for name, *row in zip(names, *columns, strict=True)
        ],
    }
