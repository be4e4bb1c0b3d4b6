"""`labelwise evaluate`: print every measure of the scores and decisions of files."""

from __future__ import annotations

from pathlib import Path

from labelwise.cli._matrices import matched, read_labels, read_scores
from labelwise.cli._outputs import say, warnings_as_notes
from labelwise.cli._progress import working
from labelwise.measures import Evaluation, evaluate


def show_evaluation(
    labels: Path,
    *,
    scores: Path | None = None,
    decided: Path | None = None,
    columns: str | None = None,
    bags: str | None = None,
    part: str | None = None,
    beta: float = 1.0,
    bootstrap: int = 0,
    undefined: str = "nan",
    seed: int = 0,
    max_bytes: int | None = None,
) -> Evaluation:
    """Print the table of all measures that apply to scores, decisions or both."""
    if scores is None and decided is None:
        raise ValueError("--scores or --decided must be given, got neither.")
    with working("reading"), warnings_as_notes():
        truth = read_labels(labels, columns, max_bytes, bags=bags, part=part)
        scored = None if scores is None else matched(truth, read_scores(scores, max_bytes))
        found = None if decided is None else read_labels(decided, max_bytes=max_bytes)
        chosen = None if found is None else matched(truth, found)
    with working("measuring"):
        names = next((m.label_names for m in (scored, chosen) if m and m.label_names), None)
        evaluation = evaluate(
            truth.values,
            scores=None if scored is None else scored.values,
            decided=None if chosen is None else chosen.values,
            beta=beta,
            undefined=undefined,
            label_names=names,
            n_bootstrap=bootstrap,
            random_state=seed,
        )
    say(repr(evaluation))
    return evaluation
