"""Measure scores by the name of a measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._measuring import (
    check_inverse,
    measure_named,
    measure_outcome,
)
from labelwise._validation import check_outcome, check_undefined

_AGAINST, _COLUMNS = "against", "columns"
_TIES = (_AGAINST, _COLUMNS)


def measure_scores(
    Y: Any,
    scores: Any,
    name: str,
    *,
    beta: float = 1.0,
    ties: str = "against",
    inverse_propensity: Any = None,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    ids: Any = None,
) -> float:
    r"""Compute one measure of scores, by its name.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    name : str
        One of the measures below; K is any number of labels, as in "precision-at-5".
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only
        "macro-f-at-K" allows another than 1.
    ties : {"against", "columns"}, default="against"
        Rule for equal scores of a sample: they count against the model, as in scikit-learn, or
        columns that come last are ranked higher, as in Mulan, which sorts scores in rising order
        and counts ranks from the end. In a sparse matrix absent scores stay tied. "columns" is for
        measures of ranked labels.
    inverse_propensity : array-like of shape (n_labels,) or None, default=None
        Weights of the labels from `inverse_propensities`, for "ps-precision-at-K" and
        "ps-ndcg-at-K".
    undefined : {"nan", "defined", "skip", "zero"} or float, default="nan"
        How labels and samples without a value enter a mean, as in `evaluate`.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    float
        The value.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If the name is unknown or needs decisions, if K exceeds the number of labels, if an option
        does not fit the measure, or if Y and scores do not match.

    See Also
    --------
    evaluate : Compute all measures of scores and decisions at once.
    scorer : A measure as a scorer for scikit-learn.

    Notes
    -----
    - ``macro-average-precision``, also ``micro-`` and ``sample-``: mean precision at the ranks of
      the positives, in rankings of the samples of each label (MAP in sechidis2011), of all cells,
      and of the labels of each sample (MAP in olsson2006). Of a ranking with positives :math:`P`
      and scores :math:`s`, it is

      .. math:: \frac{1}{|P|} \sum_{p \in P}
          \frac{|\{q \in P : s_q \ge s_p\}|}{|\{i : s_i \ge s_p\}|}.
    - ``micro-auc``, also ``macro-`` and ``sample-``: chance that a positive is above a negative.
    - ``coverage``: rank of the last positive of a sample, from 0.
    - ``ranking-loss``: share of pairs of labels in the wrong order.
    - ``one-error``: share of samples whose top-ranked label is wrong.
    - ``r-precision``: precision among as many labels as are true.
    - ``precision-at-K``, ``recall-at-K``, ``ndcg-at-K``: of the K top-ranked labels of each sample.
    - ``macro-precision-at-K``, ``macro-recall-at-K``, ``macro-f-at-K``: mean over labels if these K
      are decided.
    - ``label-coverage-at-K``: share of the labels found in at least one sample.
    - ``ps-precision-at-K``, ``ps-ndcg-at-K``: true positives weighted by inverse propensity.

    Losses (coverage, ranking loss, one-error) are better if lower. Samples without labels, and for
    ranking loss and AUC also those with all labels, have no value. Ties count against the model,
    except that AUC counts a tie as one half, average precision by label takes tied scores as one
    cut, NDCG averages over ties, and among the K top-ranked labels of the last four items those of
    lower column number come first. A ranking of N scores takes O(N log N) time; threads share the
    work.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD
    2011 (sechidis2011).

    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification
    using Ranked Retrieval Measures", 2006 (olsson2006).

    Examples
    --------
    >>> from labelwise.measures import measure_scores
    >>> Y, scores = [[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]]
    >>> measure_scores(Y, scores, "precision-at-1"), measure_scores(Y, scores, "one-error")
    (1.0, 0.0)
    >>> round(measure_scores(Y, scores, "micro-average-precision"), 3)
    0.833
    """
    measure, undefined = measure_named(name, beta), check_undefined(undefined, allow_zero=True)
    if measure.needs != "scores":
        raise ValueError(f"name must be a measure of scores, got {name!r}, which needs decisions.")
    if ties not in _TIES:
        raise ValueError(f"ties must be one of {_TIES}, got {ties!r}.")
    if ties == _COLUMNS and (measure.by != "sample" or measure.of_top):
        raise ValueError(f'ties="columns" is for rankings of labels, which {name!r} does not use.')
    if scores is None:
        raise TypeError("scores must be an array, a sparse matrix or a frame, got None.")
    given = check_outcome(Y, scores=scores, label_names=label_names, allow_missing=True, ids=ids)
    given = given.weighted(sample_weight)
    outcome, inverse = given.with_truth(), check_inverse(inverse_propensity, given)
    if ties == _COLUMNS:
        outcome = outcome._replace(scores=_without_ties(outcome.scores))
    measured, _ = measure_outcome(outcome, [measure], undefined, inverse=inverse)
    return measured[name].value


def _without_ties(scores: Any) -> Any:
    """Return ranks of the scores of each row, where the last of equal scores has the highest.

    Absent scores of a sparse matrix stay absent, and tied.
    """
    if not sparse.issparse(scores):
        order = np.argsort(scores, axis=1, kind="stable")
        ranks = np.empty(scores.shape)
        places = np.broadcast_to(np.arange(scores.shape[1], dtype=np.float64), scores.shape)
        np.put_along_axis(ranks, order, places, axis=1)
        return ranks
    rows = sparse.csr_array(scores).sorted_indices()
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    # By row, then from the lowest score up; equal ones stay in the order of their columns.
    order = np.lexsort((rows.data, row_of))
    ranks = np.empty(rows.nnz)
    ranks[order] = np.arange(1.0, rows.nnz + 1)
    return sparse.csr_array((ranks, rows.indices, rows.indptr), shape=rows.shape)
