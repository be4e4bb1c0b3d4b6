"""Tables for a paper: the best mean of a row is bold, and every name is escaped."""

import pytest

from labelwise.experiments import summarize

VALUES = {
    ("yeast", "old", "micro-f"): [0.5, 0.7],
    ("yeast", "new", "micro-f"): [0.7, 0.9],
    ("yeast", "old", "hamming-loss"): [0.2, 0.2],
    ("yeast", "new", "hamming-loss"): [0.3, 0.3],
}


def summary(values=VALUES):
    return summarize(
        [
            {"dataset": data, "model": model, "fold": i, "measure": measure, "value": value}
            for (data, model, measure), numbers in values.items()
            for i, value in enumerate(numbers)
        ]
    )


def test_a_latex_table_has_rules_of_booktabs_and_bold_best_means():
    assert summary().to_latex().splitlines() == [
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"dataset & measure & old & new \\",
        r"\midrule",
        r"yeast & micro-f & 0.6000 $\pm$ 0.1414 & \textbf{0.8000} $\pm$ 0.1414 \\",
        r"yeast & hamming-loss & \textbf{0.2000} $\pm$ 0.0000 & 0.3000 $\pm$ 0.0000 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_markdown_table_of_one_measure_leaves_out_its_column():
    assert summary().to_markdown("micro-f").splitlines() == [
        "| dataset | old | new |",
        "| :-- | --: | --: |",
        "| yeast | 0.6000 ± 0.1414 | **0.8000** ± 0.1414 |",
    ]


def test_means_that_look_equal_are_both_bold_and_missing_ones_are_dashes():
    found = summary(
        {
            ("a", "old", "micro-f"): [0.500001],
            ("a", "new", "micro-f"): [0.5],
            ("b", "new", "micro-f"): [float("nan")],
        }
    ).to_markdown()
    assert found.splitlines()[2:] == ["| a | **0.5000** | **0.5000** |", "| b | - | nan |"]


def test_nothing_is_bold_for_a_measure_of_unknown_direction():
    found = summary({("a", "old", "cost"): [1.0], ("a", "new", "cost"): [2.0]})
    assert "textbf" not in found.to_latex()


NAME = "_a\\b{c}&%$#~^<d>|[*]`---\x1b\n"


def test_names_cannot_leave_their_cell():
    found = summary({(NAME, "old", "micro-f"): [0.5], (NAME, "new", "micro-f"): [0.4]})
    row = found.to_latex().splitlines()[4]
    assert row.startswith(
        r"\_a\textbackslash{}b\{c\}\&\%\$\#\textasciitilde{}\textasciicircum{}"
        r"\textless{}d\textgreater{}\textbar{}{[}{*}{]}\textasciigrave{}-{}-{}-"
        r"\textbackslash{}x1b\textbackslash{}n & "
    )
    cell = found.to_markdown().splitlines()[2]
    expected = r"\_a\\b\{c\}&amp;%\$\#\~^&lt;d&gt;\|\[\*\]\`---\\x1b\\n"
    assert cell == f"| {expected} | **0.5000** | 0.4000 |"


def test_an_unknown_measure_and_rows_without_models_are_refused():
    with pytest.raises(ValueError, match="measure must be one of micro-f, hamming-loss, got 'x'"):
        summary().to_latex("x")
    rows = [{"dataset": "a", "measure": "micro-f", "value": 1.0}]
    with pytest.raises(ValueError, match="must be grouped by model, got dataset, measure"):
        summarize(rows).to_latex()
