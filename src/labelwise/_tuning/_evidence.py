"""The evidence for tuned thresholds: value, proof, constraints, guarantee, and what to expect.

`Thresholds.evidence` is an `Evidence`. Its `report` says what is known about the thresholds, and
what value to expect on new samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from labelwise._counts import Counts, counts_of, f_measure, micro_of, precision, recall
from labelwise._text import counted, listed, printable
from labelwise._tuning.guarantees._guarantee import Guarantee
from labelwise._tuning.objectives._constraints import ConstraintCheck
from labelwise._tuning.objectives._request import Request

# What the amounts of shrinkage and FBR mean.
_SHRINK = "0: each label has its own threshold, 1: all labels share one"
_FBR = "thresholds of labels with a lower F are raised"
# Labels that a line names.
_MOST_NAMED = 5
# Values that print as 1.0000.
_PERFECT = 0.99995
# Optimism that makes a value worthless; of a cost, as a share of it.
_LARGE_OPTIMISM = 0.1


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known about tuned thresholds; arrays have one entry for each label.

    `Thresholds.evidence` is such an object.

    Attributes
    ----------
    value : float
        Value of the measure on the tuning data, or the total cost.
    measure : str
        Name of the measure that was maximised, or "cost" if a cost was minimised.
    average : {"micro", "macro", "sample"}
        Average of the measure over labels or samples.
    support : ndarray of shape (n_labels,)
        Number of positives of each label in the tuning data; the sum of their weights if samples
        have weights. Integers, or floats for weights that are not whole numbers.
    decided : ndarray of shape (n_labels,)
        Number of samples in the tuning data for which each label is decided, or the sum of their
        weights.
    n_samples : int
        Number of samples in the tuning data, without those of weight 0.
    beta : float
        Weight of recall in the F-measure: recall counts beta² as much as precision. 1.0 for
        measures that take no beta.
    gap : float or None
        Upper bound of how much higher than `value` the value of any other thresholds that meet the
        constraints can be: 0 if `value` is proven to be the highest, None if no bound is known.
    certificate : float or None
        The λ that proves a micro average without constraints to be the highest: at these
        thresholds every label maximises ``true positives - λ · decisions`` by itself. For the
        F-measure λ is ``F / (1 + beta²)``. None if there is no proof, or if a search proved it.
    shared : bool
        Whether one threshold for all labels was required.
    shrink : float
        Amount of shrinkage between 0 and 1, as given or as chosen by "auto".
    fbr : float or None
        F-measure below which FBR raised the threshold of a label, as given or as chosen by "auto";
        None without FBR.
    interval : tuple of two floats or None
        Confidence interval of the value on new samples (`confidence_interval`), if it
        was stored; None otherwise.
    intervals : ndarray of shape (2, n_labels) or None
        Lower and upper end of the spread of each threshold over resampled samples, as
        `confidence_interval` computes it, if it was stored; None otherwise.
    constraints : tuple of ConstraintCheck
        What each constraint reaches on the tuning data and, by cross-validation, on other data.
    guarantee : Guarantee or None
        What is guaranteed on new samples, if `best_thresholds` was called with `guarantee`.
    adapted : bool
        Whether `adapt_thresholds` chose these thresholds: `value`, `support` and `decided` are
        then expected numbers on the `n_samples` new samples, which had no labels.
    n_missing : int
        Number of missing labels in the tuning data: cells of Y without truth, which count nowhere.
        Rows of which all labels are missing are not in the tuning data.
    weighted : bool
        Whether the samples of the tuning data have weights.
    priors : ndarray of shape (n_labels,) or None
        Share of positives among the samples that have truth for each label, by weight. None
        without missing labels and weights: it is ``support / n_samples`` then.
    n_effective : ndarray of shape (n_labels,) or None
        Number of samples that have truth for each label; with weights, Kish's effective number,
        the square of the sum of weights by the sum of their squares. None as for `priors`.
    n_groups : int or None
        Number of groups in the tuning data; None if thresholds were tuned without groups.
    corrected_value : float
        The cross-validated value: each fold is decided by thresholds tuned on the scores of all
        others. With a guarantee, the value on the samples for calibration. NaN if it is not known:
        `best_thresholds` computes it only with constraints, because it takes the time of tuning
        five times; the function `corrected_value` computes it.
    true_positives : ndarray of shape (n_labels,) or None
        Number of samples in the tuning data for which each label is decided and true, or the sum
        of their weights; None for adapted thresholds and for thresholds from a file.
    request : object or None
        What the thresholds were tuned for, with the arguments of `best_thresholds` as attributes.
        None if it is not known: for adapted thresholds, in model files, and in JSON files of
        earlier releases or of a measure that has no name.

    See Also
    --------
    best_thresholds : Find the thresholds with the highest value of a measure.
    """

    value: float
    measure: str
    average: str
    support: np.ndarray
    decided: np.ndarray
    n_samples: int
    beta: float = 1.0
    gap: float | None = None
    certificate: float | None = None
    shared: bool = False
    shrink: float = 0.0
    fbr: float | None = None
    interval: tuple[float, float] | None = None
    intervals: np.ndarray | None = None
    constraints: tuple[ConstraintCheck, ...] = ()
    guarantee: Guarantee | None = None
    adapted: bool = False
    n_missing: int = 0
    weighted: bool = False
    priors: np.ndarray | None = None
    n_effective: np.ndarray | None = None
    n_groups: int | None = None
    corrected_value: float = float("nan")
    true_positives: np.ndarray | None = None
    request: Request | None = field(default=None, repr=False)

    @property
    def exact(self) -> bool:
        """Whether `value` is proven to be the highest on the tuning data."""
        return self.gap == 0

    @property
    def known_support(self) -> tuple[np.ndarray, Any]:
        """Positives of each label among samples with truth, and these samples.

        With weights, both are effective numbers of samples.
        """
        if self.priors is None or self.n_effective is None:
            return self.support, self.n_samples
        return self.priors * self.n_effective, self.n_effective

    @property
    def counts(self) -> Counts | None:
        """Counts of each label in the tuning data, as far as they are known.

        Missing labels count as true negatives. None if true positives are not known.
        """
        if self.true_positives is None:
            return None
        return counts_of(self.decided, self.true_positives, self.support, self.n_samples)

    @property
    def f_of_labels(self) -> np.ndarray | None:
        """F of each label in the tuning data, as far as it is known.

        NaN for labels without positives and decisions; None if true positives are not known.
        """
        counts = self.counts
        if counts is None:
            return None
        return np.where(self.support + self.decided > 0, f_measure(counts), np.nan)

    def never_decided(
        self, label_names: tuple[str, ...] | None = None, *, by_rank: bool = False
    ) -> dict[str, list[str]]:
        """Name the labels that are decided for no tuning sample, by the reason.

        Parameters
        ----------
        label_names : tuple of str or None, default=None
            Names of the labels; None for their numbers.
        by_rank : bool, default=False
            Whether the rule decides by ranks alone, as those of `rank_rule` and `proportion_rule`
            do: the measure is then not a reason.

        Returns
        -------
        dict
            For each reason that applies, such as "without positives", the names of its labels.
        """
        left = self.decided == 0
        reasons = {"without positives": self.support == 0}
        if self.fbr:
            # The F of a label that was not decided before is 0, and so below the amount, too.
            reasons[f"with F below fbr {self.fbr:g}"] = left
        guarantee = self.guarantee
        if guarantee is not None and guarantee.needed is not None:
            # Of each slice, of each label, or of the labels of each slice.
            n_columns = 1 if guarantee.across == "slices" else left.size
            by_label = guarantee.needed.reshape(-1, n_columns)
            reasons["without a certificate"] = (by_label > 0).any(axis=0)
        by_value = "not worth a decision for this measure"
        reasons["without a high enough score in the tuning samples" if by_rank else by_value] = left
        names, found = label_names or tuple(map(str, range(left.size))), {}
        for reason, applies in reasons.items():
            labels = left & applies
            if labels.any():
                found[reason] = [names[j] for j in np.flatnonzero(labels)]
            left = left & ~labels
        return found

    def report(self, label_names: tuple[str, ...] | None = None) -> str:
        """Write what is known about the thresholds, without the table of labels.

        Parameters
        ----------
        label_names : tuple of str or None, default=None
            Names of the labels; None for their numbers.

        Returns
        -------
        str
            The lines: value, proof, constraints, guarantee, labels that are never decided, and the
            value to expect on new samples.
        """
        above = [self._title(), *self._notes(None, None, label_names), *self._rates()]
        return "\n".join([*above, *self._expectations(label_names)])

    @property
    def _measured(self) -> str:
        """Average and measure in words, such as "micro F"."""
        return f"{self.average} {'F' if self.measure == f_measure.__name__ else self.measure}"

    def _title(self) -> str:
        """Return the value, in one line."""
        beta = "" if self.beta == 1 else f" (beta {self.beta:.6g})"
        on = "expected on {:,} new samples" if self.adapted else "on {:,} samples"
        return f"{self._measured}{beta} {self.value:.4f} {on.format(self.n_samples)}"

    def _rates(self) -> list[str]:
        """Return a line on precision, recall and F of all labels together, or no line."""
        counts = self.counts
        if counts is None:
            return []
        rates = {"precision": precision, "recall": recall, "F": f_measure}
        shown = ", ".join(f"{name} {micro_of(rate, counts):.4f}" for name, rate in rates.items())
        return [f"micro {shown} with {int(np.sum(self.decided)):,} decisions"]

    def _expectations(
        self, label_names: tuple[str, ...] | None, *, by_rank: bool = False
    ) -> list[str]:
        """Return lines on labels that are never decided, and on new samples."""
        lines = []
        for reason, labels in self.never_decided(label_names, by_rank=by_rank).items():
            shown = listed(labels, _MOST_NAMED, show=printable)
            lines.append(f"never decided: {counted(len(labels), 'label')} {reason} ({shown})")
        if self.true_positives is None:
            return lines  # of adapted thresholds, or of those from a file
        return [*lines, *self._on_new_samples(can_shrink=not by_rank)]

    def _on_new_samples(self, *, can_shrink: bool) -> list[str]:
        """Return lines on the value to expect on new samples."""
        value, new_value = self.value, self.corrected_value
        is_cost = self.measure == "cost"
        is_perfect = value >= _PERFECT and not is_cost
        lines = []
        if is_perfect:
            lines.append(
                "a perfect value: are these the scores of a model on its own training samples, or "
                "its output as labels?"
            )
        if math.isnan(new_value):
            return [*lines, f"Do not rely on {value:.4f}: it was not tested on new samples."]
        if is_perfect:
            return [
                *lines,
                f"Do not rely on {value:.4f} unless these samples are new to the model.",
            ]
        less = "less" if new_value <= value else "more"
        measured_by = "cross-validation" if self.guarantee is None else "samples for calibration"
        lines.append(
            f"Expect {new_value:.4f} on new samples ({measured_by}), {abs(value - new_value):.4f} "
            f"{less} than on the tuning samples."
        )
        optimism = (new_value - value) / (abs(value) or 1.0) if is_cost else value - new_value
        if optimism > _LARGE_OPTIMISM:
            can_shrink &= not (self.shared or self.constraints or self.average == "sample")
            more = "samples or shrinkage" if can_shrink and not is_cost else "samples"
            lines.append(f"Some labels have too few positives: more {more} may help.")
        return lines

    def _notes(
        self, max_decided: int | None, max_rank: int | None, label_names: tuple[str, ...] | None
    ) -> list[str]:
        """Return lines on the value and why it is the highest, with the limits of the rule."""
        never = int((self.decided == 0).sum())
        low, high = self.interval or (0.0, 0.0)
        highest = "highest score" if max_rank == 1 else f"{max_rank} highest scores"
        notes = [
            (f"on new samples {low:.4f} to {high:.4f}", self.interval is not None),
            ("the highest of all", self.gap == 0 and self.measure != "cost"),
            ("the least of all", self.gap == 0 and self.measure == "cost"),
            (f"at most {self.gap or 0:.2g} below the highest", bool(self.gap)),
            ("one threshold for all labels", self.shared),
            (f"shrink {self.shrink:.3g} ({_SHRINK})", self.shrink > 0),
            (f"fbr {self.fbr or 0:.3g} ({_FBR})", self.fbr is not None),
            (f"{counted(never, 'label')} never decided", never > 0),
            (f"at most {max_decided} labels a sample", max_decided is not None),
            (f"only the {highest} of a sample", max_rank is not None),
            ("samples counted by weight", self.weighted),
            (f"{counted(self.n_missing, 'cell')} without truth not counted", self.n_missing > 0),
        ]
        text = ", ".join(note for note, applies in notes if applies)
        checks = [check.line() for check in self.constraints]
        stated = [] if self.guarantee is None else self.guarantee.lines(label_names)
        return [*([text] if text else []), *self._proof(), *checks, *stated]

    def _proof(self) -> list[str]:
        """Return a line that explains the certificate, or no line."""
        if self.certificate is None:
            return []
        slope = f"{self.certificate:.6g}"
        kept = f"each label maximises true positives - {slope} × decisions"
        return [f"proof by certificate {slope}: {kept}"]

    def _of_labels(self, places: np.ndarray) -> Evidence:
        """Return the evidence of other labels, as `Thresholds._of_labels` does."""
        guarantee = self.guarantee
        if guarantee is not None and guarantee.needed is not None:
            needed = guarantee.needed
            if guarantee.across != "slices":
                # With slices, the labels of each slice come one after another.
                needed = taken(needed.reshape(-1, self.support.size), places, 0).ravel()
            guarantee = replace(guarantee, needed=needed)
        known: dict[str, Any] = {
            name: None if getattr(self, name) is None else taken(getattr(self, name), places, 0)
            for name in ("support", "decided", "true_positives", "priors", "n_effective")
        }
        return replace(
            self,
            intervals=None if self.intervals is None else taken(self.intervals, places, np.inf),
            guarantee=guarantee,
            **known,
            request=self.request if self.request is None or self.request.cost is None else None,
        )

    def __getstate__(self) -> dict[str, Any]:
        # A request can contain functions of the caller, which a file cannot.
        return {**vars(self), "request": None}


def taken(part: np.ndarray, places: np.ndarray, filling: float) -> np.ndarray:
    """Return the last axis in another order, with a filling where a place is -1."""
    kept = (
        part[..., np.maximum(places, 0)]
        if part.shape[-1]
        else np.zeros((*part.shape[:-1], places.size), part.dtype)
    )
    return np.where(places < 0, np.array(filling, dtype=part.dtype), kept)
