"""sechidis2011, Tables 1 and 2: published, reproduced, and with `balanced` beside them.

Run ``python -m studies.sechidis2011`` (about two minutes). It writes `table1.md`, `table2.md` and
`table2_ours.csv` into the folder of the published tables. Benchmark sets are looked for in the
folder that LABELWISE_DATA names.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.data import Dataset, load
from labelwise.data._files import written_whole
from labelwise.splitting import assign, split_quality

FOLDER = Path(__file__).with_suffix("")
HOME = Path(os.environ.get("LABELWISE_DATA", FOLDER.parents[2] / "shared" / "datasets"))
# Our name of each set; the others of the paper are not available.
SETS = {
    "Scene": "scene",
    "Emotions": "emotions",
    "Genbase": "genbase",
    "TMC2007": "tmc2007-500",
    "Yeast": "yeast",
    "Medical": "medical",
    "Mediamill": "mediamill-discretized",
    "Mediamill, 2,000 rows": "mediamill-reduced",
    "Bibtex": "bibtex",
    "Enron": "enron",
    "Corel5k": "corel5k",
    "Delicious": "delicious",
}
# Files that lack rows of the published set: their counts differ by nature.
OTHER_ROWS = {"Mediamill": "56 rows missing", "Mediamill, 2,000 rows": "a sample"}
FOLDS_UP_TO = 15_000
N_RUNS = 5
# Runs from which the spread of a mean of five is estimated.
N_SPREAD = 40
MEASURES = ("ed", "ld", "fz", "flz")
PAPER_METHODS = ("random", "labelset", "iterative")
METHODS = (*PAPER_METHODS, "balanced")


class Cell(NamedTuple):
    """A number of the paper as printed, ours, and what follows; None where there is none."""

    published: str | None
    ours: float
    verdict: str


def read_published(path: Path) -> list[dict[str, str]]:
    """Return the rows of a published table; lines that begin with # cite it."""
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def decimals(printed: str) -> int:
    """Return how many digits after the point were printed."""
    return len(printed.partition(".")[2])


def rounds_to(value: float, printed: str) -> bool:
    """Tell whether a value, rounded or cut, is the printed number."""
    return abs(value - float(printed)) <= 0.5 * 10.0 ** -decimals(printed) + 1e-9


def table_1_cells(data: Dataset, published: dict[str, str]) -> dict[str, Cell]:
    """Return each statistic of a set beside the published one."""
    found = data.describe()
    ours = {
        "labels": found.n_labels,
        "examples": found.n_samples,
        "labelsets": found.n_labelsets,
        "labelsets_per_example": found.labelsets_per_sample,
        "labelset_least": found.labelset_least,
        "labelset_mean": found.labelset_mean,
        "labelset_most": found.labelset_most,
        "label_least": found.label_least,
        "label_mean": found.label_mean,
        "label_most": found.label_most,
    }
    return {
        key: Cell(published[key], value, "same" if rounds_to(value, published[key]) else "differs")
        for key, value in ours.items()
    }


def proportions_for(n_samples: int) -> int | tuple[float, float]:
    """Return ten folds up to 15k examples, and two thirds against one third above."""
    return 10 if n_samples <= FOLDS_UP_TO else (2 / 3, 1 / 3)


def run(Y: sparse.csc_array, method: str, seeds: range) -> dict[str, np.ndarray]:
    """Return the four measures for each seed."""
    shares = proportions_for(Y.shape[0])
    found = [
        split_quality(Y, assign(Y, shares, method=method, random_state=seed), shares)
        for seed in seeds
    ]
    return {measure: np.array([getattr(one, measure) for one in found]) for measure in MEASURES}


def judged(published: str, values: np.ndarray, spread: float) -> str:
    """Say whether our mean and the published one differ by more than five runs can explain."""
    noise = 3 * spread * np.sqrt(2 / N_RUNS) + 0.5 * 10.0 ** -decimals(published)
    apart = values.mean() - float(published)
    if abs(apart) <= noise + 1e-9:
        return "agrees"
    return "lower" if apart < 0 else "higher"


