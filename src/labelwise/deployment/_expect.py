"""Measures to expect on samples without labels, from calibrated probabilities.

A sigmoid has two parameters, and real scores have other shapes: micro F of sets of texts was
expected up to 0.03 too low. So `_Shares` corrects what sigmoids miss, always on samples that they
were not fitted to: sigmoids are fitted to resampled samples, and the log-odds of a sample are the
mean over the fits without it. Thresholds are not looked at, because the share of positives above a
threshold is too high on the samples that it was tuned on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, logit
from scipy.stats import ks_2samp

from labelwise._label_shift import at_priors, estimate_shift
from labelwise._text import listed, quoted
from labelwise._tuning import in_order
from labelwise._validation import check_instance, check_random_state, check_real, check_scores
from labelwise.decisions import Thresholds
from labelwise.deployment._estimates import MEASURES, MOST_SHOWN, Calibration, Estimates
from labelwise.deployment._promises import beta_of
from labelwise.measures import Counts, f_measure, macro, micro

# Fits of sigmoids to resampled samples, and draws of labels for each fit.
_N_FITS, _N_DRAWS = 30, 20
# Bins of log-odds, of which the highest have the fewest cells.
_N_BINS = 240
# Bins that one shift of a label moves, and the precision of shifts that are not known yet: their
# standard deviation in log-odds is 1 / sqrt(20). Chosen on six random halves of ten sets.
_PER_SHIFT, _PRECISION = 20, 20.0
# Numbers of positives below this are drawn as Poisson numbers, larger ones as normal numbers.
_RARE = 10
# A label with fewer positives, and samples whose scores have a lower p value, are doubtful.
_FEW, _LEAST_P = 10, 0.001


@dataclass(frozen=True, eq=False, repr=False)
class Expectation(Estimates):
    """Measures to expect on samples without labels; prints as a table.

    `expect` returns such objects.

    Attributes
    ----------
    values : dict of str to float
        Expected micro and macro precision, recall and F, as "micro-f". F has the beta that the
        thresholds were tuned for.
    intervals : dict of str to tuple of two floats
        Range of each measure: it contains the share `level` of the draws.
    label_values : dict of str to ndarray of shape (n_labels,)
        Expected "precision", "recall" and "f" of each label.
    label_intervals : dict of str to ndarray of shape (2, n_labels)
        Their ranges.
    priors : ndarray of shape (n_labels,)
        Expected frequency of each label.
    doubts : tuple of str
        Reasons for which the expectation may be wrong, one sentence each.
    n_samples : int
        Number of samples.
    level : float
        Share of the draws in each range.
    label_names : tuple of str
        Names of the labels; "0", "1", ... if they have none.

    See Also
    --------
    expect : Estimate measures on samples without labels.
    """

    priors: np.ndarray
    doubts: tuple[str, ...]
    n_samples: int

    def to_dict(self) -> dict[str, Any]:
        """Return the results as dicts and lists, as --json writes them.

        Returns
        -------
        dict
            Doubts, and the value and both ends of the range of each measure and of each label.
        """
        found = super().to_dict()
        for record, prior in zip(found["labels"], self.priors, strict=True):
            record["frequency"] = prior
        return {"n_samples": self.n_samples, "doubts": self.doubts, **found}

    def __repr__(self) -> str:
        labels = [
            [
                name,
                f"{self.priors[j]:.4f}",
                *(f"{self.label_values[one][j]:.4f}" for one in MEASURES),
            ]
            for j, name in enumerate(self.label_names[:MOST_SHOWN])
        ]
        title = [
            f"Expected on {self.n_samples:,} samples without labels",
            *(f"doubtful: {one}" for one in self.doubts),
        ]
        heads = ["label", "frequency", *MEASURES]
        text = self._text(title, ("expected", "range"), [heads, *labels])
        more = len(self.label_names) - len(labels)
        return f"{text}\n... and {more:,} more" if more else text


def expect(
    thresholds: Thresholds,
    scores: Any,
    *,
    calibrate: Any = None,
    adapt: bool = False,
    level: float = 0.95,
    random_state: Any = None,
) -> Expectation:
    """Estimate precision, recall and F of thresholds on samples without labels.

    Parameters
    ----------
    thresholds : Thresholds
        The deployed thresholds.
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of the new samples.
    calibrate : pair of scores and labels, or triple of scores, labels and groups, default=None
        Labelled samples, usually those that the thresholds were tuned on. A sigmoid is fitted to
        each label to turn scores into probabilities. None takes scores as probabilities. Samples of
        a group, such as a patient, are drawn together: ranges are too narrow without their groups.
    adapt : bool, default=False
        Whether label frequencies may have moved: those that did are estimated, as by
        `labelwise.decisions.adapt_thresholds`, and probabilities are corrected for them.
    level : float, default=0.95
        Share of the draws in the ranges.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws labels and fits.

    Returns
    -------
    Expectation
        Expected measures with ranges, and reasons for doubt.

    Raises
    ------
    ValueError
        If scores are not probabilities and `calibrate` is None, or if labels do not match.
    TypeError
        If `thresholds` is not a Thresholds.

    See Also
    --------
    plan_audit : Prove measures by answers of a person.

    Notes
    -----
    If p is the probability of a cell, a decided cell is a true positive with probability p, and a
    cell that is not decided a false negative. With `calibrate`, sigmoids are fitted to resampled
    samples; what they miss on the samples that were left out, as a function of the log-odds, is
    corrected for all labels together and, where a label has many positives, for the label. Each
    fit gives expected counts, to which the chance of new labels is added, with the correlation of
    labels that residuals of the labelled samples show. Values are means of these draws, and ranges
    their quantiles.

    The expectation is right if equal scores mean the same as in `calibrate`: nothing is proven
    without labels. Sentences in `Expectation.doubts` say if no calibration could be checked, if
    label frequencies moved, if labels have few positives, or if new samples have other scores than
    those that were calibrated.

    References
    ----------
    J. Platt, "Probabilistic Outputs for Support Vector Machines", 1999.

    B. Zadrozny, C. Elkan, "Transforming Classifier Scores into Accurate Multiclass Probability
    Estimates", 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.decisions import best_thresholds
    >>> from labelwise.deployment import expect
    >>> from labelwise.measures import count, f_measure, micro
    >>> random = np.random.default_rng(0)
    >>> proba = random.beta(0.3, 1.5, size=(4000, 4))
    >>> Y = random.random(proba.shape) < proba
    >>> tuned = best_thresholds(proba[:2000], Y[:2000])
    >>> calibrate = (proba[:2000], Y[:2000])
    >>> found = expect(tuned, proba[2000:], calibrate=calibrate, random_state=0)
    >>> value = float(micro(f_measure, count(Y[2000:], tuned.decide(proba[2000:]))))
    >>> abs(found.values["micro-f"] - value) < 0.02
    True
    """
    check_instance(thresholds, Thresholds, "thresholds")
    beta = beta_of(thresholds, "an expectation")
    level = check_real(level, "level", least=0.5, most=0.9999)
    random = check_random_state(random_state)
    checked = check_scores(scores, n_labels=len(thresholds))
    matrix = in_order(thresholds, checked.matrix, checked.names, "scores")
    if sparse.issparse(matrix):
        raise TypeError("scores must be dense: an expectation needs the score of every cell.")
    if not len(matrix):
        raise ValueError("scores must have at least one sample, got 0.")
    names = thresholds.label_names or tuple(map(str, range(len(thresholds))))
    decided = np.asarray(thresholds._decide(matrix)) == 1
    calibration = Calibration(thresholds, matrix, calibrate)
    if calibration.labelled is not None and len(calibration.labelled[0]) < 2:
        raise ValueError("calibrate must have at least 2 samples, got 1.")
    every = np.ones(len(thresholds), dtype=bool)
    proba = calibration.probabilities(matrix)
    shift = estimate_shift(proba, *thresholds.evidence.known_support, 0.01, every)
    doubts = _doubts(calibration, matrix, names)
    if shift.moved.any() and not adapt:
        moved = _named(shift.moved, names)
        doubts.append(
            f"frequencies of {moved} moved since tuning, to which this expectation is not adapted."
        )
    draws, priors = [], []
    for of_fit, noise in _fits(calibration, thresholds, matrix, decided, random):
        for j in np.flatnonzero(shift.moved & adapt):
            of_fit[:, j] = at_priors(of_fit[:, j], shift.old[j], shift.new[j])
        draws.append(_drawn_counts(of_fit, decided, noise, random))
        priors.append(of_fit.mean(axis=0))
    drawn = _measured(Counts(*map(np.concatenate, zip(*draws, strict=True))), beta)
    shares = np.array([0.5 - level / 2, 0.5 + level / 2])
    values = {name: _of_defined(np.nanmean, one) for name, one in drawn.items()}
    ends = {name: _of_defined(np.nanquantile, one, shares) for name, one in drawn.items()}
    averages = [name for name in drawn if "-" in name]
    return Expectation(
        values={name: float(values[name]) for name in averages},
        intervals={name: (float(ends[name][0]), float(ends[name][1])) for name in averages},
        label_values={name: values[name] for name in MEASURES},
        label_intervals={name: ends[name] for name in MEASURES},
        level=level,
        label_names=names,
        priors=np.mean(priors, axis=0),
        doubts=tuple(doubts),
        n_samples=len(matrix),
    )


def _doubts(calibration: Calibration, scores: np.ndarray, names: tuple[str, ...]) -> list[str]:
    """Return sentences on what makes the probabilities doubtful."""
    if calibration.labelled is None:
        return ["scores are taken as probabilities, which no labelled samples have checked."]
    known, Y = calibration.labelled
    outside = np.mean((scores < known.min(axis=0)) | (scores > known.max(axis=0)), axis=0)
    found = {
        f"{{}} have fewer than {_FEW} positives to calibrate on.": np.nansum(Y, axis=0) < _FEW,
        "more than 1 % of the scores of {} lie outside of those that were calibrated.": (
            outside > 0.01
        ),
    }
    said = [text.format(_named(labels, names)) for text, labels in found.items() if labels.any()]
    before, now = calibration.probabilities(known), calibration.probabilities(scores)
    p = min(ks_2samp(of(before, axis=1), of(now, axis=1)).pvalue for of in (np.max, np.sum))
    if p < _LEAST_P / 2:
        said.append(
            "samples have other scores than those that were calibrated: if equal scores mean "
            "something else now, values lie outside of the ranges."
        )
    return said


def _fits(
    calibration: Calibration,
    thresholds: Thresholds,
    scores: np.ndarray,
    decided: np.ndarray,
    random: np.random.RandomState,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield probabilities of new cells by one calibration after the other, and noise of counts.

    Noise has shape (2, n_draws, n_labels), of the positives among decided cells and among others.
    """
    if calibration.labelled is None:
        proba = np.array(scores, dtype=np.float64)
        spread = np.sqrt([(proba * (1 - proba) * part).sum(axis=0) for part in (decided, ~decided)])
        draws = random.standard_normal((2, _N_FITS * _N_DRAWS, proba.shape[1]))
        yield proba, spread[:, None] * draws
        return
    known, Y = calibration.labelled
    n_groups = int(calibration.groups.max()) + 1
    drawn = random.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=_N_FITS)
    times = drawn[:, calibration.groups]
    # Samples that are left out weigh nearly nothing, but for labels that only they have truth for.
    sigmoids = [calibration.fitted(one + 1e-9) for one in times]
    log_odds = np.zeros(Y.shape)
    for one, fit in zip(times, sigmoids, strict=True):
        log_odds += fit.log_odds(calibration.scaled(known)) * (one == 0)[:, None]
    n_out = (times == 0).sum(axis=0)
    here = n_out > 0
    cells = _Shares.of(log_odds[here] / n_out[here, None], Y[here])
    # Sums of new samples vary like the sums of what the calibration misses of each sample.
    missed = np.nan_to_num(Y[here] - cells.probabilities(np.ones(here.sum()), cells.bins))
    was_decided = np.asarray(thresholds._decide(known[here])) == 1
    rows = np.hstack([missed * was_decided, missed * ~was_decided])
    rows = (rows - rows.mean(axis=0)) * np.sqrt(len(scores) / len(rows))
    # Samples of a group vary together.
    of_groups = sparse.csr_array((np.ones(len(rows)), (calibration.groups[here], range(len(rows)))))
    rows = of_groups @ rows
    for one, fit in zip(times, sigmoids, strict=True):
        noise = random.standard_normal((_N_DRAWS, len(rows))) @ rows
        new = fit.log_odds(calibration.scaled(scores))
        proba = cells.probabilities(one[here], cells.bins_of(new))
        yield proba, np.stack(np.hsplit(noise, 2))


