"""Explanations: contributions add up to scores, and the terms with the highest ones are listed."""

import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from labelwise.data import make_multilabel
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.features import TableFeatures, TextTerms
from labelwise.learners import (
    BagPlugin,
    BestLearner,
    BinaryRelevance,
    IndependentFPlugin,
    LabelForest,
    OkapiNeighbors,
    SentenceBags,
    explain,
)
from tests.oracles.explanations import best_terms, linear_contributions, neighbor_contributions

DATA = make_multilabel(120, n_features=6, n_labels=3, random_state=0)[0]
TEXTS = ["calm blue sea", "sea and ships", "dark woods", "woods of the hills", "sea near hills"] * 8
TOPICS = [[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]] * 8


def every_cell(n_samples, n_labels):
    return np.divmod(np.arange(n_samples * n_labels), n_labels)


def all_of(model, X, n_labels):
    """The explanation of every cell with all its terms."""
    return explain(model, X, top=None, cells=every_cell(len(X), n_labels))


def sums_of(found):
    """Intercept and all contributions of each cell."""
    cells = np.repeat(np.arange(len(found)), np.diff(found.starts))
    return found.intercepts + np.bincount(cells, found.contributions, len(found)) + found.rest


LINEAR = {
    "log": BinaryRelevance(penalty=0.1),
    "squared hinge": BinaryRelevance(loss="squared_hinge", penalty=0.1),
    "standardized": BinaryRelevance(penalty=0.1, standardize=True),
    "of classifiers": BinaryRelevance(LogisticRegression()),
    "one versus rest": OneVsRestClassifier(LinearSVC()),
    "scaled": make_pipeline(StandardScaler(), BinaryRelevance(penalty=0.1)),
    "tuned": TunedThresholds(BinaryRelevance(penalty=0.1), cv=2, random_state=0),
    "best": BestLearner(["br", "br-svm"], cv=2, random_state=0),
    "blend": BestLearner(
        [("a", BinaryRelevance(penalty=10.0)), ("b", BinaryRelevance(loss="squared_hinge"))],
        cv=2,
        blend=True,
        random_state=0,
    ),
    "neighbours": OkapiNeighbors(9, weighted=True),
    "tuned neighbours": TunedThresholds(OkapiNeighbors(9, weighted=True), cv=2, random_state=0),
}


@pytest.mark.parametrize("name", LINEAR)
def test_contributions_and_intercept_add_up_to_the_score(name):
    model = LINEAR[name].fit(DATA.X, DATA.Y.toarray().astype(np.int64))
    found = all_of(model, DATA.X, 3)
    expected = model.decision_function(DATA.X).ravel()
    np.testing.assert_allclose(found.scores, expected, atol=1e-9)
    np.testing.assert_allclose(sums_of(found), expected, atol=1e-9)
    assert not found.rest.round(9).any()


