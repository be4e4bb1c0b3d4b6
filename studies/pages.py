"""Pages of measured tables, and the list of all of them; both are read from the csv files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from labelwise._io import written_whole
from studies import FOLDER
from studies.comparison import MEASURED, WITHIN, Cell, Table, measured_tables, read_table

PAPERS, READINGS = "papers.csv", "readings.csv"
HEAD = """\
# Published tables, measured again

A *cell* is one number of a published table, or one statement of a paper's text (1 if it is true).
It agrees if the measured value is within the tolerance, which stands in the csv file; each page
says where it comes from. Values that a paper does not have, or that cannot be compared, are shown
and not counted.

"""
BEFORE_AND_AFTER = """
## Readings before and after

A *reading* is one interpretation of what a paper leaves open. These were changed after a first
measurement; the last column says whether the new one was chosen with the published values in
sight. Tolerances did not change but where it is said here; the page of each table gives their
reason.

"""
AFTER = """
Run `labelwise reproduce PAPER` (or `make studies` for all) in a checkout: it prints the tables and
writes their csv files, their pages and this page. `--quick` prints a small part and writes nothing.

The benchmark sets must be in `../shared/datasets`, beside the checkout, or in the folder that the
environment variable `LABELWISE_DATA` names: one folder for each set, as `labelwise.data.load` reads
it. Finished cells are in `studies/.stores`, so that a study that was stopped can be continued. A
cell runs again if code that can change its value has changed; `--any-code` keeps it.

## All tables

"""


def to_markdown(table: Table) -> str:
    """Return a page: published, then measured, then the verdict where it is not within."""
    columns = list(dict.fromkeys(cell.where[-1] for cell in table.cells))
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.where[:-1], {})[cell.where[-1]] = cell
    lines = [_line([*table.keys[:-1], *columns]), _rule(len(table.keys) - 1 + len(columns))]
    lines += [
        _line([*where, *(_text(found[c]) if c in found else "" for c in columns)])
        for where, found in rows.items()
    ]
    body = "\n".join(lines)
    return f"# {table.paper}, {table.title}\n\n{table.words}\n\n{_summary(table)}\n\n{body}\n"


def _summary(table: Table) -> str:
    """Say how to read the cells, how many agree, and when and by what they were computed."""
    parts = []
    if table.counts:
        parts.append(
            "Each cell: published → measured, and the verdict where it is not within tolerance.\n"
            f"Within tolerance: {score(table)}."
        )
    if table.made is not None:
        parts.append(
            f"Computed by `studies/{table.paper}` on {table.made.date} with {table.made.versions}."
        )
    return " ".join(parts) or "A quick run of a part of the study."


def score(table: Table) -> str:
    """Say how many cells that are judged are within tolerance, of each kind."""
    return ", ".join(f"{n_in} of {n} {kind}" for kind, (n_in, n) in table.counts.items())


def write_page(path: Path) -> None:
    """Write the page of a file of measured cells beside it."""
    _write(path.with_name(f"{path.name.removesuffix(MEASURED)}.md"), to_markdown(Table.read(path)))


def write_readme() -> None:
    """Write `studies/README.md`."""
    _write(FOLDER / "README.md", readme())


def readme() -> str:
    """Return a line for each paper, how to run the studies, and a line for each table."""
    tables = [Table.read(path) for path in measured_tables()]
    rows = [_paper_line(row, tables) for row in read_table(FOLDER / PAPERS)[1]]
    heads = ["paper", "agree", "cells", "why the others differ", "CPU time"]
    papers = "\n".join([_line(heads), _rule(len(heads)), *rows])
    heads = ["paper", "table", "within tolerance", "computed on"]
    listed = "\n".join([_line(heads), _rule(len(heads)), *map(_table_line, tables)])
    return f"{HEAD}{papers}\n{BEFORE_AND_AFTER}{_readings()}\n{AFTER}{listed}\n"


def _readings() -> str:
    """Return a line for each reading that was changed, with the cells that agree by each."""
    heads = ["paper", "cells", "before", "agree", "now", "agree", "in sight"]
    rows = [_line(row.values()) for row in read_table(FOLDER / READINGS)[1]]
    return "\n".join([_line(heads), _rule(len(heads)), *rows])


def _paper_line(row: dict[str, str], tables: list[Table]) -> str:
    paper = row["paper"]
    counts = [n for table in tables if table.paper == paper for n in table.counts.values()]
    n_within, n_judged = sum(n for n, _ in counts), sum(n for _, n in counts)
    link = f"[{paper}](../docs/studies/{paper}.md)"
    return _line([link, n_within, n_judged, row["why"], row["time"]])


def _table_line(table: Table) -> str:
    link = f"[{table.title}]({table.paper}/{table.name}.md)"
    made = table.made.date if table.made else ""
    return _line([table.paper, link, score(table) or "shown only", made])


def _text(cell: Cell) -> str:
    if not cell.published:
        return _number(cell.measured)
    mark = "" if cell.verdict in ("", *WITHIN) else f" ({cell.verdict})"
    return f"{cell.published} → {_number_beside(cell.published, cell.measured)}{mark}"


def _number_beside(published: str, measured: float) -> str:
    """Return a number with a digit more than the published one has; whole numbers have none."""
    if math.isnan(float(published)) or math.isnan(measured):
        return _number(measured)
    digits = len(published.partition(".")[2])
    digits += digits > 0 or not measured.is_integer()
    return f"{measured:.{digits}f}"


def _number(value: float) -> str:
    return "NaN" if math.isnan(value) else f"{value:.4g}"


def _write(path: Path, text: str) -> None:
    with written_whole(path) as stream:
        stream.write(text.encode())


def _line(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _rule(n_columns: int) -> str:
    return "|" + "---|" * n_columns
