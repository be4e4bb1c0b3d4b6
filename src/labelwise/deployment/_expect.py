"""Measures to expect on samples without labels, from calibrated probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logit
from scipy.stats import chi2

from labelwise._label_shift import at_priors, calibration_samples, estimate_shift
from labelwise._sigmoids import Sigmoids, fit_sigmoids
from labelwise._text import as_text, listed, printable, quoted
from labelwise._tuning import in_order
from labelwise._validation import (
    check_instance,
    check_random_state,
    check_real,
    check_scores,
)
from labelwise.decisions import Thresholds
from labelwise.measures import Counts, f_measure, macro, micro, precision, recall

_MEASURES = {"precision": precision, "recall": recall, "f": f_measure}
_MOST_SHOWN = 20
# Draws of labels and, with samples to calibrate on, of sigmoids that are fitted to resampled ones.
_N_DRAWS, _N_FITS = 400, 20
# A label with fewer positives, or a fit with a lower p value, is named as doubtful.
_FEW, _LEAST_P, _N_BINS = 10, 0.001, 10
# Probabilities nearer to 0 and 1 have no finite log-odds.
_NEAREST = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Expectation:
    """Measures to expect on samples without labels; prints as a table.

    `expect` returns such objects.

    Attributes
    ----------
    values : dict of str to float
        Expected micro and macro precision, recall and F, as "micro-f".
    ranges : dict of str to tuple of two floats
        Range of each measure: it contains the share `level` of the draws.
    label_values : dict of str to ndarray of shape (n_labels,)
        Expected "precision", "recall" and "f" of each label.
    label_ranges : dict of str to ndarray of shape (2, n_labels)
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

    values: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]]
    label_values: Mapping[str, np.ndarray]
    label_ranges: Mapping[str, np.ndarray]
    priors: np.ndarray
    doubts: tuple[str, ...]
    n_samples: int
    level: float
    label_names: tuple[str, ...]

    # Comparing arrays gives arrays, so that two results are equal only if they are one object.
    __hash__: ClassVar[Any] = object.__hash__

    def __repr__(self) -> str:
        head = ["measure", "expected", f"{self.level:.0%} range"]
        rows = [
            [name, f"{value:.4f}", "{:.3f} to {:.3f}".format(*self.ranges[name])]
            for name, value in self.values.items()
        ]
        labels = [
            [
                printable(name),
                f"{self.priors[j]:.4f}",
                *(f"{self.label_values[one][j]:.4f}" for one in _MEASURES),
            ]
            for j, name in enumerate(self.label_names[:_MOST_SHOWN])
        ]
        more = len(self.label_names) - len(labels)
        return "\n".join(
            [
                f"Expected on {self.n_samples:,} samples without labels",
                *(f"doubtful: {one}" for one in self.doubts),
                "",
                as_text([head, *rows]),
                "",
                as_text([["label", "frequency", *_MEASURES], *labels]),
                *([f"... and {more:,} more"] if more else []),
            ]
        )


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
    calibrate : pair of scores and labels, default=None
        Labelled samples, usually those that the thresholds were tuned on. A sigmoid is fitted to
        each label to turn scores into probabilities. None takes scores as probabilities.
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
    cell that is not decided a false negative. Sums of p are the expected counts. Draws of labels
    and, with `calibrate`, of sigmoids fitted to resampled samples give the ranges. The expectation
    is right if the probabilities are: nothing is proven without labels. Sentences in
    `Expectation.doubts` say if no calibration could be checked, if label frequencies moved, if a
    sigmoid does not fit, if labels have few positives, or if new scores lie outside of those that
    were calibrated.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Weinberger, "On Calibration of Modern Neural Networks", 2017.

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
    thresholds._refuse_slices("an expectation")
    level = check_real(level, "level", least=0.5, most=0.9999)
    random = check_random_state(random_state)
    checked = check_scores(scores, n_labels=len(thresholds))
    matrix = in_order(thresholds, checked.matrix, checked.names, "scores")
    if sparse.issparse(matrix):
        raise TypeError("scores must be dense: an expectation needs the score of every cell.")
    names = thresholds.label_names or tuple(map(str, range(len(thresholds))))
    decided = np.asarray(thresholds._decide(matrix)) == 1
    scale = _Scale.of(thresholds, matrix, calibrate)
    proba = scale.probabilities(matrix, scale.sigmoids)
    evidence = thresholds.evidence
    shift = estimate_shift(
        proba, evidence.support, evidence.n_samples, 0.01, np.ones(len(thresholds), dtype=bool)
    )
    doubts = scale.doubts(matrix, names)
    if shift.moved.any() and not adapt:
        moved = _named(np.flatnonzero(shift.moved), names)
        doubts.append(f"frequencies of {moved} moved since tuning: adapt=True follows them.")
    if adapt:
        proba = _adapted(proba, shift)
    counts = _expected_counts(proba, decided)
    draws: dict[str, list[Any]] = {}
    for sigmoids in scale.refitted(random):
        drawn = scale.probabilities(matrix, sigmoids) if sigmoids is not None else proba
        if adapt and sigmoids is not None:
            drawn = _adapted(drawn, shift)
        _draw_measures(drawn, decided, random, scale.n_draws, draws)
    found = _measured(counts)
    averages = [name for name in found if "-" in name]
    spread = {name: _ends(np.concatenate(draws[name]), level) for name in found}
    return Expectation(
        {name: float(found[name]) for name in averages},
        {name: (float(spread[name][0]), float(spread[name][1])) for name in averages},
        {name: found[name] for name in _MEASURES},
        {name: spread[name] for name in _MEASURES},
        proba.mean(axis=0),
        tuple(doubts),
        len(matrix),
        level,
        names,
    )


