"""The highest micro average of large dense problems, without sorting all scores.

Any thresholds reach some value, and this value gives a lower bound of the λ that certifies the
optimum. `curves._pruned_cuts` finds the few cuts that matter for such a λ.
"""

from __future__ import annotations

import numpy as np

from labelwise.decisions.thresholds.curves._cuts import counts_of, halfway
from labelwise.decisions.thresholds.curves._cuts_kernels import count_reaching
from labelwise.decisions.thresholds.curves._problem import Problem
from labelwise.decisions.thresholds.curves._pruned_cuts import (
    ScoreSample,
    SlopeBound,
    pruned_cuts,
    sample_scores,
)
from labelwise.decisions.thresholds.objectives._choice import Choice
from labelwise.decisions.thresholds.objectives._linear_fractional import least_certificate
from labelwise.decisions.thresholds.objectives._micro import MicroRule

# Rows from which the ranks of scores are estimated.
_N_SAMPLED = 1024
# Sorting fewer scores than this takes less time than pruning them.
_FEW = 2**16


def best_of_few(problem: Problem, rule: MicroRule) -> Choice | None:
    """Return the optimum found on pruned cuts.

    Return None if pruning cannot prove the optimum, or if sorting all scores is cheaper.
    """
    scores = problem.scores
    is_plain = isinstance(scores, np.ndarray) and scores.flags.c_contiguous
    is_plain = is_plain and problem.weights is None
    is_large = problem.n_samples >= 4 * _N_SAMPLED and scores.size >= _FEW
    if not (is_plain and is_large and problem.support.any()):
        return None
    sample = sample_scores(problem, _N_SAMPLED)
    bound = _slope_bound(problem, rule, sample)
    if bound is None:
        return None
    choice = rule(pruned_cuts(problem, sample, bound))
    # Without a certificate, a cut that was pruned may be better.
    return None if choice.certificate is None else _with_thresholds(problem, choice)


def _slope_bound(problem: Problem, rule: MicroRule, sample: ScoreSample) -> SlopeBound | None:
    """Return the bound that follows from deciding each label about as often as it is positive."""
    share = problem.support / problem.n_samples
    thresholds = sample.scores_at(np.round(share * sample.rows.shape[1]))
    decided = count_reaching(problem.scores, thresholds)
    labels = np.repeat(np.arange(problem.n_labels), problem.support)
    hits = np.bincount(labels[sample.hits >= thresholds[labels]], minlength=problem.n_labels)
    n_positive, n_cells = int(problem.support.sum()), problem.n_samples * problem.n_labels
    value = rule.measure(counts_of(decided.sum(), hits.sum(), n_positive, n_cells))
    slope = least_certificate(rule.measure, float(value), n_positive, n_cells)
    if slope is None:
        return None
    return SlopeBound(slope, np.maximum(0.0, hits - slope * decided))


def _with_thresholds(problem: Problem, choice: Choice) -> Choice:
    """Correct the thresholds of labels that decide all their kept scores, but not all samples.

    The next lower score was pruned, so that the cut does not know where halfway is.
    """
    thresholds = choice.thresholds.copy()
    n_samples = problem.n_samples
    for j in np.flatnonzero(np.isneginf(thresholds) & (choice.decided < n_samples)):
        column = np.sort(problem.scores[:, j])
        place = n_samples - choice.decided[j]
        thresholds[j] = halfway(column[place : place + 1], column[place - 1 : place])[0]
    return choice._replace(thresholds=thresholds)
