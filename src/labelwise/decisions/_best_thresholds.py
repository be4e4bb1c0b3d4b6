"""The public function `best_thresholds`: thresholds that maximise a measure of the decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from labelwise._tuning._cross_fitting import (
    check_calibration,
    tune_and_correct,
    warn_of_broken_constraints,
)
from labelwise._tuning._result import Thresholds
from labelwise._tuning._slices import request_in_slices, with_slices
from labelwise._tuning._solve import solve
from labelwise._tuning.objectives._request import Certify, Request
from labelwise._tuning.problem._problem import (
    Problem,
    check_curves,
    warn_of_labels_without_positives,
)


def best_thresholds(
    scores: Any,
    Y: Any,
    *,
    maximize: str | Callable[..., Any] = "micro-f",
    average: str | None = None,
    beta: float = 1.0,
    cost: Any = None,
    shared: bool = False,
    shrink: float | str = 0.0,
    fbr: float | str | tuple[float | str, int] | None = None,
    min_precision: float | None = None,
    min_recall: float | None = None,
    max_decisions: int | float | str | None = None,
    guarantee: float | str | Certify | None = None,
    groups: Any = None,
    slices: Any = None,
    sample_weight: Any = None,
    label_names: Sequence[str] | None = None,
    random_state: Any = None,
    ids: Any = None,
) -> Thresholds:
    """Find the thresholds that maximise a measure of the decisions.

    A label is decided for a sample where ``score >= threshold``.

    Parameters
    ----------
    scores : array, sparse matrix, frame, path or dask array of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of any model on samples
        that it was not fitted to, float32 or float64. In a sparse matrix, an absent score means
        that the label is never decided. A path (npy, parquet file or folder, zarr) and a dask array
        are read in blocks of rows (see Notes).
    Y : array, sparse matrix, frame, list of sets, path or dask array of shape (n_samples, n_labels)
        True labels, 0 or 1. Columns with names are matched by name. Rows are matched by the ids if
        both have them: an index of pandas frames that is more than a count from 0, or `ids`. NaN,
        null or a masked cell is a missing label, which counts nowhere: each label is tuned on the
        samples that have it, and samples without any label are left out. A label without truth for
        any sample is never decided, and is in no average. `Evidence.n_missing` is the number of
        missing labels.
    maximize : str or callable, default="micro-f"
        The measure to maximise, with its average. By name: "micro", "macro" or "sample", a hyphen,
        and one of "f", "jaccard", "accuracy", "balanced-accuracy", "g-mean", "matthews",
        "precision", "recall". Or a measure of counts, averaged as `average` says: one of
        `labelwise.measures`, a `LinearFractional`, or your own function that takes `Counts` of
        arrays and returns an array of numbers of their shape.

        - "micro": the measure of the summed counts of all labels. The highest value of all
          threshold vectors is found, with a certificate, for F, Jaccard, precision, recall,
          accuracy, balanced accuracy and most `LinearFractional` measures. For the geometric
          mean, the Matthews correlation and other `LinearFractional` measures that increase with
          true positives and not with false positives, thresholds off the micro frontier are
          searched; `Evidence.gap` is 0 if the search was complete, as it mostly is, and
          otherwise bounds what the search missed. For any other measure the best point of the
          micro frontier is returned, and the gap is None.
        - "macro": the mean over labels, each label tuned by itself (SCut); exact for every
          measure of counts. Cuts where the measure is NaN are chosen only if a label has no
          others.
        - "sample": the mean over samples, by coordinate ascent from three starts. The result is
          a local optimum: no change of a single threshold gives a higher value.
    average : {"micro", "macro", "sample"}, default=None
        How a measure is averaged that `maximize` gives as a function; None means "micro". A name
        has its average, so that `average` must be None.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only for
        measures that take it.
    cost : pair of float or of array-like of shape (n_labels,), default=None
        Costs of a false positive and of a false negative. The total cost is minimised instead of
        maximising a measure.
    shared : bool, default=False
        Whether all labels have the same threshold; exact for every measure.
    shrink : float or "auto", default=0.0
        Amount between 0, thresholds of each label by itself, and 1, one threshold for all labels.
        The default, 0, gives the highest value on these samples; `TunedThresholds` and the command
        ``labelwise tune`` use "auto", which mostly gives a higher value on new samples.
        Thresholds tuned on few positives are often worse on new data; a label with ``s``
        positives takes the share ``τ / (τ + s)`` of its curve from the curve of all labels, with
        τ the mean support times ``shrink / (1 - shrink)``. "auto" chooses the amount by
        cross-validation over the samples; it is 0 with options that exclude shrinkage: `shared`,
        `fbr`, `cost`, constraints and the average "sample".
    fbr : float, "auto" or pair of these and a rule, default=None
        Labels whose F at the tuned threshold is below this amount get a higher threshold: the
        highest score of any sample. In a pair such as ``(0.1, 0)``, rule 0 sets it to inf instead,
        and rule 1 is the one above. "auto" chooses the amount from 0, 0.1, …, 0.9 by
        cross-validation over the samples.
    min_precision, min_recall : float, default=None
        Lower bounds on micro precision and micro recall on these samples; with "macro", on those
        of every label, and a label that cannot meet them is never decided. 0 is not a constraint.
        Any other bound is not met by a rate that is not defined, such as the precision of no
        decisions. The bounds hold on these samples only, and are often broken on new ones:
        `Evidence.constraints` shows both, and `guarantee` makes them hold on new samples.
    max_decisions : int, float or str, default=None
        Upper bound on the number of decisions: an int in total, a float as the mean per sample,
        and a text such as "3 per sample" for each sample: only labels with the 3 highest scores of
        a sample can be decided, and the thresholds are the best ones for that rule.
        With other constraints, thresholds on the micro frontier and off it are searched, and
        `Evidence.gap` bounds how much higher the value of any other thresholds that meet them
        could be: 0 if the search was complete, None for a measure of your own.
    guarantee : float, "expectation" or Certify, default=None
        Probability, such as 0.95, with which `min_precision` and `min_recall` hold for the
        expected value on new samples of the same distribution, for any model and any number of
        samples (see Notes). With "macro" the bounds are those of each label, and a label that
        cannot be certified is never decided. With "sample" they are bounds on the mean precision
        and recall of samples; "expectation" guarantees the expected mean recall instead. A
        `Certify` also says which samples test the thresholds, and whether a guarantee of labels
        is for each label or for all together.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together. They are in the same fold behind
        "auto", and are drawn together for the bootstrap: the samples of one patient, or the scores
        of one sample by several models. Without groups, copies of a sample are in the same fold:
        samples with the same labels and scores, in two labels or more, if no other sample has any
        of these scores. The bootstrap and the guarantee draw and count every copy by itself. With
        `guarantee`, groups are the independent units, and a new group must not have more samples
        than the largest; ``Certify(0.95, weigh="group")`` counts every group the same.
    slices : array of shape (n_samples,), default=None
        Slice of each sample: a hospital, a language, a version of the model. Each label has a
        threshold of its own in every slice (`Thresholds.slices`), and is a label of its own for
        everything else: in macro averages, shrinkage, constraints and guarantees of labels. A
        sample of another slice is decided by thresholds that are tuned on all samples together.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. A sample of weight 2 counts as two samples,
        one of weight 0 as none, in the measure, in costs and in constraints. Folds and bootstrap
        draws are of samples, whatever their weights. With `min_precision`, `min_recall` or
        `max_decisions`, and for measures without a certificate, thresholds off the micro frontier
        are searched only if all weights are whole numbers; otherwise the best point of the frontier
        is returned and the gap is None.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
        Without names, a list of sets beside scores without names must contain column numbers.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws the folds behind
        "auto" and behind `Evidence.constraints`, and the samples for calibration.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    Thresholds
        The threshold of each label, of shape (n_labels,): halfway between two distinct scores
        (the upper one where no float lies between), inf if the label is never decided and -inf
        if it is always decided. Among equal values, the fewest decisions win.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong value, if two arguments exclude each other, or if no
        thresholds meet the constraints. If this is not proven, because too many thresholds come
        close to meeting them, the message says that none were found.

    Warns
    -----
    UserWarning
        If labels have no positives, if columns of Y or `label_names` are in another order than
        those of scores (the thresholds have the order of the scores), if no interval can be
        computed, or if constraints are broken on samples that were not tuned on (see
        `Evidence.constraints`).

    See Also
    --------
    TunedThresholds : Tune the thresholds of an estimator by cross-validation.
    scan_thresholds : Maximise micro F by Algorithm 1 of Pillai, Fumera and Roli.

    Notes
    -----
    With ``P`` positives, ``D`` decisions and ``TP`` true positives in all, micro F is
    ``(1 + beta²) TP / (beta² P + D)``. At its maximum over all threshold vectors, with
    ``λ = TP / (beta² P + D)``, every label by itself maximises ``tp - λ d``. Its cut therefore
    lies on the hull, the concave envelope of the label's curve of (decisions, true positives).
    The hulls take one sort of each label's scores, O(nN log n) for n samples and N labels; their
    edges are taken in the order of falling slope while the slope exceeds the current λ. Algorithm
    1 of Pillai, Fumera and Roli (2012) reaches the same value in O(n²N²), see `scan_thresholds`.

    With `guarantee`, a path of threshold vectors is made from the samples for tuning: points of
    the micro frontier, or one threshold for all labels where that does better on other samples.
    Its points are tested on the samples for calibration, in an order that the samples for tuning
    give, each at the full level, until the first test fails; the certified point with the best
    value is returned. Micro precision is above τ if ``Σ_j d_ij (y_ij - τ)`` has a mean above 0
    over samples i, and micro recall above ρ if ``Σ_j y_ij (d_ij - ρ)`` has; such a mean is tested
    by betting, which needs no assumption but that samples are independent. For more power, a
    limit of decisions per sample can be part of the result (`Thresholds.max_decided`). Single
    labels are tested by the binomial distribution. The user guide has the proofs.

    Scores that are larger than memory are given as a path or a dask array; the thresholds and their
    value are the same, bit for bit. Rows are read in blocks of about 32 MB, twice: the first pass
    collects the scores of the positives, the second one counts, for each of them, the scores up to
    the next higher positive. With P positives, F, Jaccard and costs take 12 P bytes for float32
    scores (20 P for float64); micro averages of other measures and constraints take up to 100 P
    bytes. The macro average of other measures needs the cuts at every score: labels are read in
    groups of 256 MB, with a pass over the file for each group. Options that need all scores in
    memory are refused, and what constraints reach on other samples is not estimated. Rows with ids
    must have the same ids in the same order; `ids` may be several names, of which each file uses
    the first that it has.

    References
    ----------
    I. Pillai, G. Fumera, F. Roli, "F-Measure Optimisation in Multi-label Classifiers", ICPR 2012
    (pillai2012), equation 3, Properties 1 and 2.

    Y. Yang, "A Study of Thresholding Strategies for Text Categorization", SIGIR 2001 (SCut, FBR).

    A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei, "Learn then Test: Calibrating
    Predictive Algorithms to Achieve Risk Control", 2021.

    I. Waudby-Smith, A. Ramdas, "Estimating Means of Bounded Random Variables by Betting", 2024.

    Examples
    --------
    >>> from labelwise.decisions import best_thresholds
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> tuned = best_thresholds(scores, [[1, 0], [0, 1], [1, 0], [0, 0]])
    >>> tuned
    Thresholds of 2 labels: micro F 0.8571 on 4 samples
    the highest of all
    proof by certificate 0.428571: each label maximises true positives - 0.428571 × decisions
    <BLANKLINE>
    label    threshold   support   decided
    0             0.25         2         3
    1             0.35         1         1
    >>> tuned.decide([[0.7, 0.1]])
    array([[1, 0]], dtype=int8)

    >>> by_label = best_thresholds(scores, [[1, 0], [0, 1], [1, 0], [0, 0]], maximize="macro-f")
    >>> round(by_label.value, 4)
    0.9
    """
    curves = check_curves(scores, Y, label_names, groups, sample_weight, slices, ids=ids)
    n_slices = 1 if not isinstance(curves, Problem) else curves.n_slices
    request = Request(
        maximize=maximize,
        average=average,
        beta=beta,
        cost=cost,
        shared=shared,
        shrink=shrink,
        fbr=fbr,
        min_precision=min_precision,
        min_recall=min_recall,
        max_decisions=max_decisions,
        guarantee=guarantee,
        n_labels=curves.n_labels // n_slices,
    )
    if not isinstance(curves, Problem):
        warn_of_labels_without_positives(curves)
        return tune_and_correct(curves, request, random_state)[0]
    problem = curves
    tested = check_calibration(problem, request.certify, ids)
    warn_of_labels_without_positives(problem)
    asked = request_in_slices(request, problem)
    if request.limits.are_set:
        tuned = tune_and_correct(problem, asked, random_state, calibration=tested)[0]
        warn_of_broken_constraints(tuned)
    else:
        tuned = solve(problem, asked, random_state)
    return with_slices(tuned, problem, request, random_state)
