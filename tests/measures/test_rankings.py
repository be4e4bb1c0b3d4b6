"""Ranking measures are what their definitions and scikit-learn say, ties included."""

import math
from functools import partial
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn import metrics

from labelwise._measuring import _ranks as _places
from labelwise._validation import check_labels
from labelwise.measures import (
    evaluate,
    measure_scores,
)
from tests.measures.outcomes import (
    area_under_roc,
    average_precision,
    coverage,
    ndcg_at,
    one_error,
    precision_at,
    r_precision,
    ranking_loss,
    scored_outcomes,
)
from tests.oracles import measures as oracle

BY_SAMPLE = [coverage, ranking_loss, one_error, r_precision]
BY = pytest.mark.parametrize("by", ["sample", "label", "all"])
# Once with few positives that are counted, once with many that are searched.
FEW = pytest.mark.parametrize("few", [1, 16])
AVERAGE = {"micro": "all", "macro": "label", "sample": "sample"}


def every_measure(Y, scores):
    """All values of an outcome, at each k, the undefined ones skipped."""
    cutoffs = range(1, Y.shape[1] + 1)
    return list(evaluate(Y, scores=scores, cutoffs=cutoffs, undefined="skip").values())


@pytest.mark.parametrize("measure", [coverage, ranking_loss, one_error])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(outcome=scored_outcomes())
def test_ties_by_columns_are_scores_that_rise_from_column_to_column(outcome, form, measure):
    Y, scores = outcome
    if form is sparse.csr_array and (scores == 0).any():
        scores = scores - scores.min() + 1  # absent scores stay tied
    # Each score's place in its row, found one by one: the number of those ranked above it.
    above = [
        [sum((b > a) or (b == a and k > j) for k, b in enumerate(row)) for j, a in enumerate(row)]
        for row in scores
    ]
    expected = measure(Y, -np.array(above, dtype=float).reshape(scores.shape), undefined="skip")
    found = measure(Y, form(scores), ties="columns", undefined="skip")
    assert found == pytest.approx(expected, nan_ok=True)


def test_absent_scores_stay_tied_by_columns():
    scores = sparse.csr_array([[0.0, 0.5, 0.0, 0.5]])
    assert coverage([[0, 1, 0, 0]], scores, ties="columns") == 1
    assert coverage([[0, 0, 0, 1]], scores, ties="columns") == 0
    assert coverage([[1, 0, 0, 0]], scores, ties="columns") == 3


def test_ties_by_columns_are_ranked_as_in_mulan():
    # Mulan sorts the indices of scores stably in rising order; place i has the rank n - i.
    scores = np.array([0.5, 0.2, 0.5, 0.2])
    rising = sorted(range(4), key=lambda j: scores[j])
    ranks = {j: 4 - place for place, j in enumerate(rising)}
    for j in range(4):
        truth = [[k == j for k in range(4)]]
        assert coverage(truth, [scores], ties="columns") == ranks[j] - 1


def test_an_unknown_rule_for_ties_is_refused():
    with pytest.raises(ValueError, match=r"ties must be one of \('against', 'columns'\), got 'x'"):
        coverage([[1, 0]], [[0.1, 0.2]], ties="x")


@BY
@FEW
@given(outcome=scored_outcomes())
def test_places_are_those_of_the_definition(outcome, few, by):
    Y, scores = outcome
    with patch.object(_places, "FEW", few):
        found = _places.find_places(check_labels(Y).matrix, scores, by)
    expected = [oracle.places(*ranking) for ranking in oracle.rankings(Y, scores, by)]
    np.testing.assert_array_equal(found.n_positives, [len(places) for places in expected])
    columns = (found.above, found.at_least, found.hits_above, found.hits_at_least)
    np.testing.assert_array_equal(
        np.transpose(columns), np.reshape([place for e in expected for place in e], (-1, 4))
    )


