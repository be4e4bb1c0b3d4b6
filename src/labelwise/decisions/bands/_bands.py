"""The result of `review_bands`: two thresholds for each label, between which a person looks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from labelwise._text import as_text, printable
from labelwise._tuning._saved_rule import SavedRule
from labelwise._tuning.guarantees._guarantee import Guarantee
from labelwise._tuning.objectives._request import BandRequest
from labelwise._tuning.problem._decisions import as_given, columns_of_labels, decided_by_label
from labelwise._validation import check_scores, take_columns
from labelwise.decisions.bands._review_measures import share
from labelwise.decisions.bands._review_queue import BandCurves, BandEnds, ReviewQueue, queue_of

# Number of labels in the table of a repr.
_MOST_SHOWN = 20
# The fields of the evidence that are arrays with an entry for each label.
_BY_LABEL = ("support", "accepted", "accepted_positives", "reviewed", "reviewed_positives")
_OBJECTIVES = {
    "review": "the smallest queue",
    "recall": "the highest recall with this queue",
    "precision": "the highest precision with this queue",
    "rate": "the highest rate that precision and recall both reach with this queue",
    "cost": "the least cost",
}


@dataclass(frozen=True, eq=False)
class BandEvidence:
    """What is known about bands; arrays have one entry for each label.

    `Bands.evidence` is such an object. A cell is one label of one sample.

    Attributes
    ----------
    support : ndarray of int of shape (n_labels,)
        Number of positives of each label in the tuning data.
    accepted : ndarray of int of shape (n_labels,)
        Number of samples in the tuning data for which each label is accepted.
    accepted_positives : ndarray of int of shape (n_labels,)
        Number of positives among the accepted cells of each label.
    reviewed : ndarray of int of shape (n_labels,)
        Number of samples in the tuning data for which each label is left to a person.
    reviewed_positives : ndarray of int of shape (n_labels,)
        Number of positives among the reviewed cells of each label.
    n_samples : int
        Number of samples in the tuning data.
    objective : {"review", "recall", "precision", "rate", "cost"}
        What was optimised: the size of the queue, the recall or the precision for a given queue,
        the lower one of both, or the total cost.
    value : float
        Value of the objective: cells in the queue for 1,000 samples, a rate, or the total cost.
    gap : float or None
        Upper bound of how much better than `value` the value of any other bands can be: 0 if
        `value` is proven to be the best, None if no bound is known, as with a guarantee.
    guarantee : Guarantee or None
        What is guaranteed on new samples, if `review_bands` was called with `guarantee`: the
        precision of the accepted cells, and the recall of those accepted or reviewed. Its value is
        the number of cells to review for 1,000 samples.
    request : object or None
        What was asked for, with the arguments of `review_bands` as attributes; None for bands from
        a file of version 1.

    See Also
    --------
    review_bands : Find the bands of scores that a person reviews.
    """

    support: np.ndarray
    accepted: np.ndarray
    accepted_positives: np.ndarray
    reviewed: np.ndarray
    reviewed_positives: np.ndarray
    n_samples: int
    objective: str = "review"
    value: float = 0.0
    gap: float | None = None
    guarantee: Guarantee | None = None
    request: BandRequest | None = field(default=None, repr=False)

    @property
    def precision(self) -> float:
        """Share of positives among the accepted cells; NaN if no cell is accepted."""
        return share(self.accepted_positives.sum(), self.accepted.sum())

    @property
    def recall(self) -> float:
        """Share of the positives that are accepted or reviewed; NaN if none."""
        found = self.accepted_positives + self.reviewed_positives
        return share(found.sum(), self.support.sum())

    @property
    def recall_accepted(self) -> float:
        """Share of the positives that are accepted; NaN without positives."""
        return share(self.accepted_positives.sum(), self.support.sum())

    @property
    def review_per_1000(self) -> float:
        """Expected number of cells to review for 1,000 samples."""
        return 1000 * share(self.reviewed.sum(), self.n_samples)

    @property
    def exact(self) -> bool:
        """Whether `value` is proven to be the best on the tuning data."""
        return self.gap == 0

    def report(self) -> str:
        """Write what happens to the cells, and how good this is.

        Returns
        -------
        str
            The lines: guarantee, objective, and the cells that are accepted, reviewed and rejected.
        """
        lines = [] if self.guarantee is None else self.guarantee.lines(None)
        if self.gap is not None:
            proof = "the best of all" if self.exact else f"at most {self.gap:.2g} from the best"
            lines.append(f"{_OBJECTIVES[self.objective]}: {self.value:.6g}, {proof}")
        accepted, of_all = "no cells", self.reviewed.sum() / (self.n_samples * self.support.size)
        if n_accepted := int(self.accepted.sum()):
            accepted = (
                f"{n_accepted:,} cells with precision {self.precision:.4f}, which have "
                f"{self.recall_accepted:.4f} of the positives"
            )
        lines += [
            f"accepted: {accepted}",
            f"about {self.review_per_1000:,.0f} cells of 1,000 samples go to review "
            f"({of_all:.2%} of all cells)",
            f"rejected: all other cells, which have {1 - self.recall:.4f} of the positives "
            f"(recall of the others {self.recall:.4f})",
        ]
        return "\n".join(lines)

    def _of_labels(self, places: np.ndarray) -> BandEvidence:
        """Return the evidence of some of the labels, in any order."""
        return replace(
            self, **{name: getattr(self, name)[places] for name in _BY_LABEL}, request=None
        )


@dataclass(frozen=True, eq=False, repr=False)
class Bands(SavedRule):
    """Two thresholds for each label: accept above, reject below, review between.

    `review_bands` returns such objects, and `Bands.load` reads them from a file. A label is
    accepted for a sample if its score is at least the upper threshold, rejected if it is below the
    lower one, and otherwise left to a person.

    Attributes
    ----------
    upper : ndarray of float64 of shape (n_labels,)
        Thresholds of acceptance. inf accepts no sample.
    lower : ndarray of float64 of shape (n_labels,)
        Thresholds of rejection, at most the upper ones. -inf rejects no sample that has a score.
    evidence : BandEvidence
        What is known about the bands: value, proof, rates, guarantee, and the counts of each label.
    curves : BandCurves
        Estimated probability by score within each band, which puts the queue in order.
    label_names : tuple of str or None
        Names of the labels, or None if the tuning data had no names.
    max_decided : int or None
        Largest number of labels that are accepted for a sample: those with the highest scores. The
        others are left to a person. None without such a limit, which only a guarantee sets.

    See Also
    --------
    review_bands : Find the bands of scores that a person reviews.
    Thresholds : One threshold for each label.

    Examples
    --------
    >>> from labelwise.decisions import review_bands
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> Y = [[1, 0], [0, 1], [1, 0], [0, 0]]
    >>> bands = review_bands(scores, Y, min_precision=1, min_recall=1)
    >>> bands.upper, bands.lower, bands.evidence.review_per_1000
    (array([0.75, 0.35]), array([0.25, 0.35]), 500.0)
    """

    upper: np.ndarray
    lower: np.ndarray
    evidence: BandEvidence
    curves: BandCurves
    label_names: tuple[str, ...] | None = None
    max_decided: int | None = None

    _file: ClassVar[str] = "BandFile"
    _evidence: ClassVar[Any] = BandEvidence

    @property
    def value(self) -> float:
        """Value of the objective on the tuning data."""
        return self.evidence.value

    def decide(self, scores: Any) -> Any:
        """Accept, reject or leave to a person each label of each sample.

        Parameters
        ----------
        scores : array, sparse matrix or frame of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. In a sparse matrix, an absent score
            is rejected. The columns of a frame are matched by name if the bands have label names.
            Those of an array have the order of `upper`, `lower` and `label_names`, which is that of
            the scores that the bands were tuned on.

        Returns
        -------
        ndarray of int8 of shape (n_samples, n_labels), csr_array of int8, or frame
            1 where a label is accepted, 0 where it is rejected and -1 where a person decides, with
            rows and columns as in the scores. For sparse scores, only 1 and -1 are stored. A frame
            of the same library, with the same columns and index, if the scores are a frame.

        Raises
        ------
        ValueError
            If the scores are not finite, or if their labels are not those of the bands.

        Notes
        -----
        If `max_decided` limits the accepted labels of a sample, the first ones in the order of
        `label_names` are accepted among equal scores, whatever the order of the columns.

        Examples
        --------
        >>> from labelwise.decisions import review_bands
        >>> scores, Y = [[0.9], [0.6], [0.3], [0.2]], [[1], [0], [1], [0]]
        >>> review_bands(scores, Y, min_precision=1, min_recall=1).decide([[0.8], [0.5], [0.1]])
        array([[ 1],
               [-1],
               [ 0]], dtype=int8)
        """
        checked = check_scores(scores, n_labels=len(self))
        columns = columns_of_labels(self, checked.names, checked.matrix.shape[1])
        return as_given(decided_by_label(self._ends.states, checked.matrix, columns), scores)

    @property
    def _ends(self) -> BandEnds:
        return BandEnds(self.lower, self.upper, self.max_decided)

    def queue(self, scores: Any) -> ReviewQueue:
        """List the cells to review, those where a review prevents most errors first.

        Parameters
        ----------
        scores : array, sparse matrix or frame of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. They are those of `decide`.

        Returns
        -------
        ReviewQueue
            Rows, columns, scores and estimated probabilities of the cells.

        Raises
        ------
        ValueError
            If the scores are not finite, or if their labels are not those of the bands.

        Notes
        -----
        The probability p of a cell is the isotonic regression of the label on its scores in the
        tuning data. Without a person, the better of both decisions is wrong with probability
        ``min(p, 1 - p)``, and cells are in the falling order of this number. Equal cells are in
        the order of falling score, then of rows and of the labels of the bands.

        Examples
        --------
        >>> from labelwise.decisions import review_bands
        >>> scores, Y = [[0.9], [0.6], [0.3], [0.2]], [[1], [0], [1], [0]]
        >>> queue = review_bands(scores, Y, min_precision=1, min_recall=1).queue([[0.8], [0.5]])
        >>> queue.rows, queue.labels, queue.probability
        (array([1]), array([0]), array([0.5]))
        """
        checked = check_scores(scores, n_labels=len(self))
        columns = columns_of_labels(self, checked.names, checked.matrix.shape[1])
        matrix = checked.matrix if columns is None else take_columns(checked.matrix, columns)
        queue = queue_of(self._ends.cells_to_review(matrix), self.curves)
        return queue if columns is None else queue._replace(labels=columns[queue.labels])

    @classmethod
    def _of_file(cls, found: Any) -> Self:
        curves = BandCurves(**dict(found.curves))
        return replace(super()._of_file(found), curves=curves)

    def _of_labels(self, places: np.ndarray, label_names: tuple[str, ...] | None) -> Bands:
        """Return the bands of some of the labels, in any order."""
        return Bands(
            self.upper[places],
            self.lower[places],
            self.evidence._of_labels(places),
            self.curves._of_labels(places),
            label_names,
            self.max_decided,
        )

    def __len__(self) -> int:
        return self.upper.size

    def __repr__(self) -> str:
        known = self.evidence
        title = f"Bands of {len(self)} labels on {known.n_samples} samples"
        limit = f"at most {self.max_decided} labels of a sample are accepted"
        names = self.label_names or tuple(map(str, range(len(self))))
        columns = (self.lower, self.upper, known.support, known.accepted, known.reviewed)
        rows = [
            [printable(name), *(f"{column[j]:.6g}" for column in columns)]
            for j, name in enumerate(names[:_MOST_SHOWN])
        ]
        more = len(self) - len(rows)
        return "\n".join(
            [
                title,
                *([] if self.max_decided is None else [limit]),
                known.report(),
                "",
                as_text([["label", "lower", "upper", "support", "accepted", "reviewed"], *rows]),
                *([f"... and {more} more"] if more else []),
            ]
        )
