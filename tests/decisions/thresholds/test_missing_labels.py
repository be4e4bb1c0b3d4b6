"""Missing labels in tuning: a cell without truth is as if it did not exist."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.frozen import FrozenEstimator

from labelwise.decisions import (
    Thresholds,
    TunedThresholds,
    adapt_thresholds,
    best_thresholds,
    corrected_value,
    micro_frontier,
    scan_thresholds,
)
from labelwise.learners import BinaryRelevance
from labelwise.measures import accuracy, evaluate, f_measure, jaccard, matthews
from tests.decisions.intervals import tuned_with_interval
from tests.decisions.problems import problems
from tests.decisions.thresholds.test_sample_weight import OPTIONS, assert_same, tuned
from tests.oracles import missing_labels as oracle

pytestmark = [
    pytest.mark.filterwarnings("ignore:Y has no positives"),
    pytest.mark.filterwarnings("ignore:Constraints that new samples may break"),
]


@st.composite
def gappy_problems(draw, **sizes):
    """(scores, Y) with NaN in some cells of Y, but not in all of them."""
    scores, Y = draw(problems(**sizes))
    gone = draw(hnp.arrays(bool, Y.shape).filter(lambda gone: not gone.all()))
    return scores, np.where(gone, np.nan, Y)


@given(problem=gappy_problems(), options=st.sampled_from(OPTIONS))
def test_a_sample_with_all_labels_missing_is_as_if_it_was_not_there(problem, options):
    scores, Y = problem
    kept = ~np.isnan(Y).all(axis=1)
    one, other = tuned(scores, Y, **options), tuned(scores[kept], Y[kept], **options)
    assert_same(one, other)
    if isinstance(one, Thresholds):
        assert one.evidence.n_samples == kept.sum()
        assert one.evidence.n_missing == other.evidence.n_missing == np.isnan(Y[kept]).sum()


@given(
    problem=gappy_problems(),
    measure=st.sampled_from([f_measure, jaccard, accuracy, matthews]),
    options=st.sampled_from([{}, {"fbr": 0.5}, {"min_precision": 0.5}]),
)
def test_the_macro_average_tunes_each_label_on_the_samples_that_have_it(problem, measure, options):
    scores, Y = problem
    options = {"maximize": measure, "average": "macro", **options}
    together = best_thresholds(scores, Y, **options)
    values = []
    for j in range(Y.shape[1]):
        has_it = ~np.isnan(Y[:, j])
        if not has_it.any():
            assert (together.values[j], together.evidence.support[j]) == (np.inf, 0)
            continue
        alone = best_thresholds(scores[has_it][:, [j]], Y[has_it][:, [j]], **options)
        assert together.values[j] == alone.values[0]
        assert together.evidence.decided[j] == alone.evidence.decided[0]
        assert together.evidence.support[j] == alone.evidence.support[0]
        values.append(alone.value)
    np.testing.assert_allclose(together.value, np.mean(values), rtol=1e-12)


@given(
    problem=gappy_problems(),
    measure=st.sampled_from([f_measure, jaccard, accuracy]),
    average=st.sampled_from(["micro", "macro"]),
    shared=st.booleans(),
)
def test_no_thresholds_beat_the_tuned_ones_on_the_cells_with_truth(
    problem, measure, average, shared
):
    scores, Y = problem
    found = best_thresholds(scores, Y, maximize=measure, average=average, shared=shared)
    best = oracle.highest(scores, Y, measure, average, shared)
    np.testing.assert_allclose(found.value, best, rtol=1e-12)
    reached = oracle.value(measure, average, Y, scores >= found.values)
    np.testing.assert_allclose(reached, best, rtol=1e-12)


@given(problem=gappy_problems())
def test_the_sample_average_is_over_the_labels_with_truth(problem):
    scores, Y = problem
    found = best_thresholds(scores, Y, average="sample", maximize=accuracy)
    reached = oracle.value(accuracy, "sample", Y, scores >= found.values)
    np.testing.assert_allclose(found.value, reached, rtol=1e-12)


@given(problem=gappy_problems(), data=st.data())
def test_scores_of_missing_labels_do_not_matter(problem, data):
    scores, Y = problem
    options = data.draw(st.sampled_from(OPTIONS))
    changed = np.where(np.isnan(Y), data.draw(st.floats(-9, 9)), scores)
    assert_same(tuned(scores, Y, **options), tuned(changed, Y, **options))


@given(problem=gappy_problems(), options=st.sampled_from(OPTIONS))
def test_missing_labels_are_the_same_in_every_form(problem, options):
    scores, Y = problem
    expected = tuned(scores, Y, **options)
    masked = np.ma.array(np.where(np.isnan(Y), 7, Y).astype(int), mask=np.isnan(Y))
    assert_same(tuned(scores, masked, **options), expected)
    assert_same(tuned(scores, sparse.coo_array(Y), **options), expected)
    assert_same(
        tuned(sparse.csr_array(scores + 5.0), Y, **options), tuned(scores + 5.0, Y, **options)
    )


@given(problem=gappy_problems(), data=st.data())
def test_weights_and_missing_labels_go_together(problem, data):
    scores, Y = problem
    options = data.draw(st.sampled_from(OPTIONS))
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(Y), max_size=len(Y)))
    rows = np.repeat(np.arange(len(Y)), weights)
    one = tuned(scores, Y, sample_weight=weights, **options)
    exactly = options.get("average") != "sample"
    assert_same(one, tuned(scores[rows], Y[rows], **options), exactly=exactly)


@given(problem=gappy_problems())
def test_the_frontier_and_the_scan_leave_missing_labels_out(problem):
    scores, Y = problem
    frontier = micro_frontier(scores, Y)
    counts = [
        oracle.micro_counts(Y, scores >= frontier.thresholds(vertex))
        for vertex in range(len(frontier))
    ]
    for cells, found in zip(zip(*counts, strict=True), frontier.counts, strict=True):
        np.testing.assert_array_equal(found, cells)
    scan = scan_thresholds(scores, Y)
    np.testing.assert_allclose(scan.thresholds.value, best_thresholds(scores, Y).value)


def random_gaps(seed, n_samples=120, n_labels=5):
    random = np.random.default_rng(seed)
    Y = (random.random((n_samples, n_labels)) < 0.3).astype(float)
    scores = random.normal(size=Y.shape) + Y
    Y[random.random(Y.shape) < 0.2] = np.nan
    Y[:3] = np.nan
    return scores, Y


@pytest.mark.parametrize("average", ["micro", "macro", "sample"])
def test_the_corrected_value_counts_only_cells_with_truth(average):
    scores, Y = random_gaps(0)
    folds = np.arange(len(Y)) % 5  # five groups are the five folds
    decided = np.empty(Y.shape, dtype=bool)
    for fold in range(5):
        some = best_thresholds(scores[folds != fold], Y[folds != fold], maximize=f"{average}-f")
        decided[folds == fold] = scores[folds == fold] >= some.values
    expected = oracle.value(f_measure, average, Y[3:], decided[3:])
    found = best_thresholds(scores, Y, maximize=f"{average}-f")
    value = corrected_value(found, scores, Y, groups=folds)
    np.testing.assert_allclose(value, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"shrink": "auto"},
        {"shrink": "auto", "maximize": "macro-f"},
        {"fbr": "auto"},
        {"n_bootstrap": 20},
    ],
)
def test_folds_and_draws_leave_samples_without_truth_out(options):
    scores, Y = random_gaps(1)
    tune = tuned_with_interval if "n_bootstrap" in options else best_thresholds
    one = tune(scores, Y, random_state=0, **options)
    other = tune(scores[3:], Y[3:], random_state=0, **options)
    assert_same(one, other)
    assert one.evidence.interval == other.evidence.interval
    if one.evidence.interval is not None:
        assert one.evidence.interval[0] < one.evidence.interval[1]


def test_a_label_without_truth_is_never_decided_and_in_no_average():
    scores, Y = random_gaps(2)
    Y[:, 1] = np.nan
    for options in (
        {},
        {"maximize": "macro-f"},
        {"maximize": "sample-f"},
        {"cost": ([1] * 5, [2] * 5)},
    ):
        some = {"cost": ([1] * 4, [2] * 4)} if "cost" in options else options
        found = best_thresholds(scores, Y, **options)
        rest = best_thresholds(np.delete(scores, 1, axis=1), np.delete(Y, 1, axis=1), **some)
        assert found.values[1] == np.inf
        np.testing.assert_array_equal(np.delete(found.values, 1), rest.values)
        assert found.value == rest.value
        assert found.label_names is None
    decided = found.decide(scores)
    assert (
        evaluate(Y, decided=decided)["micro-f"]
        == evaluate(np.delete(Y, 1, 1), decided=np.delete(decided, 1, 1))["micro-f"]
    )


def test_the_printout_and_the_file_say_how_many_labels_are_missing(tmp_path):
    scores, Y = random_gaps(3)
    found = best_thresholds(scores, Y)
    n_missing = int(np.isnan(Y[3:]).sum())
    assert f"{n_missing} cells without truth not counted" in repr(found)
    found.save(tmp_path / "thresholds.json")
    assert Thresholds.load(tmp_path / "thresholds.json").evidence.n_missing == n_missing


def test_the_corrected_value_leaves_a_label_without_truth_out():
    scores, Y = random_gaps(4)
    Y[:, 1] = np.nan
    for options in ({"maximize": "macro-f"}, {"cost": ([1] * 5, [2, 1, 1, 3, 1])}):
        cost = {"cost": ([1] * 4, [2, 1, 3, 1])} if "cost" in options else options
        rest = np.delete(scores, 1, 1), np.delete(Y, 1, 1)
        one = corrected_value(best_thresholds(scores, Y, **options), scores, Y, random_state=0)
        other = corrected_value(best_thresholds(*rest, **cost), *rest, random_state=0)
        assert one == other


def test_a_guarantee_counts_only_labels_that_are_known():
    random = np.random.default_rng(12)
    truth = (random.random((600, 3)) < 0.4).astype(float)
    scores = truth + 0.3 * random.normal(size=truth.shape)
    Y = np.where(random.random(truth.shape) < 0.3, np.nan, truth)
    options = {"min_precision": 0.5, "guarantee": 0.9, "random_state": 0}
    found = best_thresholds(scores, Y, **options)
    # Scores of cells without truth do not matter.
    other = best_thresholds(np.where(np.isnan(Y), 9.0, scores), Y, **options)
    np.testing.assert_array_equal(found.values, other.values)
    model = BinaryRelevance(penalty=1.0).fit(scores, truth)
    tuned = TunedThresholds(FrozenEstimator(model), **options).fit(scores, Y)
    assert tuned.thresholds_.evidence.n_missing > 400
    Y[:, 2] = np.nan
    unknown = best_thresholds(scores, Y, shared=True, **options)
    assert unknown.values[2] == np.inf
    assert np.isfinite(unknown.values[:2]).all()


def test_thresholds_of_missing_labels_without_priors_are_not_adapted():
    random = np.random.default_rng(0)
    Y = np.where(random.random((50, 2)) < 0.2, np.nan, random.random((50, 2)) < 0.5)
    found = best_thresholds(random.random((50, 2)), Y)
    found = replace(found, evidence=replace(found.evidence, priors=None))  # as in older files
    with pytest.raises(ValueError, match="release tuned them with missing labels and did not"):
        adapt_thresholds(found, random.random((50, 2)))


def test_labels_that_are_all_missing_are_refused():
    for function in (best_thresholds, micro_frontier):
        with pytest.raises(ValueError, match="Y must have a label that is not missing"):
            function([[0.1], [0.5]], [[np.nan], [np.nan]])
