"""The shares of labels by which later samples are decided: the proportion cut as a saved rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from labelwise._counts import Counts
from labelwise._text import as_text, printable
from labelwise._tuning._evidence import Evidence, taken
from labelwise._tuning._saved_rule import SavedRule
from labelwise._tuning._solve import thresholds_of
from labelwise._tuning.objectives._choice import choice_with
from labelwise._tuning.objectives._request import Request
from labelwise._tuning.problem._decisions import as_given, columns_of_labels
from labelwise._tuning.problem._problem import Problem, check_problem, random_folds
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


def proportion_rule(
    scores: Any,
    Y: Any,
    *,
    maximize: str | Callable[..., Any] = "micro-f",
    average: str | None = None,
    beta: float = 1.0,
    groups: Any = None,
    label_names: Sequence[str] | None = None,
    random_state: Any = None,
    ids: Any = None,
) -> Proportions:
    """Take the proportions of labels as a rule for later samples (PCut).

    Every label is decided for as large a share of samples as it is true for in Y, as by
    `proportion_cut`. The rule can be saved, so that the labels are not needed later. Scores only
    show what it reaches.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of any model on samples
        that it was not fitted to. In a sparse matrix, an absent score is never decided.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. Columns with names are matched by name.
    maximize : str or callable, default="micro-f"
        The measure, such as "macro-f" or a measure of counts, of the value that is reported. The
        rule does not depend on it.
    average : {"micro", "macro", "sample"}, default=None
        How a measure is averaged that `maximize` gives as a function; None means "micro".
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only for
        measures that take it.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, in the same fold behind the
        corrected value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the five folds
        behind the corrected value.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    Proportions
        The shares of the labels. `Evidence.corrected_value` is that of five folds, each decided by
        the shares of the others.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong value, or if labels are missing.

    See Also
    --------
    proportion_cut : Decide scores by the proportions of given labels.
    rank_rule : Find how many labels to decide for each sample.

    References
    ----------
    Y. Yang, "A Study of Thresholding Strategies for Text Categorization", SIGIR 2001.

    Examples
    --------
    >>> from labelwise.decisions import proportion_rule
    >>> rule = proportion_rule([[0.9, 0.2], [0.6, 0.4]], [[1, 1], [0, 1]])
    >>> rule.shares, round(rule.value, 4)
    (array([0.5, 1. ]), 1.0)
    """
    problem = check_problem(scores, Y, label_names, groups, ids=ids)
    request = Request(maximize=maximize, average=average, beta=beta)
    shares = _shares(problem)
    decided = sparse.csc_array(decided_by_share(problem.scores, shares), dtype=bool)
    by_label = problem.counts_of_decisions(decided, "label")
    chosen = choice_with(shares, by_label, request.value(_counted(problem, request, decided)))
    folds, corrected = random_folds(problem, random_state), float("nan")
    if folds.any():
        parts = []
        for fold in range(int(folds.max()) + 1):
            others, here = (
                problem.rows(np.flatnonzero(part)) for part in (folds != fold, folds == fold)
            )
            parts.append(sparse.csr_array(decided_by_share(here.scores, _shares(others))))
        in_order = np.argsort(np.argsort(folds, kind="stable"))
        unseen = sparse.csc_array(sparse.vstack(parts, format="csr")[in_order], dtype=bool)
        corrected = float(request.value(_counted(problem, request, unseen)))
    known = thresholds_of(chosen, request, problem, corrected_value=corrected).evidence
    return Proportions(shares, replace(known, request=None), problem.names)


def _shares(problem: Problem) -> np.ndarray:
    return np.asarray(problem.support / problem.n_samples)


def _counted(problem: Problem, request: Request, decided: sparse.csc_array) -> Counts:
    return problem.counts_of_decisions(decided, request.counts_by)