class _Scale(NamedTuple):
    """Samples that sigmoids are fitted to; without them, scores are taken as probabilities."""

    labelled: tuple[np.ndarray, np.ndarray] | None
    sigmoids: Sigmoids | None
    in_log_odds: bool

    @staticmethod
    def of(thresholds: Thresholds, scores: np.ndarray, calibrate: Any) -> _Scale:
        is_probability = bool(scores.size == 0 or (scores.min() >= 0 and scores.max() <= 1))
        if calibrate is None:
            if not is_probability:
                raise ValueError(
                    "scores must be probabilities from 0 to 1 without calibrate, got scores from "
                    f"{scores.min():g} to {scores.max():g}."
                )
            return _Scale(None, None, False)
        labelled, Y = calibration_samples(thresholds, calibrate)
        is_probability &= bool(labelled.min() >= 0 and labelled.max() <= 1)
        scale = _Scale((labelled, Y), None, is_probability)
        return scale._replace(sigmoids=scale._fitted(np.ones(len(Y))))

    @property
    def n_draws(self) -> int:
        """Number of draws of labels for each fit."""
        return _N_DRAWS if self.labelled is None else _N_DRAWS // _N_FITS

    def _fitted(self, weights: np.ndarray) -> Sigmoids:
        scores, Y = self.labelled  # type: ignore[misc]
        return fit_sigmoids(self._scaled(scores), Y, weights, increasing=True)

    def _scaled(self, scores: np.ndarray) -> np.ndarray:
        """Return log-odds of probabilities, of which a sigmoid is the right form."""
        if not self.in_log_odds:
            return np.asarray(scores, dtype=np.float64)
        return np.asarray(logit(np.clip(scores, _NEAREST, 1 - _NEAREST)))

    def probabilities(self, scores: np.ndarray, sigmoids: Sigmoids | None) -> np.ndarray:
        """Return the probabilities of scores."""
        if sigmoids is None:
            return np.asarray(scores, dtype=np.float64)
        return sigmoids.probabilities(self._scaled(scores))

    def refitted(self, random: np.random.RandomState) -> Iterator[Sigmoids | None]:
        """Yield sigmoids fitted to samples with random weights (the Bayesian bootstrap)."""
        if self.labelled is None:
            yield None
            return
        for _ in range(_N_FITS):
            yield self._fitted(random.standard_exponential(len(self.labelled[1])))

    def doubts(self, scores: np.ndarray, names: tuple[str, ...]) -> list[str]:
        """Return sentences on what makes the probabilities doubtful."""
        if self.labelled is None:
            return ["scores are taken as probabilities, which nothing has checked: see calibrate."]
        labelled, Y = self.labelled
        found = []
        few = np.flatnonzero(np.nansum(Y, axis=0) < _FEW)
        if few.size:
            found.append(f"{_named(few, names)} have fewer than {_FEW} positives to calibrate on.")
        outside = np.mean((scores < labelled.min(axis=0)) | (scores > labelled.max(axis=0)), axis=0)
        far = np.flatnonzero(outside > 0.01)
        if far.size:
            found.append(
                f"more than 1 % of the scores of {_named(far, names)} lie outside of those that "
                "were calibrated."
            )
        unfit = np.flatnonzero(self._fits() < _LEAST_P / Y.shape[1])
        if unfit.size:
            found.append(f"a sigmoid does not fit the scores of {_named(unfit, names)}.")
        return found

    def _fits(self) -> np.ndarray:
        """Return the p value of each label that its sigmoid fits (Hosmer and Lemeshow)."""
        scores, Y = self.labelled  # type: ignore[misc]
        proba = self.probabilities(scores, self.sigmoids)
        found = np.ones(Y.shape[1])
        for j in range(Y.shape[1]):
            known = np.flatnonzero(~np.isnan(Y[:, j]))
            order = known[np.argsort(proba[known, j], kind="stable")]
            bins = [one for one in np.array_split(order, _N_BINS) if one.size]
            hits = np.array([Y[one, j].sum() for one in bins])
            sums = np.array([proba[one, j].sum() for one in bins])
            sizes = np.array([one.size for one in bins])
            # Bins with hardly any expected positive or negative have no normal sums.
            usual = (sums >= 3) & (sizes - sums >= 3)
            if usual.sum() > 2:
                spread = (sums * (1 - sums / sizes))[usual]
                total = ((hits - sums)[usual] ** 2 / spread).sum()
                found[j] = chi2.sf(total, usual.sum() - 2)
        return found


