"""The class `Proportions`: shares of labels by which samples are decided, loaded without numba."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelwise._text import as_text, printable
from labelwise._tuning._evidence import Evidence, taken
from labelwise._tuning._saved_rule import SavedRule
from labelwise._tuning.problem._decisions import as_given, columns_of_labels
from labelwise._validation import check_scores
from labelwise.decisions._cuts_by_rank import decided_by_share

# Number of labels in the table of a repr.
_MOST_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Proportions(SavedRule):
    """The share of samples for which each label is decided (PCut).

    `proportion_rule` returns such objects, and `Proportions.load` reads them from a file.

    Attributes
    ----------
    shares : ndarray of float64 of shape (n_labels,)
        Share of positives of each label in the tuning data, in the order of the columns of the
        scores.
    label_names : tuple of str or None
        Names of the labels in the order of `shares`, or None if the tuning data had no names.
    evidence : Evidence
        What is known about the rule: value, corrected value, and the counts of each label.

    See Also
    --------
    proportion_rule : Take the proportions of labels as a rule.
    proportion_cut : Decide scores by the proportions of given labels.
    """

    shares: np.ndarray
    evidence: Evidence
    label_names: tuple[str, ...] | None = None

    _file: ClassVar[str] = "ProportionFile"
    _evidence: ClassVar[Any] = Evidence

    @property
    def value(self) -> float:
        """Value of the measure on the tuning data."""
        return self.evidence.value

    def decide(self, scores: Any) -> Any:
        """Decide each label for the samples with its highest scores, its share.

        Parameters
        ----------
        scores : array, sparse matrix or frame of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. All samples must be given at once,
            because the decisions of a sample depend on the others. In a sparse matrix, an absent
            score is never decided. The columns of a frame are matched by name if the rule has
            label names.

        Returns
        -------
        ndarray of int8 of shape (n_samples, n_labels), csr_array of bool, or frame
            1 where a label is decided, in the form of the scores. Among equal scores the first
            samples are taken.

        Raises
        ------
        ValueError
            If the scores are not finite, or if their labels are not those of the rule.

        Examples
        --------
        >>> from labelwise.decisions import proportion_rule
        >>> rule = proportion_rule([[0.9, 0.2], [0.6, 0.4]], [[1, 1], [0, 1]])
        >>> rule.decide([[0.1, 0.2], [0.3, 0.1], [0.5, 0.4], [0.4, 0.6]])
        array([[0, 1],
               [0, 1],
               [1, 1],
               [1, 1]], dtype=int8)
        """
        checked = check_scores(scores, n_labels=len(self))
        columns = columns_of_labels(self, checked.names, checked.matrix.shape[1])
        shares = self.shares if columns is None else self.shares[np.argsort(columns)]
        return as_given(decided_by_share(checked.matrix, shares), scores)

    def _of_labels(
        self, places: np.ndarray, label_names: tuple[str, ...] | None, **evidence: Any
    ) -> Proportions:
        """Return the shares of some labels, in any order, and of new ones, as of thresholds."""
        return replace(
            self,
            shares=taken(self.shares, places, 0.0),
            label_names=label_names,
            evidence=replace(self.evidence._of_labels(places), **evidence),
        )

    def __len__(self) -> int:
        return self.shares.size

    def report(self) -> str:
        """Write what is known about the rule, as ``labelwise tune`` prints it.

        Returns
        -------
        str
            The lines: value, precision and recall, a table of the labels, and the value to expect
            on new samples.
        """
        expected = self.evidence._expectations(self.label_names, by_rank=True)
        return "\n".join([repr(self), "", *expected])

    def __repr__(self) -> str:
        known, names = self.evidence, self.label_names or tuple(map(str, range(len(self))))
        rows = [
            [printable(name), f"{self.shares[j]:.4g}", str(known.support[j]), str(known.decided[j])]
            for j, name in enumerate(names[:_MOST_SHOWN])
        ]
        more = len(self) - len(rows)
        return "\n".join(
            [
                f"Proportions of {len(self)} labels: {known._title()}",
                "each label is decided for its share of the samples that are decided together",
                *known._rates(),
                "",
                as_text([["label", "share", "support", "decided"], *rows]),
                *([f"... and {more:,} more"] if more else []),
            ]
        )
