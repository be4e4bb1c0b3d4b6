"""How often guaranteed constraints are broken on new rows, and what the guarantee costs.

Scores are the probabilities of labels given normal features, one feature for each label, so that
the precision and recall of any thresholds in the population are known. Features and labels of a row
share a common factor. BENCH_DRAWS sets the number of draws for each cell of the tables, which go
into the docs.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import binom, norm

from benchmarks.mapie_controller import MAPIE_HEAD, mapie_lines
from labelwise.decisions import Certify, Thresholds, best_thresholds
from labelwise.measures import count, macro, micro, precision, recall

TABLE = Path(__file__).with_name("guarantees.md")
N_DRAWS = 2000
SIZES_OF_DRAWS = (100, 500, 5000)
LEVEL = 0.95
# Rows for the rates of samples, and of decisions that are limited per row.
N_POPULATION = 50_000
METHODS: dict[str, dict[str, Any]] = {
    "micro": {},
    "each label": {"maximize": "macro-f"},
    "all labels": {"maximize": "macro-f", "across": "all"},
    "mean of rows": {"maximize": "sample-f"},
}
ASKED = {
    "precision 0.8": {"min_precision": 0.8},
    "recall 0.5": {"min_recall": 0.5},
    "both 0.7, 0.4": {"min_precision": 0.7, "min_recall": 0.4},
}
EXPECTED_RECALL = 0.8
# Shares of rows that are copies of a few documents, and the rows of a draw.
SHARES_OF_COPIES = (0.0, 0.05, 0.12)
N_ROWS_WITH_COPIES = 2000


class Population(NamedTuple):
    """Shares of the labels, distances of their positives, and a correlation within rows."""

    name: str
    shares: np.ndarray
    distances: np.ndarray
    correlation: float

    def draw(self, n_rows: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return probabilities and labels of independent rows."""

        def noise() -> np.ndarray:
            common = random.standard_normal((n_rows, 1))
            own = random.standard_normal((n_rows, self.shares.size))
            return np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own

        Y = noise() < norm.ppf(self.shares)
        features = noise() + self.distances * Y
        return expit(self.distances * (features - self.distances / 2) + logit(self.shares)), Y

    def label_rates(self, thresholds: np.ndarray) -> np.ndarray:
        """Return the expected hits and decisions of each label for one row."""
        probability = np.clip(thresholds, 0.0, 1.0)
        cut = (logit(probability) - logit(self.shares)) / self.distances + self.distances / 2
        hits = self.shares * norm.sf(cut - self.distances)
        return np.array([hits, hits + (1 - self.shares) * norm.sf(cut)])


def populations() -> list[Population]:
    """Return usual and rare labels, independent and strongly dependent."""
    usual = np.linspace(0.1, 0.4, 10), np.full(10, 2.0)
    rare = np.linspace(0.01, 0.05, 30), np.full(30, 3.0)
    return [
        Population(f"{kind}, {dependence}", *labels, correlation)
        for kind, labels in (("usual", usual), ("rare", rare))
        for dependence, correlation in (("independent", 0.0), ("dependent", 0.7))
    ]


class Truth(NamedTuple):
    """A population, and many of its rows."""

    population: Population
    scores: np.ndarray
    Y: np.ndarray

    def rates(self, tuned: Thresholds) -> np.ndarray:
        """Return precision and recall on new rows: of each label for the macro average."""
        if tuned.evidence.average == "sample":
            counts = count(self.Y, tuned.decide(self.scores), by="sample")
            return np.array([macro(rate, counts, "skip") for rate in (precision, recall)])
        if tuned.max_decided is None:
            hits, decided = self.population.label_rates(tuned.values)
            positives = self.population.shares
        else:
            decisions = tuned.decide(self.scores)
            hits = np.sum(decisions * self.Y, axis=0)
            decided, positives = decisions.sum(axis=0), self.Y.sum(axis=0)
        if tuned.evidence.average == "micro":
            hits, decided, positives = hits.sum(), decided.sum(), positives.sum()
        with np.errstate(invalid="ignore"):
            return np.array([hits / decided, hits / positives])


class Draw(NamedTuple):
    """What one draw shows; shares of labels for the macro average."""

    broken: float  # certified, and broken on new rows
    refused: float  # not certified
    paid: float  # recall on new rows; precision if only recall is asked for