def table_2_rows(name: str, published: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """Give a row for each method, with a cell for each measure."""
    Y = load(SETS[name], data_home=HOME).Y
    printed = {row["method"]: row for row in published if row["dataset"] == name}
    for method in METHODS:
        values = run(Y, method, range(N_RUNS))
        wide = values if method == "balanced" else run(Y, method, range(100, 100 + N_SPREAD))
        row: dict[str, Any] = {"dataset": name, "method": method}
        for measure in MEASURES:
            if method == "balanced":
                row[measure] = _cell_of_balanced(measure, values[measure], printed)
            else:
                text = printed[method][measure] if printed else ""
                spread = float(wide[measure].std())
                verdict = judged(text, values[measure], spread) if text else ""
                row[measure] = Cell(text or None, float(values[measure].mean()), verdict)
        yield row


def _cell_of_balanced(measure: str, values: np.ndarray, printed: dict[str, dict[str, str]]) -> Cell:
    """Compare with the best published cell, at the precision in which it was printed."""
    texts = [row[measure] for row in printed.values() if row[measure]]
    if not texts:
        return Cell(None, float(values.mean()), "")
    best = min(texts, key=float)
    is_worse = round(values.mean(), decimals(best)) > float(best)
    return Cell(best, float(values.mean()), "worse" if is_worse else "no worse")


def table_1_markdown() -> str:
    """Return Table 1, a row for each set, and how many cells are the published ones."""
    published = {row["dataset"]: row for row in read_published(FOLDER / "table1.csv")}
    keys = [key for key in next(iter(published.values())) if key != "dataset"]
    lines = [_line(["dataset", *(key.replace("_", " ") for key in keys), "verdict"]), _rule(12)]
    for name in (name for name in SETS if name in published):
        cells = table_1_cells(load(SETS[name], data_home=HOME), published[name])
        differs = [key for key, cell in cells.items() if cell.verdict == "differs"]
        verdict = "same" if not differs else f"{OTHER_ROWS.get(name, 'differs')}"
        texts = [
            cell.published if cell.verdict == "same" else f"{cell.published} -> {cell.ours:.5g}"
            for cell in cells.values()
        ]
        lines.append(_line([name, *(str(text) for text in texts), verdict]))
    return _headed("Table 1", "Published numbers; where ours differs, it follows the arrow.", lines)


def table_2_markdown(rows: list[dict[str, Any]]) -> str:
    """Return Table 2 with our means beside the published ones."""
    heads = [f"{measure.upper()} {which}" for measure in MEASURES for which in ("paper", "ours")]
    lines = [_line(["dataset", "method", *heads, "verdict (ED, LD, FZ, FLZ)"]), _rule(11)]
    for row in rows:
        cells = [row[measure] for measure in MEASURES]
        texts = [text for cell in cells for text in (cell.published or "-", _digits(cell))]
        note = OTHER_ROWS.get(row["dataset"])
        verdict = ", ".join(cell.verdict or "-" for cell in cells) + (f" ({note})" if note else "")
        lines.append(_line([row["dataset"], row["method"], *texts, verdict]))
    words = (
        f"Means of {N_RUNS} runs, ten folds up to {FOLDS_UP_TO:,} examples, else 2/3 against 1/3. "
        "'agrees': the two means of five runs differ by no more than three standard errors and "
        "the rounding; balanced stands beside the best published cell, at its precision."
    )
    return _headed("Table 2", words, lines)


def write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    """Write a line for each cell of Table 2."""
    with written_whole(path) as unfinished, unfinished.open("w", encoding="utf-8") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["dataset", "method", "measure", "published", "ours", "verdict"])
        for row in rows:
            for measure in MEASURES:
                cell = row[measure]
                ours = f"{cell.ours:.7g}"
                where = [row["dataset"], row["method"], measure]
                writer.writerow([*where, cell.published or "", ours, cell.verdict])


def main() -> None:
    """Reproduce both tables and write them beside the published ones."""
    published = read_published(FOLDER / "table2.csv")
    rows = []
    for name in SETS:
        rows += table_2_rows(name, published)
        print(table_2_markdown(rows[-len(METHODS) :]).split("\n\n")[-1])
    write_csv(rows, FOLDER / "table2_ours.csv")
    for file, text in (("table1.md", table_1_markdown()), ("table2.md", table_2_markdown(rows))):
        with written_whole(FOLDER / file) as unfinished:
            unfinished.write_text(text, encoding="utf-8")


def _digits(cell: Cell) -> str:
    """Print our mean with a digit more than the paper has."""
    if cell.published is None:
        return f"{cell.ours:.4g}"
    return f"{cell.ours:.{decimals(cell.published) + 1}f}"


def _headed(title: str, words: str, lines: list[str]) -> str:
    table = "\n".join(lines)
    return f"# sechidis2011, {title}\n\n{words}\nWritten by `studies/sechidis2011.py`.\n\n{table}\n"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _rule(n_columns: int) -> str:
    return "|" + "---|" * n_columns


if __name__ == "__main__":
    main()
