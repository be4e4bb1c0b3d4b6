"""Ranks and the tests that the number of methods and data sets allows."""

import pytest

from labelwise.experiments import (
    compare_ranks,
    friedman_test,
    nemenyi_test,
    sign_test,
    wilcoxon_test,
)

THREE = {"a": [1, 2, 3, 1], "b": [2, 3, 4, 5], "c": [5, 3, 1, 1]}
TWO = {"a": [1, 2, 3], "b": [2, 3, 4]}


def test_two_methods_are_compared_by_the_sign_test_and_wilcoxons():
    found = compare_ranks(TWO, measure="coverage")
    assert repr(found.sign) == repr(sign_test(TWO, measure="coverage"))
    assert repr(found.wilcoxon) == repr(wilcoxon_test(TWO, measure="coverage"))
    assert found.friedman is None
    assert "Sign test, a against b (two-sided): 3 wins, 0 losses; p = 0.25" in repr(found)
    assert found.to_dict()["p_values"] == {"sign": 0.25, "wilcoxon": 0.25}


def test_three_methods_are_compared_by_friedmans_and_nemenyis_tests():
    found = compare_ranks(THREE, measure="micro-f")
    friedman = friedman_test(THREE, measure="micro-f")
    assert found.sign is None
    assert found.to_dict() == {
        "measure": "micro-f",
        "higher_is_better": True,
        "n_datasets": 4,
        "ranks": friedman.ranks.to_dict(),
        "p_values": {"friedman": friedman.p_value, "iman-davenport": friedman.f_p_value},
    }
    assert found.nemenyi.distance == nemenyi_test(THREE, measure="micro-f").distance
    assert f"p = {friedman.p_value:.4g}" in repr(found)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a": [1], "b": [2], "c": [3]}, "A test needs at least 2 data sets."),
        ({"a": [1, 2], "b": [1, 2], "c": [1, 2]}, "All models tie on every data set"),
        ({"a": [1, 2], "b": [1, 2]}, "p = 1"),
    ],
)
def test_one_data_set_and_ties_have_no_p_values(values, words):
    found = compare_ranks(values, measure="coverage")
    assert words in repr(found)
    assert found.to_dict()["p_values"] == {}
