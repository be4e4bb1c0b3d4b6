"""`labelwise tune`: tune thresholds on scores and labels in files, and print the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._text import listed, printable
from labelwise.cli._matrices import matched, read_labels, read_scores
from labelwise.cli._outputs import Outputs, warnings_as_notes
from labelwise.cli._progress import working
from labelwise.data import input_files
from labelwise.decisions import (
    Problem,
    Request,
    Thresholds,
    check_request,
    corrected_value,
    solve,
)
from labelwise.measures import average_and_measure

_MOST_NAMED = 5


class TuneOptions(NamedTuple):
    """The options of the command as typed; `parse_options` turns them into arguments."""

    maximize: str = "micro-f"
    beta: float = 1.0
    shared: bool = False
    shrink: str = "0"
    fbr: str | None = None
    fbr_rule: int = 1
    min_precision: float | None = None
    min_recall: float | None = None
    max_decisions: str | None = None
    bootstrap: int = 0
    seed: int = 0


def show_tuning(
    scores: Path,
    labels: Path,
    options: TuneOptions,
    *,
    columns: str | None = None,
    bags: str | None = None,
    output: Path | None = None,
    max_bytes: int | None = None,
) -> Thresholds:
    """Print the best thresholds, their cross-validated value and labels that are never decided.

    With `output`, the thresholds are also written to a JSON file.
    """
    params = parse_options(options)
    outputs = Outputs([output], inputs=[scores, *input_files(labels, None, columns)])
    with working("reading"), warnings_as_notes():
        truth = read_labels(labels, columns, max_bytes, bags=bags)
        scored = matched(truth, read_scores(scores, max_bytes))
    request = check_request(params, truth.values.shape[1])
    problem = Problem(scored.values, truth.values, scored.label_names)
    with working("tuning"):
        tuned = solve(problem, request, options.seed)
        held_out = corrected_value(problem, request, options.seed)
        never = never_decided(tuned, problem, request, options.seed)
    if output is not None:
        tuned.save(output)
    outputs.say(repr(tuned))
    outputs.say("\n" + "\n".join([_unseen_line(tuned, held_out), *_never_lines(never)]))
    outputs.say_written(output)
    return tuned


def parse_options(options: TuneOptions) -> dict[str, Any]:
    """Return the options as arguments of `best_thresholds`."""
    average, measure = average_and_measure(options.maximize, "--maximize")
    most = options.max_decisions
    return {
        "measure": measure,
        "average": average,
        "beta": options.beta,
        "shared": options.shared,
        "shrink": _amount(options.shrink, "--shrink"),
        "fbr": None if options.fbr is None else _amount(options.fbr, "--fbr"),
        "fbr_rule": options.fbr_rule,
        "min_precision": options.min_precision,
        "min_recall": options.min_recall,
        "max_decisions": None if most is None else _decisions(most),
        "n_bootstrap": options.bootstrap,
    }


def never_decided(
    tuned: Thresholds, problem: Problem, request: Request, seed: int
) -> dict[str, list[str]]:
    """List the labels that are decided for no row of the tuning data, by the reason."""
    never = tuned.decided == 0
    reasons = {"without positives": never & (tuned.support == 0)}
    if tuned.fbr and never.any():
        plain = solve(problem, request.without_fbr(), seed)
        reasons[f"with F below fbr {tuned.fbr:g}"] = never & (plain.decided > 0)
    explained = np.any(list(reasons.values()), axis=0)
    reasons["not worth a decision for this measure"] = never & ~explained
    names = tuned.label_names or tuple(map(str, range(len(tuned))))
    return {
        reason: [names[j] for j in np.flatnonzero(labels)]
        for reason, labels in reasons.items()
        if labels.any()
    }


def _amount(text: str, option: str) -> float | str:
    """Parse "auto" or a number."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError as error:
        raise ValueError(f"{option} must be auto or a number from 0 to 1, got {text!r}.") from error


def _decisions(text: str) -> int | float:
    """Parse a whole number as a total, and any other number as a mean per row."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError as error:
        raise ValueError(f"--max-decisions must be a number, got {text!r}.") from error


def _unseen_line(tuned: Thresholds, value: float) -> str:
    if np.isnan(value):
        return "on unseen rows: not known, the other folds give no thresholds"
    optimism = tuned.value - value
    return f"on unseen rows (cross-validation): {value:.4f}, optimism {optimism:.4f}"


def _never_lines(never: dict[str, list[str]]) -> list[str]:
    lines = []
    for reason, labels in never.items():
        plural = "label" if len(labels) == 1 else "labels"
        shown = listed(labels, _MOST_NAMED, show=printable)
        lines.append(f"never decided: {len(labels)} {plural} {reason} ({shown})")
    return lines
