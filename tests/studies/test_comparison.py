"""The common format: verdicts follow from numbers, and what is written can be read again."""

import math
import re
import subprocess
import sys

import pytest

import studies
from studies import comparison
from studies.__main__ import papers, reproduce, tables_of
from studies.comparison import Cell, Table, published_cells, read_table, rounding

MEASURED = sorted(studies.FOLDER.glob("*/*_measured.csv"))


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


def test_written_tables_are_read_again_and_listed(tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "FOLDER", tmp_path)
    some_table().write()
    facts, rows = read_table(tmp_path / "paper" / "table9_measured.csv")
    assert facts["title"] == "Table 9"
    assert "scikit-learn" in facts["versions"]
    assert [row["verdict"] for row in rows] == ["within", "higher", ""]
    assert rows[0]["difference"] == "0.02"
    page = (tmp_path / "paper" / "table9.md").read_text()
    assert "| d | a | 0.50 → 0.520 | 0.10 → 0.520 (higher) |" in page
    assert "| d | b | NaN |  |" in page
    assert "| paper | [Table 9](paper/table9.md) | 1 of 2 |" in (tmp_path / "README.md").read_text()


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
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", facts["date"])
    for row in rows:
        numbers = float(row["measured"]), float(row["tolerance"])
        cell = Cell((), row["published"], *numbers, row["aim"])
        # A cell at the very edge may cross it with the digits that were not written.
        at_edge = math.isclose(abs(cell.difference), cell.tolerance, rel_tol=1e-5)
        assert cell.verdict == row["verdict"] or at_edge


def test_the_list_of_tables_is_that_of_the_committed_ones(tmp_path, monkeypatch):
    written = (studies.FOLDER / "README.md").read_text()
    monkeypatch.setattr(comparison, "_write", lambda _, text: found.append(text))
    found = []
    comparison.write_readme()
    assert found == [written]


# The part of miml2017 that we have reports no results.
WITHOUT_PUBLISHED_TABLES = {"miml2017"}


def test_each_paper_has_cited_tables_and_a_page():
    assert "sechidis2011" in papers()
    for paper in papers():
        assert tables_of(paper)
        cited = [path for path in (studies.FOLDER / paper).glob("*.csv") if path not in MEASURED]
        assert bool(cited) == (paper not in WITHOUT_PUBLISHED_TABLES)
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
