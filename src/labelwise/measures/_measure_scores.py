"""Measure scores by the name of a measure, and the best known of these measures by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import AVERAGES
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
        columns that come first are ranked higher, as in Mulan, whose rankings have no ties. In a
        sparse matrix absent scores stay tied. "columns" is for measures of ranked labels.
    inverse_propensity : array-like of shape (n_labels,) or None, default=None
        Weights of the labels from `inverse_propensities`, for "ps-precision-at-K" and
        "ps-ndcg-at-K".
    undefined : {"nan", "skip", "zero"} or float, default="nan"
        How labels and samples without a value enter the mean, as in `evaluate`.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative.

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
    - ``micro-average-precision``, also ``macro-`` and ``sample-``: mean precision at the ranks of
      the positives.
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
    lower column number come first.

    Examples
    --------
    >>> from labelwise.measures import measure_scores
    >>> Y, scores = [[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]]
    >>> measure_scores(Y, scores, "precision-at-1"), measure_scores(Y, scores, "one-error")
    (1.0, 0.0)
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
    given = check_outcome(Y, scores=scores, label_names=label_names, allow_missing=True)
    given = given.weighted(sample_weight)
    outcome, inverse = given.with_truth(), check_inverse(inverse_propensity, given)
    if ties == _COLUMNS:
        outcome = outcome._replace(scores=_without_ties(outcome.scores))
    measured, _ = measure_outcome(outcome, [measure], undefined, inverse=inverse)
    return measured[name].value


def coverage(
    Y: Any,
    scores: Any,
    *,
    ties: str = "against",
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute how far down the ranking the last true label of a sample is.

    The coverage of a sample is the number of labels whose score is at least that of its
    lowest-ranked positive, minus 1.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    ties : {"against", "columns"}, default="against"
        Rule for equal scores: they count against the model, as in scikit-learn, or columns that
        come first are ranked higher, as in Mulan, whose rankings have no ties. In a sparse matrix
        absent scores stay tied.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to n_labels - 1; lower is better.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `ties` is unknown, if scores are not finite, or if Y and scores do not match.

    Notes
    -----
    Coverage counts from 0, as in sechidis2011; scikit-learn's `coverage_error` counts from 1.
    Samples without labels have no value. Each sample takes
    O(positives * n_labels) time, or O(n_labels log n_labels) if it has many positives; threads
    share the work.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD
    2011 (sechidis2011).

    Examples
    --------
    >>> from labelwise.measures import coverage
    >>> coverage([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]])
    1.0
    """
    return measure_scores(
        Y, scores, "coverage", ties=ties, undefined=undefined, label_names=label_names
    )