def _named(labels: np.ndarray, names: tuple[str, ...]) -> str:
    return listed([names[j] for j in labels.tolist()], show=quoted)


def _adapted(proba: np.ndarray, shift: Any) -> np.ndarray:
    """Return probabilities at the new frequencies of the labels that moved."""
    new = np.where(shift.moved, shift.new, shift.old)
    found = proba.copy()
    for j in np.flatnonzero(shift.moved):
        found[:, j] = at_priors(proba[:, j], shift.old[j], new[j])
    return found


def _ends(draws: np.ndarray, level: float) -> np.ndarray:
    """Return the ends of the middle share of draws; NaN where a measure is never defined."""
    defined = ~np.isnan(draws).all(axis=0)
    shares = (1 - level) / 2, (1 + level) / 2
    found = np.nanquantile(np.where(defined, draws, 0.0), shares, axis=0)
    return np.where(defined, found, np.nan)


def _expected_counts(proba: np.ndarray, decided: np.ndarray) -> Counts:
    tp, positives, n_decided = ((proba * decided).sum(axis=0), proba.sum(axis=0), decided.sum(0))
    fp, fn = n_decided - tp, positives - tp
    return Counts(tp, fp, fn, len(proba) - tp - fp - fn)


def _measured(counts: Counts) -> dict[str, Any]:
    """Return micro and macro averages, and the measures of each label."""
    found: dict[str, Any] = {}
    for name, measure in _MEASURES.items():
        found[f"micro-{name}"] = micro(measure, counts)
        found[f"macro-{name}"] = macro(measure, counts, undefined="skip")
        found[name] = np.asarray(measure(counts))
    return found


def _draw_measures(
    proba: np.ndarray,
    decided: np.ndarray,
    random: np.random.RandomState,
    n_draws: int,
    draws: dict[str, list[Any]],
) -> None:
    """Add measures of drawn counts, which are nearly normal sums of independent cells."""
    counts = _expected_counts(proba, decided)
    variance = proba * (1 - proba)
    spread_tp = np.sqrt((variance * decided).sum(axis=0))
    spread_fn = np.sqrt((variance * ~decided).sum(axis=0))
    n_decided = counts.tp + counts.fp
    noise = random.standard_normal((2, n_draws, proba.shape[1]))
    tp = np.clip(counts.tp + spread_tp * noise[0], 0, n_decided)
    fn = np.clip(counts.fn + spread_fn * noise[1], 0, len(proba) - n_decided)
    drawn = Counts(tp, n_decided - tp, fn, len(proba) - n_decided - fn)
    for name, values in _measured(drawn).items():
        draws.setdefault(name, []).append(values)
