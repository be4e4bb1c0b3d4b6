"""What `labelwise tune` prints: the value, what it costs and is worth, and the worst labels."""

from __future__ import annotations

import warnings
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from labelwise._counts import counts_of
from labelwise._text import as_text, counted, listed, printable
from labelwise.decisions import (
    Thresholds,
    best_thresholds,
    confidence_interval,
    corrected_value,
)
from labelwise.measures import Counts, f_measure, micro, precision, recall

_MOST_NAMED = 5
# Labels in the table; the file of thresholds has all labels.
_MOST_SHOWN = 20
# A threshold of fewer positives than this is marked.
_FEW = 10
# Values that print as 1.0000.
_PERFECT = 0.99995
# Optimism that does not change a decision, and optimism that makes a value worthless.
_SMALL_OPTIMISM, _LARGE_OPTIMISM = 0.02, 0.1


class TuningReport(NamedTuple):
    """Facts about tuned thresholds.

    `unseen_value` is the value on unseen rows by cross-validation, NaN if it is not known, and
    `free_value` is the value without the constraints. `without_fbr` are the thresholds without FBR
    if it raised thresholds so that labels are never decided, else None.
    """

    tuned: Thresholds
    unseen_value: float
    free_value: float
    without_fbr: Thresholds | None
    why_unknown: str

    def lines(self) -> list[str]:
        """Return the lines that explain the thresholds to the user."""
        counts = _counts(self.tuned)
        return [
            _title(self.tuned),
            _reached_line(counts),
            *self._cost_lines(),
            "",
            *_label_lines(self.tuned, counts),
            "",
            *_never_lines(self._never_decided()),
            *_perfect_lines(self.tuned),
            _unseen_line(self.tuned, self.unseen_value, self.why_unknown),
            *_broken_lines(self.tuned),
            _trust_line(self.tuned, self.unseen_value),
        ]

    def record(self) -> dict[str, Any]:
        """Return the same for --json, with all labels."""
        tuned, counts = self.tuned, _counts(self.tuned)
        f_of_label = _f_of_label(tuned, counts)
        columns = (
            _names(tuned),
            tuned.values,
            tuned.evidence.support,
            tuned.evidence.decided,
            f_of_label,
        )
        keys = ("label", "threshold", "support", "decided", "f")
        return {
            "measure": tuned.evidence.measure,
            "average": tuned.evidence.average,
            "beta": tuned.evidence.beta,
            "value": tuned.value,
            "is_highest": tuned.evidence.exact,
            "unseen_value": self.unseen_value,
            "unseen_reason": self.why_unknown if np.isnan(self.unseen_value) else None,
            "value_without_constraints": self.free_value,
            "micro_precision": micro(precision, counts),
            "micro_recall": micro(recall, counts),
            "n_samples": tuned.evidence.n_samples,
            "n_missing": tuned.evidence.n_missing,
            "n_decisions": int(np.sum(tuned.evidence.decided)),
            "constraints": [check._asdict() for check in tuned.evidence.constraints],
            "guarantee": None
            if tuned.evidence.guarantee is None
            else asdict(tuned.evidence.guarantee),
            "most_per_row": tuned.max_decided,
            "top_per_row": tuned.max_rank,
            "shrink": tuned.evidence.shrink,
            "fbr": tuned.evidence.fbr,
            "interval": tuned.evidence.interval,
            "never_decided": self._never_decided(),
            "labels": [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)],
        }

    def _cost_lines(self) -> list[str]:
        """Say which value thresholds without the constraints reach."""
        constraints = _constraints(self.tuned)
        if not constraints:
            return []
        options, cost = " and ".join(map(_option, constraints)), self.free_value - self.tuned.value
        value = f"the highest value (--shrink 0) is {self.free_value:.4f}"
        return [f"without {options} {value}: the constraint costs {cost:.4f}"]

    def _never_decided(self) -> dict[str, list[str]]:
        """List the labels that are decided for no row of the tuning data, by the reason."""
        known = self.tuned.evidence
        never = known.decided == 0
        reasons = {"without positives": never & (known.support == 0)}
        if self.without_fbr is not None:
            decided_before = self.without_fbr.evidence.decided > 0
            reasons[f"with F below fbr {known.fbr:g}"] = never & decided_before
        explained = np.any(list(reasons.values()), axis=0)
        if known.guarantee is not None and known.guarantee.needed is not None:
            failed = never & ~explained & (known.guarantee.needed > 0)
            reasons["without a certificate"] = failed
            explained = explained | failed
        reasons["not worth a decision for this measure"] = never & ~explained
        names = _names(self.tuned)
        return {
            reason: [names[j] for j in np.flatnonzero(labels)]
            for reason, labels in reasons.items()
            if labels.any()
        }


