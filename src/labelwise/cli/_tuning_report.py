"""What `labelwise tune` prints: the value, what it costs and is worth, and the worst labels."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from labelwise._text import as_text, counted, listed, printable
from labelwise.decisions import (
    Problem,
    Request,
    Thresholds,
    bootstrap_bounds,
    check_bootstrap,
    solve,
    tune_and_correct,
)
from labelwise.measures import Counts, f_measure, micro, precision, recall

_MOST_NAMED = 5
# Share of the bootstrap draws within the interval.
_CONFIDENCE = 0.95
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

    `free_value` is the value without the constraints, which `constraints` names as options;
    `unseen_value` is the value on unseen rows by cross-validation, NaN if it is not known.
    """

    tuned: Thresholds
    counts: Counts
    never_decided: dict[str, list[str]]
    unseen_value: float
    constraints: tuple[str, ...]
    free_value: float
    why_unknown: str = "the other folds give no thresholds"

    def lines(self) -> list[str]:
        """Return the lines that explain the thresholds to the user."""
        return [
            _title(self.tuned),
            _reached_line(self.counts),
            *self._cost_lines(),
            "",
            *_label_lines(self.tuned, self.counts),
            "",
            *_never_lines(self.never_decided),
            *_perfect_lines(self.tuned),
            _unseen_line(self.tuned, self.unseen_value, self.why_unknown),
            *_broken_lines(self.tuned),
            _trust_line(self.tuned, self.unseen_value),
        ]

    def record(self) -> dict[str, Any]:
        """Return the same for --json, with all labels."""
        tuned, counts = self.tuned, self.counts
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
            "never_decided": self.never_decided,
            "labels": [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)],
        }

    def _cost_lines(self) -> list[str]:
        """Say which value thresholds without the constraints reach."""
        if not self.constraints:
            return []
        options, cost = " and ".join(self.constraints), self.free_value - self.tuned.value
        value = f"the highest value (--shrink 0) is {self.free_value:.4f}"
        return [f"without {options} {value}: the constraint costs {cost:.4f}"]


def tuning_report(problem: Problem, request: Request, seed: int, n_bootstrap: int) -> TuningReport:
    """Tune thresholds; find out what they reach, what constraints cost, and the unseen value."""
    check_bootstrap(n_bootstrap, _CONFIDENCE, request)
    problem = problem.with_top(request.max_rank)
    tuned = tune_and_correct(problem, request, seed).thresholds
    if n_bootstrap:
        bounds = bootstrap_bounds(problem, request, n_bootstrap, _CONFIDENCE, seed)
        evidence = replace(tuned.evidence, interval=bounds.value, intervals=bounds.thresholds)
        tuned = replace(tuned, evidence=evidence)
    given = [name for name, limit in request.limits._asdict().items() if limit is not None]
    free = tuned.value
    if given:
        free = solve(problem, request.without_limits(), seed).value
    return TuningReport(
        tuned,
        problem.decision_counts(tuned.values, tuned.max_decided, "label"),
        never_decided(tuned, problem, request, seed),
        tuned.evidence.corrected_value,
        tuple(map(_option, given)),
        free,
    )


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


def never_decided(
    tuned: Thresholds, problem: Problem | None, request: Request, seed: int
) -> dict[str, list[str]]:
    """List the labels that are decided for no row of the tuning data, by the reason."""
    never = tuned.evidence.decided == 0
    reasons = {"without positives": never & (tuned.evidence.support == 0)}
    if tuned.evidence.fbr and never.any() and problem is not None:
        plain = solve(problem, request.without_fbr(), seed)
        reasons[f"with F below fbr {tuned.evidence.fbr:g}"] = never & (plain.evidence.decided > 0)
    explained = np.any(list(reasons.values()), axis=0)
    if tuned.evidence.guarantee is not None and tuned.evidence.guarantee.needed is not None:
        failed = never & ~explained & (tuned.evidence.guarantee.needed > 0)
        reasons["without a certificate"] = failed
        explained = explained | failed
    reasons["not worth a decision for this measure"] = never & ~explained
    names = _names(tuned)
    return {
        reason: [names[j] for j in np.flatnonzero(labels)]
        for reason, labels in reasons.items()
        if labels.any()
    }


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
