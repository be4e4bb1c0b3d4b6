"""The public function `proportion_rule`: the proportion cut as a rule for later samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import Counts
from labelwise._tuning._solve import thresholds_of
from labelwise._tuning.objectives._choice import choice_with
from labelwise._tuning.objectives._request import Request
from labelwise._tuning.problem._problem import Problem, check_problem, random_folds
from labelwise.decisions._cuts_by_rank import decided_by_share
from labelwise.decisions._proportions import Proportions


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
