"""Find which labels to accept, to reject and to review, on given samples or guaranteed on new ones.

`review_bands` is the public function. Its options are checked once (`BandRequest`); `solve_bands`
then chooses the search that they ask for. Bands with a guarantee are certified on samples that they
were not chosen on, and `cross_fitted_review` estimates by cross-validation what bands without one
reach on new samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._blocks import warn_of_label_order
from labelwise._tuning._cross_fitting import check_calibration
from labelwise._tuning.guarantees._certified_path import (
    CertifiedPoint,
    certified_point,
    rates_reached,
    shortfall,
)
from labelwise._tuning.guarantees._certify import Parts, split_parts
from labelwise._tuning.guarantees._guarantee import Guarantee
from labelwise._tuning.guarantees._paths import choose_paths
from labelwise._tuning.objectives._constraints import InfeasibleError
from labelwise._tuning.objectives._request import BandRequest, Certify, Request
from labelwise._tuning.problem._problem import (
    Problem,
    check_problem,
    random_folds,
    warn_of_labels_without_positives,
)
from labelwise._validation import check_random_state, frame_names
from labelwise.decisions.bands._band_search import BandChoice, QueueSearch, least_cost
from labelwise.decisions.bands._bands import BandEvidence, Bands
from labelwise.decisions.bands._queue_ends import BandCut, whole_hulls
from labelwise.decisions.bands._review_measures import ReviewMeasures, count_states
from labelwise.decisions.bands._review_queue import BandEnds, band_curves
from labelwise.measures import precision, recall


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
    sample_weight: Any = None,
    ids: Any = None,
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
        both have them: an index of pandas frames that is more than a count from 0, or `ids`. NaN,
        null or a masked cell is a missing label, which counts nowhere: rates and the queue are
        those of the cells with truth.
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
        the samples.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together. With `guarantee`, they are in the
        same part, and the groups must be independent of each other: the samples of one patient.
        Without groups, all samples must be independent; give groups if samples were copied.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. Only whole numbers: a sample of weight 2
        counts as two. With `guarantee`, no new sample may be heavier than the heaviest one.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

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
    test of the precision may need a limit of accepted cells per sample (`Bands.max_decided`);
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
    about 500 cells of 1,000 samples go to review (25.00% of all cells)
    rejected: all other cells, which have 0.0000 of the positives (recall of the others 1.0000)
    <BLANKLINE>
    label  lower  upper  support  accepted  reviewed
    0       0.25   0.75        2         1         2
    1       0.35   0.35        1         1         0
    >>> bands.decide([[0.5, 0.4]])
    array([[-1,  1]], dtype=int8)
    """
    problem = check_problem(
        scores, Y, label_names, groups, sample_weight, allow_missing=True, ids=ids
    )
    if problem.weights is not None and problem.weights.dtype.kind == "f":
        first = np.flatnonzero(problem.weights % 1)[:1]
        got = f"{problem.weights[first[0]]:g}" if first.size else "numbers of too large a sum"
        raise ValueError(
            f"sample_weight of bands must be whole numbers, because cells are counted, got {got}."
        )
    request = BandRequest(
        min_precision, min_recall, max_review, cost, guarantee, n_labels=problem.n_labels
    )
    tested = check_calibration(problem, request.certify, ids)
    warn_of_label_order(problem.names, frame_names(Y), label_names)
    warn_of_labels_without_positives(problem)
    return solve_bands(problem, request, random_state, tested)


def solve_bands(
    problem: Problem,
    request: BandRequest,
    random_state: Any = None,
    calibration: Problem | None = None,
) -> Bands:
    """Find the bands of a checked problem for a checked request.

    `random_state` splits the samples for a guarantee, unless it is tested on `calibration`.
    """
    if request.costs is not None:
        return _bands(problem, least_cost(problem, request.costs), request)
    if request.certify is not None:
        return _guaranteed(problem, request, request.certify, random_state, calibration)
    search = QueueSearch(problem)
    most = request.most_reviewed(problem.total_weight)
    rates = request.min_precision, request.min_recall
    if most is None:
        choice = search.smallest_queue(*rates)
    elif rates == (None, None):
        choice = search.highest_equal_rate(most)
    elif request.min_recall is None:
        choice = search.highest_recall(request.min_precision, most)
    elif request.min_precision is None:
        choice = search.highest_precision(request.min_recall, most)
    else:
        choice = search.smallest_queue(*rates)
        _check_size(choice, request, most)
    return _bands(problem, choice, request)