@given(scored_outcomes())
def test_means_over_samples_are_those_of_the_definition(outcome):
    for measure in BY_SAMPLE:
        expected = oracle.mean_over_rankings(getattr(oracle, measure.__name__), *outcome, "sample")
        assert measure(*outcome, undefined="skip") == pytest.approx(expected, nan_ok=True)


@given(scored_outcomes())
def test_measures_at_k_are_those_of_the_definition(outcome):
    for k in range(1, outcome[0].shape[1] + 1):
        for measure in (precision_at, ndcg_at):
            definition = partial(getattr(oracle, measure.__name__), k=k)
            expected = oracle.mean_over_rankings(definition, *outcome, "sample")
            assert measure(*outcome, k, undefined="skip") == pytest.approx(expected, nan_ok=True)


@given(scored_outcomes(), st.sampled_from(sorted(AVERAGE)))
def test_areas_and_average_precisions_are_those_of_the_definition(outcome, average):
    by = AVERAGE[average]
    area = oracle.mean_over_rankings(oracle.area_under_roc, *outcome, by)
    assert area_under_roc(*outcome, average, undefined="skip") == pytest.approx(area, nan_ok=True)
    purity = oracle.mean_over_rankings(oracle.average_precision, *outcome, by)
    assert average_precision(*outcome, average, undefined="skip") == pytest.approx(
        purity, nan_ok=True
    )


@given(scored_outcomes())
def test_means_over_samples_agree_with_scikit_learn(outcome):
    Y, scores = outcome
    if Y.shape[1] == 1:  # scikit-learn takes a column for a vector
        return
    some = Y.any(axis=1)
    if some.any():
        Y, scores = Y[some], scores[some]
        assert coverage(Y, scores) == pytest.approx(metrics.coverage_error(Y, scores) - 1)
        expected = metrics.label_ranking_average_precision_score(Y, scores)
        assert average_precision(Y, scores, "sample") == pytest.approx(expected)
        for k in range(1, Y.shape[1] + 1):
            assert ndcg_at(Y, scores, k) == pytest.approx(metrics.ndcg_score(Y, scores, k=k))
    both = ~Y.all(axis=1)
    if some.any() and both.any():
        expected = metrics.label_ranking_loss(Y[both], scores[both])
        assert ranking_loss(Y[both], scores[both]) == pytest.approx(expected)


@given(scored_outcomes())
def test_averages_over_labels_agree_with_scikit_learn(outcome):
    Y, scores = outcome
    some, both = Y.any(axis=0), Y.any(axis=0) & ~Y.all(axis=0)
    if some.any():
        expected = np.mean(
            [metrics.average_precision_score(Y[:, j], scores[:, j]) for j in np.flatnonzero(some)]
        )
        assert average_precision(Y, scores, undefined="skip") == pytest.approx(expected)
    if both.any():
        expected = [metrics.roc_auc_score(Y[:, j], scores[:, j]) for j in np.flatnonzero(both)]
        macro = area_under_roc(Y, scores, "macro", undefined="skip")
        assert macro == pytest.approx(np.mean(expected))
    if 0 < Y.sum() < Y.size:
        expected = metrics.roc_auc_score(Y.ravel(), scores.ravel())
        assert area_under_roc(Y, scores) == pytest.approx(expected)
        expected = metrics.average_precision_score(Y.ravel(), scores.ravel())
        assert average_precision(Y, scores, "micro") == pytest.approx(expected)


def test_rows_without_labels_are_undefined_where_scikit_learn_has_a_number():
    Y, scores = np.array([[1, 0], [0, 0]]), np.array([[0.1, 0.9], [0.3, 0.2]])
    peers = [
        (ranking_loss, metrics.label_ranking_loss, 0),
        (lambda *a, **o: average_precision(*a, "sample", **o),
         metrics.label_ranking_average_precision_score, 1),
        (lambda *a, **o: ndcg_at(*a, 2, **o), metrics.ndcg_score, 0),
    ]  # fmt: skip
    for measure, peer, number in peers:
        assert math.isnan(measure(Y, scores))
        assert measure(Y, scores, undefined="skip") == measure(Y[:1], scores[:1])
        assert measure(Y, scores, undefined=number) == pytest.approx(peer(Y, scores))


