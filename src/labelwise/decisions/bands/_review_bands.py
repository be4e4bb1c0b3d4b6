"""The public function `review_bands`: which labels to accept, to reject and to review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelwise._blocks import warn_of_label_order
from labelwise._validation import frame_names
from labelwise.decisions.bands._band_request import check_band_request
from labelwise.decisions.bands._bands import Bands
from labelwise.decisions.bands._solve_bands import solve_bands
from labelwise.decisions.objectives._request import Certify
from labelwise.decisions.problem._problem import check_problem, warn_of_labels_without_positives
from labelwise.decisions.thresholds._tune import check_calibration


def review_bands(
    scores: Any,
    Y: Any,
    *,
    min_precision: float | None = None,
    min_recall: float | None = None,
    guarantee: float | Certify | None = None,
    max_review: int | float | None = None,
    cost: Any = None,
    random_state: Any = None,
    label_names: Sequence[str] | None = None,
    groups: Any = None,
    ids: Any = None,
    by_position: bool = False,
) -> Bands:
    """Find which scores to accept, to reject, and to leave to a person.

    Each label gets an upper and a lower threshold. Labels whose score is at least the upper one
    are accepted, labels below the lower one are rejected, and a person reviews the others. A cell
    is one label of one sample; the cells to review are the queue.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of any model on samples
        that it was not fitted to, float32 or float64. In a sparse matrix, an absent score means
        that the label is rejected.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. Columns with names are matched by name. Rows are matched by the ids if
        both have them: an index of pandas frames that is more than a count from 0, or `ids`.
    min_precision : float, default=None
        Lower bound on the share of positives among all accepted cells. If no cell is accepted,
        none is wrong, and the bound is met. With None and without `max_review`, no cell is
        accepted.
    min_recall : float, default=None
        Lower bound on the share of all positives that are accepted or reviewed: at most
        ``1 - min_recall`` of the positives are rejected. With None and without `max_review`, no
        scored cell is rejected.
    guarantee : float or Certify, default=None
        Probability, over the given samples, with which `min_precision` and `min_recall` hold on
        new samples of the same distribution, such as 0.95. Half of the samples are for choosing
        the bands, the others only test them; a `Certify` changes this. Without `max_review` and
        `cost`.
    max_review : int or float, default=None
        Largest size of the queue: an int in total, a float as the mean per sample. The highest
        recall is found for `min_precision`, the highest precision for `min_recall`. Without both,
        the largest t is found for which precision and recall are at least t. With both, the
        smallest queue is searched, and refused if it is larger; the message says whether it is
        proven that no smaller one exists.
    cost : three of float or of array-like of shape (n_labels,), default=None
        Costs of a false positive (a wrong acceptance), of a false negative (a wrong rejection) and
        of a review. The total cost is minimised. Without the other three arguments.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. With `guarantee`, it splits
        the samples. With None, the split is the same in every call.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together. With `guarantee`, they are in the
        same part, and the groups must be independent of each other: the samples of one patient.
        Without groups, all samples must be independent; give groups if samples were copied.
    ids : str or dict, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read.
    by_position : bool, default=False
        Whether samples are matched by position if only one argument has ids. This is refused
        otherwise, unless the other one is an array, which has no ids.

    Returns
    -------
    Bands
        The thresholds of each label, halfway between two distinct scores or infinite, with the
        counts on these samples and the expected size of the queue.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong value, if arguments exclude each other, or if no bands meet
        the constraints.

    Warns
    -----
    UserWarning
        If labels have no positives, if columns of Y or `label_names` are in another order than
        those of scores (the bands have the order of the scores), or if a rate cannot be
        guaranteed: then no cell is accepted, or none is rejected.

    See Also
    --------
    best_thresholds : Find one threshold for each label, without a review.

    Notes
    -----
    With A accepted cells, a of them positive, K accepted or reviewed cells, k of them positive,
    and P positives in all, the queue has ``K - A`` cells. It is the smallest if A is the largest
    with ``a >= min_precision · A`` and K the smallest with ``k >= min_recall · P``. Both ends are
    searched by themselves: for each, the best vertex of the micro frontier (see `micro_frontier`)
    first, and then thresholds off the frontier that could be better, by a knapsack search.

    The lower threshold of a label must not be above the upper one. On the frontier this is so for
    all labels or for none: a point of it cuts every hull at the same slope, so that the point with
    fewer cells has no label with more. If the end of the accepted cells is the later point, every
    point between both ends has the wanted precision and recall without a review, and the one with
    the highest micro F is returned. Thresholds off the frontier can be in the wrong order for
    single labels. Then the lower threshold is set to the upper one, which changes no accepted cell
    and loses no positive, and the result is compared with ends that are in order. `Bands.gap`
    bounds how much better any other bands can be. It is 0 in nearly all cases; the search for the
    largest t ends at a gap of 0.0001.

    With costs, each label is solved by itself over all of its pairs of cuts, in O(n) after a sort:
    the cost is a function of the upper cut plus one of the lower cut. A reviewed cell costs its
    review only, since the person is assumed to be right. With probabilities p and the same costs
    for all labels, review pays where p is between ``review / false negative`` and
    ``1 - review / false positive`` (Chow, 1970).

    Without a guarantee, all rates are those on the given samples; on new samples they are mostly
    lower. With one, the upper thresholds are certified for the precision, and the lower ones for
    the recall, by the tests that `best_thresholds` makes for its guarantee. Each end has a path and
    tests of its own; with both rates, each test may fail with probability
    ``(1 - guarantee) / 2``, so that both rates hold together with probability `guarantee`. The
    test of the precision may need a limit of accepted cells per sample (`Bands.most_per_row`);
    cells beyond it go to review. A lower threshold above the upper one is lowered to it, which only
    raises the recall. The counts are those of all given samples.

    References
    ----------
    C. K. Chow, "On Optimum Recognition Error and Reject Tradeoff", IEEE Transactions on
    Information Theory, 1970.

    I. Pillai, G. Fumera, F. Roli, "Multi-label Classification with a Reject Option", Pattern
    Recognition, 2013.

    Examples
    --------
    >>> from labelwise.decisions import review_bands
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> Y = [[1, 0], [0, 1], [1, 0], [0, 0]]
    >>> bands = review_bands(scores, Y, min_precision=1, min_recall=1)
    >>> bands
    Bands of 2 labels on 4 samples
    the smallest queue: 500, the best of all
    accepted: 2 cells with precision 1.0000, which have 0.6667 of the positives
    about 500 cells of 1,000 rows go to review (25.00% of all cells)
    rejected: all other cells, which have 0.0000 of the positives (recall of the others 1.0000)
    <BLANKLINE>
    label  lower  upper  support  accepted  reviewed
    0       0.25   0.75        2         1         2
    1       0.35   0.35        1         1         0
    >>> bands.decide([[0.5, 0.4]])
    array([[-1,  1]], dtype=int8)
    """
    matching = {"ids": ids, "by_position": by_position}
    problem = check_problem(scores, Y, label_names, groups, **matching)
    request = check_band_request(
        min_precision, min_recall, max_review, cost, problem.n_labels, guarantee
    )
    tested = check_calibration(problem, request, **matching)
    warn_of_label_order(problem.names, frame_names(Y), label_names)
    warn_of_labels_without_positives(problem)
    return solve_bands(problem, request, random_state, tested)
