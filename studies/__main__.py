"""Reproduce published tables: python -m studies [PAPER] [--table N] [--quick] [--repetitions R]."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable
from dataclasses import replace

import studies
from studies import FOLDER
from studies.comparison import Provenance, Table
from studies.pages import to_markdown


def papers() -> list[str]:
    """Return the papers that have a study: folders with a program and published tables."""
    return sorted(path.parent.name for path in FOLDER.glob("*/study.py"))


def tables_of(paper: str) -> dict[str, Callable[..., Table]]:
    """Return what measures each table of a paper, by the number or name of the table."""
    if paper not in papers():
        raise ValueError(f"PAPER must be one of {', '.join(papers())}, got {paper!r}.")
    study = importlib.import_module(f"studies.{paper}.study")
    return dict(study.TABLES)


def reproduce(
    paper: str, table: str | None = None, *, quick: bool = False, repetitions: int | None = None
) -> None:
    """Measure one table of a paper, or all, and write it; quick ones are only printed."""
    known = tables_of(paper)
    if table is not None and table not in known:
        raise ValueError(f"--table must be one of {', '.join(known)} for {paper}, got {table!r}.")
    for name in known if table is None else [table]:
        measured = known[name](quick=quick, repetitions=repetitions)
        made = None if quick else measured.made or Provenance.now()
        for shown in (measured, *measured.others):
            print(to_markdown(replace(shown, made=made)))
        if not quick:
            measured.write()


def main() -> None:
    """Read the arguments and reproduce; without a paper, all of them."""
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    parser.add_argument("paper", nargs="?", help=", ".join(papers()))
    parser.add_argument("--table", help="its number; all if not given")
    parser.add_argument("--quick", action="store_true", help="a small part, printed, not written")
    parser.add_argument(
        "--any-code", action="store_true", help="keep finished cells of earlier code"
    )
    parser.add_argument(
        "--repetitions", type=int, help="how often; the paper's number if not given"
    )
    given = parser.parse_args()
    if given.any_code:
        studies.RESUME = "any-code"
    try:
        for paper in papers() if given.paper is None else [given.paper]:
            reproduce(paper, given.table, quick=given.quick, repetitions=given.repetitions)
    except (ValueError, OSError) as error:
        sys.exit(f"studies: {error}")


if __name__ == "__main__":
    main()