def tuning_report(
    scores: Any,
    Y: Any,
    given: dict[str, Any],
    *,
    seed: int | None = None,
    n_bootstrap: int = 0,
    groups: Any = None,
    why_unknown: str | None = None,
    **matching: Any,
) -> TuningReport:
    """Tune thresholds by `best_thresholds`, and find what else is printed about them.

    `given` are the options of the request, and `matching` further arguments of `best_thresholds`.
    `why_unknown` says why the value on unseen rows is not estimated; None if it is.
    """

    def tuned_for(**changed: Any) -> Thresholds:
        asked = given | changed
        return best_thresholds(scores, Y, **asked, groups=groups, random_state=seed, **matching)

    with warnings.catch_warnings():
        # The report names labels without positives and constraints that unseen rows break.
        warnings.filterwarnings("ignore", "Y has no positives|Constraints that new samples")
        tuned = tuned_for()
        known, constraints = tuned.evidence, _constraints(tuned)
        free, without_fbr = tuned.value, None
        if constraints:
            free = tuned_for(**dict.fromkeys((*constraints, "guarantee")), shrink=0.0).value
        if known.fbr and (known.decided == 0).any():
            without_fbr = tuned_for(fbr=None, shrink=0.0)
    unseen = known.corrected_value
    if why_unknown is None and not constraints:
        unseen = corrected_value(tuned, scores, Y, groups=groups, random_state=seed)
    if n_bootstrap:
        bounds = confidence_interval(
            tuned, scores, Y, n_bootstrap=n_bootstrap, groups=groups, random_state=seed
        )
        evidence = replace(known, interval=bounds.value, intervals=bounds.thresholds)
        tuned = replace(tuned, evidence=evidence)
    reason = why_unknown or "the other folds give no thresholds"
    return TuningReport(tuned, unseen, free, without_fbr, reason)


def _constraints(tuned: Thresholds) -> list[str]:
    """Name the constraints of tuned thresholds, by the arguments of `best_thresholds`."""
    limits = tuned.evidence.request.limits._asdict()  # type: ignore[union-attr]
    return [name for name, limit in limits.items() if limit is not None]


def _counts(tuned: Thresholds) -> Counts:
    """Return the counts of each label; missing labels count as true negatives."""
    known = tuned.evidence
    found: Counts = counts_of(known.decided, known.true_positives, known.support, known.n_samples)
    return found


def _option(constraint: str) -> str:
    return f"--{constraint.replace('_', '-')}"


def _title(tuned: Thresholds) -> str:
    """Return the lines above the table of thresholds, with constraints by their options."""
    text = repr(tuned).split("\n\n")[0]
    for check in tuned.evidence.constraints:
        text = text.replace(f"\n{check.name} ", f"\n{_option(check.name)} ")
    return text


def _reached_line(counts: Counts) -> str:
    """Return the micro precision and recall, and the number of decisions."""
    n_decided = int(np.sum(counts.tp) + np.sum(counts.fp))
    rates = f"micro precision {micro(precision, counts):.4f}, recall {micro(recall, counts):.4f}"
    return f"{rates}, F {micro(f_measure, counts):.4f} with {n_decided:,} decisions"