def _check_size(choice: BandChoice, request: BandRequest, most: int) -> None:
    """Refuse a queue that is larger than allowed."""
    if choice.n_reviewed <= most:
        return
    least = int(choice.value - choice.gap)
    rates = f"min_precision={request.min_precision} and min_recall={request.min_recall}"
    limit = f"max_review={request.max_review} ({most:,} cells)"
    if least > most:
        raise InfeasibleError(
            f"{rates} cannot be met with {limit}: at least {least:,} cells need a review."
        )
    raise InfeasibleError(
        f"No bands were found for {rates} with {limit}: the smallest queue found has "
        f"{choice.n_reviewed:,} cells, and it is not proven that none has {most:,}."
    )


def _bands(problem: Problem, choice: BandChoice, request: BandRequest) -> Bands:
    upper, lower = choice.upper, choice.lower
    value, gap = choice.value, choice.gap
    if choice.objective == "review":
        # The queue is counted in cells of 1,000 samples.
        value, gap = (1000 * (n_cells / problem.total_weight) for n_cells in (value, gap))
    evidence = BandEvidence(
        support=problem.support,
        accepted=upper.decided,
        accepted_positives=upper.hits,
        reviewed=lower.decided - upper.decided,
        reviewed_positives=lower.hits - upper.hits,
        n_samples=problem.total_weight,
        objective=choice.objective,
        value=value,
        gap=gap,
        request=request,
    )
    curves = band_curves(whole_hulls(problem), upper.thresholds, lower.thresholds)
    return Bands(upper.thresholds, lower.thresholds, evidence, curves, problem.names)


def _guaranteed(
    problem: Problem,
    request: BandRequest,
    certify: Certify,
    random_state: Any,
    calibration: Problem | None,
) -> Bands:
    """Return certified bands, with the counts of all given samples."""
    ends, guarantee = _certified_ends(problem, request, certify, random_state, calibration)
    states = sparse.csr_array(ends.states(problem.scores))
    is_accepted, is_kept = states == 1, states != 0
    everyone, Y = problem.everyone, problem.Y
    cuts = [
        BandCut(thresholds, everyone @ cells, everyone @ cells.multiply(Y))
        for thresholds, cells in ((ends.upper, is_accepted), (ends.lower, is_kept))
    ]
    choice = BandChoice(cuts[0], cuts[1], "review", 0.0, 0.0)
    found = _bands(problem, choice._replace(value=float(choice.n_reviewed)), request)
    evidence = replace(found.evidence, gap=None, guarantee=guarantee)
    found = replace(found, evidence=evidence, max_decided=ends.max_decided)
    if ends.max_decided is None:
        return found
    # Any cell above the upper threshold may be one too many, and so to review.
    no_end = np.full(problem.n_labels, np.inf)
    return replace(found, curves=band_curves(whole_hulls(problem), no_end, ends.lower))


