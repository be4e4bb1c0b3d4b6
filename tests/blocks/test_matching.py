"""Scores, labels and decisions in blocks of the same rows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

from labelwise._blocks._interface import BLOCK_BYTES, block_rows
from labelwise._blocks._matching import first_difference, match_blocks
from labelwise.data import DataError

SCORES = np.arange(12.0).reshape(6, 2)
Y = SCORES % 3 == 0


def test_blocks_have_about_32_megabytes_of_scores():
    wide = np.zeros((3, 2**21))
    assert BLOCK_BYTES == 2**25
    assert match_blocks({"Y": wide > 0, "scores": wide}).n_together == 2


def test_the_rows_of_a_block_belong_together():
    with block_rows(4):
        matched = match_blocks({"Y": Y, "scores": SCORES, "decided": ~Y})
    first, second = matched.outcomes()
    np.testing.assert_array_equal(first.scores, SCORES[:4])
    np.testing.assert_array_equal(second.Y.toarray(), Y[4:])
    np.testing.assert_array_equal(second.decided.toarray(), ~Y[4:])


def test_groups_of_labels_have_all_rows():
    with block_rows(4):
        groups = list(match_blocks({"Y": Y, "scores": SCORES}).label_groups(1))
    assert len(groups) == 2
    for j, group in enumerate(groups):
        np.testing.assert_array_equal(group.scores, SCORES[:, [j]])
        np.testing.assert_array_equal(group.Y.toarray(), Y[:, [j]])


def test_errors_name_the_first_row_of_a_later_block():
    bad = SCORES.copy()
    bad[5, 1] = np.nan
    with block_rows(4):
        matched = match_blocks({"Y": Y, "scores": SCORES})
    matched.sources["scores"]._array = bad
    with pytest.raises(
        ValueError, match=r"got nan at row 1, label 1[.] Rows are counted from row 4"
    ):
        list(matched.outcomes())


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"Y": Y, "scores": SCORES[:5]}, "scores has 5 rows but Y has 6"),
        ({"Y": Y, "decided": Y[:, :1]}, "decided has 1 labels but Y has 2"),
        ({"Y": Y[:0], "scores": SCORES[:0]}, "Y must have a row and a label"),
    ],
)
def test_matrices_of_other_sizes_are_refused(given, problem):
    with pytest.raises(ValueError, match=problem):
        match_blocks(given)


def test_names_must_be_as_many_as_labels():
    with pytest.raises(ValueError, match="3 names for 2 labels"):
        match_blocks({"Y": Y, "scores": SCORES}, ["a", "b", "c"])


def written(path, names, matrix, rows_per_group):
    """Write a parquet file with a column of row names; None leaves it out."""
    columns = {} if names is None else {"id": names}
    columns |= {f"l{j}": matrix[:, j] for j in range(matrix.shape[1])}
    pq.write_table(pa.table(columns), path, row_group_size=rows_per_group)
    return path


@pytest.mark.parametrize("groups", [(6, 6), (2, 3), (1, 4)])
def test_files_whose_rows_have_another_order_are_refused(tmp_path, groups):
    names = ["a", "b", "c", "d", "e", "f"]
    truth = written(tmp_path / "y.parquet", names, Y.astype(int), groups[0])
    same = written(tmp_path / "s.parquet", names, SCORES, groups[1])
    assert match_blocks({"Y": truth, "scores": same}).n_samples == 6
    nameless = written(tmp_path / "n.parquet", None, SCORES, groups[1])
    with pytest.raises(DataError, match=r"n\.parquet: has no ids and .*y\.parquet has \('id'\): "):
        match_blocks({"Y": truth, "scores": nameless})
    assert match_blocks({"Y": truth, "scores": nameless}, ids=False).n_samples == 6
    assert match_blocks({"Y": truth, "scores": SCORES}).n_samples == 6  # an array has no ids
    swapped = written(tmp_path / "t.parquet", ["a", "b", "c", "e", "d", "f"], SCORES, groups[1])
    with pytest.raises(ValueError, match=r"same order .* got 'e' and 'd' as row 3: sort both"):
        match_blocks({"Y": truth, "scores": swapped})
    twice = written(tmp_path / "w.parquet", ["a", "b", "c", "a", "e", "f"], SCORES, groups[1])
    truth = written(tmp_path / "y.parquet", ["a", "b", "c", "a", "e", "f"], Y.astype(int), 6)
    with pytest.raises(ValueError, match=r"y\.parquet: has row 'a' twice"):
        match_blocks({"Y": truth, "scores": twice})


def test_frames_go_by_their_index_and_files_without_names_need_the_option(tmp_path):
    names = ["a", "b", "c", "d", "e", "f"]
    truth = written(tmp_path / "y.parquet", names, Y.astype(int), 6)
    frame = pd.DataFrame(SCORES, columns=["l0", "l1"], index=names)
    assert match_blocks({"Y": truth, "scores": frame}).n_samples == 6
    with pytest.raises(ValueError, match="got 'f' and 'a' as row 0"):
        match_blocks({"Y": truth, "scores": frame[::-1]})
    with pytest.raises(ValueError, match=r"scores has no ids and .*y\.parquet has"):
        match_blocks({"Y": truth, "scores": frame.reset_index(drop=True)})
    np.save(tmp_path / "s.npy", SCORES)
    plain = written(tmp_path / "p.parquet", None, Y.astype(int), 6)
    with pytest.raises(ValueError, match=r"s\.npy: has no label names and .* has: give ids=False"):
        match_blocks({"Y": plain, "scores": tmp_path / "s.npy"})
    assert match_blocks({"Y": plain, "scores": tmp_path / "s.npy"}, ["l0", "l1"]).n_labels == 2


@given(
    st.lists(st.lists(st.sampled_from("ab"), max_size=3), max_size=4),
    st.lists(st.lists(st.sampled_from("ab"), max_size=3), max_size=4),
)
def test_the_first_difference_is_that_of_the_joined_names(some, others):
    left, right = ([name for part in parts for name in part] for parts in (some, others))
    expected = next(
        ((i, a, b) for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None
    )
    arrays = [(pa.array(part, pa.string()) for part in parts) for parts in (some, others)]
    assert first_difference(*arrays) == expected