def measured(truth: Truth, tuned: Thresholds, asked: Mapping[str, float], method: str) -> Draw:
    """Measure thresholds on new rows."""
    rates = truth.rates(tuned)
    limits = np.array([asked.get("min_precision", 0.0), asked.get("min_recall", 0.0)])
    is_decided = tuned.values < np.inf if tuned.evidence.average == "macro" else np.True_
    is_broken = is_decided & np.less(rates.T, limits).any(axis=-1)
    paid = rates[0 if "min_precision" not in asked else 1]
    return Draw(
        float(is_broken.any() if method == "all labels" else np.mean(is_broken)),
        float(1 - np.mean(is_decided)),
        float(np.nanmean(paid)) if np.any(is_decided) else np.nan,
    )


def draws(
    truth: Truth, n_rows: int, n_draws: int, asked: dict[str, float], method: str, plain: bool
) -> Iterator[Draw]:
    """Yield what each draw shows, with the guarantee or without."""
    random = np.random.default_rng(n_rows)
    options = dict(METHODS[method])
    across = options.pop("across", "each")
    if not plain:
        options["guarantee"] = Certify(LEVEL, across=across)
    for _ in range(n_draws):
        rows = truth.population.draw(n_rows, random)
        try:
            tuned = best_thresholds(*rows, **options, **asked, random_state=0)
        except ValueError:
            yield Draw(0.0, 1.0, np.nan)
            continue
        yield measured(truth, tuned, asked, method)


class Cell(NamedTuple):
    """Draws of one cell of the table, with and without the guarantee."""

    certified: np.ndarray  # (n_draws, 3)
    plain: np.ndarray

    @property
    def words(self) -> str:
        """The broken and the refused share, as a cell of the table."""
        return f"{self.certified[:, 0].mean():.1%} ({self.certified[:, 1].mean():.0%})"

    @property
    def is_above(self) -> bool:
        """Whether so many draws would be broken by chance with a probability below 0.001."""
        # Shares of labels are means over labels, of which each is broken at most as often.
        n_broken = int(np.floor(self.certified[:, 0].sum()))
        return bool(binom.sf(n_broken - 1, len(self.certified), 1 - LEVEL) < 0.001)


