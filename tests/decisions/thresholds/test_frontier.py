"""The micro frontier is the concave envelope of the points that thresholds reach."""

import numpy as np
import pytest
from hypothesis import given

from labelwise.decisions import best_thresholds, micro_frontier
from labelwise.measures import count, micro, precision, recall
from tests.decisions.problems import problems, random_problems
from tests.oracles import thresholds as oracle

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


def test_its_vertices_are_those_of_the_concave_line_over_all_threshold_vectors():
    for scores, Y in random_problems(300, seed=21, with_positives=False):
        frontier = micro_frontier(scores, Y)
        vertices = list(zip(frontier.decided.tolist(), frontier.hits.tolist(), strict=True))
        assert vertices == oracle.envelope(scores, Y)


@given(problem=problems(most_samples=20, most_labels=4))
def test_each_vertex_is_reached_by_its_thresholds(problem):
    scores, Y = problem
    frontier = micro_frontier(scores, Y)
    for vertex in range(len(frontier)):
        counts = count(Y, scores >= frontier.thresholds(vertex))
        assert counts.tp.sum() == frontier.hits[vertex]
        assert counts.tp.sum() + counts.fp.sum() == frontier.decided[vertex]
        np.testing.assert_allclose(frontier.recall[vertex], micro(recall, counts))
        np.testing.assert_allclose(frontier.precision[vertex], micro(precision, counts))


@given(problem=problems(most_samples=20, most_labels=4))
def test_the_best_micro_f_stands_on_it(problem):
    scores, Y = problem
    frontier = micro_frontier(scores, Y)
    tuned = best_thresholds(scores, Y)
    f = 2 * frontier.hits / np.maximum(1, Y.sum() + frontier.decided)
    assert tuned.value == pytest.approx(f.max() if Y.any() else 1.0)


def test_it_says_what_it_is():
    frontier = micro_frontier([[0.9], [0.2], [0.5]], [[1], [1], [0]], label_names=["sea"])
    assert repr(frontier) == "Frontier: 3 vertices, up to 2 of 2 positives with 3 decisions"
    assert frontier.label_names == ("sea",)