def _names(tuned: Thresholds) -> tuple[str, ...]:
    return tuned.label_names or tuple(map(str, range(len(tuned))))


def _f_of_label(tuned: Thresholds, counts: Counts) -> np.ndarray:
    """Return the F of each label; NaN for labels without positives and decisions."""
    return np.where(tuned.evidence.support + tuned.evidence.decided > 0, f_measure(counts), np.nan)


def _label_lines(tuned: Thresholds, counts: Counts) -> list[str]:
    """Return the table of labels; if there are many, those never decided, then the lowest F."""
    names, f_of_label = _names(tuned), _f_of_label(tuned, counts)
    order = np.arange(len(tuned))
    if len(tuned) > _MOST_SHOWN:
        order = np.lexsort((f_of_label, tuned.evidence.decided > 0))[:_MOST_SHOWN]
    few = tuned.evidence.support < _FEW
    rows = [
        [
            printable(names[j]),
            f"{tuned.values[j]:.6g}{'*' if few[j] else ''}",
            str(tuned.evidence.support[j]),
            str(tuned.evidence.decided[j]),
            f"{f_of_label[j]:.4f}",
        ]
        for j in order
    ]
    lines = as_text([["label", "threshold", "support", "decided", "F"], *rows]).splitlines()
    more = len(tuned) - len(rows)
    if more:
        lines.append(f"... and {more:,} more, which are better (-o FILE has all thresholds)")
    if few.any():
        marked = counted(int(few.sum()), "label")
        lines.append(f"* fewer than {_FEW} positives ({marked}): not reliable")
    return lines


def _never_lines(never: dict[str, list[str]]) -> list[str]:
    lines = []
    for reason, labels in never.items():
        shown = listed(labels, _MOST_NAMED, show=printable)
        lines.append(f"never decided: {counted(len(labels), 'label')} {reason} ({shown})")
    return lines


def _perfect_lines(tuned: Thresholds) -> list[str]:
    if tuned.value < _PERFECT:
        return []
    return [
        "a perfect value: are these the scores of a model on its own training rows, or its output "
        "as labels?"
    ]


def _broken_lines(tuned: Thresholds) -> list[str]:
    """Advise a guarantee if unseen rows break a constraint."""
    broken = [check.name for check in tuned.evidence.constraints if check.is_broken]
    options = " and ".join(map(_option, broken))
    if not broken:
        return []
    if broken == ["max_decisions"]:
        return [f"unseen rows break {options}"]
    return [f"unseen rows break {options}: --guarantee 0.95 makes precision and recall hold there"]


def _unseen_line(tuned: Thresholds, value: float, why_unknown: str) -> str:
    if np.isnan(value):
        return f"on unseen rows: not known, {why_unknown}"
    if tuned.evidence.guarantee is not None:
        return f"on the rows for calibration: {value:.4f}"
    less = "less" if value <= tuned.value else "more"
    difference = f"{abs(tuned.value - value):.4f} {less} than on the rows of tuning"
    return f"on unseen rows (cross-validation): {value:.4f}, {difference}"


def _trust_line(tuned: Thresholds, value: float) -> str:
    """Say in one sentence which value to expect on new rows."""
    optimism = tuned.value - value
    if np.isnan(value):
        return f"Do not rely on {tuned.value:.4f}: it was not tested on unseen rows."
    if tuned.value >= _PERFECT:
        return f"Do not rely on {tuned.value:.4f} unless these rows are new to the model."
    if optimism <= _SMALL_OPTIMISM:
        return f"{tuned.value:.4f} can be trusted: unseen rows of the same kind give about as much."
    if optimism <= _LARGE_OPTIMISM:
        return f"Expect about {value:.4f} on new rows instead of {tuned.value:.4f}."
    return (
        f"Do not rely on {tuned.value:.4f}: thresholds of so few positives reach {value:.4f} on "
        "unseen rows; more rows or a higher --shrink help."
    )