class _Shares(NamedTuple):
    """Labelled cells in bins of their log-odds."""

    edges: np.ndarray
    bins: np.ndarray  # (n_samples, n_labels)
    Y: np.ndarray  # NaN where there is no truth

    @staticmethod
    def of(log_odds: np.ndarray, Y: np.ndarray) -> _Shares:
        """Divide cells into bins, from few cells with the highest log-odds to many."""
        ordered = np.sort(log_odds, axis=None)
        above = np.geomspace(min(50, ordered.size), ordered.size, _N_BINS).astype(int)
        edges = np.sort(ordered[-above])[1:]
        return _Shares(edges, np.searchsorted(edges, log_odds, "right"), Y)

    def bins_of(self, log_odds: np.ndarray) -> np.ndarray:
        """Return the bins of other cells."""
        return np.searchsorted(self.edges, log_odds, "right")

    def probabilities(self, weights: np.ndarray, bins: np.ndarray) -> np.ndarray:
        """Return the probabilities of cells in these bins, by weighted samples.

        The shares of positives of all labels together rise with the bins. Each label shifts them,
        in several bins together, by one step of Newton's method to its own positives.
        """
        from sklearn.isotonic import isotonic_regression

        n_labels = self.Y.shape[1]
        places = (self.bins + _N_BINS * np.arange(n_labels)).ravel()
        of_cells = np.where(np.isnan(self.Y), 0.0, weights[:, None])
        n_cells, n_positive = (
            np.bincount(places, of.ravel(), n_labels * _N_BINS).reshape(n_labels, _N_BINS)
            for of in (of_cells, of_cells * (self.Y == 1))
        )
        # A bin without cells, and one of all positives, are drawn to the next ones.
        totals = n_cells.sum(axis=0) + 1e-9
        share = isotonic_regression(n_positive.sum(axis=0) / totals, sample_weight=totals)
        share = np.clip(share, 1e-6, 1 - 1e-6)
        starts = np.arange(0, _N_BINS, _PER_SHIFT)
        errors = np.add.reduceat(n_positive - n_cells * share, starts, axis=1)
        variances = np.add.reduceat(n_cells * share * (1 - share), starts, axis=1)
        shifts = np.repeat(errors / (variances + _PRECISION), _PER_SHIFT, axis=1)
        table = expit(logit(share) + shifts)
        return np.asarray(table[np.arange(n_labels), bins])


