"""The register of candidates, their cost models, and those that are built by name."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from labelwise.learners import LEARNERS
from labelwise.learners.selection import _costs
from labelwise.learners.selection._candidates import (
    default_candidates,
    given_candidates,
    size_of,
    sizes_of_parts,
)
from labelwise.learners.selection._costs import Size

MEDIUM = Size(1000, 50, 8, 50.0, False, False)


REGISTERED = {one.name: one for one in LEARNERS}
COSTS = {one.name: one.seconds for one in LEARNERS if one.seconds is not None}


@pytest.mark.parametrize("name", COSTS)
def test_a_fit_is_predicted_to_take_longer_on_more_rows_and_more_labels(name):
    seconds = COSTS[name]
    assert 0 < seconds(MEDIUM) < seconds(MEDIUM._replace(n_rows=4000))
    assert seconds(MEDIUM) <= seconds(MEDIUM._replace(n_labels=80))


@given(
    n_rows=st.integers(1, 10**6),
    n_labels=st.integers(1, 10**4),
    n_stored=st.floats(1, 500),
    is_sparse=st.booleans(),
    field=st.sampled_from(["n_rows", "n_features", "n_labels", "n_stored"]),
)
@example(n_rows=10**4, n_labels=10, n_stored=1.0, is_sparse=True, field="n_rows")
@example(n_rows=10**4, n_labels=10, n_stored=50.0, is_sparse=False, field="n_labels")
def test_no_fit_is_predicted_to_be_faster_on_more(n_rows, n_labels, n_stored, is_sparse, field):
    size = Size(n_rows, 500, n_labels, n_stored, is_sparse, True)
    more = size._replace(**{field: 2 * getattr(size, field)})
    for name, seconds in COSTS.items():
        assert 0 < seconds(size) <= seconds(more), name


def test_the_size_of_sparse_rows_is_that_of_their_entries():
    X = sparse.csr_array(np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 3.0]]))
    assert size_of(X, 4) == Size(2, 3, 4, 1.5, True, True)
    assert not size_of(X - 0.5 * X, 4).are_counts
    assert size_of(X.toarray(), 4) == Size(2, 3, 4, 3.0, False, True)


def test_default_candidates_suit_the_samples():
    taken, left_out = default_candidates(LEARNERS, MEDIUM, 0)
    assert {one.name for one in taken} | dict(left_out).keys() == set(COSTS)
    refused = {"okapi": "it is for counts of terms", "br-nb": "it is for terms of texts"}
    assert dict(left_out) == refused
    counts = MEDIUM._replace(is_sparse=True, are_counts=True)
    assert {"okapi", "br-nb"} <= {one.name for one in default_candidates(LEARNERS, counts, 0)[0]}


def test_forests_of_single_labels_and_of_pairs_are_left_out_on_fewer_than_200_rows():
    for n_rows, expected in ((199, set()), (200, {"br-forest", "clr"})):
        taken, left_out = default_candidates(LEARNERS, MEDIUM._replace(n_rows=n_rows), 0)
        assert {one.name for one in taken} & {"br-forest", "clr"} == expected
        assert dict(left_out).get("clr") == (None if expected else "it is for at least 200 rows")
        assert "forest" in {one.name for one in taken}


def test_candidates_that_would_take_too_long_are_left_out_with_their_seconds():
    _, left_out = default_candidates(LEARNERS, MEDIUM._replace(n_rows=10**6, n_labels=500), 0)
    reasons = dict(left_out)
    assert reasons["br-kernel-svm"] == "it is for at most 5000 rows"
    assert reasons["clr"] == "it is for at most 60 labels"
    assert _costs.unless_few_pairs(MEDIUM._replace(n_labels=60)) == ""
    assert _costs.unless_few_rows(MEDIUM._replace(n_rows=5000)) == ""
    assert reasons["br-forest"].startswith("a fit would take about ")
    assert _costs.forest_per_label(MEDIUM) < _costs.LONGEST_FIT


@pytest.mark.parametrize(
    ("name", "kind", "quiet"),
    [
        ("lightgbm", "LGBMClassifier", {"verbose": -1}),
        ("xgboost", "XGBClassifier", {}),
        ("catboost", "CatBoostClassifier", {"verbose": False}),
    ],
)
def test_packages_that_are_installed_are_taken_by_name(name, kind, quiet, monkeypatch):
    made = []

    def build(**arguments):
        made.append(arguments)
        return LogisticRegression()

    package = SimpleNamespace(**{kind: build}, __spec__=SimpleNamespace(name=name))
    monkeypatch.setitem(sys.modules, name, package)
    model = REGISTERED[name].build(False, 7)
    assert made == [{"random_state": 7, **quiet}]
    assert isinstance(model.estimator, LogisticRegression)


def test_given_estimators_are_cheap_in_their_order():
    found = given_candidates(
        [("b", LogisticRegression()), "br", LogisticRegression()],
        lambda name: REGISTERED[name].build(True, 0),
    )
    assert [(one.name, one.cost) for one in found] == [
        ("b", 0.0),
        ("br", 1.0),
        ("LogisticRegression", 2.0),
    ]
    assert found[0].seconds(10**9) == 0


def test_the_first_linear_learner_is_always_a_candidate_for_sparse_features():
    huge = Size(10**6, 10**6, 5000, 200.0, True, False)
    taken, left_out = default_candidates(LEARNERS, huge, 0)
    (first,) = [one for one in taken if one.is_first]
    assert first.name == "br"
    assert first.cost > _costs.LONGEST_FIT
    assert dict(left_out)["br-svm"].startswith("a fit would take about ")
    dense, _ = default_candidates(LEARNERS, MEDIUM, 0)
    assert not any(one.is_first for one in dense)


def test_a_part_of_the_rows_has_the_features_and_labels_that_are_expected_in_it():
    # Of c rows with a feature, a half of the rows has one with probability 1 - 1 / 2**c.
    X = sparse.csr_array(np.array([[1.0, 1, 1]] * 4 + [[0.0, 0, 1]] * 4))
    Y = np.array([[1, 1]] * 3 + [[0, 0]] * 5)
    part = sizes_of_parts(X, Y)(size_of(X, 2), 4)
    assert part.n_features == round(2 * (1 - 2.0**-4) + 1 - 2.0**-8)
    assert part.n_labels == round(2 * (1 - 2.0**-3))
    rare = sparse.csr_array(np.eye(8))
    assert sizes_of_parts(rare, Y)(size_of(rare, 2), 2).n_features == 2
