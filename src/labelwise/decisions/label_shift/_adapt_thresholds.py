"""The public function `adapt_thresholds`: thresholds for label frequencies that have moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from labelwise._counts import averaged_records, with_beta
from labelwise._validation import check_real
from labelwise.decisions.label_shift._adaptation import Adaptation
from labelwise.decisions.label_shift._expected_counts import ExpectedCounts, at_priors
from labelwise.decisions.label_shift._expected_optimum import macro_thresholds, micro_thresholds
from labelwise.decisions.label_shift._expected_shared import shared_threshold
from labelwise.decisions.label_shift._label_priors import (
    LabelShift,
    Probabilities,
    estimate_shift,
)
from labelwise.decisions.label_shift._requirements import (
    check_adaptable,
    check_probabilities,
    check_tested,
)
from labelwise.decisions.label_shift._score_scale import score_scale
from labelwise.decisions.thresholds._result import Thresholds
from labelwise.measures import Counts, macro, micro


def adapt_thresholds(
    thresholds: Thresholds,
    new_scores: Any,
    *,
    labels: Iterable[str | int] | None = None,
    alpha: float = 0.05,
    calibrate: Any = None,
) -> Adaptation:
    """Adapt thresholds to new samples whose label frequencies have moved.

    The new samples need no labels. Their scores must be calibrated probabilities, from the model
    whose scores the thresholds were tuned on; with `calibrate`, they may be any scores of it. The
    frequency of each label among the new samples is estimated and compared with the tuning data.
    If no frequency moved, the thresholds stay as they are; otherwise they are chosen again, for
    the same measure.

    Parameters
    ----------
    thresholds : Thresholds
        Thresholds tuned on probabilities, by `best_thresholds`, `TunedThresholds` or
        ``labelwise tune``.
    new_scores : array-like, CSR matrix or frame of shape (n_samples, n_labels)
        Probabilities of the labels of new samples, from 0 to 1. In a CSR matrix, an absent
        probability is 0, and the label is never decided. The columns of a frame are matched by
        name if the thresholds have label names.
    labels : sequence of str or int, default=None
        Names or numbers of the labels whose frequency may have moved by itself; None for all.
        The others keep their frequency (see Notes).
    alpha : float, default=0.05
        Level of the test, from 0 to 1. With 1, all `labels` count as moved.
    calibrate : pair of scores and labels, default=None
        Scores of labelled samples, usually those that the thresholds were tuned on, and their
        labels. A sigmoid is fitted to each label by Platt's method, as in `CalibratedLabels`; the
        thresholds are adapted on its probabilities, and given on the scale of the scores. Only for
        dense scores and thresholds of each label. None means that scores are calibrated
        probabilities, which cannot be checked without labels.

    Returns
    -------
    Adaptation
        The adapted thresholds, the old and new frequencies, and the p values.

    Raises
    ------
    TypeError
        If `thresholds` is not a Thresholds, if `labels` is not a sequence, if `alpha` is not a
        number, or if `calibrate` is not a pair of dense scores and labels.
    ValueError
        If the scores or a finite threshold are not between 0 and 1; if the labels of the scores
        are not those of the thresholds; if the thresholds are adapted already; or if they were
        tuned for the mean over samples, for a measure of your own, with `fbr`, with constraints
        or with a guarantee.

    See Also
    --------
    best_thresholds : Find the thresholds that maximise a measure.
    CalibratedLabels : Calibrate the scores of an estimator.

    Notes
    -----
    It is assumed that only the frequencies of labels changed, and not what the positives and the
    negatives of a label look like. If one label becomes frequent, others that occur together with
    it do so too, but their negatives then look different; with `labels`, only the first one is
    adapted. If a label has frequency π in the tuning data and π' among the
    new samples, a probability p then becomes ::

        p' = p π'/π / (p π'/π + (1 - p) (1 - π')/(1 - π)).

    The most likely π' is the one for which the mean of p' is π'. Saerens, Latinne and
    Decaestecker repeat both steps, an EM algorithm. The log-likelihood is concave in π', so that
    Newton steps within bounds find the same maximum in fewer passes.

    If nothing moved, the mean probability of the new samples differs from the frequency in the
    tuning data by chance only. The test compares this difference with its standard error, which
    contains the sampling errors of the new samples and of the tuning data; a positive and a
    negative are added to both (Agresti and Caffo). It replaces the likelihood-ratio test of
    Saerens et al., which takes π as known and therefore rejects far too often if π is an estimate.
    P values are adjusted by the method of Benjamini and Hochberg: among the labels that are said
    to have moved, the expected share of those that did not is at most `alpha`. Errors of the
    calibration look like a shift if there are enough samples.

    Thresholds are chosen by expected counts, in which each new sample counts as positive with
    probability p' and as negative with 1 - p'. Labels that did not move keep their frequency.

    - For the micro average, labels are decided where p' is at least a common level, which is
      ``F / (1 + beta²)`` for the F-measure. No other thresholds have a higher expected value,
      except that for the geometric mean and the Matthews correlation it may be better to decide
      only some labels of equal p'. All thresholds change, since the level depends on all labels.
    - For the macro average, the same holds for each label by itself, and only labels that moved
      get a new threshold.
    - One threshold for all labels (``shared=True``) is the best common threshold.
    - A cost is least from a fixed level of the probability on; thresholds of labels that moved are
      those at which p' has the value that the old threshold was. The value is NaN, since
      thresholds do not store the costs.

    Expected counts have no sampling error of labels, so that `shrink` is not needed and is 0 in
    the result. Constraints of a macro average are not stored in the thresholds, and not kept.

    References
    ----------
    M. Saerens, P. Latinne, C. Decaestecker, "Adjusting the Outputs of a Classifier to New a Priori
    Probabilities: A Simple Procedure", Neural Computation, 2002.

    A. Agresti, B. Caffo, "Simple and Effective Confidence Intervals for Proportions and
    Differences of Proportions Result from Adding Two Successes and Two Failures", The American
    Statistician, 2000.

    Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate", Journal of the Royal
    Statistical Society B, 1995.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import adapt_thresholds, best_thresholds
    >>> random = np.random.default_rng(0)
    >>> def draw(n_samples, frequency):
    ...     Y = random.random((n_samples, 1)) < frequency
    ...     x = random.normal(size=Y.shape) + 2 * Y
    ...     return 1 / (1 + 4 * np.exp(2 - 2 * x)), Y  # calibrated for the frequency 0.2
    >>> tuned = best_thresholds(*draw(2000, 0.2))
    >>> new_scores, new_Y = draw(2000, 0.5)
    >>> adapted = adapt_thresholds(tuned, new_scores)
    >>> adapted
    Adaptation to 2000 new samples: the frequencies of 1 of 1 labels moved (level 0.05)
    expected micro f_measure 0.8390, with the old thresholds 0.8182
    <BLANKLINE>
    label  old prior   prior  p value  moved  old threshold  threshold
    0         0.2095  0.4878  9.4e-24    yes       0.309742   0.167449

    The labels of these samples are known here, so that the gain can be measured:

    >>> from labelwise.measures import count, f_measure, micro
    >>> for chosen in (tuned, adapted.thresholds):
    ...     print(round(float(micro(f_measure, count(new_Y, chosen.decide(new_scores)))), 3))
    0.819
    0.831
    """
    alpha = check_real(alpha, "alpha", least=0, most=1)
    if calibrate is None:
        check_adaptable(thresholds)
        proba = check_probabilities(thresholds, new_scores)
        return _adaptation(thresholds, proba, check_tested(labels, thresholds), alpha)
    scale = score_scale(thresholds, new_scores, calibrate)
    tuned = scale.on_probabilities()
    check_adaptable(tuned)
    # Scores that do not rise with a label say nothing of its frequency.
    tested = check_tested(labels, thresholds) & (scale.sigmoids.slopes > 0)
    found = _adaptation(tuned, scale.probabilities(), tested, alpha)
    adapted = scale.on_scores(found.thresholds) if found.moved.any() else thresholds
    return replace(found, thresholds=adapted, old_thresholds=thresholds)


def _adaptation(
    thresholds: Thresholds, proba: Probabilities, tested: np.ndarray, alpha: float
) -> Adaptation:
    """Estimate which frequencies of tested labels moved, and choose thresholds for them."""
    shift = estimate_shift(
        proba, thresholds.evidence.support, thresholds.evidence.n_samples, alpha, tested
    )
    adapted, old_value = thresholds, float("nan")
    if shift.moved.any():
        adapted, old_value = _adapted(thresholds, proba, shift)
    return Adaptation(
        thresholds=adapted,
        old_thresholds=thresholds,
        priors=shift.new,
        old_priors=shift.old,
        p_values=shift.p_values,
        moved=shift.moved,
        alpha=alpha,
        old_value=old_value,
        n_samples=proba.n_samples,
        n_iterations=shift.n_iterations,
    )


def _adapted(
    thresholds: Thresholds, proba: Probabilities, shift: LabelShift
) -> tuple[Thresholds, float]:
    """Choose the thresholds again; return them and the expected value of the old ones."""
    new = np.where(shift.moved, shift.new, shift.old)
    expected = ExpectedCounts(proba, shift.old, new, shift.varies)
    values = _chosen(thresholds, expected, shift.moved)
    counts, old_counts = expected.counts(values), expected.counts(thresholds.values)
    evidence = replace(
        thresholds.evidence,
        value=_value(thresholds, counts, expected.labels),
        support=np.rint(counts.tp + counts.fn).astype(np.int64),
        decided=np.rint(counts.tp + counts.fp).astype(np.int64),
        n_samples=proba.n_samples,
        gap=None,
        certificate=None,
        shrink=0.0,
        interval=None,
        intervals=None,
        adapted=True,
        corrected_value=float("nan"),
        request=None,
    )
    return replace(thresholds, values=values, evidence=evidence), _value(
        thresholds, old_counts, expected.labels
    )


def _chosen(thresholds: Thresholds, expected: ExpectedCounts, moved: np.ndarray) -> np.ndarray:
    """Choose thresholds for the measure that the given thresholds were tuned for."""
    values = thresholds.values
    if thresholds.evidence.measure == "cost":
        inside = moved & np.isfinite(values)
        levels = np.where(inside, values, 0.0)
        return np.where(inside, at_priors(levels, expected.new, expected.old), values)
    measure = _measure(thresholds)
    if thresholds.evidence.shared:
        return np.full(
            values.size, shared_threshold(expected, measure, thresholds.evidence.average)
        )
    if thresholds.evidence.average == "macro":
        return macro_thresholds(replace(expected, labels=moved), measure, values)
    return np.where(expected.labels, micro_thresholds(expected, measure), values)


def _measure(thresholds: Thresholds) -> Any:
    """Return the measure that thresholds were tuned for, with its beta."""
    functions = [record.function for record in averaged_records().values()]
    named = {function.__name__: function for function in functions}
    return with_beta(named[thresholds.evidence.measure], thresholds.evidence.beta)


def _value(thresholds: Thresholds, counts: Counts, labels: np.ndarray) -> float:
    """Return the value of expected counts of some labels, NaN for a cost."""
    if thresholds.evidence.measure == "cost":
        return float("nan")
    counts = Counts(*(part[labels] for part in counts))
    if thresholds.evidence.average == "micro":
        return float(micro(_measure(thresholds), counts))
    return float(macro(_measure(thresholds), counts, undefined="skip"))
