"""Published beside measured: the one format of all studies.

A study reads the published cells from ``studies/<paper>/<table>.csv`` (lines that begin with # cite
it), measures each, and writes ``<table>_measured.csv``: published, measured, difference, tolerance,
aim and verdict of each cell, and in lines with # the title, the words, the dates and the versions.
The page ``<table>.md`` has nothing but what is in that file; see `studies.pages`.
"""

from __future__ import annotations

import codecs
import csv
import datetime
import math
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from labelwise._io import written_whole
from studies import FOLDER

WITHIN = ("within", "no worse")
MEASURED = "_measured.csv"
_COMPARED = ("published", "measured", "difference", "tolerance", "aim", "verdict")
_PACKAGES = ("labelwise", "numpy", "scipy", "scikit-learn")
_FACT = re.compile(r"# (\w+):(?: (.*))?")
# Mean and deviation of the same estimate are counted apart.
_ESTIMATE = "estimate"


class Spread(NamedTuple):
    """Mean and standard deviation of n values, as `labelwise.experiments.summarize` has them."""

    mean: float
    deviation: float
    n: int
    n_undefined: int


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

    def rounded(self) -> Cell:
        """Return the cell with the digits that are written."""
        measured, tolerance = (float(f"{one:.7g}") for one in (self.measured, self.tolerance))
        return self._replace(measured=measured, tolerance=tolerance)


class Provenance(NamedTuple):
    """When cells were computed, and by which versions."""

    date: str
    versions: str

    @classmethod
    def now(cls) -> Provenance:
        """Return today's date and the versions that are installed."""
        packages = {name: version(name) for name in _PACKAGES}
        found = {"date": datetime.date.today().isoformat(), "python": platform.python_version()}
        return cls.of_rows([packages | found])

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Provenance:
        """Return the dates and versions with which the cells of a store were computed."""
        made = {tuple(row[name] for name in ("date", "python", *_PACKAGES)) for row in rows}
        dates = sorted(date for date, *_ in made)
        versions = {
            ", ".join(
                [
                    *(f"{name} {number}" for name, number in zip(_PACKAGES, numbers, strict=True)),
                    f"Python {python}",
                ]
            )
            for _, python, *numbers in made
        }
        date = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
        return cls(date, "; ".join(sorted(versions)))


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
    made: Provenance | None = None  # None: a quick run, or cells of this very moment

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Count cells within tolerance, and cells that are judged, by their kind.

        Kinds are "cells", or the estimates of a table that has several; and "NaN" for cells that
        the paper could not compute.
        """
        found: dict[str, tuple[int, int]] = {}
        place = self.keys.index(_ESTIMATE) if _ESTIMATE in self.keys else None
        for cell in self.cells:
            if cell.verdict:
                kind = "cells" if place is None else f"{cell.where[place]}s"
                kind = "NaN" if cell.published == "NaN" else kind
                n_within, n_judged = found.get(kind, (0, 0))
                found[kind] = n_within + (cell.verdict in WITHIN), n_judged + 1
        return found

    def write(self) -> None:
        """Write the cells and the page beside the published table, and renew the list of tables."""
        # Pages are imported here, since they read tables.
        from studies.pages import write_page, write_readme

        self._write_file()
        for other in self.others:
            replace(other, made=self.made)._write_file()
        for one in (self, *self.others):
            write_page(FOLDER / one.paper / f"{one.name}{MEASURED}")
        write_readme()

    def _write_file(self) -> None:
        with written_whole(FOLDER / self.paper / f"{self.name}{MEASURED}") as stream:
            self._write_cells(codecs.getwriter("utf-8")(stream))

    def _write_cells(self, lines: TextIO | codecs.StreamWriter) -> None:
        made = self.made or Provenance.now()
        write_facts(lines, {"title": self.title, **made._asdict(), "words": self.words})
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([*self.keys, *_COMPARED])
        for cell in self.cells:
            writer.writerow(_texts(cell.rounded()))

    @classmethod
    def read(cls, path: Path) -> Table:
        """Return the table that a file of measured cells has."""
        facts, rows = read_table(path)
        keys = tuple(name for name in rows[0] if name not in _COMPARED)
        cells = [
            Cell(
                tuple(row[key] for key in keys),
                row["published"],
                float(row["measured"]),
                float(row["tolerance"]),
                row["aim"],
            )
            for row in rows
        ]
        made = Provenance(facts["date"], facts["versions"])
        name = path.name.removesuffix(MEASURED)
        title, words = facts["title"], facts["words"]
        return cls(path.parent.name, name, title, words, keys, cells, made=made)


def _texts(cell: Cell) -> list[str]:
    numbers = (cell.measured, cell.difference, cell.tolerance)
    texts = [f"{number:.7g}" for number in numbers]
    return [*cell.where, cell.published, *texts, cell.aim, cell.verdict]


def write_facts(lines: TextIO | codecs.StreamWriter, facts: Mapping[str, str]) -> None:
    """Write each line of each fact after # and the name of the fact."""
    for name, text in facts.items():
        lines.writelines(f"# {name}: {line}".rstrip() + "\n" for line in text.split("\n"))


def read_table(path: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return the facts that lines with # state as `name: text`, and the rows."""
    facts: dict[str, str] = {}
    text = path.read_text(encoding="utf-8").splitlines()
    for line in text:
        if found := _FACT.fullmatch(line):
            name, stated = found[1], found[2] or ""
            facts[name] = f"{facts[name]}\n{stated}" if name in facts else stated
    return facts, list(csv.DictReader(line for line in text if not line.startswith("#")))


def measured_tables() -> list[Path]:
    """Return the files of all measured tables, sorted by paper and name."""
    return sorted(FOLDER.glob(f"*/*{MEASURED}"))


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
