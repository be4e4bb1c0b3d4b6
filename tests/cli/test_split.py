"""`labelwise split` writes subsets and shows how fair they are."""

import csv

import numpy as np
import pytest

from labelwise.cli._data_source import DataSource
from labelwise.cli.commands._split import SplitOptions, show_split
from labelwise.splitting import assign
from tests.splitting.problems import correlated

Y = correlated(40, 3, seed=0)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "tiny.csv"
    rows = "".join(f"{i},{','.join(map(str, row))}\n" for i, row in enumerate(Y))
    path.write_text("x,label_sea,label_sky,label_sun\n" + rows)
    return str(path)


def test_the_file_holds_the_subset_of_each_row(table, tmp_path, capsys):
    output = tmp_path / "folds.csv"
    show_split(
        DataSource(table, "label_*"),
        SplitOptions(folds=4, method="balanced", seed=3),
        output=output,
    )
    with output.open() as lines:
        rows = list(csv.DictReader(lines))
    assert [int(row["row"]) for row in rows] == list(range(40))
    expected = assign(Y, 4, method="balanced", random_state=3)
    assert np.array_equal([int(row["subset"]) for row in rows], expected)
    shown = capsys.readouterr().out
    for word in ("balanced (chosen)", "random", "labelset", "iterative", "FLZ", str(output)):
        assert word in shown
    assert "worst label label_s" in shown


def test_holdouts_come_by_proportions(table, capsys):
    show_split(
        DataSource(table, "label_*"), SplitOptions(proportions="0.5,0.25,0.25", method="pairs")
    )
    shown = capsys.readouterr().out
    assert "pairs (chosen)" in shown
    assert "subsets of" in shown


def test_wrong_proportions_are_refused_before_anything_is_written(table, tmp_path):
    output = tmp_path / "folds.csv"
    with pytest.raises(ValueError, match="--proportions must be numbers separated by commas"):
        show_split(DataSource(table, "label_*"), SplitOptions(proportions="a half"), output=output)
    with pytest.raises(ValueError, match=r"proportions must sum to 1, got 0\.7"):
        show_split(DataSource(table, "label_*"), SplitOptions(proportions="0.5,0.2"), output=output)
    assert not output.exists()
