"""The common format: verdicts follow from numbers, and what is written can be read again."""

import math
import re
import subprocess
import sys
from dataclasses import replace

import pytest

import studies
from studies import comparison
from studies.__main__ import papers, reproduce, tables_of
from studies.comparison import (
    Cell,
    Provenance,
    Table,
    measured_tables,
    published_cells,
    read_table,
    rounding,
)

MEASURED = measured_tables()


@pytest.mark.parametrize(
    ("published", "measured", "aim", "verdict"),
    [
        ("0.30", 0.35, "same", "within"),
        ("0.30", 0.351, "same", "higher"),
        ("0.30", 0.249, "same", "lower"),
        ("0.30", 0.1, "at most", "no worse"),
        ("0.30", 0.36, "at most", "worse"),
        ("0.30", 0.36, "at least", "no worse"),
        ("0.30", 0.1, "at least", "worse"),
        ("NaN", math.nan, "same", "within"),
        ("NaN", 0.5, "same", "defined"),
        ("0.30", math.nan, "same", "undefined"),
        ("", 0.5, "same", ""),
    ],
)
def test_verdict_follows_from_the_difference_and_the_tolerance(published, measured, aim, verdict):
    assert Cell(("x",), published, measured, 0.05, aim).verdict == verdict


def test_rounding_is_half_of_the_last_digit():
    assert [rounding(text) for text in ("12", "0.3", "0.30")] == [0.5, 0.05, 0.005]


def some_table():
    cells = [
        Cell(("d", "a", "f"), "0.50", 0.52, 0.05),
        Cell(("d", "a", "g"), "0.10", 0.52, 0.05),
        Cell(("d", "b", "f"), "", math.nan),
    ]
    return Table("paper", "table9", "Table 9", "Words.", ("dataset", "method", "measure"), cells)


def test_written_tables_are_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "FOLDER", tmp_path)
    monkeypatch.setattr("studies.pages.write_readme", lambda: None)
    made = Provenance("2026-01-02", "labelwise 0.1.0, numpy 2")
    table = replace(some_table(), words="Words.\n\n- A list: of one.", made=made)
    replace(table, others=(replace(table, name="table9_claims", made=None),)).write()
    path = tmp_path / "paper" / "table9_measured.csv"
    assert repr(Table.read(path)) == repr(table)
    # What follows from a table was computed when the table was.
    assert Table.read(path.with_name("table9_claims_measured.csv")).made == made
    facts, rows = read_table(path)
    assert facts["words"] == "Words.\n\n- A list: of one."
    assert [row["verdict"] for row in rows] == ["within", "higher", ""]
    assert rows[0]["difference"] == "0.02"
    assert (tmp_path / "paper" / "table9.md").is_file()


def test_a_cell_at_the_edge_of_its_tolerance_is_judged_by_the_digits_that_are_written(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(comparison, "FOLDER", tmp_path)
    cell = Cell(("a", "b", "c"), "0.5", 0.5 + 1e-3 + 2e-9, 1e-3)
    assert cell.verdict == "higher"
    replace(some_table(), cells=[cell])._write_file()
    path = tmp_path / "paper" / "table9_measured.csv"
    assert read_table(path)[1][0]["verdict"] == Table.read(path).cells[0].verdict == "within"


def rows_of_store(**changed):
    made = {"date": "2026-01-02", "python": "3.11.7", "labelwise": "0.1.0"}
    return made | {"numpy": "2.4.6", "scipy": "1.17.1", "scikit-learn": "1.9.1"} | changed


def test_dates_and_versions_are_those_of_the_cells():
    one = Provenance.of_rows([rows_of_store()])
    assert one.date == "2026-01-02"
    assert one.versions == (
        "labelwise 0.1.0, numpy 2.4.6, scipy 1.17.1, scikit-learn 1.9.1, Python 3.11.7"
    )
    several = Provenance.of_rows(
        [rows_of_store(), rows_of_store(date="2026-01-05", numpy="2.5.0"), rows_of_store()]
    )
    assert several.date == "2026-01-02 to 2026-01-05"
    assert several.versions.count("labelwise 0.1.0, numpy 2.") == 2
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", Provenance.now().date)


def test_means_deviations_and_undefined_cells_are_counted_apart():
    keys = ("dataset", "estimate", "measure")
    cells = [
        Cell(("d", "mean", "f"), "0.50", 0.5),
        Cell(("d", "mean", "g"), "0.50", 0.9),
        Cell(("d", "deviation", "f"), "0.10", 0.1),
        Cell(("d", "mean", "h"), "NaN", math.nan),
        Cell(("d", "deviation", "h"), "NaN", 0.5),
        Cell(("d", "mean", "i"), "", 0.5),
    ]
    table = Table("paper", "t", "T", "", keys, cells)
    assert table.counts == {"means": (1, 2), "deviations": (1, 1), "NaN": (1, 2)}
    assert some_table().counts == {"cells": (1, 2)}


def test_published_cells_are_read_as_printed(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("# A paper.\ndataset,method,f,g\nd,a,0.50,\nd,b,NaN,1\n")
    assert published_cells(path) == {
        ("d", "a", "f"): "0.50",
        ("d", "b", "f"): "NaN",
        ("d", "b", "g"): "1",
    }


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_verdicts_of_committed_tables_follow_from_their_numbers(path):
    facts, rows = read_table(path)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d( to \d{4}-\d\d-\d\d)?", facts["date"])
    for row in rows:
        numbers = float(row["measured"]), float(row["tolerance"])
        cell = Cell((), row["published"], *numbers, row["aim"])
        # A cell at the very edge may cross it with the digits that were not written.
        at_edge = math.isclose(abs(cell.difference), cell.tolerance, rel_tol=1e-5)
        assert cell.verdict == row["verdict"] or at_edge


def test_each_paper_has_cited_tables_and_a_page():
    assert "sechidis2011" in papers()
    for paper in papers():
        assert tables_of(paper)
        cited = [path for path in (studies.FOLDER / paper).glob("*.csv") if path not in MEASURED]
        assert cited
        assert all(path.read_text().startswith("# ") for path in cited)
        assert (studies.FOLDER.parent / "docs" / "studies" / f"{paper}.md").is_file()


def test_unknown_papers_and_tables_are_named():
    with pytest.raises(ValueError, match="PAPER must be one of"):
        reproduce("nobody1999")
    with pytest.raises(ValueError, match="--table must be one of 1, 2"):
        reproduce("sechidis2011", "77")
    done = subprocess.run(
        [sys.executable, "-m", "studies", "nobody1999"],
        capture_output=True,
        text=True,
        cwd=studies.FOLDER.parent,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("studies: PAPER must be one of")
