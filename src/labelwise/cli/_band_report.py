"""What `labelwise tune --review` prints: bands, the size of the queue, and unseen rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelwise._tuning import BandRequest, Problem, parse_count
from labelwise.decisions import (
    BandGuarantee,
    Bands,
    ReviewMeasures,
    solve_bands,
    unseen_review,
)


class BandReport(NamedTuple):
    """Facts about tuned bands; `unseen` are the measures on unseen rows, None if not known."""

    tuned: Bands
    unseen: ReviewMeasures | BandGuarantee | None
    min_precision: float | None
    min_recall: float | None

    def lines(self) -> list[str]:
        """Return the lines that explain the bands to the user."""
        lines = [repr(self.tuned)]
        return lines if self.tuned.guarantee is not None else [*lines, "", *self._unseen_lines()]

    def record(self) -> dict[str, Any]:
        """Return the same for --json, with all labels."""
        bands, unseen = self.tuned, self.unseen
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
            "most_per_row": bands.max_decided,
            "guarantee": None if bands.guarantee is None else bands.guarantee._asdict(),
            "labels": [
                {"label": name, **dict(zip((*keys, "reviewed_positives"), row, strict=True))}
                for name, *row in zip(names, *columns, strict=True)
            ],
        }

    def _unseen_lines(self) -> list[str]:
        """Say what bands reach on rows that they were not tuned on, and which rate is not kept."""
        unseen = self.unseen
        if unseen is None:
            return ["on unseen rows: not known, the other folds give no bands"]
        lines = [
            f"on unseen rows (cross-validation): precision {unseen.precision:.4f} of accepted "
            f"cells, recall {unseen.recall:.4f}, about {unseen.review_per_1000:,.0f} cells of "
            "1,000 rows to review"
        ]
        wanted = {
            "precision": (unseen.precision, self.min_precision),
            "recall": (unseen.recall, self.min_recall),
        }
        for name, (rate, least) in wanted.items():
            if least is not None and rate < least:
                met = f"--min-{name} {least:g} is met on the tuning rows only"
                lines.append(f"Expect a {name} of about {rate:.4f} on new rows: {met}.")
        return lines


def band_report(problem: Problem, review: str, given: dict[str, Any], seed: int) -> BandReport:
    """Find bands, and what they reach on unseen rows.

    `review` is the text of the option, and `given` are arguments of `best_thresholds`, of which
    bands take the constraints and the guarantee.
    """
    rates = given["min_precision"], given["min_recall"]
    most = None if review == "auto" else parse_count(review, "--review")
    request = BandRequest(*rates, most, guarantee=given["guarantee"])
    bands = solve_bands(problem, request, seed)
    return BandReport(bands, bands.guarantee or unseen_review(problem, request, seed), *rates)
