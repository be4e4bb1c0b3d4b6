"""`labelwise evaluate` on three states: what is accepted, what is reviewed, and what is lost."""

from __future__ import annotations

from typing import Any, NamedTuple

from scipy import sparse

from labelwise.decisions import ReviewMeasures, count_states


class AnsweredStates(NamedTuple):
    """Measures of three-state decisions, and the decisions if the person answers right."""

    measures: ReviewMeasures
    decided: sparse.csc_array

    def lines(self) -> list[str]:
        """Return the lines that explain the measures to the user."""
        found = self.measures
        of_cells, of_rows = found.reviewed / found.n_cells, found.reviewed_samples / found.n_samples
        return [
            f"accepted: {found.accepted:,} cells, precision {found.precision:.4f}, recall "
            f"{found.recall_accepted:.4f}",
            f"to review: {found.reviewed:,} cells ({found.review_per_1000:,.0f} in 1,000 rows), "
            f"{of_cells:.2%} of all cells, in {of_rows:.2%} of the rows",
            f"accepted or to review: recall {found.recall:.4f}",
            "",
            "if the person answers everything right:",
        ]

    def record(self) -> dict[str, Any]:
        """Return the same for --json."""
        found = self.measures
        return {
            "precision_accepted": found.precision,
            "recall_accepted": found.recall_accepted,
            "recall_kept": found.recall,
            "n_accepted": found.accepted,
            "n_reviewed": found.reviewed,
            "share_reviewed": found.reviewed / found.n_cells,
            "rows_reviewed": found.reviewed_samples / found.n_samples,
            "review_per_1000": found.review_per_1000,
        }


def answered_states(Y: sparse.csc_array, decided: Any) -> AnsweredStates | None:
    """Measure checked states, and replace each review by the true label; None without reviews."""
    if decided.dtype == bool:
        return None
    answered = (decided == 1) + (decided == -1).multiply(Y)
    states = sparse.csr_array(decided)
    return AnsweredStates(count_states(Y, states), sparse.csc_array(answered, dtype=bool))