def _drawn_counts(
    proba: np.ndarray, decided: np.ndarray, noise: np.ndarray, random: np.random.RandomState
) -> Counts:
    """Draw the counts of labels around the expected ones; arrays of shape (n_draws, n_labels)."""
    drawn = []
    for part, of_part in zip((decided, ~decided), noise, strict=True):
        mean, most = (proba * part).sum(axis=0), part.sum(axis=0)
        rare = random.poisson(np.minimum(mean, _RARE), of_part.shape)
        positives = np.clip(np.where(mean < _RARE, rare, mean + of_part), 0, most)
        drawn += [positives, most - positives]
    tp, fp, fn, tn = drawn
    return Counts(tp, fp, fn, tn)


def _measured(counts: Counts, beta: float) -> dict[str, Any]:
    """Return micro and macro averages, and the measures of each label, of each draw."""
    found: dict[str, Any] = {}
    measures: dict[str, Any] = {**MEASURES, "f": partial(f_measure, beta=beta)}
    for name, measure in measures.items():
        found[f"micro-{name}"] = micro(measure, counts)
        found[f"macro-{name}"] = macro(measure, counts, undefined="skip")
        found[name] = np.asarray(measure(counts))
    return found


def _of_defined(statistic: Any, draws: np.ndarray, *options: Any) -> np.ndarray:
    """Return a statistic of defined draws; NaN where a measure is never defined."""
    is_defined = ~np.isnan(draws).all(axis=0)
    found = statistic(np.where(is_defined, draws, 0.0), *options, axis=0)
    return np.where(is_defined, found, np.nan)


def _named(labels: np.ndarray, names: tuple[str, ...]) -> str:
    return listed([names[j] for j in np.flatnonzero(labels)], show=quoted)