def ranking_loss(
    Y: Any,
    scores: Any,
    *,
    ties: str = "against",
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute the share of (positive, negative) pairs in the wrong order.

    The share is taken within each sample and averaged over samples.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    ties : {"against", "columns"}, default="against"
        Rule for equal scores: they count against the model, as in scikit-learn, or columns that
        come first are ranked higher, as in Mulan, whose rankings have no ties. In a sparse matrix
        absent scores stay tied.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to 1; lower is better.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `ties` is unknown, if scores are not finite, or if Y and scores do not match.

    Notes
    -----
    A tie is a wrong order, unless `ties` is "columns". Samples without labels, or with all of them,
    have no value. Each sample takes O(positives * n_labels) time, or O(n_labels log n_labels) if it
    has many positives; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import ranking_loss
    >>> ranking_loss([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]])
    0.25
    """
    return measure_scores(
        Y, scores, "ranking-loss", ties=ties, undefined=undefined, label_names=label_names
    )


def average_precision(
    Y: Any,
    scores: Any,
    by: str = "label",
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    r"""Compute mean average precision.

    Average precision says how pure a ranking is down to each of its positives:

    .. math:: \mathrm{AP} = \frac{1}{|P|} \sum_{p \in P}
        \frac{|\{q \in P : s_q \ge s_p\}|}{|\{i : s_i \ge s_p\}|}

    with the positives :math:`P` and the scores :math:`s` of one ranking.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    by : {"label", "sample", "all"}, default="label"
        What is ranked: the samples of each label (MAP in sechidis2011), the labels of each sample
        (MAP in olsson2006), or all cells together.
    undefined : {"nan", "skip"} or float, default="nan"
        How rankings without positives, which have no value, enter the mean: "nan" makes the mean
        NaN, "skip" leaves them out, and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        The mean over rankings.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `by` is unknown, or if Y and scores do not match.

    See Also
    --------
    area_under_roc : Chance that a positive has a higher score than a negative.

    Notes
    -----
    Tied scores are one cut, as in scikit-learn. Each ranking of N scores takes O(N log N) time;
    threads share the work.

    References
    ----------
    K. Sechidis, G. Tsoumakas, I. Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD
    2011 (sechidis2011).

    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification
    using Ranked Retrieval Measures", 2006 (olsson2006).

    Examples
    --------
    >>> from labelwise.measures import average_precision
    >>> Y, scores = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.5, 0.1], [0.3, 0.8]]
    >>> round(average_precision(Y, scores), 3)
    0.833
    >>> round(average_precision(Y, scores, by="all"), 3)
    0.854
    """
    averages = {ranking: average for average, ranking in AVERAGES.items()}
    if by not in averages:
        raise ValueError(f'by must be "label", "sample" or "all", got {by!r}.')
    name = f"{averages[by]}-average-precision"
    return measure_scores(Y, scores, name, undefined=undefined, label_names=label_names)


def area_under_roc(
    Y: Any,
    scores: Any,
    average: str = "micro",
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute the area under the ROC curve.

    The area is the chance that a random positive has a higher score than a random negative, with a
    tie counted as one half.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    average : {"micro", "macro", "sample"}, default="micro"
        What is ranked: all cells together, the samples of each label, or the labels of each sample.
    undefined : {"nan", "skip"} or float, default="nan"
        How rankings without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them
        out (NaN if none is left), and a number replaces each missing value. Rankings without
        positives or without negatives have no value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        The mean over rankings, from 0 to 1.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If `average` is unknown, or if Y and scores do not match.

    See Also
    --------
    average_precision : Purity of the ranking down to each positive.

    Notes
    -----
    Each ranking of N scores takes O(N log N) time; threads share the work.

    Examples
    --------
    >>> from labelwise.measures import area_under_roc
    >>> Y, scores = [[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.5, 0.1], [0.3, 0.8]]
    >>> area_under_roc(Y, scores), area_under_roc(Y, scores, average="macro")
    (0.625, 0.5)
    """
    if average not in AVERAGES:
        raise ValueError(f'average must be "micro", "macro" or "sample", got {average!r}.')
    return measure_scores(Y, scores, f"{average}-auc", undefined=undefined, label_names=label_names)


def r_precision(
    Y: Any,
    scores: Any,
    *,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
) -> float:
    """Compute R-precision, the precision among the first R labels of a sample.

    R is the number of true labels of the sample.

    Parameters
    ----------
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. In a sparse matrix, absent scores are
        tied below all present scores. Columns with names are matched by name.
    undefined : {"nan", "skip"} or float, default="nan"
        How samples without a value enter the mean: "nan" makes the mean NaN, "skip" leaves them out
        (NaN if none is left), and a number replaces each missing value.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.

    Returns
    -------
    float
        Mean over samples, from 0 to 1.

    Raises
    ------
    TypeError
        If there are no scores.
    ValueError
        If scores are not finite, or if Y and scores do not match.

    Notes
    -----
    Samples without labels have no value. Ties count against the model. Each sample takes
    O(positives * n_labels) time, or O(n_labels log n_labels) if it has many positives; threads
    share the work.

    References
    ----------
    J. S. Olsson, D. W. Oard, "Exploring Feature Selection for Multi-Label Text Classification using
    Ranked Retrieval Measures", 2006 (olsson2006).

    Examples
    --------
    >>> from labelwise.measures import r_precision
    >>> r_precision([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.3], [0.5, 0.1, 0.8]])
    0.75
    """
    return measure_scores(Y, scores, "r-precision", undefined=undefined, label_names=label_names)


def _without_ties(scores: Any) -> Any:
    """Return scores of the same order in each row, in which columns that come first are higher.

    Absent scores of a sparse matrix stay absent, and tied.
    """
    if not sparse.issparse(scores):
        order = np.argsort(-scores, axis=1, kind="stable")
        ranks = np.empty(scores.shape)
        places = np.broadcast_to(-np.arange(scores.shape[1], dtype=np.float64), scores.shape)
        np.put_along_axis(ranks, order, places, axis=1)
        return ranks
    rows = sparse.csr_array(scores).sorted_indices()
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    # By row, then from the highest score down; equal ones stay in the order of their columns.
    order = np.lexsort((-rows.data, row_of))
    ranks = np.empty(rows.nnz)
    ranks[order] = -np.arange(rows.nnz, dtype=np.float64)
    return sparse.csr_array((ranks, rows.indices, rows.indptr), shape=rows.shape)
