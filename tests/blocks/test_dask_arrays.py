"""Dask arrays without a cluster (`_dask_blocks`): any chunks give the results of one array."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from labelwise import decisions, measures
from tests.decisions.problems import problems
from tests.decisions.thresholds.test_stored_scores import assert_same
from tests.measures.test_evaluate_blocks import assert_same_evaluation

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@st.composite
def chunked(draw, n_rows):
    """Sizes of chunks, some of them empty."""
    cuts = sorted(draw(st.lists(st.integers(0, n_rows), max_size=4)))
    return tuple(np.diff([0, *cuts, n_rows]).tolist())


@settings(max_examples=30, deadline=None)
@given(
    problems(most_samples=9), st.sampled_from(["micro-f", "macro-f", "macro-matthews"]), st.data()
)
def test_thresholds_are_those_of_one_array_for_any_chunks(problem, name, data):
    scores, Y = problem
    n_labels = Y.shape[1]
    lazy = da.from_array(scores, chunks=(data.draw(chunked(len(Y))), 1))
    labels = da.from_array(Y, chunks=(data.draw(chunked(len(Y))), n_labels))
    for truth in (labels, Y):
        found = decisions.best_thresholds(lazy, truth, maximize=name)
        assert_same(found, decisions.best_thresholds(scores, Y, maximize=name))
    frontier = decisions.micro_frontier(lazy, labels)
    np.testing.assert_array_equal(frontier.hits, decisions.micro_frontier(scores, Y).hits)


@settings(max_examples=20, deadline=None)
@given(problems(most_samples=9), st.data())
def test_evaluations_are_those_of_one_array_for_any_chunks(problem, data):
    scores, Y = problem
    sizes = data.draw(chunked(len(Y)))
    lazy = da.from_array(scores, chunks=(sizes, Y.shape[1]))
    found = measures.evaluate(Y, scores=lazy, decided=lazy > 0.1)
    assert_same_evaluation(found, measures.evaluate(Y, scores=scores, decided=scores > 0.1))


def test_decisions_are_lazy_or_written(tmp_path):
    scores = np.random.default_rng(0).random((40, 3))
    tuned = decisions.best_thresholds(scores, scores.round() > 0)
    lazy = da.from_array(scores, chunks=((7, 0, 20, 13), (2, 1)))
    decided = tuned.decide(lazy)
    assert decided.chunks[0] == (7, 0, 20, 13)
    np.testing.assert_array_equal(decided.compute(), tuned.decide(scores))
    tuned.decide(lazy, tmp_path / "decided.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "decided.npy"), tuned.decide(scores))


def test_unknown_chunks_other_shapes_and_wrong_names_are_refused():
    scores = da.from_array(np.arange(6.0).reshape(3, 2), chunks=(1, 2))
    Y = np.eye(3, 2)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        decisions.best_thresholds(scores[scores[:, 0] > 0], Y[1:])
    with pytest.raises(ValueError, match="scores has 3 rows but Y has 2"):
        decisions.best_thresholds(scores, Y[:2])
    with pytest.raises(ValueError, match="1 names for 2 labels"):
        decisions.best_thresholds(scores, Y, label_names=["a"])
    with pytest.raises(
        ValueError, match=r"got nan at row 0, label 0[.] Rows are counted from row 2"
    ):
        decisions.best_thresholds(da.where(scores > 3, np.nan, scores), Y)


def test_names_of_frames_beside_dask_arrays_match_labels():
    scores = np.random.default_rng(0).random((40, 2))
    lazy, Y = da.from_array(scores, chunks=(15, 2)), scores.round() > 0
    Y[:5] = ~Y[:5]
    truth = pd.DataFrame(Y.astype(int), columns=["sky", "sea"])
    tuned = decisions.best_thresholds(lazy, truth)
    assert tuned.label_names == ("sky", "sea")
    assert_same(tuned, decisions.best_thresholds(scores, truth))
    decided = pd.DataFrame(tuned.decide(scores), columns=["sky", "sea"])
    found = measures.evaluate(truth, scores=lazy, decided=decided[["sea", "sky"]])
    assert_same_evaluation(found, measures.evaluate(truth, scores=scores, decided=decided))
    with pytest.raises(ValueError, match="label"):
        measures.evaluate(truth, scores=lazy, decided=decided.rename(columns={"sea": "land"}))


def test_lists_beside_dask_arrays_are_matrices_and_paths_are_refused():
    scores = np.random.default_rng(0).random((40, 2))
    lazy, Y = da.from_array(scores, chunks=(15, 2)), (scores.round() > 0).astype(int)
    expected = decisions.best_thresholds(scores, Y)
    assert_same(decisions.best_thresholds(lazy, Y.tolist()), expected)
    sets = [{"ab"[j] for j in np.flatnonzero(row)} for row in Y]
    named = decisions.best_thresholds(lazy, sets, label_names=["a", "b"])
    np.testing.assert_array_equal(named.values, expected.values)
    with pytest.raises(ValueError, match="Y is a list of sets: give label_names"):
        decisions.best_thresholds(lazy, sets)
    with pytest.raises(TypeError, match="Y must be an array or a dask array beside a dask array"):
        decisions.best_thresholds(lazy, "labels.npy")
