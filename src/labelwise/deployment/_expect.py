"""Measures to expect on samples without labels, from calibrated probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import chi2

from labelwise._label_shift import at_priors, estimate_shift
from labelwise._text import as_text, listed, printable, quoted
from labelwise._tuning import in_order
from labelwise._validation import check_instance, check_random_state, check_real, check_scores
from labelwise.decisions import Thresholds
from labelwise.deployment._estimates import MEASURES, MOST_SHOWN, Calibration, Estimates
from labelwise.measures import Counts, macro, micro

# Draws of labels and, with samples to calibrate on, of sigmoids that are fitted to resampled ones.
_N_DRAWS, _N_FITS = 400, 20
# A label with fewer positives, or a fit with a lower p value, is named as doubtful.
_FEW, _LEAST_P, _N_BINS = 10, 0.001, 10


@dataclass(frozen=True, eq=False, repr=False)
class Expectation(Estimates):
    """Measures to expect on samples without labels; prints as a table.

    `expect` returns such objects.

    Attributes
    ----------
    values : dict of str to float
        Expected micro and macro precision, recall and F, as "micro-f".
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
            [printable(name), f"{self.priors[j]:.4f}"]
            + [f"{self.label_values[one][j]:.4f}" for one in MEASURES]
            for j, name in enumerate(self.label_names[:MOST_SHOWN])
        ]
        more = len(self.label_names) - len(labels)
        return "\n".join(
            [
                f"Expected on {self.n_samples:,} samples without labels",
                *(f"doubtful: {one}" for one in self.doubts),
                "",
                self._table("expected", "range"),
                "",
                as_text([["label", "frequency", *MEASURES], *labels]),
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
    calibration = Calibration(thresholds, matrix, calibrate)
    proba = calibration.probabilities(matrix)
    every = np.ones(len(thresholds), dtype=bool)
    shift = estimate_shift(proba, *thresholds.evidence.known_support, 0.01, every)
    doubts = _doubts(calibration, matrix, names)
    if shift.moved.any() and not adapt:
        moved = _named(shift.moved, names)
        doubts.append(f"frequencies of {moved} moved since tuning: adapt=True follows them.")

    def followed(found: np.ndarray) -> np.ndarray:
        """Return probabilities at the new frequencies of the labels that moved."""
        found = np.array(found)
        for j in np.flatnonzero(shift.moved & adapt):
            found[:, j] = at_priors(found[:, j], shift.old[j], shift.new[j])
        return found

    proba = followed(proba)
    if calibration.labelled is None:
        draws = [_drawn_measures(proba, decided, random, _N_DRAWS)]
    else:
        # Sigmoids are fitted to samples with random weights (the Bayesian bootstrap).
        draws = []
        for _ in range(_N_FITS):
            weights = random.standard_exponential(len(calibration.labelled[1]))
            drawn = followed(calibration.probabilities(matrix, calibration.fitted(weights)))
            draws.append(_drawn_measures(drawn, decided, random, _N_DRAWS // _N_FITS))
    found = _measured(_expected_counts(proba, decided))
    ends = {name: _ends(np.concatenate([one[name] for one in draws]), level) for name in found}
    averages = [name for name in found if "-" in name]
    return Expectation(
        values={name: float(found[name]) for name in averages},
        intervals={name: (float(ends[name][0]), float(ends[name][1])) for name in averages},
        label_values={name: found[name] for name in MEASURES},
        label_intervals={name: ends[name] for name in MEASURES},
        level=level,
        label_names=names,
        priors=proba.mean(axis=0),
        doubts=tuple(doubts),
        n_samples=len(matrix),
    )


def _doubts(calibration: Calibration, scores: np.ndarray, names: tuple[str, ...]) -> list[str]:
    """Return sentences on what makes the probabilities doubtful."""
    if calibration.labelled is None:
        return ["scores are taken as probabilities, which nothing has checked: see calibrate."]
    known, Y = calibration.labelled
    outside = np.mean((scores < known.min(axis=0)) | (scores > known.max(axis=0)), axis=0)
    unfit = _fits(calibration.probabilities(known), Y) < _LEAST_P / Y.shape[1]
    found = {
        f"{{}} have fewer than {_FEW} positives to calibrate on.": np.nansum(Y, axis=0) < _FEW,
        "more than 1 % of the scores of {} lie outside of those that were calibrated.": (
            outside > 0.01
        ),
        "a sigmoid does not fit the scores of {}.": unfit,
    }
    return [text.format(_named(labels, names)) for text, labels in found.items() if labels.any()]


def _fits(proba: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return the p value of each label that its sigmoid fits (Hosmer and Lemeshow)."""
    found = np.ones(Y.shape[1])
    for j in range(Y.shape[1]):
        known = np.flatnonzero(~np.isnan(Y[:, j]))
        order = known[np.argsort(proba[known, j], kind="stable")]
        bins = [one for one in np.array_split(order, _N_BINS) if one.size]
        hits, sums, sizes = np.array(
            [(Y[one, j].sum(), proba[one, j].sum(), one.size) for one in bins]
        ).T
        # Bins with hardly any expected positive or negative have no normal sums.
        usual = (sums >= 3) & (sizes - sums >= 3)
        if usual.sum() > 2:
            squares = (hits - sums) ** 2 / (sums * (1 - sums / sizes))
            found[j] = chi2.sf(squares[usual].sum(), usual.sum() - 2)
    return found


def _named(labels: np.ndarray, names: tuple[str, ...]) -> str:
    return listed([names[j] for j in np.flatnonzero(labels)], show=quoted)


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
    for name, measure in MEASURES.items():
        found[f"micro-{name}"] = micro(measure, counts)
        found[f"macro-{name}"] = macro(measure, counts, undefined="skip")
        found[name] = np.asarray(measure(counts))
    return found


def _drawn_measures(
    proba: np.ndarray, decided: np.ndarray, random: np.random.RandomState, n_draws: int
) -> dict[str, Any]:
    """Return measures of drawn counts, which are nearly normal sums of independent cells."""
    counts = _expected_counts(proba, decided)
    variance = proba * (1 - proba)
    noise = random.standard_normal((2, n_draws, proba.shape[1]))
    spread = [np.sqrt((variance * part).sum(axis=0)) for part in (decided, ~decided)]
    n_decided = counts.tp + counts.fp
    n_others = len(proba) - n_decided
    tp = np.clip(counts.tp + spread[0] * noise[0], 0, n_decided)
    fn = np.clip(counts.fn + spread[1] * noise[1], 0, n_others)
    return _measured(Counts(tp, n_decided - tp, fn, n_others - fn))
