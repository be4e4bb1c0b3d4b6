"""Write the tables of README.md from measured results: python -m docs.readme_tables.

The speeds are from benchmarks/results.json, the F-measures from benchmarks/decisions.md.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
MEASURED = ROOT / "benchmarks"
# What is measured, the other package, and the name in results.json.
SPEEDS = (
    (
        "thresholds of 16,105 × 983 scores",
        "LibMultiLabel's scan",
        "best_thresholds, 16,105 x 983 scores, float32 / LibMultiLabel's scan",
    ),
    (
        "thresholds of 16,105 × 983 scores",
        "xCOLUMNs, Frank-Wolfe",
        "best_thresholds, 16,105 x 983 scores, float32 / xCOLUMNs, Frank-Wolfe",
    ),
    (
        "stratified folds of delicious",
        "iterative-stratification",
        "iterative folds of delicious / iterative-stratification",
    ),
    ("all measures of scores", "scikit-learn", "evaluate, float32 / scikit-learn's measures"),
    (
        "logistic regressions of bibtex, one penalty",
        "LibMultiLabel",
        "BR, C = 1: bibtex 7,395 x 1,836 x 159 / LibMultiLabel train_1vsrest",
    ),
)
SETS = ("yeast", "bibtex", "reuters21578", "mean")
RULES = ("0.5", "grid", "shared", "auto")


def speed_table(results: dict[str, float]) -> str:
    """Return how many times as fast labelwise is as other packages, as Markdown."""
    lines = ["| task | beside | times as fast |", "|---|---|--:|"]
    lines += [f"| {task} | {peer} | {results[name]:,.3g} |" for task, peer, name in SPEEDS]
    # Four digits and more are not precise: 6.66e+03 is 6,660.
    return re.sub(r"[\d.]+e\+\d+", lambda found: f"{float(found[0]):,.0f}", "\n".join(lines))


def decision_table(page: str) -> str:
    """Return test F of some rules on some sets, as Markdown."""
    parts = re.findall(r"Test (micro|macro) F:\n\n(.*?)\n\n", page, re.DOTALL)
    columns = [f"{average} F, {rule}" for average, _ in parts for rule in RULES]
    lines = [f"| set | {' | '.join(columns)} |", "|---|" + "--:|" * len(columns)]
    tables = [_cells(table) for _, table in parts]
    for name in SETS:
        values = [table[name][rule] for table in tables for rule in RULES]
        lines.append(f"| {name} | {' | '.join(f'{float(value):.3f}' for value in values)} |")
    return "\n".join(lines)


def _cells(table: str) -> dict[str, dict[str, str]]:
    """Return the cells of a Markdown table by row and column."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[2:]}


def tables() -> dict[str, str]:
    """Return the tables of README.md by the names of their places."""
    results = json.loads((MEASURED / "results.json").read_text(encoding="utf-8"))
    page = (MEASURED / "decisions.md").read_text(encoding="utf-8")
    return {"speeds": speed_table(results), "decisions": decision_table(page)}


def filled(text: str) -> str:
    """Return the text of README.md with its tables as they are measured."""
    for name, table in tables().items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        text, n_found = place.subn(
            lambda found, table=table: f"{found[1]}{table}\n{found[2]}", text
        )
        if n_found != 1:
            raise ValueError(f"README.md must have one place for {name}, got {n_found}.")
    return text


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")