@pytest.mark.parametrize("training", ["rounds", "sums"])
def test_a_bag_is_explained_by_its_highest_instance(training):
    # The second label has one class, so that the estimator inside knows two labels of three.
    Y = DATA.Y.toarray().astype(np.int64) * [1, 0, 1]
    bags = [DATA.X[i : i + 1 + i % 3] for i in range(0, 117, 3)]
    model = BagPlugin(BinaryRelevance(penalty=0.1), training=training, cv=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the label with one class
        model.fit(bags, Y[:117:3])
    found = all_of(model, bags, 3)
    for cell, (i, j) in enumerate(zip(*every_cell(len(bags), 3), strict=True)):
        if j == 1:
            continue
        column = [0, None, 1][j]
        scores = model.estimator_.decision_function(bags[i])[:, column]
        assert found.scores[cell] == pytest.approx(scores.max())
        row, coefficients = bags[i][scores.argmax()], model.estimator_.coef_[column]
        parts = linear_contributions(row, coefficients)
        assert {int(f): v for f, v in found.of_cell(cell)} == pytest.approx(parts)
    np.testing.assert_allclose(sums_of(found), found.scores)


def test_the_terms_of_a_text_are_those_of_its_deciding_sentence():
    inner = make_pipeline(TfidfTransformer(), BinaryRelevance(penalty=0.1))
    model = make_pipeline(SentenceBags(), BagPlugin(inner, training="sums", cv=2, random_state=0))
    model.fit(TEXTS, np.array(TOPICS))
    found = explain(model, ["Ships of the woods. A blue calm sea."], cells=([0, 0], [0, 1]))
    assert set(dict(found.of_cell(0))) <= {"blue", "calm", "sea"}
    assert set(dict(found.of_cell(1))) <= {"wood"}
    assert found.of_cell(0)
    assert found.of_cell(1)


def test_bags_that_are_no_maximum_of_instances_are_refused():
    model = BagPlugin(BinaryRelevance(penalty=0.1), aggregation="mean", n_iter=1, cv=2)
    model.fit([row[None] for row in DATA.X], DATA.Y.toarray().astype(int))
    with pytest.raises(TypeError, match="got BagPlugin"):
        explain(model, [DATA.X[:2]])


@settings(max_examples=60)
@given(
    X=st.lists(
        st.lists(st.sampled_from([0.0, 0.0, 1.0, -1.0, 2.5]), min_size=4, max_size=4),
        min_size=1,
        max_size=6,
    ),
    top=st.integers(1, 5),
    is_sparse=st.booleans(),
)
def test_the_terms_of_highest_contribution_are_listed(X, top, is_sparse):
    model = BinaryRelevance(penalty=1.0).fit(DATA.X[:, :4], DATA.Y)
    # Equal coefficients make ties.
    model.coef_ = np.round(model.coef_, 1)
    rows = np.array(X)
    cells = every_cell(len(X), 3)
    given_rows = sparse.csr_array(rows) if is_sparse else rows
    found = explain(model, given_rows, top=top, cells=cells)
    np.testing.assert_allclose(sums_of(found), model.decision_function(rows).ravel(), atol=1e-12)
    for cell, (i, j) in enumerate(zip(*cells, strict=True)):
        parts = linear_contributions(rows[i], model.coef_[j])
        listed = found.of_cell(cell)
        assert [int(term) for term, _ in listed] == best_terms(parts, top)
        assert [value for _, value in listed] == [parts[f] for f in best_terms(parts, top)]


@settings(max_examples=60)
@given(
    counts=st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=2, max_size=7),
    k=st.integers(1, 4),
    labels=st.integers(0, 2**14 - 1),
)
def test_products_of_terms_are_those_of_the_nearest_documents(counts, k, labels):
    X = np.array(counts, dtype=np.float64)
    Y = np.array([[labels >> (2 * i) & 1, labels >> (2 * i + 1) & 1] for i in range(len(X))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of labels with one class
        model = OkapiNeighbors(n_neighbors=k).fit(X, Y)
    found = explain(model, X, top=None, cells=every_cell(len(X), 2))
    weights = model.weights_.transform(X)
    np.testing.assert_allclose(found.scores, model.decision_function(X).ravel(), atol=1e-12)
    for cell, (i, j) in enumerate(zip(*every_cell(len(X), 2), strict=True)):
        expected = neighbor_contributions(weights[i], weights, Y[:, j], model.idf_, k)
        listed = np.zeros(3)
        for term, value in found.of_cell(cell):
            listed[int(term)] = value
        # Neighbours with the product 0 may be any of those, and their terms cancel.
        assert abs(listed.sum() - expected.sum()) < 1e-12
        if not np.isclose(model.idf_, 0).any() and (model.idf_ > 0).all():
            np.testing.assert_allclose(listed, expected, atol=1e-12)


def test_terms_of_texts_have_their_names_and_labels_theirs():
    table = pa.table({"title": TEXTS, "year": [float(year % 7) for year in range(40)]})
    Y = pa.table({"water": [y[0] for y in TOPICS], "land": [y[1] for y in TOPICS]})
    model = make_pipeline(
        TableFeatures(text="title"), TunedThresholds(BinaryRelevance(penalty=0.01), cv=2)
    ).fit(table, Y)
    found = explain(model, table, top=2)
    np.testing.assert_array_equal(
        np.stack([found.samples, found.labels]), np.nonzero(model.predict(table))
    )
    assert found.of_cell(0)[0][0] == "title:sea"
    frame = found.to_frame(backend="pyarrow")
    assert frame.column_names == [
        "sample",
        "label",
        "score",
        "intercept",
        "rest",
        "term",
        "contribution",
    ]
    assert frame["label"][0].as_py() == "water"
    assert frame["contribution"].to_pylist()[0] > 0


def test_a_cell_without_terms_is_a_row_of_the_frame():
    model = make_pipeline(TextTerms(), BinaryRelevance(penalty=0.01)).fit(TEXTS, TOPICS)
    found = explain(model, ["unknown", "sea"], cells=([0, 1], [0, 0]))
    assert found.to_frame(backend="pyarrow")["term"].to_pylist() == ["", "sea"]
    assert len(found) == 2
    assert repr(found) == "Explanation of 2 cells by 1 terms"


def test_labels_with_one_class_have_their_constant_score_and_no_terms():
    Y = np.column_stack([DATA.Y.toarray(), np.ones(120)]).astype(np.int64)
    for learner in (
        TunedThresholds(OneVsRestClassifier(LogisticRegression()), cv=2),
        BinaryRelevance(LogisticRegression()),
        BestLearner(["br"], cv=2),
    ):
        with pytest.warns(UserWarning, match="class|present"):
            model = learner.fit(DATA.X, Y)
        found = all_of(model, DATA.X[:5], 4)
        np.testing.assert_allclose(
            found.scores, model.decision_function(DATA.X[:5]).ravel(), atol=1e-9
        )
        assert np.diff(found.starts)[found.labels == 3].sum() == 0


@pytest.mark.parametrize("wrapper", [CalibratedLabels, IndependentFPlugin])
def test_scores_of_probabilities_are_explained_before_calibration(wrapper):
    model = wrapper(BinaryRelevance(penalty=0.1)).fit(DATA.X, DATA.Y.toarray().astype(np.int64))
    found = all_of(model, DATA.X, 3)
    np.testing.assert_allclose(
        found.scores, model.estimator_.decision_function(DATA.X).ravel(), atol=1e-9
    )


def test_a_frozen_model_is_explained():
    fitted = BinaryRelevance(penalty=0.1).fit(DATA.X, DATA.Y)
    tuned = TunedThresholds(FrozenEstimator(fitted)).fit(DATA.X, DATA.Y)
    np.testing.assert_array_equal(
        all_of(tuned, DATA.X, 3).contributions, all_of(fitted, DATA.X, 3).contributions
    )


def test_a_vector_of_classes_is_one_label():
    y = np.array(["no", "yes"])[DATA.Y.toarray()[:, 0].astype(int)]
    model = BinaryRelevance(penalty=0.1).fit(DATA.X, y)
    found = explain(model, DATA.X)
    np.testing.assert_array_equal(found.samples, np.flatnonzero(model.predict(DATA.X) == "yes"))


@pytest.mark.parametrize("n_constant", [0, 2])
@pytest.mark.filterwarnings("ignore:.*one class:UserWarning")
def test_a_member_of_a_blend_that_is_not_linear_is_one_term(n_constant):
    model = BestLearner(
        [("br", BinaryRelevance(penalty=0.1)), ("knn", KNeighborsClassifier(15))],
        cv=KFold(2),
        blend=True,
        random_state=0,
    )
    constant = np.tile([1, 0], (120, 1))[:, :n_constant]
    model.fit(DATA.X, np.column_stack([DATA.Y.toarray().astype(np.int64), constant]))
    if len(model.estimators_) < 2:
        pytest.fail("the data must make a blend")
    found = all_of(model, DATA.X, 3 + n_constant)
    np.testing.assert_allclose(found.scores, model.decision_function(DATA.X).ravel(), atol=1e-9)
    assert "knn" in found.terms


def test_a_model_that_is_not_a_sum_is_refused_in_one_sentence():
    Y = DATA.Y.toarray().astype(np.int64)
    forest = LabelForest().fit(DATA.X, Y)
    with pytest.raises(TypeError, match=r"explain needs a linear model .*, got LabelForest\.$"):
        explain(forest, DATA.X)
    best = BestLearner([("knn", KNeighborsClassifier())], cv=2).fit(DATA.X, Y)
    with pytest.raises(TypeError, match="got KNeighborsClassifier"):
        explain(make_pipeline(StandardScaler().fit(DATA.X), best), DATA.X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "top must be at least 1"),
        ({"cells": ([0], [3])}, "cells must have labels from 0 to 2"),
        ({"cells": ([-1], [0])}, "cells must have samples from 0 to 119"),
        ({"cells": ([0, 1], [0])}, "two vectors of one length"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    model = BinaryRelevance(penalty=0.1).fit(DATA.X, DATA.Y)
    with pytest.raises(ValueError, match=message):
        explain(model, DATA.X, **options)