def _certified_ends(
    problem: Problem,
    request: BandRequest,
    certify: Certify,
    random_state: Any,
    calibration: Problem | None,
) -> tuple[BandEnds, Guarantee]:
    """Find ends of the bands whose precision and recall hold on new samples.

    The upper thresholds are certified for the precision of the accepted cells, the lower ones for
    the recall of the cells that are not rejected, each by tests along a path of its own on the same
    samples. With both rates, each may fail with half of the probability that is left, so that both
    hold together (Bonferroni). Lowering a lower threshold to the upper one only raises the recall.
    Where no point of a path can be certified, no cell is accepted, or none is rejected.
    """
    rates = (request.min_precision, request.min_recall)
    alpha = certify.alpha / sum(rate is not None for rate in rates)
    options = replace(certify, level=1 - alpha)
    random = check_random_state(random_state)
    parts = split_parts(problem, options, random, calibration)
    upper, most = np.full(problem.n_labels, np.inf), None
    lower = np.full(problem.n_labels, -np.inf)
    if request.min_precision is not None:
        point = _certified(parts, "min_precision", request.min_precision, options)
        if point is not None:
            upper, most = point.thresholds, point.most_per_row
    if request.min_recall is not None:
        point = _certified(parts, "min_recall", request.min_recall, options)
        if point is not None:
            lower = np.minimum(point.thresholds, upper)
        elif _lacks_scores(problem):
            raise InfeasibleError(
                f"min_recall={request.min_recall} cannot be guaranteed with probability "
                f"{certify.level:g}: cells without a score are always rejected."
            )
    ends = BandEnds(lower, upper, most)
    return ends, _guarantee(ends, parts, request, certify)


def _lacks_scores(problem: Problem) -> bool:
    """Return whether scores may be absent; dense scores with missing labels are stored as CSR."""
    n_cells = problem.n_samples * problem.n_labels
    was_dense = problem.n_missing > 0 and problem.scores.nnz + problem.n_missing == n_cells
    return sparse.issparse(problem.scores) and not was_dense


def _certified(parts: Parts, name: str, rate: float, options: Certify) -> CertifiedPoint | None:
    """Return the last point of a path that passes the tests of one rate; None if none does.

    Among the points that pass, the one with the highest value of the other rate is taken.
    """
    measure = recall if name == "min_precision" else precision
    rates: dict[str, Any] = {name: rate}
    request = Request(maximize=measure, **rates)
    tuning, calibration = parts
    choices = choose_paths(tuning, request, calibration.n_units, options.alpha)
    point = certified_point(choices, calibration, request, options.alpha)
    if point is None:
        done = "accepted" if name == "min_precision" else "rejected"
        warnings.warn(
            f"{name}={rate} cannot be guaranteed by {calibration.problem.n_samples} samples "
            f"for calibration, so that no cell is {done}: "
            f"{shortfall(choices, calibration, request, options.alpha)}.",
            stacklevel=6,
        )
    return point


def _guarantee(ends: BandEnds, parts: Parts, request: BandRequest, certify: Certify) -> Guarantee:
    """Build the guarantee, with what the bands reach on the calibration samples."""
    tested = parts.calibration.problem
    states = sparse.csr_array(ends.states(tested.scores))
    found = count_states(tested.Y, states, tested.everyone)
    accepted = rates_reached(parts.calibration, ends.upper, ends.max_decided, "micro")
    kept = rates_reached(parts.calibration, ends.lower, None, "micro")
    return Guarantee(
        level=float(certify.level),
        average="micro",
        across="each",
        min_precision=request.min_precision,
        min_recall=request.min_recall,
        precision=accepted[0],
        recall=kept[1],
        value=found.review_per_1000,
        f_bound=None,
        n_tuning=parts.tuning.problem.n_samples,
        n_calibration=tested.n_samples,
        weigh=certify.weigh,
        n_groups=parts.calibration.n_groups,
    )


def cross_fitted_review(
    problem: Problem,
    request: BandRequest,
    random_state: Any,
    calibration: Problem | None = None,
) -> ReviewMeasures | None:
    """Measure bands on new samples, by cross-validation; None if other folds give no bands.

    Each fold is decided by bands that are found on the scores of the other folds, and the decisions
    of all folds are counted together. A total of `max_review` is shared out among samples.
    """
    folds = random_folds(problem, random_state)
    part_request = request.for_parts(problem.total_weight)
    found = []
    for fold in np.unique(folds):
        here, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if not others.size:
            return None
        try:
            bands = solve_bands(problem.rows(others), part_request, random_state, calibration)
        except ValueError:
            # The other folds may have too few cells for the rates, or need a larger queue.
            return None
        states = sparse.csr_array(bands.decide(problem.scores[here]))
        Y = sparse.csc_array(problem.Y[here])
        found.append(count_states(Y, states, problem.everyone[here]))
    return ReviewMeasures(*map(sum, zip(*found, strict=True)))
