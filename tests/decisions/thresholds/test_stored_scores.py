"""Thresholds and frontiers out of core are those of all rows in memory, bit for bit.

Paths, dask arrays and row sources are read in blocks.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from labelwise import decisions
from labelwise.measures import f_measure
from tests.blocks.row_files import WRITERS, block_rows as rows_at_a_time, in_blocks
from tests.decisions.problems import problems

MEASURES = ("f", "jaccard", "precision", "recall", "accuracy", "balanced-accuracy", "matthews")
NAMES = [f"{average}-{name}" for average in ("micro", "macro") for name in MEASURES]


def assert_same(found, wanted):
    """Every attribute is equal; NaN equals NaN."""
    for one, other in ((found, wanted), (found.evidence, wanted.evidence)):
        for name in vars(other).keys() - {"constraints", "corrected_value", "evidence", "request"}:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


def same_on_both(scores, Y, block_rows, **options):
    """Both results, or None if both refuse with the same message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = result_or_message(decisions.best_thresholds, scores, Y, **options)
        found = result_or_message(
            in_blocks, decisions.best_thresholds, block_rows, scores, Y, **options
        )
    if isinstance(wanted, str):
        assert found == wanted
        return None
    assert_same(found, wanted)
    return found, wanted


def result_or_message(function, *data, **options):
    try:
        return function(*data, **options)
    except ValueError as error:
        return str(error)


@given(
    problems(most_samples=9),
    st.integers(1, 9),
    st.sampled_from(NAMES),
    st.sampled_from([np.float32, np.float64]),
)
def test_every_measure_has_the_thresholds_of_all_rows(problem, block_rows, name, kind):
    same_on_both(problem[0].astype(kind), problem[1], block_rows, maximize=name)


@given(
    problems(most_samples=9),
    st.integers(1, 4),
    st.sampled_from(["micro-f", "macro-f", "micro-recall", "micro-g-mean"]),
    st.sampled_from([0.4, 0.75]),
    st.sampled_from([None, 0.5]),
)
def test_constraints_have_the_thresholds_of_all_rows(problem, block_rows, name, low, recall):
    scores, Y = problem
    pair = same_on_both(scores, Y, block_rows, maximize=name, min_precision=low, min_recall=recall)
    if pair is not None:
        found, wanted = (one.evidence.constraints for one in pair)
        assert [check[:3] for check in found] == [check[:3] for check in wanted] or any(
            np.isnan(check.value) for check in wanted
        )
        assert all(np.isnan(check.corrected_value) for check in found)


@given(problems(), st.integers(1, 4), st.integers(0, 6))
def test_a_limit_of_decisions_has_the_thresholds_of_all_rows(problem, block_rows, most):
    same_on_both(*problem, block_rows, max_decisions=most)


@given(problems(), st.integers(1, 4), st.data())
def test_costs_have_the_thresholds_of_all_rows(problem, block_rows, data):
    n_labels = problem[1].shape[1]
    price = st.floats(0, 10, width=16)
    prices = st.lists(price, min_size=n_labels, max_size=n_labels)
    same_on_both(*problem, block_rows, cost=(data.draw(price), data.draw(prices)))


@given(problems(), st.integers(1, 4))
def test_the_frontier_is_that_of_all_rows(problem, block_rows):
    found = in_blocks(decisions.micro_frontier, block_rows, *problem)
    wanted = decisions.micro_frontier(*problem)
    np.testing.assert_array_equal(found.decided, wanted.decided)
    np.testing.assert_array_equal(found.hits, wanted.hits)
    np.testing.assert_array_equal(found.precision, wanted.precision)
    for vertex in range(len(wanted)):
        np.testing.assert_array_equal(found.thresholds(vertex), wanted.thresholds(vertex))


