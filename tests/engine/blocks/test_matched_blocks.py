"""Scores, labels and decisions in blocks of the same rows."""

import numpy as np
import pytest

from labelwise.engine.blocks._matched_blocks import BLOCK_BYTES, match_blocks

SCORES = np.arange(12.0).reshape(6, 2)
Y = SCORES % 3 == 0


def test_blocks_have_about_32_megabytes_of_scores():
    wide = np.zeros((3, 2**21))
    assert BLOCK_BYTES == 2**25
    assert match_blocks({"Y": wide > 0, "scores": wide}).n_together == 2


def test_the_rows_of_a_block_belong_together():
    matched = match_blocks({"Y": Y, "scores": SCORES, "decided": ~Y}, block_rows=4)
    first, second = matched.outcomes()
    np.testing.assert_array_equal(first.scores, SCORES[:4])
    np.testing.assert_array_equal(second.Y.toarray(), Y[4:])
    np.testing.assert_array_equal(second.decided.toarray(), ~Y[4:])


def test_groups_of_labels_have_all_rows():
    groups = list(match_blocks({"Y": Y, "scores": SCORES}, block_rows=4).label_groups(1))
    assert len(groups) == 2
    for j, group in enumerate(groups):
        np.testing.assert_array_equal(group.scores, SCORES[:, [j]])
        np.testing.assert_array_equal(group.Y.toarray(), Y[:, [j]])


def test_errors_name_the_first_row_of_a_later_block():
    bad = SCORES.copy()
    bad[5, 1] = np.nan
    matched = match_blocks({"Y": Y, "scores": SCORES}, block_rows=4)
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


def test_names_must_be_as_many_as_labels_and_blocks_have_a_row():
    with pytest.raises(ValueError, match="3 names for 2 labels"):
        match_blocks({"Y": Y, "scores": SCORES}, ["a", "b", "c"])
    with pytest.raises(ValueError, match="block_rows"):
        match_blocks({"Y": Y, "scores": SCORES}, None, 0)
