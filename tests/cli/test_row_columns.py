"""Tables of groups and texts beside a matrix: rows by id, and what does not fit."""

import pytest

from tests.cli.shell import run_program
from tests.cli.test_report import data_of
from tests.writers.other_programs import r_csv


@pytest.mark.parametrize(
    ("name", "text", "options", "said"),
    [
        ("s.csv", "id,a\nr1,x\n", ("--slices", "s.csv"), "s.csv: lacks row 'r0'"),
        (
            "s.csv",
            "a\nx\n",
            ("--slices", "s.csv", "--by-position"),
            "s.csv: has 1 rows but labels.csv has 12.",
        ),
        ("s.csv", "id\nr1\n", ("--slices", "s.csv"), "s.csv: has no column beside the ids."),
        ("s.csv", "id,a\nr1,x\nr1,y\n", ("--slices", "s.csv"), "s.csv: has row 'r1' twice"),
        ("t.csv", "id,a,b\nr1,x,y\n", ("--texts", "t.csv"), "t.csv: lacks row 'r0'"),
        ("x.csv", "", ("-o", "page.pdf"), "page.pdf must end in .html."),
    ],
)
def test_files_that_do_not_fit_are_refused(small_folder, name, text, options, said):
    (small_folder / name).write_text(text)
    words = ("report", "scores.csv", "labels.csv", *(() if "-o" in options else ("-o", "p.html")))
    done = run_program(small_folder, *words, *options)
    assert done.code in (1, 2)
    assert said in done.stderr
    assert not (small_folder / "p.html").exists()


def test_several_columns_of_text_are_refused_unless_one_is_called_text(small_folder):
    rows = "".join(f"r{i},x,y\n" for i in range(12))
    words = ("report", "scores.csv", "labels.csv", "-o", "p.html", "--texts", "t.csv")
    (small_folder / "t.csv").write_text(f"id,a,b\n{rows}")
    assert "or one called 'text', got 'a', 'b'." in run_program(small_folder, *words).stderr
    (small_folder / "t.csv").write_text(f"id,a,text\n{rows}")
    assert run_program(small_folder, *words).code == 0
    assert set(data_of(small_folder / "p.html")["rows"]["texts"].values()) == {"y"}


def test_row_names_of_r_beside_ids_are_neither_texts_nor_groups(small_folder):
    ids = [f"r{11 - i}" for i in range(12)]
    columns = {"id": ids, "abstract": [f"text of {one}" for one in ids]}
    (small_folder / "t.csv").write_bytes(r_csv(columns))
    words = ("report", "scores.csv", "labels.csv", "-o", "p.html", "--texts", "t.csv")
    done = run_program(small_folder, *words, "--slices", "t.csv")
    assert done.code == 0, done.stderr
    page = data_of(small_folder / "p.html")
    shown = page["rows"]
    assert set(shown["texts"].items()) == {(row, f"text of r{row}") for row in shown["texts"]}
    assert [one["name"] for one in page["slices"]] == ["abstract"]


@pytest.mark.parametrize("option", ["--slices", "--texts"])
def test_a_table_without_ids_goes_by_position_only_if_asked_for(small_folder, option):
    rows = "".join(f"text {11 - i}\n" for i in range(12))
    (small_folder / "t.csv").write_text(f"text\n{rows}")
    words = ("report", "scores.csv", "labels.csv", "-o", "p.html", option, "t.csv")
    done = run_program(small_folder, *words)
    assert done.code == 1
    assert (
        "t.csv: has no ids and labels.csv has ('id'): name the column by --ids NAME, or"
        in done.stderr
    )
    done = run_program(small_folder, *words, "--by-position")
    assert done.code == 0
    assert "rows of t.csv are matched with those of labels.csv by position." in done.stderr
