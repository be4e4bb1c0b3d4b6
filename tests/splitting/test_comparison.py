"""Methods of splitting are compared on the same rows."""

import numpy as np
import pytest

from labelwise.splitting import assign, compare_splits, split_quality
from tests.splitting.problems import correlated

Y = correlated(60, 4, seed=1)
NAMES = ("sea", "sky", "sun", "<b>")


def test_each_method_has_the_quality_of_its_split():
    found = compare_splits(Y, 4, method="pairs", random_state=3, label_names=NAMES)
    assert list(found.qualities) == ["pairs", "random", "labelset", "iterative", "balanced"]
    for name, quality in found.qualities.items():
        subsets = assign(Y, 4, method=name, random_state=3)
        assert quality == split_quality(Y, subsets, 4, label_names=NAMES)
        if name == "pairs":
            assert found.subsets.tolist() == subsets.tolist()
            assert found.quality is quality


def test_a_method_that_is_compared_anyway_is_not_repeated():
    found = compare_splits(Y, [0.7, 0.3], method="random", random_state=0)
    assert list(found.qualities) == ["random", "labelset", "iterative", "balanced"]
    lines = repr(found).splitlines()
    assert lines[1].startswith("random (chosen)")
    assert "<table>" in found._repr_html_()


def test_groups_leave_out_the_method_that_would_separate_them():
    found = compare_splits(Y, 3, groups=np.arange(60) // 2, random_state=0)
    assert "labelset" not in found.qualities
    assert (found.subsets[::2] == found.subsets[1::2]).all()


def test_a_split_lacks_no_label_of_its_own():
    found = split_quality(Y, np.arange(60) % 3, label_names=NAMES)
    assert found.label_names == NAMES
    assert found.worst_ld == pytest.approx(np.nanmax(found.label_ld))
    assert found.label_ld.mean() == pytest.approx(found.ld)
    for j, counts in enumerate(found.positives):
        assert counts.tolist() == [Y[s::3, j].sum() for s in range(3)]
    assert "positives" not in found.to_dict()
