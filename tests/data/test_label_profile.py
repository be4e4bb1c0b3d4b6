"""Labels and label sets are counted as one would by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from labelwise.data import Dataset
from tests.oracles.label_statistics import label_sets

MATRICES = hnp.arrays(
    np.int8, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=st.integers(0, 1)
)


def labelled(Y, **names):
    """Data with these labels, and without features."""
    return Dataset(np.empty((len(Y), 0)), Y, **names)


@given(MATRICES)
def test_counts_are_those_of_the_rows(Y):
    profile = labelled(Y).label_profile()
    sets = Counter(label_sets(Y))
    assert profile.counts.tolist() == Y.sum(axis=0).tolist()
    assert profile.n_label_sets == len(sets)
    assert dict(zip(profile.label_sets, profile.label_set_counts.tolist(), strict=True)) == sets
    assert (np.diff(profile.label_set_counts) <= 0).all()
    by_size = Counter(len(labels) for labels in label_sets(Y))
    assert profile.sizes.tolist() == [by_size[s] for s in range(max(by_size) + 1)]


@given(MATRICES)
def test_the_imbalance_ratio_compares_with_the_most_frequent_label(Y):
    profile = labelled(Y).label_profile()
    counts = Y.sum(axis=0)
    for count, ratio in zip(counts, profile.imbalance, strict=True):
        assert ratio == (counts.max() / count if count else np.inf)
    present = profile.imbalance[counts > 0]
    np.testing.assert_equal(profile.mean_imbalance, present.mean() if present.size else np.nan)


def test_only_the_most_frequent_label_sets_are_listed():
    profile = labelled([[1, 0], [0, 1], [0, 1], [1, 1]]).label_profile(max_label_sets=1)
    assert profile.label_sets == ((1,),)
    assert profile.n_label_sets == 3
    assert labelled([[1]]).label_profile(max_label_sets=0).label_sets == ()


def test_a_profile_prints_its_labels_with_names_escaped():
    names = ["sea\x1b", *(f"label {j}" for j in range(30))]
    shown = repr(labelled(np.eye(31, dtype=int), label_names=names).label_profile())
    assert r"sea\x1b" in shown
    assert shown.endswith("and 11 more")


def test_a_negative_number_of_label_sets_is_refused():
    with pytest.raises(ValueError, match="max_label_sets must be at least 0"):
        labelled([[1]]).label_profile(max_label_sets=-1)


def test_missing_labels_count_as_labels_that_a_sample_does_not_have():
    data = labelled([[1, np.nan], [0, 1], [1, 1]])
    known = labelled([[1, 0], [0, 1], [1, 1]])
    assert repr(data.label_profile()) == repr(known.label_profile())
    assert data.co_occurrence().counts.tolist() == known.co_occurrence().counts.tolist()


@pytest.mark.parametrize("method", [Dataset.label_profile, Dataset.co_occurrence])
def test_unknown_labels_are_refused(method):
    with pytest.raises(ValueError, match="The labels of 'data' are unknown"):
        method(Dataset([[1.0]], None))
