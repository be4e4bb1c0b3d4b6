"""Thresholds from labels that are written down in part, on real scores.

Of the positives of each label, a share between 30 and 90 % is written, drawn at random. Thresholds
are tuned on half of the rows: with all labels, with the written ones, and with labels completed by
`complete_labels`, with the known shares or with those that 300 completely labelled rows give. F is
measured on the other half, with all labels. "recovered" is the part of what hiding labels cost that
the completed labels bring back. The last columns are F of the same decisions of the tuning rows:
with the written labels, with completed ones and with all. The amount of shrinkage for completed
labels is that of the written ones. The table goes into the docs.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import guarantees_real, real_scores
from benchmarks.scored_sets import HOME
from labelwise.decisions import best_thresholds, complete_labels, estimate_propensity
from labelwise.measures import count, f_measure, macro, micro

TABLE = Path(__file__).with_suffix(".md")
SETS = ("ptbxl", "yeast", "goemotions")
N_SPLITS = 10
N_COMPLETE = 300
LEAST, MOST = 0.3, 0.9
AVERAGES = {"micro": micro, "macro": macro}
HEAD = (
    "set",
    "F",
    "shrink",
    "all labels",
    "written",
    "completed",
    "recovered",
    "300 complete rows",
    "recovered",
    "measured: written",
    "completed",
    "all",
)


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores and labels of a set."""
    known = real_scores if name in real_scores.SETS else guarantees_real
    return known.scored_rows(name)[:2]


def measured(scores: np.ndarray, Y: np.ndarray, average: str, shrink: Any) -> list[float]:
    """Return means over splits: F on new rows of four tunings, and F as three labels measure it."""
    found = []
    for number in range(N_SPLITS):
        random = np.random.default_rng(number)
        order = random.permutation(len(Y))
        tuning, testing = np.array_split(order, 2)
        shares = random.uniform(LEAST, MOST, Y.shape[1])
        truth, tuned_on = Y[tuning].astype(np.int8), scores[tuning]
        written = truth * (random.random(truth.shape) < shares)
        known = complete_labels(tuned_on, written, shares)
        estimated = estimate_propensity(written[:N_COMPLETE], truth[:N_COMPLETE])
        labels = (truth, written, known, complete_labels(tuned_on, written, estimated))
        options = {"maximize": f"{average}-f", "random_state": 0}
        tuned = [best_thresholds(tuned_on, one, shrink=shrink, **options) for one in labels[:2]]
        # Completed labels of a row depend on the other rows, so that folds of them are too alike.
        amount = tuned[1].evidence.shrink
        tuned += [best_thresholds(tuned_on, one, shrink=amount, **options) for one in labels[2:]]
        value = AVERAGES[average]
        on_new = [value(f_measure, count(Y[testing], one.decide(scores[testing]))) for one in tuned]
        decided = tuned[2].decide(tuned_on)
        found.append([*on_new, *(value(f_measure, count(labels[k], decided)) for k in (1, 2, 0))])
    return np.mean(found, axis=0).tolist()


def line(name: str, options: Mapping[str, Any]) -> str:
    """Return a line of the table."""
    whole, written, known, estimated, *as_measured = measured(*rows_of(name), **options)
    cells = [name, options["average"], str(options["shrink"]), f"{whole:.4f}", f"{written:.4f}"]
    for value in (known, estimated):
        cells += [f"{value:.4f}", f"{(value - written) / (whole - written):.0%}"]
    cells += [f"{value:.3f}" for value in as_measured]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure, print the table, and write it for the docs."""
    if not HOME.is_dir():
        print(f"incomplete_labels: no sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    warnings.filterwarnings("ignore", message="Y has no positives")
    lines = [f"| {' | '.join(HEAD)} |", f"|---|---|---|{'--:|' * (len(HEAD) - 3)}"]
    print(*lines, sep="\n")
    for name in SETS:
        for average in AVERAGES:
            for shrink in (0.0, "auto"):
                lines.append(line(name, {"average": average, "shrink": shrink}))
                print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