@pytest.fixture(scope="module")
def large():
    """Scores from which the functions in memory would prune, with ties."""
    random = np.random.default_rng(3)
    Y = random.random((5000, 20)) < np.linspace(0.001, 0.4, 20)
    scores = (random.normal(size=Y.shape) + Y).astype(np.float32).round(3)
    return scores, Y


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", ["micro-f", "macro-f", "macro-matthews"])
def test_files_of_every_kind_give_the_thresholds_of_arrays(large, tmp_path, kind, name):
    scores, Y = large
    paths = [WRITERS[kind](tmp_path, *pair) for pair in (("scores", scores), ("Y", Y))]
    with rows_at_a_time(700):
        found = decisions.best_thresholds(*paths, maximize=name)
    wanted = decisions.best_thresholds(scores, Y, maximize=name, label_names=found.label_names)
    assert_same(found, wanted)


def test_labels_may_be_sparse_or_sets_beside_a_file_of_scores(tmp_path):
    scores = np.random.default_rng(0).random((40, 3))
    Y = scores.round() > 0
    path = WRITERS["npy"](tmp_path, "scores", scores)
    wanted = decisions.best_thresholds(scores, Y).values
    sets = [set(np.flatnonzero(row).tolist()) for row in Y]
    for labels in (sparse.csr_array(Y), sets):
        with rows_at_a_time(7):
            found = decisions.best_thresholds(path, labels).values
        np.testing.assert_array_equal(found, wanted)


def test_columns_with_names_are_matched_by_name(large, tmp_path):
    scores, Y = large
    order = np.random.default_rng(0).permutation(20)
    path = WRITERS["parquet"](tmp_path, "Y", Y)
    import pandas as pd

    frame = pd.DataFrame(scores, columns=[f"label_{j}" for j in range(20)]).iloc[:, order]
    with pytest.warns(UserWarning, match="labels of Y are in another order"):
        found = decisions.best_thresholds(frame, path)
    assert found.label_names == tuple(frame.columns)
    np.testing.assert_array_equal(found.values, decisions.best_thresholds(scores, Y).values[order])


def test_a_memory_map_is_an_array(large, tmp_path):
    scores, Y = large
    mapped = np.load(WRITERS["npy"](tmp_path, "scores", scores), mmap_mode="r")
    found = decisions.best_thresholds(mapped, Y)
    assert_same(found, decisions.best_thresholds(scores, Y))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("shared", True),
        ("shrink", "auto"),
        ("fbr", 0.3),
    ],
)
def test_what_needs_all_scores_together_is_refused_by_name(option, value):
    with pytest.raises(ValueError, match=f"{option}.* needs all rows in memory"):
        in_blocks(decisions.best_thresholds, 1, [[0.1], [0.2]], [[0], [1]], **{option: value})


def test_the_mean_over_samples_is_refused():
    with pytest.raises(ValueError, match='average="sample" needs all rows in memory'):
        in_blocks(decisions.best_thresholds, 1, [[0.1], [0.2]], [[0], [1]], maximize="sample-f")


def test_a_guarantee_is_refused_by_name():
    with pytest.raises(ValueError, match="guarantee needs all rows in memory"):
        in_blocks(
            decisions.best_thresholds,
            1,
            [[0.1], [0.2]],
            [[0], [1]],
            min_precision=0.5,
            guarantee=0.9,
        )


@pytest.mark.parametrize("option", ["groups", "sample_weight"])
def test_groups_and_weights_need_rows_in_memory(option):
    with pytest.raises(ValueError, match=f"{option} needs all rows in memory"):
        in_blocks(decisions.best_thresholds, 1, [[0.1], [0.2]], [[0], [1]], **{option: [1, 2]})


def test_labels_without_positives_are_named():
    with pytest.warns(UserWarning, match="no positives of 'b' to tune on"):
        in_blocks(decisions.best_thresholds, 1, [[0.1, 0.2]], [[1, 0]], label_names=["a", "b"])


def test_scores_must_be_given(tmp_path):
    with pytest.raises(TypeError, match="scores must be a path"):
        decisions.best_thresholds(None, WRITERS["npy"](tmp_path, "Y", np.ones((1, 1))))


@settings(max_examples=20)
@given(problems(most_samples=9), st.integers(1, 4))
def test_measures_of_ones_own_are_taken_from_the_same_cuts(problem, block_rows):
    def doubled(counts):
        return 2 * f_measure(counts)

    same_on_both(*problem, block_rows, maximize=doubled, average="macro")
    same_on_both(*problem, block_rows, maximize=doubled)
