"""Whether constraints on benchmark sets are met on test rows, with and without a guarantee.

A logistic regression for each label is fitted once to a third of the rows of each set; its scores
of the other rows are kept on disk. These rows are split at random ten times: thresholds are tuned
on one half, with and without ``guarantee=0.95``, and measured on the other. Scores of a network
for electrocardiograms are split likewise. The table goes into the docs.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from benchmarks import real_scores
from benchmarks.real_scores import ScoredRows
from benchmarks.scored_sets import HOME, cache_home, features, fitted_scores
from labelwise._io import written_whole
from labelwise.data import load
from labelwise.decisions import Thresholds, best_thresholds
from labelwise.measures import count

TABLE = Path(__file__).with_name("guarantees_real.md")
SETS = ("yeast", "enron", "bibtex", "tmc2007-500", "reuters21578", "delicious")
# Scores of an xresnet, of the rows that it was validated and tested on.
SCORED_SET = "ptbxl"
LIMITS = {"min_precision": 0.8, "min_recall": 0.5}
LEVEL = 0.95
N_SPLITS = 10
FITTED_SHARE = 1 / 3


def scored_rows(name: str) -> ScoredRows:
    """Return the scores and labels of a set, from the cache if they are there."""
    if name == SCORED_SET:
        return real_scores.scored_rows(name)
    path = cache_home() / f"{name}-one-model.npz"
    if not path.exists():
        data = load(name, data_home=HOME)
        X, Y = sparse.csr_array(features(data)), data.Y.toarray()
        rows = np.random.default_rng(0).permutation(len(Y))
        fitted, others = np.split(rows, [round(FITTED_SHARE * len(Y))])
        X = X if sparse.issparse(data.X) else X.toarray()
        scores = fitted_scores(X[fitted], Y[fitted], X[others])
        with written_whole(path) as stream:
            np.savez(stream, scores=scores, Y=Y[others])
    with np.load(path) as kept:
        rows = np.arange(len(kept["Y"]))
        return ScoredRows(kept["scores"], kept["Y"], rows, np.zeros(rows.size))


class Rate(NamedTuple):
    """A rate on test rows, with its standard error."""

    value: float
    error: float


def rates_on(rows: ScoredRows, tuned: Thresholds) -> dict[str, Rate]:
    """Return micro precision and recall; rows are independent, decisions of a row are not."""
    by_row = count(rows.Y, tuned.decide(rows.scores), by="sample")
    hits = by_row.tp
    totals = {"min_precision": hits + by_row.fp, "min_recall": hits + by_row.fn}
    found = {}
    for name, total in totals.items():
        value = hits.sum() / max(total.sum(), 1)
        spread = np.sqrt(np.sum((hits - value * total) ** 2))
        found[name] = Rate(float(value), float(spread / max(total.sum(), 1)))
    return found


def measured(rows: ScoredRows, options: Mapping[str, float]) -> list[dict[str, Rate] | None]:
    """Return the rates on the test half of each split; None where nothing can be certified."""
    found: list[dict[str, Rate] | None] = []
    for number in range(N_SPLITS):
        order = np.random.default_rng(number).permutation(len(rows.Y))
        tuning, testing = (rows.at(half) for half in np.array_split(order, 2))
        try:
            tuned = best_thresholds(tuning.scores, tuning.Y, **options)
        except ValueError:
            found.append(None)
            continue
        found.append(rates_on(testing, tuned))
    return found


def summary(found: list[dict[str, Rate] | None], name: str, limit: float) -> str:
    """Return cells: splits, those below the limit, clearly below it, and the means of rates."""
    met = [rates for rates in found if rates is not None]
    if not met:
        return "0 | - | - | - | -"
    other = "min_recall" if name == "min_precision" else "min_precision"
    n_below = sum(rates[name].value < limit for rates in met)
    n_clearly = sum(rates[name].value + 2 * rates[name].error < limit for rates in met)
    rate, error, paid = np.mean([(*rates[name], rates[other].value) for rates in met], axis=0)
    return f"{len(met)} | {n_below} | {n_clearly} | {rate:.3f} ± {error:.3f} | {paid:.3f}"


HEAD = """| set | rows | labels | asked | guarantee | found | below | clearly | rate | other rate |
|---|--:|--:|---|---|--:|--:|--:|--:|--:|"""


def main() -> None:
    """Measure all sets, print the table, and write it for the docs."""
    if not HOME.is_dir():
        print(f"guarantees_real: no benchmark sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    lines = [HEAD]
    for name in (*SETS, SCORED_SET):
        rows = scored_rows(name)
        asked = [*LIMITS.items(), *([("min_precision", 0.9)] if name == SCORED_SET else [])]
        for limit, least in asked:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Y has no positives|Constraints that new")
                found = {
                    "none": measured(rows, {limit: least}),
                    f"{LEVEL}": measured(rows, {limit: least, "guarantee": LEVEL}),
                }
            words = f"{limit.removeprefix('min_')} {least}"
            size = f"{len(rows.Y) // 2} | {rows.Y.shape[1]}"
            for level, rates in found.items():
                cells = summary(rates, limit, least)
                lines.append(f"| {name} | {size} | {words} | {level} | {cells} |")
                print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
