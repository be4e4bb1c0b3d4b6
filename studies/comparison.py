"""Published beside measured: the one format of all studies.

A study reads the published cells from ``studies/<paper>/<table>.csv`` (lines that begin with # cite
it), measures each, and writes ``<table>_measured.csv`` (published, measured, difference, tolerance,
aim, verdict) and ``<table>.md`` beside it. ``studies/README.md`` has a line for each such table.
"""

from __future__ import annotations

import codecs
import csv
import datetime
import math
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from labelwise._io import written_whole
from studies import FOLDER

WITHIN = ("within", "no worse")
_COMPARED = ("published", "measured", "difference", "tolerance", "aim", "verdict")
_PACKAGES = ("labelwise", "numpy", "scipy", "scikit-learn")


class Cell(NamedTuple):
    """A number of the paper as printed ("" where it has none), ours, and how far they may differ.

    The aim is "same", or "at most" or "at least" for a cell of ours that is compared with the best
    published one, or "shown" for one that is not judged.
    """

    where: tuple[str, ...]
    published: str
    measured: float
    tolerance: float = 0.0
    aim: str = "same"

    @property
    def difference(self) -> float:
        """Measured minus published, NaN if either is undefined."""
        return self.measured - float(self.published) if self.published else math.nan

    @property
    def verdict(self) -> str:
        """Say in a word or two how the measured cell stands to the published one."""
        if not self.published or self.aim == "shown":
            return ""
        gone = math.isnan(float(self.published)), math.isnan(self.measured)
        if any(gone):
            # What the paper could not compute and we cannot either is reproduced.
            return {(True, True): "within", (True, False): "defined"}.get(gone, "undefined")
        room = self.tolerance + 1e-9
        if self.aim == "same":
            if abs(self.difference) <= room:
                return "within"
            return "lower" if self.difference < 0 else "higher"
        excess = self.difference if self.aim == "at most" else -self.difference
        return "no worse" if excess <= room else "worse"


@dataclass(frozen=True)
class Table:
    """The cells of a table, under keys whose last one becomes the columns."""

    paper: str
    name: str
    title: str
    words: str
    keys: tuple[str, ...]
    cells: Sequence[Cell]
    others: tuple[Table, ...] = ()  # what follows from it, written and printed after it

    @property
    def score(self) -> str:
        """Say how many of the cells that are judged are within tolerance."""
        verdicts = [cell.verdict for cell in self.cells if cell.verdict]
        return f"{sum(verdict in WITHIN for verdict in verdicts)} of {len(verdicts)}"

    def to_markdown(self) -> str:
        """Return a page: published, then measured, then the verdict where it is not within."""
        columns = list(dict.fromkeys(cell.where[-1] for cell in self.cells))
        rows: dict[tuple[str, ...], dict[str, Cell]] = {}
        for cell in self.cells:
            rows.setdefault(cell.where[:-1], {})[cell.where[-1]] = cell
        lines = [_line([*self.keys[:-1], *columns]), _rule(len(self.keys) - 1 + len(columns))]
        lines += [
            _line([*where, *(_text(found[c]) if c in found else "" for c in columns)])
            for where, found in rows.items()
        ]
        table = "\n".join(lines)
        return (
            f"# {self.paper}, {self.title}\n\n{self.words}\n\nEach cell: published → measured, and "
            "the verdict where it is not within tolerance.\n"
            f"Within tolerance: {self.score} cells. Written by `studies/{self.paper}.py` on "
            f"{_today()}.\n\n{table}\n"
        )

    def write(self) -> None:
        """Write the cells and the page beside the published table, and renew the list of tables."""
        folder = FOLDER / self.paper
        _write(folder / f"{self.name}.md", self.to_markdown())
        with written_whole(folder / f"{self.name}_measured.csv") as stream:
            self._write_cells(codecs.getwriter("utf-8")(stream))
        for other in self.others:
            other.write()
        write_readme()

    def _write_cells(self, lines: TextIO) -> None:
        facts = {"title": self.title, "date": _today(), "versions": versions()}
        lines.writelines(f"# {key}: {value}\n" for key, value in facts.items())
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([*self.keys, *_COMPARED])
        for cell in self.cells:
            numbers = (cell.measured, cell.difference, cell.tolerance)
            texts = [f"{number:.7g}" for number in numbers]
            writer.writerow([*cell.where, cell.published, *texts, cell.aim, cell.verdict])


def read_table(path: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return the facts that lines with # state as `key: value`, and the rows."""
    text = path.read_text(encoding="utf-8").splitlines()
    stated = [line[2:].partition(": ") for line in text if line.startswith("# ")]
    facts = {key: value for key, _, value in stated if value}
    return facts, list(csv.DictReader(line for line in text if not line.startswith("#")))


def published_cells(
    path: Path, keys: Sequence[str] = ("dataset", "method")
) -> dict[tuple[str, ...], str]:
    """Return each number of a published table, as printed, by its keys and its column."""
    return {
        (*(row[key] for key in keys), column): printed
        for row in read_table(path)[1]
        for column, printed in row.items()
        if column not in keys and printed
    }


def rounding(printed: str) -> float:
    """Return how far a value may be from the number it was printed as: half of the last digit."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def versions() -> str:
    """Return the versions of what measured."""
    packages = [f"{name} {version(name)}" for name in _PACKAGES]
    return ", ".join([*packages, f"Python {platform.python_version()}"])


def write_readme() -> None:
    """Write `studies/README.md`: a line for each table that was measured."""
    heads = ["paper", "table", "within tolerance", "date", "versions"]
    rows = [_readme_line(path) for path in sorted(FOLDER.glob("*/*_measured.csv"))]
    words = (
        "# Published tables, reproduced\n\n"
        "Written by the studies themselves (`make studies`, or `labelwise reproduce PAPER`). A "
        "cell is one number of a published table; its tolerance stands beside it in the csv "
        "file, and the page says where it comes from.\n\n"
    )
    table = "\n".join([_line(heads), _rule(len(heads)), *rows])
    _write(FOLDER / "README.md", f"{words}{table}\n")


def _readme_line(path: Path) -> str:
    facts, rows = read_table(path)
    paper, name = path.parent.name, path.name.removesuffix("_measured.csv")
    judged = [row["verdict"] for row in rows if row["verdict"]]
    n_within = sum(verdict in WITHIN for verdict in judged)
    link = f"[{facts['title']}]({paper}/{name}.md)"
    score = f"{n_within} of {len(judged)}" if judged else "shown only"
    return _line([paper, link, score, facts["date"], facts["versions"]])


def _text(cell: Cell) -> str:
    if not cell.published:
        return _number(cell.measured)
    digits = len(cell.published.partition(".")[2])
    # A digit more than the paper has, except for whole numbers.
    digits += digits > 0 or not cell.measured.is_integer()
    ours = "NaN" if math.isnan(cell.measured) else f"{cell.measured:.{digits}f}"
    mark = "" if cell.verdict in ("", *WITHIN) else f" ({cell.verdict})"
    return f"{cell.published} → {ours}{mark}"


def _number(value: float) -> str:
    return "NaN" if math.isnan(value) else f"{value:.4g}"


def _today() -> str:
    return datetime.date.today().isoformat()


def _write(path: Path, text: str) -> None:
    with written_whole(path) as stream:
        stream.write(text.encode())


def _line(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _rule(n_columns: int) -> str:
    return "|" + "---|" * n_columns