def test_labels_without_positives_are_undefined_where_scikit_learn_counts_zero():
    Y, scores = np.array([[1, 0], [0, 0]]), np.array([[0.1, 0.9], [0.3, 0.2]])
    assert math.isnan(average_precision(Y, scores))
    assert average_precision(Y, scores, undefined="skip") == 0.5
    with pytest.warns(UserWarning, match="No positive class"):
        assert metrics.average_precision_score(Y, scores) == 0.25


def test_rows_with_all_labels_have_no_wrong_order_but_the_fullest_coverage():
    assert math.isnan(ranking_loss([[1, 1, 1]], [[3, 2, 1]]))
    assert math.isnan(area_under_roc([[1, 1, 1]], [[3, 2, 1]], "sample"))
    assert coverage([[1, 1, 1]], [[3, 2, 1]]) == 2
    assert one_error([[1, 1, 1]], [[3, 2, 1]]) == 0


def test_ties_count_against_the_model_half_or_as_one_cut():
    Y, scores = [[1, 0, 0, 1]], [[0.5, 0.5, 0.1, 0.5]]
    assert coverage(Y, scores) == 2
    assert ranking_loss(Y, scores) == 0.5
    assert one_error(Y, scores) == 1
    assert r_precision(Y, scores) == 0.5
    assert precision_at(Y, scores, 1) == 0
    assert area_under_roc(Y, scores, "sample") == 0.75
    assert average_precision(Y, scores, "sample") == pytest.approx(2 / 3)


@given(scored_outcomes(max_rows=4, max_labels=4))
def test_only_the_order_of_scores_matters(outcome):
    Y, scores = outcome
    ranks = np.unique(scores, return_inverse=True)[1].reshape(scores.shape)
    np.testing.assert_array_equal(every_measure(Y, scores), every_measure(Y, 2.0**ranks))


