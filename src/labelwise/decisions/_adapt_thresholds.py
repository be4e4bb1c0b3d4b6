"""The public function `adapt_thresholds`: thresholds for label frequencies that have moved.

The frequencies are estimated and tested (`_label_priors`), and thresholds are chosen again for the
expected counts at the new ones (`_expected_optimum`); `Adaptation` is the result. The last part
says what thresholds and new scores must be. Scores that are not probabilities are calibrated before
and thresholds brought back to them after (`_score_scale`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._counts import Counts, Measure, averaged_records, macro_of, micro_of, with_beta
from labelwise._label_shift import (
    ExpectedCounts,
    LabelShift,
    at_priors,
    estimate_shift,
    macro_thresholds,
    micro_thresholds,
    score_scale,
    shared_threshold,
)
from labelwise._text import as_text
from labelwise._tuning._result import Thresholds
from labelwise._tuning.problem._decisions import in_order
from labelwise._validation import check_real, check_scores
from labelwise.decisions.expected_f._probabilities import check_cells

# Number of labels in the table of a repr.
_MOST_SHOWN = 20


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

    Thresholds that were tuned with missing labels or weights store the share of positives of each
    label among the samples that have it, and its effective number of samples, which the test uses.

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
    Adaptation to 2,000 new samples: the frequencies of 1 of 1 labels moved (level 0.05)
    expected micro F 0.8390, with the old thresholds 0.8182
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
        _check_adaptable(thresholds)
        proba = _check_probabilities(thresholds, new_scores)
        return _adaptation(thresholds, proba, _check_tested(labels, thresholds), alpha)
    scale = score_scale(thresholds, new_scores, calibrate)
    tuned = scale.on_probabilities()
    _check_adaptable(tuned)
    # Scores that do not rise with a label say nothing of its frequency.
    tested = _check_tested(labels, thresholds) & (scale.sigmoids.slopes > 0)
    found = _adaptation(tuned, scale.probabilities(), tested, alpha)
    adapted = scale.on_scores(found.thresholds) if found.moved.any() else thresholds
    return replace(found, thresholds=adapted, old_thresholds=thresholds)


@dataclass(frozen=True, eq=False, repr=False)
class Adaptation:
    """Thresholds adapted to new label frequencies, and which of these moved.

    `adapt_thresholds` returns such objects.

    Attributes
    ----------
    thresholds : Thresholds
        The adapted thresholds; the thresholds that were given if no label moved. If they are
        adapted, `value`, `support` and `decided` are expected numbers on the new samples, and
        `n_samples` is the number of new samples.
    old_thresholds : Thresholds
        The thresholds that were given.
    priors : ndarray of shape (n_labels,)
        Estimated frequency of each label among the new samples.
    old_priors : ndarray of shape (n_labels,)
        Frequency of each label in the tuning data.
    p_values : ndarray of shape (n_labels,)
        P values of the hypothesis that the frequency has not moved, adjusted for the number of
        labels. NaN for labels that are not tested, because they have no positives or no negatives
        in the tuning data, or because `labels` does not name them.
    moved : ndarray of bool of shape (n_labels,)
        Whether the p value is at most `alpha`.
    alpha : float
        Level of the test.
    old_value : float
        Expected value of the given thresholds on the new samples, to compare with
        ``thresholds.value``. NaN if no label moved, and for costs.
    n_samples : int
        Number of new samples.
    n_iterations : int
        Largest number of passes over the probabilities of a label until its frequency was found.

    See Also
    --------
    adapt_thresholds : Adapt thresholds to label frequencies that have moved.

    Examples
    --------
    >>> from labelwise.decisions import adapt_thresholds, best_thresholds
    >>> scores = [[0.9], [0.6], [0.4], [0.1]] * 50
    >>> tuned = best_thresholds(scores, [[1], [1], [0], [0]] * 50)
    >>> adapt_thresholds(tuned, [[0.9], [0.6], [0.4], [0.1]]).moved
    array([False])
    """

    thresholds: Thresholds
    old_thresholds: Thresholds
    priors: np.ndarray
    old_priors: np.ndarray
    p_values: np.ndarray
    moved: np.ndarray
    alpha: float
    old_value: float
    n_samples: int
    n_iterations: int

    def to_dict(self) -> dict[str, Any]:
        """Convert to a dictionary, as ``labelwise adapt --json`` prints it.

        Returns
        -------
        dict
            Expected values, and a dictionary for each label.
        """
        tuned, known = self.thresholds, self.thresholds.evidence
        columns = {
            "label": tuned.label_names or tuple(map(str, range(len(tuned)))),
            "old_prior": self.old_priors.tolist(),
            "prior": self.priors.tolist(),
            "p_value": self.p_values.tolist(),
            "moved": self.moved.tolist(),
            "old_threshold": self.old_thresholds.values.tolist(),
            "threshold": tuned.values.tolist(),
        }
        return {
            "measure": known.measure,
            "average": known.average,
            "beta": known.beta,
            "value": tuned.value if self.moved.any() else float("nan"),
            "old_value": self.old_value,
            "n_samples": self.n_samples,
            "alpha": self.alpha,
            "n_moved": int(self.moved.sum()),
            "labels": [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
        }

    def __repr__(self) -> str:
        return "\n".join([*self._title(), "", *self._table()])

    def _title(self) -> list[str]:
        n_moved, n_labels = int(self.moved.sum()), self.moved.size
        title = (
            f"Adaptation to {self.n_samples:,} new samples: the frequencies of {n_moved} of "
            f"{n_labels} labels moved (level {self.alpha:g})"
        )
        if not n_moved:
            return [title, "the thresholds stay as they are"]
        if np.isnan(self.old_value):
            return [title]
        tuned = self.thresholds
        value = f"expected {tuned.evidence._measured} {tuned.value:.4f}"
        return [title, f"{value}, with the old thresholds {self.old_value:.4f}"]

    def _table(self) -> list[str]:
        """Return the table of labels; if there are many, those with the lowest p values."""
        names = self.thresholds.label_names or tuple(map(str, range(self.moved.size)))
        order = np.arange(self.moved.size)
        if order.size > _MOST_SHOWN:
            order = np.argsort(self.p_values, kind="stable")[:_MOST_SHOWN]
        head = ["label", "old prior", "prior", "p value", "moved", "old threshold", "threshold"]
        rows = [
            [
                names[j],
                f"{self.old_priors[j]:.4f}",
                f"{self.priors[j]:.4f}",
                f"{self.p_values[j]:.2g}",
                "yes" if self.moved[j] else "no",
                f"{self.old_thresholds.values[j]:.6g}",
                f"{self.thresholds.values[j]:.6g}",
            ]
            for j in order
        ]
        more = self.moved.size - order.size
        lines = as_text([head, *rows]).splitlines()
        return [*lines, f"... and {more} more"] if more else lines


def _adaptation(thresholds: Thresholds, proba: Any, tested: np.ndarray, alpha: float) -> Adaptation:
    """Estimate which frequencies of tested labels moved, and choose thresholds for them."""
    shift = estimate_shift(proba, *thresholds.evidence.known_support, alpha, tested)
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
        n_samples=proba.shape[0],
        n_iterations=shift.n_iterations,
    )


def _adapted(thresholds: Thresholds, proba: Any, shift: LabelShift) -> tuple[Thresholds, float]:
    """Choose the thresholds again; return them and the expected value of the old ones."""
    new = np.where(shift.moved, shift.new, shift.old)
    expected = ExpectedCounts(proba, shift.old, new, shift.varies)
    values = _chosen(thresholds, expected, shift.moved)
    counts = expected.counts(values)
    old_value = _value(thresholds, expected.counts(thresholds.values), expected.labels)
    evidence = replace(
        thresholds.evidence,
        value=_value(thresholds, counts, expected.labels),
        support=np.rint(counts.tp + counts.fn).astype(np.int64),
        decided=np.rint(counts.tp + counts.fp).astype(np.int64),
        n_samples=proba.shape[0],
        gap=None,
        certificate=None,
        shrink=0.0,
        interval=None,
        intervals=None,
        adapted=True,
        n_missing=0,
        weighted=False,
        priors=None,
        n_effective=None,
        corrected_value=float("nan"),
        true_positives=None,
        request=None,
    )
    return replace(thresholds, values=values, evidence=evidence), old_value


def _chosen(thresholds: Thresholds, expected: ExpectedCounts, moved: np.ndarray) -> np.ndarray:
    """Choose thresholds for the measure that the given thresholds were tuned for."""
    values, known = thresholds.values, thresholds.evidence
    if known.measure == "cost":
        inside = moved & np.isfinite(values)
        levels = np.where(inside, values, 0.0)
        return np.where(inside, at_priors(levels, expected.new, expected.old), values)
    measure = _measure(thresholds)
    if known.shared:
        return np.full(values.size, shared_threshold(expected, measure, known.average))
    if known.average == "macro":
        return macro_thresholds(replace(expected, labels=moved), measure, values)
    return np.where(expected.labels, micro_thresholds(expected, measure), values)


def _measure(thresholds: Thresholds) -> Any:
    """Return the measure that thresholds were tuned for, with its beta."""
    return with_beta(_measures()[thresholds.evidence.measure], thresholds.evidence.beta)


def _measures() -> dict[str, Measure]:
    """Return the measures that thresholds are adapted for, by their names in the evidence."""
    return {record.function.__name__: record.function for record in averaged_records().values()}


def _value(thresholds: Thresholds, counts: Counts, labels: np.ndarray) -> float:
    """Return the value of expected counts of some labels, NaN for a cost."""
    if thresholds.evidence.measure == "cost":
        return float("nan")
    counts = Counts(*(part[labels] for part in counts))
    if thresholds.evidence.average == "micro":
        return float(micro_of(_measure(thresholds), counts))
    return float(macro_of(_measure(thresholds), counts, undefined="skip"))


def _check_adaptable(thresholds: Thresholds) -> None:
    """Refuse thresholds that cannot be adapted."""
    if not isinstance(thresholds, Thresholds):
        raise TypeError(f"thresholds must be Thresholds, got {type(thresholds).__name__}.")
    values, names = thresholds.values, thresholds.label_names
    outside = np.isfinite(values) & ((values < 0) | (values > 1))
    if outside.any():
        j = int(np.argmax(outside))
        label = j if names is None else repr(names[j])
        raise ValueError(
            f"thresholds must be tuned on probabilities from 0 to 1, got {values[j]:g} for label "
            f"{label}; for other scores, give scores and labels of known rows as calibrate "
            "(labelwise adapt --calibrate)."
        )
    known = thresholds.evidence
    reason = _reason_against(thresholds)
    if reason:
        raise ValueError(f"thresholds cannot be adapted: {reason}.")
    most = known.n_samples if known.priors is None else np.inf
    if known.n_samples < 1 or (known.support > most).any():
        raise ValueError("thresholds must have at least one sample, and not more positives.")


def _reason_against(thresholds: Thresholds) -> str | None:
    """Return why thresholds cannot be adapted, or None if they can."""
    known = thresholds.evidence
    if thresholds.slices is not None:
        return "they differ by slice"
    if known.adapted:
        return "they are adapted already; adapt those that were tuned on labels"
    if (known.weighted or known.n_missing) and known.priors is None:
        given = "weights of samples" if known.weighted else "missing labels"
        return f"an earlier release tuned them with {given} and did not store the priors"
    if known.average == "sample":
        return "the expected mean over samples depends on more than the probability of each label"
    if known.fbr:
        return "they were tuned with fbr, whose rule they do not store"
    if known.measure != "cost" and known.measure not in _measures():
        return f"{known.measure} is not one of {', '.join(_measures())}"
    if known.guarantee is not None:
        return "their guarantee would not hold for other label frequencies"
    if known.constraints or thresholds.max_rank is not None:
        return "they were tuned with constraints on precision, recall or decisions"
    return None


def _check_probabilities(thresholds: Thresholds, new_scores: Any) -> Any:
    """Check new scores, and return them with the labels in the order of the thresholds."""
    checked = check_scores(new_scores, input_name="new_scores", n_labels=len(thresholds))
    matrix = in_order(thresholds, checked.matrix, checked.names, "new_scores")
    if matrix.shape[0] == 0:
        raise ValueError("new_scores must have at least one sample, got 0.")
    check_cells(matrix, thresholds.label_names or checked.names, "new_scores")
    return sparse.csc_array(matrix) if sparse.issparse(matrix) else matrix


def _check_tested(labels: Any, thresholds: Thresholds) -> np.ndarray:
    """Return a mask of the labels to test, from their names or numbers; None means all."""
    if labels is None:
        return np.ones(len(thresholds), dtype=bool)
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise TypeError(f"labels must be a sequence of names or numbers, got {labels!r}.")
    names = thresholds.label_names or ()
    numbers: dict[Any, int] = {name: j for j, name in enumerate(names)}
    numbers.update((j, j) for j in range(len(thresholds)))
    tested = np.zeros(len(thresholds), dtype=bool)
    for label in labels:
        if isinstance(label, bool) or label not in numbers:
            raise ValueError(f"labels must be those of the thresholds, got {label!r}.")
        tested[numbers[label]] = True
    return tested
