"""Decisions written block by block are those of all rows at once."""

from dataclasses import replace

import dask.array
import numpy as np
import pandas as pd
import pytest
import zarr

from labelwise.decisions import best_thresholds
from labelwise.measures import evaluate
from tests.blocks.row_files import WRITERS, block_rows as rows_at_a_time

RANDOM = np.random.default_rng(7)
SCORES = RANDOM.random((50, 3)).astype(np.float32)
NAMES = ("label_0", "label_1", "label_2")
TUNED = best_thresholds(SCORES, SCORES.round() > 0, label_names=NAMES)
READERS = {
    ".npy": np.load,
    ".parquet": lambda path: pd.read_parquet(path)[list(NAMES)].to_numpy(),
    ".zarr": lambda path: zarr.open_array(str(path), mode="r")[:],
}


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("kind", WRITERS)
def test_decisions_of_files_are_those_of_arrays(ending, kind, tmp_path):
    path = tmp_path / f"decided{ending}"
    scores = WRITERS[kind](tmp_path, "scores", SCORES)
    with rows_at_a_time(7):
        counts = TUNED.decide(scores, path, ids=False)
    wanted = TUNED.decide(SCORES)
    found = READERS[ending](path)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(counts.by_label, wanted.sum(axis=0))
    assert counts[1:] == (50, (wanted.sum(axis=1) == 0).sum())
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_columns_are_matched_by_name_and_written_with_their_names(tmp_path):
    frame = pd.DataFrame(SCORES, columns=NAMES)[["label_2", "label_0", "label_1"]]
    TUNED.decide(frame, tmp_path / "decided.parquet")
    found = pd.read_parquet(tmp_path / "decided.parquet")
    assert list(found.columns) == ["label_2", "label_0", "label_1"]
    np.testing.assert_array_equal(found[list(NAMES)].to_numpy(), TUNED.decide(SCORES))


def test_a_limit_of_labels_a_row_holds_in_every_block(tmp_path):
    limited = replace(TUNED, max_decided=1)
    with rows_at_a_time(9):
        limited.decide(SCORES, tmp_path / "decided.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "decided.npy"), limited.decide(SCORES))


@pytest.mark.parametrize("kind", WRITERS)
def test_decisions_on_a_file_are_returned_without_an_output(kind, tmp_path):
    scores = WRITERS[kind](tmp_path, "scores", SCORES)
    with rows_at_a_time(7):
        found = TUNED.decide(scores, ids=False)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, TUNED.decide(SCORES))


@pytest.mark.parametrize("chunks", [(20, 3), (20, 1), (50, 2)])
def test_decisions_on_chunks_are_those_of_whole_rows(chunks):
    limited = replace(TUNED, max_decided=1)
    found = limited.decide(dask.array.from_array(SCORES, chunks=chunks))
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found.compute(), limited.decide(SCORES))


@pytest.mark.parametrize("ending", READERS)
def test_an_error_leaves_the_old_decisions(ending, tmp_path):
    path = tmp_path / f"decided{ending}"
    TUNED.decide(SCORES, path)
    before = READERS[ending](path)
    np.save(tmp_path / "bad.npy", np.where(np.arange(150).reshape(50, 3) == 149, np.nan, 1.0))
    with pytest.raises(ValueError, match="scores must be finite"), rows_at_a_time(20):
        TUNED.decide(tmp_path / "bad.npy", path, ids=False)
    np.testing.assert_array_equal(READERS[ending](path), before)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["bad.npy", path.name]


def test_other_endings_and_other_numbers_of_labels_are_refused(tmp_path):
    with pytest.raises(ValueError, match="must end in one of"):
        TUNED.decide(SCORES, tmp_path / "decided.csv")
    with pytest.raises(ValueError, match="scores has 2 labels, but there are 3 thresholds"):
        TUNED.decide(SCORES[:, :2], tmp_path / "decided.npy")


@pytest.mark.parametrize("block_rows", [7, 25, 50])
def test_the_ids_of_the_rows_are_written_along(tmp_path, block_rows):
    scores = WRITERS["folder"](tmp_path, "scores", SCORES)
    path = tmp_path / "decided.parquet"
    with rows_at_a_time(block_rows):
        TUNED.decide(scores, path)
    ids = pd.concat([pd.read_parquet(part) for part in sorted(scores.iterdir())])["id"]
    assert list(pd.read_parquet(path)["id"]) == list(ids)
    assert list(pd.read_parquet(path).columns) == ["id", *NAMES]
    labels = WRITERS["folder"](tmp_path, "labels", SCORES.round().astype(np.int8))
    found = evaluate(labels, decided=path)
    assert found["micro-f"] == pytest.approx(TUNED.value)


def test_names_of_the_thresholds_or_the_file_alone_are_not_ignored(tmp_path):
    path = tmp_path / "decided.npy"
    with pytest.raises(ValueError, match="scores has no label names and thresholds has: give"):
        TUNED.decide(WRITERS["npy"](tmp_path, "scores", SCORES), path)
    nameless = replace(TUNED, label_names=None)
    with pytest.raises(ValueError, match="thresholds has no label names and scores has: give"):
        nameless.decide(WRITERS["parquet"](tmp_path, "scores", SCORES), path)
