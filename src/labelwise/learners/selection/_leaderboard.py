"""The table of candidates that `BestLearner` tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from labelwise._text import as_html, as_text
from labelwise.learners.selection._trials import Trial

_LEGEND = (
    "value: on held-out samples, on which the thresholds were tuned; corrected: no sample decided "
    "by thresholds tuned on it; error: standard error of the corrected value"
)
_COLUMNS = ("value", "corrected_value", "standard_error", "seconds")


@dataclass(frozen=True)
class Leaderboard:
    """Candidates of a `BestLearner` with their values on held-out samples.

    Candidates that were tried on more samples are listed first, and then those with the higher
    corrected value. ``print(leaderboard)`` shows the table.

    Parameters
    ----------
    maximize : str
        The measure, such as "micro-f".
    chosen : str
        Name of the candidate that was chosen.
    candidate : tuple of str
        Names of the candidates that were tried; those of a blend are joined by "+".
    value : tuple of float
        Value of decisions that were tuned on all held-out scores.
    corrected_value : tuple of float
        Value of decisions that were tuned on other folds, by which candidates are compared.
    standard_error : tuple of float
        Jackknife standard error of the corrected value.
    seconds : tuple of float
        Time of the trial of each candidate, on the samples in `n_samples`.
    n_samples : tuple of int
        Number of samples of the last trial of each candidate.
    left_out : tuple of (str, str), default=()
        Names of candidates that were not tried, and why.
    notes : tuple of str, default=()
        On how many rows candidates were tried, and the chosen one was fitted, if not on all.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import BestLearner, BinaryRelevance, ExactFPlugin
    >>> data, _ = make_multilabel(200, random_state=0)
    >>> candidates = {"br": BinaryRelevance(), "efp": ExactFPlugin()}
    >>> model = BestLearner(candidates, random_state=0).fit(data.X, data.Y)
    >>> model.leaderboard_.chosen in candidates
    True
    """

    maximize: str
    chosen: str
    candidate: tuple[str, ...]
    value: tuple[float, ...]
    corrected_value: tuple[float, ...]
    standard_error: tuple[float, ...]
    seconds: tuple[float, ...]
    n_samples: tuple[int, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.candidate)

    def rows(self) -> list[dict[str, Any]]:
        """List the candidates as dictionaries, for a data frame.

        Returns
        -------
        list of dict
            One for each candidate, with the keys candidate, value, corrected_value,
            standard_error, seconds, n_samples and chosen.
        """
        names = ("candidate", *_COLUMNS, "n_samples")
        columns = (getattr(self, name) for name in names)
        found = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        return [{**row, "chosen": row["candidate"] == self.chosen} for row in found]

    def __repr__(self) -> str:
        lines = [f"{name} was not tried: {why}" for name, why in self.left_out]
        return "\n".join([as_text(self._table()), _LEGEND, *self._reasons(), *self.notes, *lines])

    def _reasons(self) -> list[str]:
        """Say why the chosen candidate is not the one with the highest value."""
        # Given scores, of which a blend is made, have cost nothing.
        is_first = self.chosen in self.candidate[:1] or self.chosen not in self.candidate
        if is_first or not any(self.seconds):
            return []
        return [
            f"{self.chosen} was chosen: it is cheaper than {self.candidate[0]}, and behind by at "
            "most a standard error of their difference"
        ]

    def _repr_html_(self) -> str:
        notes = [[name, why] for name, why in self.left_out]
        left_out = as_html([["not tried", "why"], *notes]) if notes else ""
        said = "".join(f"<p>{escape(note)}</p>" for note in (_LEGEND, *self.notes))
        return f"{as_html(self._table())}{said}{left_out}"

    def _table(self) -> list[list[str]]:
        heading = [
            f"candidate ({self.maximize})",
            "value",
            "corrected",
            "± error",
            "seconds",
            "samples",
        ]
        return [heading] + [
            [
                row["candidate"] + (" (chosen)" if row["chosen"] else ""),
                f"{row['value']:.4f}",
                f"{row['corrected_value']:.4f}",
                f"{row['standard_error']:.4f}",
                f"{row['seconds']:.1f}",
                str(row["n_samples"]),
            ]
            for row in self.rows()
        ]

    def _check_loaded(self) -> None:
        """Refuse columns of a model file that are not tuples of one length."""
        columns = [getattr(self, name) for name in ("candidate", *_COLUMNS, "n_samples")]
        if any(not isinstance(one, tuple) or len(one) != len(columns[0]) for one in columns):
            raise ValueError("the columns of a leaderboard must have one length")


def leaderboard_of(
    maximize: str,
    chosen: Trial | None,
    trials: Sequence[Trial],
    left_out: Sequence[Any],
    notes: Sequence[str] = (),
) -> Leaderboard:
    """Build the table from trials; without a chosen one, no label has both classes."""
    ranked = sorted(trials, key=lambda one: (-one.n_rows, -one.judgement.compared))
    return Leaderboard(
        maximize,
        "" if chosen is None else chosen.name,
        tuple(one.name for one in ranked),
        tuple(float(one.judgement.value) for one in ranked),
        tuple(float(one.judgement.corrected_value) for one in ranked),
        tuple(one.standard_error for one in ranked),
        tuple(one.seconds for one in ranked),
        tuple(one.n_rows for one in ranked),
        tuple((name, why) for name, why in left_out),
        tuple(notes),
    )
