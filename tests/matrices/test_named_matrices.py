"""Matrices of files go into the public functions as they are: rows by id, labels by name."""

import json

import numpy as np
import pandas as pd
import pytest

from labelwise.data import DataError, read_labels, read_scores
from labelwise.decisions import best_thresholds, micro_frontier
from labelwise.measures import count, evaluate

NAMES = ["sea", "sky", "sun"]
ORDER, COLUMNS = np.random.default_rng(1).permutation(30), [2, 0, 1]


@pytest.fixture
def arrays():
    random = np.random.default_rng(0)
    Y = (random.random((30, 3)) < 0.4).astype(int)
    return Y, np.round(0.6 * Y + 0.4 * random.random((30, 3)), 3)


@pytest.fixture
def files(tmp_path, arrays):
    """Labels and scores of the same rows, in another order of rows and labels."""
    Y, scores = arrays
    ids = pd.Index([f"r{i}" for i in range(30)], name="id")
    pd.DataFrame(Y, ids, NAMES).to_csv(tmp_path / "y.csv")
    pd.DataFrame(scores, ids, NAMES).iloc[ORDER, COLUMNS].to_parquet(tmp_path / "s.parquet")
    sets = [[NAMES[j] for j in np.flatnonzero(row)] for row in Y]
    lists = [{"id": i, "labels": of_row} for i, of_row in zip(ids, sets, strict=True)]
    (tmp_path / "lists.jsonl").write_text("\n".join(map(json.dumps, lists)))
    return tmp_path


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param(
            "y.csv",
            marks=pytest.mark.filterwarnings("ignore:The labels of Y are in another order"),
        ),
        "lists.jsonl",  # has no order
    ],
)
def test_functions_match_rows_by_id_and_labels_by_name(files, arrays, labels):
    Y, scores = arrays
    truth, scored = read_labels(files / labels), read_scores(files / "s.parquet")
    names = tuple(np.array(NAMES)[COLUMNS])
    tuned = best_thresholds(scored, truth)
    assert tuned.label_names == names
    assert np.array_equal(tuned.values, best_thresholds(scores, Y).values[COLUMNS])
    expected = evaluate(Y, scores=scores, label_names=NAMES)
    assert repr(evaluate(truth, scores=scored)) == repr(expected)
    assert repr(micro_frontier(scored, truth)) == repr(micro_frontier(scores, Y))
    assert np.array_equal(tuned.decide(scored), scores[ORDER][:, COLUMNS] >= tuned.values)


def test_labels_that_no_list_mentions_are_without_positives(files, arrays):
    Y, scores = arrays
    lists = [{"id": f"r{i}", "labels": ["sea"] if row[0] else []} for i, row in enumerate(Y)]
    (files / "few.jsonl").write_text("\n".join(map(json.dumps, lists)))
    few, scored = read_labels(files / "few.jsonl"), read_scores(files / "s.parquet")
    only = Y * [1, 0, 0]
    found = evaluate(few, scores=scored)
    assert repr(found) == repr(evaluate(only, scores=scores, label_names=NAMES))
    decided = count(read_labels(files / "y.csv"), few)
    assert np.array_equal(decided.tp, (Y * only).sum(axis=0))


def test_files_of_which_one_has_ids_are_matched_by_position_only_if_asked(files, arrays):
    Y, scores = arrays
    np.save(files / "s.npy", scores)
    truth, scored = read_labels(files / "y.csv"), read_scores(files / "s.npy")
    with pytest.raises(ValueError, match=r"s\.npy: has no ids and .*y.csv has"):
        evaluate(truth, scores=scored)
    found = evaluate(truth, scores=scored, ids=False)
    assert repr(found) == repr(evaluate(Y, scores=scores, label_names=NAMES))
    assert repr(evaluate(truth, scores=scores)) == repr(found)


def test_a_label_that_one_file_lacks_is_named(files):
    pd.read_csv(files / "y.csv").drop(columns="sun").to_csv(files / "less.csv", index=False)
    with pytest.raises(ValueError, match=r"less\.csv: lacks label 'sun', which .*s.parquet has"):
        best_thresholds(read_scores(files / "s.parquet"), read_labels(files / "less.csv"))


def test_a_matrix_is_printed_in_one_line_and_becomes_an_array(files):
    scored = read_scores(files / "s.parquet")
    assert repr(scored) == "NamedMatrix: 30 samples with ids 'id', 3 labels"
    assert np.asarray(scored).shape == (len(scored), 3) == scored.shape
    assert np.asarray(read_labels(files / "y.csv")).dtype == bool


def test_parts_of_a_data_set_are_read(tmp_path):
    for part in ("train", "test"):
        (tmp_path / f"d-{part}.svm").write_text("0 1:1\n1 1:2\n" if part == "train" else "0 1:3\n")
    assert read_labels(tmp_path, part="test").shape == (1, 2)
    assert read_labels(tmp_path).shape == read_labels(tmp_path, part="all").shape == (3, 2)
    with pytest.raises(ValueError, match='part must be "train", "test", "all" or None, got 3'):
        read_labels(tmp_path, part=3)
    with pytest.raises(ValueError, match="part 'test' is not in 'd-train', which has a single"):
        read_labels(tmp_path / "d-train.svm", part="test")
    (tmp_path / "u.svm").write_text("1:1\n")
    with pytest.raises(DataError, match="has no labels"):
        read_labels(tmp_path / "u.svm")
