"""Tables of evaluations for papers and notebooks, and the sentences of measures."""

import numpy as np
import pytest

from labelwise._measuring import measure_named
from labelwise.measures import evaluate

Y = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
SCORES = np.array([[0.9, 0.2, 0.7], [0.3, 0.8, 0.4], [0.6, 0.4, 0.1], [0.2, 0.3, 0.8]])
NAMES = ("a_b & 50%", "<b>|", "plain")
FOUND = evaluate(Y, scores=SCORES, decided=SCORES > 0.5, label_names=NAMES)


def markdown_rows(text):
    lines = [[cell.strip() for cell in line.split(" | ")] for line in text.splitlines()]
    return [[cell.strip("| ") for cell in line] for line in lines]


def test_every_measure_is_in_the_column_that_it_averages_over():
    heading, _, *rows = markdown_rows(FOUND.to_markdown())
    assert heading == ["measure", "micro", "macro", "sample"]
    cells = {row[0]: dict(zip(heading[1:], row[1:], strict=True)) for row in rows}
    columns = {"all": "micro", "label": "macro", "sample": "sample"}
    for name, found in FOUND.measured.items():
        short = name.removeprefix("micro-").removeprefix("macro-").removeprefix("sample-")
        assert cells[short][columns[found.by]] == f"{found.value:.4f}"
    assert cells["hamming-loss"] == {
        "micro": "",
        "macro": "",
        "sample": f"{FOUND['hamming-loss']:.4f}",
    }


def test_labels_are_escaped_in_both_formats():
    markdown, latex = FOUND.to_markdown("label"), FOUND.to_latex("label")
    assert "a\\_b &amp; 50%" in markdown
    assert "&lt;b&gt;\\|" in markdown
    assert r"a\_b \& 50\%" in latex
    assert len(latex.splitlines()) == 4 + len(NAMES) + 2
    assert f"{FOUND.per_label['f'][2]:.4f}" in latex.splitlines()[6]


def test_all_labels_are_in_a_table_for_a_paper():
    wide = evaluate(np.eye(150, dtype=int), decided=np.eye(150, dtype=int))
    assert len(wide.to_markdown("label").splitlines()) == 152
    assert "and 50 more" in wide._repr_html_()


def test_intervals_are_in_the_tables():
    found = evaluate(Y, decided=SCORES > 0.5, n_bootstrap=20, random_state=0, undefined="skip")
    low, high = found.intervals["micro-f"]
    assert f"[{low:.4f}, {high:.4f}]" in found.to_latex()
    assert any(note.startswith("Intervals: 95%") for note in found.notes())


def test_an_unknown_table_is_refused():
    for write in (FOUND.to_latex, FOUND.to_markdown):
        with pytest.raises(ValueError, match='by must be "measure" or "label"'):
            write("row")


@pytest.mark.parametrize("name", FOUND)
def test_every_measure_says_what_it_means_in_one_sentence(name):
    meaning = measure_named(name).meaning
    assert meaning[0].isupper()
    assert meaning.endswith(".")
    assert len(meaning) <= 90
