"""Pages have nothing but what is in the csv files, and the committed ones are up to date."""

import math
from dataclasses import replace

import pytest

import studies
from studies.__main__ import papers, reproduce
from studies.comparison import Cell, Provenance, Table, measured_tables, read_table
from studies.pages import PAPERS, readme, score, to_markdown

MEASURED = measured_tables()
MADE = Provenance("2026-01-02", "labelwise 0.1.0")


def some_table(made=MADE):
    cells = [
        Cell(("d", "a", "f"), "0.50", 0.52, 0.05),
        Cell(("d", "a", "g"), "0.10", 0.52, 0.05),
        Cell(("d", "b", "f"), "", math.nan),
        Cell(("d", "b", "g"), "NaN", 0.123456, 0.05),
        Cell(("d", "c", "f"), "0.50", math.nan, 0.05),
        Cell(("d", "c", "g"), "12", 12.0),
    ]
    keys = ("dataset", "method", "measure")
    return Table("paper", "table9", "Table 9", "Words.", keys, cells, made=made)


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_committed_page_is_that_of_the_committed_cells(path):
    page = path.with_name(path.name.replace("_measured.csv", ".md"))
    assert page.read_text(encoding="utf-8") == to_markdown(Table.read(path))


def test_the_committed_list_is_that_of_the_committed_tables():
    assert (studies.FOLDER / "README.md").read_text(encoding="utf-8") == readme()


def test_every_paper_has_its_time_and_the_reason_of_what_differs():
    _, rows = read_table(studies.FOLDER / PAPERS)
    assert sorted(row["paper"] for row in rows) == papers()
    assert all(row["time"] and row["why"].endswith(".") for row in rows)


def test_cells_show_the_published_number_the_measured_one_and_the_verdict():
    page = to_markdown(some_table())
    assert "| d | a | 0.50 → 0.520 | 0.10 → 0.520 (higher) |" in page
    assert "| d | c | 0.50 → NaN (undefined) | 12 → 12 |" in page
    assert "Within tolerance: 2 of 4 cells, 0 of 1 NaN." in page
    assert "Computed by `studies/paper` on 2026-01-02 with labelwise 0.1.0." in page


def test_a_number_beside_nan_has_its_digits():
    assert "| d | b | NaN | NaN → 0.1235 (defined) |" in to_markdown(some_table())


def test_a_quick_run_does_not_say_by_what_it_was_computed():
    page = to_markdown(some_table(made=None))
    assert "Computed" not in page
    alone = replace(some_table(made=None), cells=[Cell(("d", "a", "f"), "", 0.5)])
    assert "A quick run of a part of the study." in to_markdown(alone)
    assert score(alone) == ""


def test_quick_runs_are_printed_and_not_written(monkeypatch, capsys):
    known = {"9": lambda **_: some_table()}
    monkeypatch.setattr("studies.__main__.tables_of", lambda _: known)
    monkeypatch.setattr(Table, "write", None)
    reproduce("paper", quick=True)
    assert "Computed" not in capsys.readouterr().out
    written = []
    monkeypatch.setattr(Table, "write", lambda table: written.append(table.name))
    reproduce("paper")
    assert written == ["table9"]
    assert "Computed by `studies/paper` on 2026-01-02" in capsys.readouterr().out
