"""Bands decide by name, for dense and sparse scores, list their queue and describe themselves."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from scipy import sparse
from sklearn.isotonic import IsotonicRegression

from labelwise._tuning import BandRequest, check_problem
from labelwise.decisions import BandCurves, ReviewQueue, review_bands
from labelwise.decisions.bands._queue_ends import whole_hulls
from labelwise.decisions.bands._review_bands import solve_bands
from labelwise.decisions.bands._review_queue import band_curves
from tests.decisions.problems import problems
from tests.oracles.bands import states as expected_states

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
SCORES = pd.DataFrame({"sea": [0.9, 0.6, 0.3, 0.2], "sky": [0.2, 0.4, 0.1, 0.3]})
Y = pd.DataFrame({"sky": [0, 1, 0, 0], "sea": [1, 0, 1, 0]})


@pytest.fixture
def bands():
    return review_bands(SCORES[["sky", "sea"]], Y, min_precision=1, min_recall=1)


def drawn(seed=0, n_samples=300, n_labels=4):
    random = np.random.default_rng(seed)
    truth = random.random((n_samples, n_labels)) < 0.3
    return random.normal(size=truth.shape) + 1.5 * truth, truth


@given(problem=problems())
def test_cells_are_accepted_above_reviewed_between_and_rejected_below(problem):
    bands = review_bands(*problem, min_precision=0.8, min_recall=0.8)
    decided = bands.decide(problem[0])
    assert decided.dtype == np.int8
    expected = expected_states(problem[0], bands.upper, bands.lower)
    np.testing.assert_array_equal(decided, expected)


def test_columns_are_decided_by_name_and_frames_keep_their_form(bands):
    assert bands.label_names == ("sky", "sea")
    expected = np.array([[0, 1], [1, -1], [0, -1], [0, 0]])
    for scores in (SCORES, SCORES[["sky", "sea"]], pl.from_pandas(SCORES)):
        decided = bands.decide(scores)
        assert type(decided) is type(scores)
        assert list(decided.columns) == list(scores.columns)
        np.testing.assert_array_equal(decided[["sky", "sea"]].to_numpy(), expected)
    np.testing.assert_array_equal(bands.decide(SCORES[["sky", "sea"]].to_numpy()), expected)


def test_sparse_scores_give_sparse_states_where_absent_is_rejected(bands):
    decided = bands.decide(sparse.csr_array(np.array([[0.0, 0.9], [0.5, 0.3], [0.1, 0.1]])))
    assert decided.dtype == np.int8
    np.testing.assert_array_equal(decided.toarray(), [[0, 1], [1, -1], [0, 0]])
    assert decided.nnz == 3
    everything = review_bands([[0.1], [0.2]], [[1], [0]], min_precision=1)
    assert everything.decide(sparse.csr_array((2, 1))).nnz == 0


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (SCORES.rename(columns={"sea": "see"}), "scores lacks label 'sea'"),
        ([[0.1]], "scores has 1 labels, but there are 2 thresholds"),
        ([[0.1, np.nan]], "scores must be finite, got nan at row 0"),
    ],
    ids=["lacking", "too few", "nan"],
)
def test_scores_that_do_not_fit_are_refused(bands, scores, message):
    for method in (bands.decide, bands.queue):
        with pytest.raises(ValueError, match=message):
            method(scores)


def test_the_queue_has_every_cell_to_review_and_the_least_certain_first():
    scores, truth = drawn()
    bands = review_bands(scores, truth, min_precision=0.9, min_recall=0.95)
    queue = bands.queue(scores)
    assert type(queue) is ReviewQueue
    found = np.zeros(scores.shape, dtype=int)
    found[queue.rows, queue.labels] = -1
    np.testing.assert_array_equal(found, np.minimum(bands.decide(scores), 0))
    np.testing.assert_array_equal(queue.scores, scores[queue.rows, queue.labels])
    prevented = np.minimum(queue.probability, 1 - queue.probability)
    assert (np.diff(prevented) <= 0).all()
    same = np.diff(prevented) == 0
    assert (np.diff(queue.scores)[same] <= 0).all()


def test_probabilities_of_the_queue_are_the_isotonic_regression_of_the_label():
    scores, truth = drawn(1)
    queue = review_bands(scores, truth, min_precision=0.9, min_recall=0.95).queue(scores)
    for j in range(scores.shape[1]):
        fitted = IsotonicRegression().fit_transform(scores[:, j], truth[:, j])
        mine = queue.labels == j
        assert mine.any()
        np.testing.assert_allclose(queue.probability[mine], fitted[queue.rows[mine]])


def test_the_queue_is_the_same_for_sparse_scores_and_for_columns_in_another_order():
    scores, truth = drawn(2)
    names = ["a", "b", "c", "d"]
    bands = review_bands(scores, truth, max_review=0.5, label_names=names)
    plain = bands.queue(scores)
    for other in (sparse.csr_array(scores), pd.DataFrame(scores, columns=names)):
        for one, expected in zip(bands.queue(other), plain, strict=True):
            np.testing.assert_array_equal(one, expected)
    turned = bands.queue(pd.DataFrame(scores, columns=names)[names[::-1]])
    np.testing.assert_array_equal(turned.probability, plain.probability)
    assert sorted(zip(turned.rows, 3 - turned.labels, strict=True)) == sorted(
        zip(plain.rows, plain.labels, strict=True)
    )


def test_new_scores_between_those_of_the_tuning_data_have_a_probability():
    scores, truth = drawn(3)
    bands = review_bands(scores, truth, min_precision=0.9)
    assert (bands.lower == -np.inf).all()
    queue = bands.queue(np.linspace(-50, 50, 400).reshape(100, 4))
    assert ((queue.probability >= 0) & (queue.probability <= 1)).all()


def test_the_text_says_what_goes_to_review(bands):
    text = repr(bands)
    assert "about 500 cells of 1,000 samples go to review (25.00% of all cells)" in text
    assert "the smallest queue: 500, the best of all" in text
    assert text.splitlines()[-1].split() == ["sea", "0.25", "0.75", "2", "1", "2"]
    many = review_bands(np.zeros((1, 30)), np.ones((1, 30)), min_recall=1)
    assert repr(many).endswith("... and 10 more")
    costs = review_bands(SCORES[["sky", "sea"]], Y, cost=(1, 1, 0.4))
    assert "the least cost: 0.8" in repr(costs)


def test_bands_of_some_labels_decide_and_queue_as_all_bands_do():
    scores, truth = drawn(4)
    bands = solve_bands(check_problem(scores, truth, None), BandRequest(max_review=0.5))
    labels = np.array([3, 1])
    some = bands._of_labels(labels, None)
    np.testing.assert_array_equal(some.decide(scores[:, labels]), bands.decide(scores)[:, labels])
    queue, all_cells = some.queue(scores[:, labels]), bands.queue(scores)
    kept = np.isin(all_cells.labels, labels)
    found = sorted(zip(queue.rows, labels[queue.labels], queue.probability, strict=True))
    cells = (all_cells.rows[kept], all_cells.labels[kept], all_cells.probability[kept])
    assert found == sorted(zip(*cells, strict=True))


def test_a_score_belongs_to_the_first_piece_whose_floor_it_reaches():
    curves = BandCurves(np.array([0, 2]), np.array([0.5, 0.2]), np.array([0.6, 0.1]))
    found = curves._probability(np.zeros(4, dtype=int), np.array([0.7, 0.5, 0.4, 0.2]))
    np.testing.assert_array_equal(found, [0.6, 0.6, 0.1, 0.1])


def test_the_curve_of_a_band_has_no_piece_above_or_below_it():
    scores = np.array([[4.0, 4.0], [3.0, 3.0], [2.0, 2.0], [1.0, 1.0]] * 3)
    truth = np.array([[1, 1], [1, 1], [0, 0], [0, 0]] + [[1, 1], [1, 0], [1, 0], [0, 0]] * 2)
    hulls = whole_hulls(check_problem(scores, truth, None))
    # The shares of positives at 4, 3, 2, 1 are 1, 1, 2/3, 0, of label 1 they are 1, 1/3, 0, 0.
    assert hulls.thresholds[:4].tolist() == [np.inf, 2.5, 1.5, -np.inf]
    curves = band_curves(hulls, np.array([2.5, np.inf]), np.array([1.5, 3.5]))
    assert curves.starts.tolist() == [0, 1, 2]
    assert curves.floors.tolist() == [1.5, 3.5]
    np.testing.assert_array_equal(curves.shares, [2 / 3, 1.0])
