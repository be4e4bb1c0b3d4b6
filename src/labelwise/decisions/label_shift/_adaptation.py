"""The result of adapting thresholds to new label frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from labelwise._text import as_text
from labelwise.decisions.thresholds._result import Thresholds

# Number of labels in the table of a repr.
_MOST_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Adaptation:
    """Thresholds adapted to new label frequencies, and which of these moved.

    `adapt_thresholds` returns such objects.

    Attributes
    ----------
    thresholds : Thresholds
        The adapted thresholds; the thresholds that were given if no label moved. If they are
        adapted, `value`, `support` and `decided` are expected numbers on the new samples, and
        `n_samples` is the number of new samples.
    old_thresholds : Thresholds
        The thresholds that were given.
    priors : ndarray of shape (n_labels,)
        Estimated frequency of each label among the new samples.
    old_priors : ndarray of shape (n_labels,)
        Frequency of each label in the tuning data.
    p_values : ndarray of shape (n_labels,)
        P values of the hypothesis that the frequency has not moved, adjusted for the number of
        labels. NaN for labels that are not tested, because they have no positives or no negatives
        in the tuning data, or because `labels` does not name them.
    moved : ndarray of bool of shape (n_labels,)
        Whether the p value is at most `alpha`.
    alpha : float
        Level of the test.
    old_value : float
        Expected value of the given thresholds on the new samples, to compare with
        ``thresholds.value``. NaN if no label moved, and for costs.
    n_samples : int
        Number of new samples.
    n_iterations : int
        Largest number of passes over the probabilities of a label until its frequency was found.

    See Also
    --------
    adapt_thresholds : Adapt thresholds to label frequencies that have moved.

    Examples
    --------
    >>> from labelwise.decisions import adapt_thresholds, best_thresholds
    >>> scores = [[0.9], [0.6], [0.4], [0.1]] * 50
    >>> tuned = best_thresholds(scores, [[1], [1], [0], [0]] * 50)
    >>> adapt_thresholds(tuned, [[0.9], [0.6], [0.4], [0.1]]).moved
    array([False])
    """

    thresholds: Thresholds
    old_thresholds: Thresholds
    priors: np.ndarray
    old_priors: np.ndarray
    p_values: np.ndarray
    moved: np.ndarray
    alpha: float
    old_value: float
    n_samples: int
    n_iterations: int

    # Comparing arrays gives arrays, so that two results are equal only if they are one object.
    __hash__: ClassVar[Any] = object.__hash__

    def __repr__(self) -> str:
        return "\n".join([*self._title(), "", *self._table()])

    def _title(self) -> list[str]:
        n_moved, n_labels = int(self.moved.sum()), self.moved.size
        title = (
            f"Adaptation to {self.n_samples} new samples: the frequencies of {n_moved} of "
            f"{n_labels} labels moved (level {self.alpha:g})"
        )
        if not n_moved:
            return [title, "the thresholds stay as they are"]
        if np.isnan(self.old_value):
            return [title]
        tuned = self.thresholds
        value = f"expected {tuned.evidence.average} {tuned.evidence.measure} {tuned.value:.4f}"
        return [title, f"{value}, with the old thresholds {self.old_value:.4f}"]

    def _table(self) -> list[str]:
        """Return the table of labels; if there are many, those with the lowest p values."""
        names = self.thresholds.label_names or tuple(map(str, range(self.moved.size)))
        order = np.arange(self.moved.size)
        if order.size > _MOST_SHOWN:
            order = np.argsort(self.p_values, kind="stable")[:_MOST_SHOWN]
        head = ["label", "old prior", "prior", "p value", "moved", "old threshold", "threshold"]
        rows = [
            [
                names[j],
                f"{self.old_priors[j]:.4f}",
                f"{self.priors[j]:.4f}",
                f"{self.p_values[j]:.2g}",
                "yes" if self.moved[j] else "no",
                f"{self.old_thresholds.values[j]:.6g}",
                f"{self.thresholds.values[j]:.6g}",
            ]
            for j in order
        ]
        more = self.moved.size - order.size
        lines = as_text([head, *rows]).splitlines()
        return [*lines, f"... and {more} more"] if more else lines
