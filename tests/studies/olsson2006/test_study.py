"""The Monte-Carlo study of olsson2006: its generator, its measures, and the order that came out."""

import numpy as np
import pytest

from labelwise.decisions import rank_cut
from labelwise.measures import count, f_measure, micro
from studies.comparison import read_table
from studies.olsson2006 import study
from tests.kernels import COMPILED_ONLY


def test_documents_have_one_to_five_relevant_labels_each_as_likely():
    relevant = study.draw_relevant(np.random.RandomState(0))
    assert relevant.shape == (1000, 100)
    sizes = np.bincount(relevant.sum(axis=1), minlength=6)
    assert sizes[0] == 0
    # Five equal shares of 1,000 have a standard deviation of 12.6 each.
    assert np.abs(sizes[1:] - 200).max() < 60
    assert np.abs(relevant.mean(axis=0) - 0.03).max() < 0.03


def test_scores_of_relevant_labels_are_higher_by_the_shift():
    random = np.random.RandomState(0)
    relevant = study.draw_relevant(random)
    scores = study.draw_scores(relevant, random)
    assert scores[relevant].mean() - scores[~relevant].mean() == pytest.approx(2, abs=0.1)
    assert scores[relevant].std() == pytest.approx(1, abs=0.1)


@COMPILED_ONLY
def test_no_number_of_labels_beats_the_peak_of_f():
    random = np.random.RandomState(1)
    relevant = study.draw_relevant(random)[:60]
    scores = study.draw_scores(relevant, random)
    of_all = [micro(f_measure, count(relevant, rank_cut(scores, k))) for k in range(1, 101)]
    assert study.measured(relevant, scores)[2] == max(of_all)


def test_a_reversal_is_a_set_on_which_two_measures_prefer_different_classifiers():
    first = np.array([[3.0, 3, 1], [1, 1, 1], [2, 1, 1]])
    second = np.array([[1.0, 1, 3], [0, 2, 2], [2, 2, 2]])
    found = study.reversals(np.stack([first, second], axis=1))
    # A tie is no preference, so the third set reverses nothing.
    assert found == {"MAP, R-precision": 1 / 3, "MAP, F1": 2 / 3, "R-precision, F1": 1 / 3}


@COMPILED_ONLY
def test_same_sets_give_the_same_numbers():
    once = study.simulated(1).copy()
    study.simulated.cache_clear()
    np.testing.assert_array_equal(study.simulated(1), once)
    assert ((once > 0) & (once < 1)).all()


def test_the_committed_order_of_pairs_is_the_published_one():
    for name, n_judged in (("table1", 3), ("figure1", 1)):
        _, rows = read_table(study.FOLDER / f"{name}_measured.csv")
        assert [row["verdict"] for row in rows if row["verdict"]] == ["within"] * n_judged