@given(scored_outcomes(max_rows=4, max_labels=4), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_labels_does_not_matter(outcome, random):
    Y, scores = outcome
    rows, labels = (np.array(random.sample(range(size), size)) for size in Y.shape)
    shuffled = (matrix[rows][:, labels] for matrix in outcome)
    np.testing.assert_allclose(every_measure(Y, scores), every_measure(*shuffled))


@given(scored_outcomes())
def test_turning_all_scores_round_turns_the_area_round(outcome):
    Y, scores = outcome
    for average in AVERAGE:
        area = area_under_roc(Y, scores, average, undefined="skip")
        turned = area_under_roc(Y, -scores, average, undefined="skip")
        assert area == pytest.approx(1 - turned, nan_ok=True)


@given(scored_outcomes(max_rows=4, max_labels=4), st.randoms(use_true_random=False))
def test_absent_scores_are_tied_below_all_present_ones(outcome, random):
    Y, scores = outcome
    present = np.array([random.random() < 0.6 for _ in range(Y.size)]).reshape(Y.shape)
    rows, labels = np.nonzero(present)
    stored = sparse.coo_array((scores[present], (rows, labels)), shape=Y.shape)
    ranks = np.where(present, np.unique(scores, return_inverse=True)[1].reshape(Y.shape), -1.0)
    np.testing.assert_array_equal(every_measure(Y, stored), every_measure(Y, ranks))


@FEW
def test_results_do_not_depend_on_threads_or_blocks(few):
    random = np.random.default_rng(0)
    Y, scores = random.integers(0, 2, (50, 40)), random.integers(0, 9, (50, 40)) / 8
    expected = every_measure(Y, scores)
    for n_threads, block in ((1, 1), (2, 1), (3, 640)):
        with (
            patch("joblib.cpu_count", return_value=n_threads),
            patch.multiple(_places, _BLOCK=block, FEW=few),
        ):
            np.testing.assert_array_equal(every_measure(Y, scores), expected)


@FEW
def test_scores_are_read_in_any_layout_and_left_as_they_were(few):
    random = np.random.default_rng(0)
    Y, scores = random.integers(0, 2, (30, 20)), random.normal(size=(30, 20))
    expected = every_measure(Y, scores)
    spaced = np.zeros((60, 40))[::2, ::2]
    spaced[:] = scores
    stored = sparse.csr_array(scores)
    backwards = sparse.csr_array(
        (scores[:, ::-1].ravel(), np.tile(np.arange(20)[::-1], 30), stored.indptr)
    )
    with patch.object(_places, "FEW", few):
        for form in (scores.copy(), np.asfortranarray(scores), spaced, stored, backwards):
            before = form.copy()
            np.testing.assert_array_equal(every_measure(Y, form), expected)
            assert (form != before).sum() == 0


def test_columns_with_names_are_matched_by_name():
    Y = pd.DataFrame({"sea": [1, 0], "sky": [0, 1]})
    scores = pd.DataFrame({"sky": [0.1, 0.9], "sea": [0.8, 0.2]})
    assert area_under_roc(Y, scores) == area_under_roc([{"sea"}, {"sky"}], scores) == 1
    assert area_under_roc(Y, scores.to_numpy()) == 0


def test_a_matrix_too_large_to_be_dense_is_ranked():
    shape = (300_000, 2_000_000)
    Y = sparse.coo_array(([1, 1], ([5, 299_999], [7, 1_999_999])), shape=shape)
    scores = sparse.coo_array(([0.5, 0.7], ([5, 299_999], [7, 3])), shape=shape)
    assert coverage(Y, scores, undefined="skip") == (0 + shape[1] - 1) / 2
    assert one_error(Y, scores, undefined="skip") == 0.5
    # The absent positive is tied with all but the two present cells and itself.
    n_negatives = shape[0] * shape[1] - 2
    wrong = 1 + (n_negatives - 1) / 2 + 1
    assert area_under_roc(Y, scores) == pytest.approx(1 - wrong / (2 * n_negatives), rel=1e-12)


@pytest.mark.parametrize("measure", [precision_at, ndcg_at])
@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        (0, ValueError, "k must be at least 1, got 0"),
        (3, ValueError, "k must be at most the 2 labels, got 3"),
        (1.0, ValueError, "name must be one of .*-at-1.0"),
    ],
)
def test_k_lies_between_one_and_the_number_of_labels(measure, k, error, message):
    with pytest.raises(error, match=message):
        measure([[1, 0]], [[0.5, 0.1]], k)


def test_bad_arguments_are_refused_by_name():
    with pytest.raises(ValueError, match="name must be a measure of scores, got 'micro-f'"):
        measure_scores([[1]], [[0.5]], "micro-f")
    with pytest.raises(ValueError, match=r"name must be one of .*, got 'one_error', did you mean"):
        measure_scores([[1]], [[0.5]], "one_error")
    with pytest.raises(ValueError, match='ties="columns" is for rankings of labels, which'):
        measure_scores([[1]], [[0.5]], "macro-auc", ties="columns")
    with pytest.raises(ValueError, match=r"name must be one of .*, got 'label-auc'"):
        area_under_roc([[1]], [[0.5]], "label")
    with pytest.raises(ValueError, match="scores must be finite, got nan at row 0, label 1"):
        coverage([[1, 0]], [[0.5, math.nan]])
    with pytest.raises(ValueError, match="scores has 1 labels but Y has 2"):
        coverage([[1, 0]], [[0.5]])
    with pytest.raises(ValueError, match="scores lacks label 'sky'"):
        coverage([{"sky"}, {"sea"}], pd.DataFrame({"sea": [0.1, 0.2]}))
    with pytest.raises(TypeError, match="scores must be an array"):
        coverage([[1, 0]], None)
