"""`labelwise tune`: the best thresholds for scores and labels in files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise import measures
from labelwise._estimators import HeldOutScores
from labelwise._text import printable
from labelwise.cli._matrices import Matrix, matched, read_labels, read_scores
from labelwise.cli._outputs import Outputs
from labelwise.cli._progress import working
from labelwise.data import input_files
from labelwise.decisions import Thresholds, best_thresholds, check_goal, corrected_value

_AVERAGES = ("micro", "macro", "sample")
_MEASURES = {
    "f": measures.f_measure,
    "jaccard": measures.jaccard,
    "accuracy": measures.accuracy,
    "balanced-accuracy": measures.balanced_accuracy,
    "g-mean": measures.g_mean,
    "matthews": measures.matthews,
    "precision": measures.precision,
    "recall": measures.recall,
}
_MOST_NAMED = 5


class Wishes(NamedTuple):
    """The options of the command, as they were typed."""

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
    wishes: Wishes,
    *,
    columns: str | None = None,
    bags: str | None = None,
    output: Path | None = None,
    max_bytes: int | None = None,
) -> Thresholds:
    """Print the best thresholds and what is known about them, and write them."""
    options = parse_wishes(wishes)
    outputs = Outputs([output], inputs=[scores, *input_files(labels, None, columns)])
    with working("reading"):
        truth = read_labels(labels, columns, max_bytes, bags=bags)
        scored = matched(truth, read_scores(scores, max_bytes))
    with working("tuning"), warnings.catch_warnings():
        # Which labels have no positives is told below.
        warnings.filterwarnings("ignore", "Y has no positives")
        draws: dict[str, Any] = {"n_bootstrap": wishes.bootstrap, "label_names": scored.label_names}
        tuned = best_thresholds(scored.values, truth.values, **options, **draws)
        held_out = value_on_unseen_rows(scored, truth, options)
        never = never_decided(tuned, scored, truth, options)
    if output is not None:
        tuned.save(output)
    outputs.say(repr(tuned))
    outputs.say("\n" + "\n".join([_unseen_line(tuned, held_out), *_never_lines(never)]))
    outputs.say_written(output)
    return tuned


def parse_wishes(wishes: Wishes) -> dict[str, Any]:
    """Return the options as the arguments of `best_thresholds`."""
    average, measure = parse_maximize(wishes.maximize)
    most = wishes.max_decisions
    return {
        "measure": measure,
        "average": average,
        "beta": wishes.beta,
        "shared": wishes.shared,
        "shrink": _amount(wishes.shrink, "--shrink"),
        "fbr": None if wishes.fbr is None else _amount(wishes.fbr, "--fbr"),
        "fbr_rule": wishes.fbr_rule,
        "min_precision": wishes.min_precision,
        "min_recall": wishes.min_recall,
        "max_decisions": None if most is None else _decisions(most),
        "random_state": wishes.seed,
    }


def parse_maximize(text: str) -> tuple[str, Any]:
    """Return the average and the measure of a name such as micro-f."""
    average, _, name = text.partition("-")
    if average not in _AVERAGES or name not in _MEASURES:
        raise ValueError(
            f"--maximize must be micro-, macro- or sample- and one of {', '.join(_MEASURES)}, "
            f"got {text!r}."
        )
    return average, _MEASURES[name]


def value_on_unseen_rows(scored: Matrix, truth: Matrix, options: dict[str, Any]) -> float:
    """Return the value of decisions on folds of the rows that tuning did not see, NaN if none."""
    n_rows = truth.values.shape[0]
    goal = check_goal({"cost": None, **options}, *truth.values.shape)
    all_rows = HeldOutScores(scored.values, np.arange(n_rows), np.zeros(n_rows, dtype=np.intp))
    return corrected_value(all_rows, truth.values.tocsr(), goal.of_part(n_rows).tune, goal.value)


def never_decided(
    tuned: Thresholds, scored: Matrix, truth: Matrix, options: dict[str, Any]
) -> dict[str, list[str]]:
    """Return the labels that no row of the tuning data gets, by the reason."""
    never = tuned.decided == 0
    reasons = {"without positives": never & (tuned.support == 0)}
    if tuned.fbr and never.any():
        plain = best_thresholds(scored.values, truth.values, **options | {"fbr": None})
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
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError as error:
        raise ValueError(f"{option} must be auto or a number from 0 to 1, got {text!r}.") from error


def _decisions(text: str) -> int | float:
    """Return a total if the text is a whole number, else a mean per row."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError as error:
        raise ValueError(f"--max-decisions must be a number, got {text!r}.") from error


def _unseen_line(tuned: Thresholds, value: float) -> str:
    if np.isnan(value):
        return "on unseen rows: cannot be told from so few"
    optimism = tuned.value - value
    return f"on unseen rows (cross-validation): {value:.4f}, optimism {optimism:.4f}"


def _never_lines(never: dict[str, list[str]]) -> list[str]:
    lines = []
    for reason, labels in never.items():
        more = "" if len(labels) <= _MOST_NAMED else ", ..."
        plural = "label" if len(labels) == 1 else "labels"
        shown = ", ".join(map(printable, labels[:_MOST_NAMED]))
        lines.append(f"never decided: {len(labels)} {plural} {reason} ({shown}{more})")
    return lines
