"""The function `evaluate`: compute all measures from counts and ranks computed once.

Bootstrap intervals draw the samples with replacement. Counts and means over samples are sums over
samples, so that a draw only changes the weights of samples: all draws together are products of a
matrix of weights with the numbers of each sample.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._blocks import is_stored, refuse_in_blocks
from labelwise._counts import (
    Counts,
    MeasureRecord,
    count_empty_samples,
    counts_of,
    draws,
    exactly_empty,
    filled_and_defined,
    mean_of_sums,
)
from labelwise._measuring import check_inverse, measure_named, measure_outcome, named_measures
from labelwise._text import NamedValues
from labelwise._validation import (
    Outcome,
    check_groups,
    check_n_bootstrap,
    check_outcome,
    check_random_state,
    check_share,
    check_undefined,
    check_whole,
    slice_texts,
)
from labelwise.measures._evaluation import Evaluation, label_columns


def evaluate(
    Y: Any,
    *,
    scores: Any = None,
    decided: Any = None,
    beta: float = 1.0,
    cutoffs: Iterable[int] = (1, 3, 5),
    also: Iterable[str] = (),
    inverse_propensity: Any = None,
    undefined: str | float = "nan",
    label_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    slices: Any = None,
    n_bootstrap: int = 0,
    confidence: float = 0.95,
    random_state: Any = None,
    ids: Any = None,
    groups: Any = None,
) -> Evaluation:
    """Compute every measure that applies to scores, decisions or both.

    Parameters
    ----------
    Y : array, sparse matrix, frame, list of sets, path or dask array of shape (n_samples, n_labels)
        True labels, 0 or 1. Rows of scores and decisions are matched by ids if both have them: an
        index of pandas frames that is more than a count from 0, or `ids`. NaN, null or a masked
        cell is a missing label: it counts nowhere, as if the cell did not exist. Samples and labels
        without any truth are left out. `Evaluation.n_missing` is the number of missing labels.
    scores : array, sparse matrix, frame, path or dask array, default=None
        Finite scores; higher scores mean likelier labels. The ranking measures need them. In a
        sparse matrix, absent scores are tied below all present scores.
    decided : array, sparse matrix, frame, list of sets, path, dask array or None, default=None
        Decisions, 0 or 1. The measures of counts need them. If any argument is a path (npy, parquet
        file or folder, zarr) or a dask array, rows are read in blocks (see Notes).
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision.
    cutoffs : iterable of int, default=(1, 3, 5)
        Values of k for precision, recall and NDCG at k; those above the number of labels are left
        out.
    also : iterable of str, default=()
        Names of further measures of the k top-ranked labels, for any k: "macro-precision-at-3",
        "macro-recall-at-3", "macro-f-at-3", the means over labels if the k top-ranked labels of
        each sample are decided, and "label-coverage-at-3", the share of the labels with positives
        that are among the k top-ranked labels of at least one of their positives. Among equal
        scores, labels of lower column number are ranked first.
    inverse_propensity : array-like of shape (n_labels,) or None, default=None
        Weights of the labels from `inverse_propensities`. With them, "ps-precision" and "ps-ndcg"
        are computed at each of the `cutoffs`: the mean over samples of the weights of the true
        positives among the k top-ranked labels, discounted by rank for NDCG, divided by that of the
        best ranking.
    undefined : {"nan", "defined", "skip", "zero"} or float, default="nan"
        How labels and samples without a value enter a mean: "nan" makes the mean NaN, "defined" and
        "skip" leave them out, and a number replaces each missing value. `Evaluation.n_undefined`
        counts them. F and Jaccard of a label or sample with neither positives nor decisions are 1
        by convention; "skip" leaves these out as well. "zero" counts 0 in both cases, as
        scikit-learn does. The printed evaluation has the mean of "defined" and its count beside a
        mean that is NaN.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
        Frames bring their own names, and columns are matched by name. Without names, sets beside an
        array must contain column numbers, and sets alone have their sorted members as columns.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. A sample of weight 2 counts as two samples,
        one of weight 0 as none. Numbers of positives and decisions are then sums of weights.
    slices : array of shape (n_samples,), default=None
        Slice of each sample, such as a hospital or a language. Each slice is evaluated by itself,
        too, without intervals (`Evaluation.slices`).
    n_bootstrap : int, default=0
        Number of bootstrap draws: the samples are drawn with replacement to compute intervals; 0
        for no intervals. Measures of counts and means over samples get an interval, but not AUC and
        average precision by label or of all cells. An interval is NaN if a draw had no value.
    confidence : float, default=0.95
        Share of the draws within an interval (percentiles), between 0 and 1.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together in the draws of `n_bootstrap`.

    Returns
    -------
    Evaluation
        Values by name; prints as a table.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If neither scores nor decisions are given, if they do not match Y, or if an option is out of
        its range.

    See Also
    --------
    scorer : One of these measures as a scorer for scikit-learn.

    Notes
    -----
    Most of the time goes into sorting columns, O(n_samples * n_labels * log(n_samples)); threads
    share the work, and the result does not depend on their number. A draw costs O(n_samples + nnz).

    Files and dask arrays are read in blocks of about 32 MB, once, and twice with scores. Values are
    those of all rows in memory: bit for bit, except for means over samples, whose sums are rounded
    in another order (differences of about 1e-16). `also`, `inverse_propensity`, `sample_weight` and
    `n_bootstrap` need all rows in memory. Ranking measures take about 80 bytes for each positive.

    That F is 1 without positives and decisions is the convention of Dembczyński et al.; if many
    labels are neither present nor decided, macro F is far above that of scikit-learn, which counts
    0. The printed evaluation says how many labels this concerns, and how many samples in sample F.

    References
    ----------
    K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the F-Measure
    in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss Minimization", ICML
    2013 (dembczynski2013).

    Examples
    --------
    >>> from labelwise.measures import evaluate
    >>> evaluation = evaluate([{"sea"}, {"sea", "sky"}], decided=[{"sea"}, {"sky"}])
    >>> evaluation["micro-f"]
    0.8
    >>> evaluation.per_label["recall"]
    array([0.5, 1. ])
    """
    undefined = check_undefined(undefined, allow_zero=True)
    n_bootstrap = check_n_bootstrap(n_bootstrap)
    confidence = check_share(confidence, "confidence")
    random = check_random_state(random_state) if n_bootstrap else None
    if scores is None and decided is None:
        raise ValueError("scores or decided must be given, got neither.")
    if is_stored(Y, scores, decided):
        refuse_in_blocks(
            also=also,
            inverse_propensity=inverse_propensity,
            sample_weight=sample_weight,
            slices=slices,
            n_bootstrap=n_bootstrap,
            groups=groups,
        )
        data = {"Y": Y, "scores": scores, "decided": decided}
        matching = {"label_names": label_names, "ids": ids}
        return _evaluate_stored(data, matching, beta, cutoffs, undefined)
    given = check_outcome(
        Y,
        scores=scores,
        decided=decided,
        label_names=label_names,
        allow_missing=True,
        ids=ids,
    )
    n_samples = given.Y.shape[0]
    sample_weight = given.in_order(sample_weight, "sample_weight")
    slices = given.in_order(slices, "slices")
    texts = None if slices is None else slice_texts(slices, n_samples)
    if groups is not None:
        given = given._replace(groups=check_groups(given.in_order(groups, "groups"), n_samples))
    options = beta, cutoffs, also, inverse_propensity, undefined
    whole = _evaluated(given.weighted(sample_weight), *options, n_bootstrap, confidence, random)
    if texts is None:
        return whole
    weights = np.ones(n_samples) if sample_weight is None else np.asarray(sample_weight)
    parts = []
    for name in np.unique(texts.astype(str)).tolist():
        rows = np.flatnonzero((texts == name) & (weights > 0))
        part = given.rows(rows)
        # A slice without truth has no values.
        if part.rows_with_truth().size:
            part = part if sample_weight is None else part.weighted(weights[rows])
            parts.append((name, _evaluated(part, *options)))
    return replace(whole, slices=NamedValues(parts))


def _evaluated(
    given: Outcome,
    beta: float,
    cutoffs: Iterable[int],
    also: Iterable[str],
    inverse_propensity: Any,
    undefined: Any,
    n_bootstrap: int = 0,
    confidence: float = 0.95,
    random: np.random.RandomState | None = None,
) -> Evaluation:
    """Evaluate a checked outcome."""
    outcome = given.with_truth()
    inverse = check_inverse(inverse_propensity, given)
    needed = [name for name in ("scores", "decided") if getattr(outcome, name) is not None]
    measures = applicable_measures(
        outcome.Y.shape[1], needed, beta, cutoffs, also, inverse is not None
    )
    measured, each = measure_outcome(
        outcome, measures, undefined, keep_samples=random is not None, inverse=inverse
    )
    if random is not None:
        found = intervals(outcome, measures, each, undefined, n_bootstrap, confidence, random)
        for name, (low, high) in found.items():
            measured[name] = measured[name]._replace(low=low, high=high)
    n_samples, n_labels = outcome.Y.shape
    return Evaluation(
        measured=NamedValues((measure.name, measured[measure.name]) for measure in measures),
        per_label=label_columns(
            measures,
            each,
            positives=_sizes(outcome.Y, outcome.weights),
            decided=_sizes(outcome.decided, outcome.weights),
        ),
        label_names=outcome.names or tuple(map(str, range(n_labels))),
        n_samples=n_samples,
        beta=float(beta),
        undefined=undefined,
        confidence=None if random is None else confidence,
        n_missing=given.n_missing,
        n_without_truth=tuple(np.subtract(given.Y.shape, outcome.Y.shape).tolist()),
        n_empty_samples=count_empty_samples(outcome),
    )


def _evaluate_stored(
    data: dict[str, Any],
    matching: Mapping[str, Any],
    beta: float,
    cutoffs: Iterable[int],
    undefined: Any,
) -> Evaluation:
    # Rows in memory need neither readers of files nor kernels of curves.
    from labelwise._blocks import open_blocks
    from labelwise.measures._evaluate_blocks import evaluate_blocks

    blocks = open_blocks(data, **matching)
    given = [name for name in ("scores", "decided") if data[name] is not None]
    measures = applicable_measures(blocks.n_labels, given, beta, cutoffs)
    return evaluate_blocks(blocks, given, measures, undefined, beta)


def applicable_measures(
    n_labels: int,
    given: Sequence[str],
    beta: float,
    cutoffs: Iterable[int],
    also: Iterable[str] = (),
    has_propensity: bool = False,
) -> list[MeasureRecord]:
    """List the measures whose input ("scores", "decided") is given, and those that are named."""
    if isinstance(also, str):
        raise TypeError(f"also must be several names, got the one string {also!r}.")
    known = named_measures(beta, [check_whole(k, "cutoffs") for k in cutoffs])
    within = [measure for measure in known.values() if measure.k <= n_labels]
    chosen = {
        measure.name: measure
        for measure in within
        if measure.needs in given
        and (has_propensity if measure.needs_propensity else not measure.of_top)
    }
    for name in also:
        further = measure_named(name, beta if measure_named(name).takes_beta else 1.0)
        if further.needs not in given:
            raise ValueError(f"also has {name!r}, which needs {further.needs}.")
        chosen[name] = further
    return list(chosen.values())


def _sizes(Y: sparse.csc_array | None, weights: np.ndarray | None) -> np.ndarray | None:
    """Count how often each label occurs, or sum the weights of its samples."""
    if Y is None:
        return None
    if weights is None:
        return np.asarray(np.diff(Y.indptr), dtype=np.int64)
    return np.asarray(weights @ Y.astype(np.float64))


def intervals(
    outcome: Outcome,
    measures: Sequence[MeasureRecord],
    each: dict[str, np.ndarray],
    undefined: str | float,
    n_draws: int,
    confidence: float,
    random: np.random.RandomState,
) -> dict[str, tuple[float, float]]:
    """Compute the percentile interval of each measure that is a sum over samples.

    `each` has the values of each sample, for the measures that are means over samples. An interval
    is NaN if a draw had no value. Groups are drawn as a whole.
    """
    averaged = [m.name for m in measures if m.by == "sample" and m.combine_means is None]
    counted = [m.under(undefined) for m in measures if m.needs == "decided" and m.by != "sample"]
    sums = filled_and_defined(np.stack([each[name] for name in averaged]), undefined)
    cells = _cells(outcome) if counted else ()
    drawn: dict[str, list[np.ndarray]] = defaultdict(list)
    units = np.arange(outcome.Y.shape[0])
    if outcome.groups is not None:
        units = np.unique(outcome.groups, return_inverse=True)[1]
        if units.max() == 0:
            raise ValueError("groups must be at least 2 for intervals, got 1.")
    for of_units in draws(units.max() + 1, n_draws, random):
        times = of_units if outcome.groups is None else of_units[units]
        weights = times if outcome.weights is None else times * outcome.weights[:, None]
        total, n_defined = (values @ weights for values in sums)
        means = mean_of_sums(total, n_defined, n_defined + ~sums[1] @ weights, undefined)
        for name, found in zip(averaged, means, strict=True):
            drawn[name].append(found)
        counts = _counts_of_draws(cells, times, weights) if counted else {}
        for measure in counted:
            values = measure.function(counts[measure.by])
            drawn[measure.name].append(measure.averaged(values, undefined))
    tail = (1 - confidence) / 2
    return {name: _percentiles(np.concatenate(drawn[name]), tail) for name in drawn}


def _percentiles(values: np.ndarray, tail: float) -> tuple[float, float]:
    # One NaN among the values makes both percentiles NaN.
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _cells(outcome: Outcome) -> tuple[sparse.csr_array, ...]:
    """Return hits, truth, decisions and missing cells as matrices with a row for each label."""
    Y, decided = outcome.Y, outcome.decided
    matrices = [Y.multiply(decided), Y, decided]
    matrices += [] if outcome.missing is None else [outcome.missing]
    return tuple(sparse.csr_array(matrix.T, dtype=np.float64) for matrix in matrices)


def _counts_of_draws(
    cells: tuple[sparse.csr_array, ...], draws: np.ndarray, weights: np.ndarray
) -> dict[str, Counts]:
    """Count each draw (first axis) by label, and over all labels.

    If `weights` differ from `draws`, the counts are sums of weights.
    """
    by_label = _counts_under(cells, draws)
    if weights is not draws:
        by_label = exactly_empty(_counts_under(cells, weights), by_label)
    return {"label": by_label, "all": Counts(*(c.sum(1, keepdims=True) for c in by_label))}


def _counts_under(cells: tuple[sparse.csr_array, ...], weights: np.ndarray) -> Counts:
    tp, n_positive, n_decided, *n_missing = ((matrix @ weights).T for matrix in cells)
    return counts_of(n_decided, tp, n_positive, weights.sum(axis=0)[:, None] - sum(n_missing))
