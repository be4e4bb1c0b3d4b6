"""The macro frontier is the concave envelope of macro recall and macro precision."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import assume, given
from scipy import sparse

from labelwise.decisions import best_thresholds, macro_frontier
from labelwise.measures import count, f_measure, precision, recall
from tests.decisions.problems import problems, random_problems
from tests.oracles import thresholds as oracle

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


def rates(scores, Y, thresholds):
    """Macro recall and precision over the labels with positives."""
    counts = count(Y, scores >= thresholds)
    has_positives = Y.any(axis=0)
    return recall(counts)[has_positives].mean(), precision(counts)[has_positives].mean()


def test_its_vertices_are_those_of_the_concave_line_over_all_threshold_vectors():
    random, n_vertices = np.random.default_rng(22), 0
    scored = (random.random((14, 2)) for _ in range(60))
    larger = ((scores, scores + 0.7 * random.random((14, 2)) > 0.8) for scores in scored)
    for scores, Y in chain(random_problems(300, seed=22, with_positives=False), larger):
        if not Y.any():
            continue
        frontier = macro_frontier(scores, Y)
        expected = np.array(oracle.macro_envelope(scores, Y), dtype=float)
        assert len(frontier) == len(expected), (scores, Y)
        np.testing.assert_allclose(frontier.recall, expected[:, 0], atol=1e-12)
        np.testing.assert_allclose(frontier.precision, expected[:, 1], atol=1e-12)
        n_vertices = max(n_vertices, len(frontier))
    assert n_vertices > 3


@given(problem=problems(most_samples=20, most_labels=4))
def test_each_vertex_is_reached_by_its_thresholds(problem):
    scores, Y = problem
    assume(Y.any())
    frontier = macro_frontier(scores, Y)
    for vertex in range(len(frontier)):
        found = rates(scores, Y, frontier.thresholds(vertex))
        assert (frontier.recall[vertex], frontier.precision[vertex]) == pytest.approx(found)


@pytest.mark.parametrize("beta", [0.3, 1.0, 2.0])
@given(problem=problems(most_samples=20, most_labels=4))
def test_thresholds_of_the_highest_macro_f_are_on_or_under_it(problem, beta):
    scores, Y = problem
    Y = Y[:, Y.any(axis=0)]
    assume(Y.size > 0)
    scores = scores[:, : Y.shape[1]]
    tuned = best_thresholds(scores, Y, maximize="macro-f", beta=beta)
    assert f_measure(count(Y, scores >= tuned.values), beta).mean() == pytest.approx(tuned.value)
    frontier, (found, right) = macro_frontier(scores, Y), rates(scores, Y, tuned.values)
    for weight in (0.0, 0.2, 1.0, 5.0):
        highest = (frontier.precision + weight * frontier.recall).max()
        assert right + weight * found <= highest + 1e-12


def test_weights_count_as_repeated_samples():
    random = np.random.default_rng(0)
    scores = random.random((30, 3)).round(1)
    Y = (random.random((30, 3)) < 0.4).astype(int)
    weights = random.integers(0, 4, 30)
    weighted = macro_frontier(scores, Y, sample_weight=weights)
    repeated = macro_frontier(np.repeat(scores, weights, axis=0), np.repeat(Y, weights, axis=0))
    np.testing.assert_allclose(weighted.recall, repeated.recall)
    np.testing.assert_allclose(weighted.precision, repeated.precision)


def test_labels_without_positives_or_scores_of_positives():
    scores = sparse.csr_array([[0.9, 0.0, 0.4], [0.5, 0.6, 0.0], [0.2, 0.0, 0.0]])
    Y = [[1, 0, 0], [0, 0, 0], [1, 0, 1]]
    frontier = macro_frontier(scores, Y)
    # The only positive of the last label has no score: its precision and recall are 0.
    np.testing.assert_allclose(frontier.precision, [1 / 2, 1 / 3])
    np.testing.assert_allclose(frontier.recall, [1 / 4, 1 / 2])
    np.testing.assert_array_equal(frontier.thresholds(0), [0.7, np.inf, np.inf])
    with pytest.raises(ValueError, match=r"Y has no positives: there is no recall\."):
        macro_frontier([[0.5]], [[0]])


def test_it_says_what_it_is():
    frontier = macro_frontier([[0.9], [0.2], [0.5]], [[1], [1], [0]], label_names=["sea"])
    assert repr(frontier) == (
        "MacroFrontier: 2 vertices, (precision, recall) from (1.0000, 0.5000) to (0.6667, 1.0000)"
    )
    assert frontier.label_names == ("sea",)