def cell(truth: Truth, n_rows: int, n_draws: int, asked: dict[str, float], method: str) -> Cell:
    """Measure one cell; a tenth of the draws is tuned without the guarantee too."""
    certified = list(draws(truth, n_rows, n_draws, asked, method, False))
    n_plain = 0 if method == "mean of rows" else max(1, n_draws // 10)
    plain = list(draws(truth, n_rows, n_plain, asked, method, True))
    return Cell(np.array(certified), np.array(plain).reshape(-1, 3))


def table(truths: list[Truth], n_draws: int) -> list[str]:
    """Return the table of all methods; print each row, and cells that are broken too often."""
    names = " | ".join(truth.population.name for truth in truths)
    lines = [
        f"| guaranteed | asked | rows | {names} | without | paid |",
        f"|---|---|--:|{'--:|' * (len(truths) + 2)}",
    ]
    for method in METHODS:
        for words, asked in ASKED.items():
            for n_rows in SIZES_OF_DRAWS:
                cells = [cell(truth, n_rows, n_draws, asked, method) for truth in truths]
                shown = " | ".join(found.words for found in cells)
                lines.append(f"| {method} | {words} | {n_rows} | {shown} | {compared(cells)} |")
                print(lines[-1], flush=True)
                if any(found.is_above for found in cells):
                    print("ABOVE THE LEVEL", flush=True)
    return lines


def compared(cells: list[Cell]) -> str:
    """Return how often thresholds without a guarantee break a constraint, and what is paid.

    The price is averaged over populations in which any draw was certified.
    """
    plain = np.concatenate([found.plain for found in cells])
    if not len(plain):
        return "- | -"
    broken = plain[plain[:, 1] < 1, 0].mean()
    paid = [
        np.nanmean(found.plain[:, 2]) - np.nanmean(found.certified[:, 2])
        for found in cells
        if np.isfinite(found.certified[:, 2]).any()
    ]
    return f"{broken:.0%} | {np.mean(paid):.3f}" if paid else f"{broken:.0%} | -"


def expectation_table(truths: list[Truth], n_draws: int) -> list[str]:
    """Return the mean recall of rows on new data, which must be at least what was asked for."""
    names = " | ".join(truth.population.name for truth in truths)
    lines = [f"| rows | {names} |", f"|--:|{'--:|' * len(truths)}"]
    asked = {
        "maximize": "sample-f",
        "min_recall": EXPECTED_RECALL,
        "guarantee": "expectation",
        "random_state": 0,
    }
    for n_rows in SIZES_OF_DRAWS:
        shown = []
        for truth in truths:
            random = np.random.default_rng(n_rows)
            found = [
                truth.rates(best_thresholds(*truth.population.draw(n_rows, random), **asked))[1]
                for _ in range(n_draws)
            ]
            error = np.std(found) / np.sqrt(n_draws)
            shown.append(f"{np.mean(found):.3f} ± {error:.3f}")
        lines.append(f"| {n_rows} | {' | '.join(shown)} |")
        print(lines[-1], flush=True)
    return lines


class FormLetters(NamedTuple):
    """A population in which a share of the rows are copies of three documents with bad scores."""

    share: float
    scores: np.ndarray  # of the three documents
    Y: np.ndarray

    def draw(self, n_rows: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return scores and labels of independent rows."""
        Y = random.random((n_rows, self.Y.shape[1])) < 0.3
        scores = random.standard_normal(Y.shape) + 2 * Y
        is_copy = random.random(n_rows) < self.share
        document = random.integers(len(self.Y), size=n_rows)[is_copy]
        scores[is_copy], Y[is_copy] = self.scores[document], self.Y[document]
        return scores, Y


def copies_table(n_draws: int) -> list[str]:
    """Return how often guarantees are broken where a share of the rows are copies."""
    fixed = np.random.default_rng(1)
    Y = fixed.random((3, 6)) < 0.4
    scores = np.where(Y, -1.0, 3.0) + 0.3 * fixed.standard_normal(Y.shape)
    lines = [
        "| copies | labels broken | refused | micro broken | refused | expected recall |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for share in SHARES_OF_COPIES:
        population = FormLetters(share, scores, Y)
        random = np.random.default_rng(2)
        new_scores, new_Y = population.draw(N_POPULATION, random)
        labels, micro_rates, recalls = [], [], []
        for _ in range(n_draws):
            rows = population.draw(N_ROWS_WITH_COPIES, random)
            tuned = best_thresholds(
                *rows, maximize="macro-f", min_precision=0.75, guarantee=LEVEL, random_state=0
            )
            labels.append(precision(count(new_Y, tuned.decide(new_scores))))
            try:
                tuned = best_thresholds(*rows, min_precision=0.6, guarantee=LEVEL, random_state=0)
                micro_rates.append(micro(precision, count(new_Y, tuned.decide(new_scores))))
            except ValueError:
                micro_rates.append(np.nan)
            tuned = best_thresholds(
                *rows,
                maximize="sample-f",
                min_recall=0.85,
                guarantee="expectation",
                random_state=0,
            )
            by_row = count(new_Y, tuned.decide(new_scores), by="sample")
            recalls.append(macro(recall, by_row, "skip"))
        cells = np.array(labels), np.array(micro_rates)
        broken = [
            f"{np.mean(np.less(found, limit)):.1%}"
            for found, limit in zip(cells, (0.75, 0.6), strict=True)
        ]
        refused = [f"{np.mean(np.isnan(found)):.0%}" for found in cells]
        lines.append(
            f"| {share:.0%} | {broken[0]} | {refused[0]} | {broken[1]} | {refused[1]} | "
            f"{np.mean(recalls):.3f} ± {np.std(recalls) / np.sqrt(n_draws):.3f} |"
        )
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Print the tables, and write them for the docs."""
    n_draws = int(os.environ.get("BENCH_DRAWS", N_DRAWS))
    random = np.random.default_rng(0)
    truths = [Truth(one, *one.draw(N_POPULATION, random)) for one in populations()]
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has no positives|Constraints that new samples")
        parts = [
            [f"{n_draws} draws a cell:"],
            table(truths, n_draws),
            [f"Expected recall of rows, {EXPECTED_RECALL} asked for, {n_draws} draws a cell:"],
            expectation_table(truths, n_draws),
            [
                f"Rows that repeat, precision 0.75 of labels, micro precision 0.6 and expected "
                f"recall 0.85 asked for, {N_ROWS_WITH_COPIES} rows, {n_draws} draws a row:"
            ],
            copies_table(n_draws),
            [*MAPIE_HEAD, *mapie_lines(truths[:2], max(10, n_draws // 50))],
        ]
    TABLE.write_text("\n\n".join("\n".join(part) for part in parts) + "\n", encoding="utf-8")
    print(f"{time.perf_counter() - start:.0f} s; written to {TABLE.name}")


if __name__ == "__main__":
    main()
