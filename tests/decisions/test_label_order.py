"""Decisions depend on the names of labels, and results have the order of the scores."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from labelwise.decisions import (
    Certify,
    Evidence,
    Thresholds,
    adapt_thresholds,
    best_thresholds,
    micro_frontier,
    proportion_cut,
    review_bands,
    scan_thresholds,
)
from labelwise.measures import count, f_measure, micro
from labelwise.reports import Desk, ThresholdDisplay
from tests.blocks.row_files import in_blocks

NAMES = tuple("abcdef")
BACKWARDS = NAMES[::-1]


def scores_and_labels(seed=0, n_samples=120):
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, 6)) < np.linspace(0.1, 0.6, 6)
    scores = random.random((n_samples, 6)) * 0.6 + Y * random.random((n_samples, 6)) * 0.4
    return scores * np.linspace(0.3, 1, 6), Y.astype(int)


def frame(values, names=NAMES, of=pd.DataFrame):
    columns = {name: np.asarray(values)[:, NAMES.index(name)] for name in names}
    return of(columns)


RESULTS = {
    "best": lambda scores, Y, **names: best_thresholds(scores, Y, **names),
    "macro": lambda scores, Y, **names: best_thresholds(scores, Y, maximize="macro-f", **names),
    "limited": lambda scores, Y, **names: best_thresholds(
        scores, Y, max_decisions=2.0, random_state=0, **names
    ),
    "scan": lambda scores, Y, **names: scan_thresholds(scores, Y, **names).thresholds,
    "bands": lambda scores, Y, **names: review_bands(scores, Y, min_precision=0.7, **names),
    "blocks": lambda scores, Y, **names: in_blocks(best_thresholds, 50, scores, Y, **names),
}


def values_of(result):
    return result.values if isinstance(result, Thresholds) else (result.lower, result.upper)


@pytest.mark.filterwarnings("ignore:Constraints")
@pytest.mark.parametrize("find", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame])
def test_thresholds_have_the_order_of_the_scores(find, of):
    scores, Y = scores_and_labels()
    wanted = find(scores, Y)
    with pytest.warns(UserWarning, match=r"labels of Y .* has the order of scores \('a', 'b', 'c'"):
        found = find(frame(scores, of=of), frame(Y, BACKWARDS, of=of))
    assert found.label_names == NAMES
    np.testing.assert_array_equal(values_of(found), values_of(wanted))
    one, other = (getattr(result, "evidence", result).support for result in (found, wanted))
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found.decide(scores), wanted.decide(scores))


@pytest.mark.filterwarnings("ignore:Constraints")
@pytest.mark.parametrize("find", RESULTS.values(), ids=RESULTS)
def test_names_in_one_order_are_not_warned_of(find):
    scores, Y = scores_and_labels()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="The labels")
        for truth in (frame(Y), Y, [set(np.array(NAMES)[row > 0]) for row in Y]):
            assert find(frame(scores), truth).label_names == NAMES


def test_sets_have_no_order_of_their_own():
    scores, Y = scores_and_labels()
    sets = [set(np.array(NAMES)[row > 0]) for row in Y]
    found = best_thresholds(frame(scores, BACKWARDS), sets)
    assert found.label_names == BACKWARDS
    np.testing.assert_array_equal(found.values, best_thresholds(scores, Y).values[::-1])


def test_label_names_give_way_to_the_names_of_the_scores():
    scores, Y = scores_and_labels()
    wanted = best_thresholds(scores, Y).values
    sets = [set(np.array(NAMES)[row > 0]) for row in Y]
    for truth in (sets, frame(Y), Y[:, ::-1]):  # an array has the columns of label_names
        for find in (best_thresholds, partial(in_blocks, best_thresholds, 50)):
            with pytest.warns(UserWarning, match="labels of label_names are in another order"):
                found = find(frame(scores), truth, label_names=BACKWARDS)
            assert found.label_names == NAMES
            np.testing.assert_array_equal(found.values, wanted)


def test_label_names_are_those_of_an_array_of_scores():
    scores, Y = scores_and_labels()
    with pytest.warns(UserWarning, match="labels of Y are in another order"):
        found = best_thresholds(scores, frame(Y, BACKWARDS), label_names=NAMES)
    assert found.label_names == NAMES
    np.testing.assert_array_equal(found.values, best_thresholds(scores, Y).values)


@pytest.mark.parametrize("label_names", [None, NAMES])
def test_labels_that_one_side_lacks_are_refused(label_names):
    scores, Y = scores_and_labels()
    with pytest.raises(ValueError, match="'f'"):
        best_thresholds(frame(scores), frame(Y, NAMES[:5]), label_names=label_names)
    with pytest.raises(ValueError, match="'f'"):
        best_thresholds(frame(scores, NAMES[:5]), frame(Y), label_names=label_names)
    with pytest.raises(ValueError, match="'g'"):
        best_thresholds(frame(scores), [{"g"}, *[{"a"}] * (len(Y) - 1)], label_names=label_names)


def test_missing_labels_and_sparse_frames_keep_the_order_of_the_scores():
    scores, Y = scores_and_labels()
    gaps = Y.astype(float)
    gaps[::7, 2] = np.nan
    wanted = best_thresholds(scores, gaps)
    with pytest.warns(UserWarning, match="in another order"):
        found = best_thresholds(frame(scores), frame(gaps, BACKWARDS))
    np.testing.assert_array_equal(found.values, wanted.values)
    stored = pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(Y[:, ::-1]), columns=BACKWARDS)
    with pytest.warns(UserWarning, match="in another order"):
        found = best_thresholds(frame(scores), stored)
    np.testing.assert_array_equal(found.values, best_thresholds(scores, Y).values)


def test_the_frontier_has_the_order_of_the_scores():
    scores, Y = scores_and_labels()
    with pytest.warns(UserWarning, match="in another order"):
        found = micro_frontier(frame(scores), frame(Y, BACKWARDS))
    wanted = micro_frontier(scores, Y)
    assert found.label_names == NAMES
    np.testing.assert_array_equal(found.thresholds(5), wanted.thresholds(5))


def test_samples_for_calibration_are_matched_by_name():
    scores, Y = scores_and_labels(n_samples=600)
    others = scores_and_labels(1, n_samples=600)
    certify = Certify(0.9, calibration=others)
    wanted = best_thresholds(scores, Y, min_precision=0.5, guarantee=certify, random_state=0)
    moved = frame(others[0], "dbcafe"), frame(others[1], "cabfed")
    certify = Certify(0.9, calibration=moved)
    found = best_thresholds(
        frame(scores), frame(Y), min_precision=0.5, guarantee=certify, random_state=0
    )
    np.testing.assert_array_equal(found.values, wanted.values)
    assert found.evidence.guarantee.value == wanted.evidence.guarantee.value


def test_adapted_thresholds_keep_their_order():
    scores, Y = scores_and_labels(n_samples=400)
    tuned = best_thresholds(frame(scores), frame(Y))
    wanted = adapt_thresholds(tuned, scores**2, alpha=1).thresholds
    found = adapt_thresholds(tuned, frame(scores**2, BACKWARDS), alpha=1).thresholds
    assert found.label_names == NAMES
    np.testing.assert_array_equal(found.values, wanted.values)


@pytest.mark.parametrize("label_names", [None, BACKWARDS])
def test_a_proportion_cut_has_the_order_of_the_scores(label_names):
    scores, Y = scores_and_labels()
    wanted = proportion_cut(scores, Y)
    found = proportion_cut(frame(scores), frame(Y, BACKWARDS), label_names=label_names)
    np.testing.assert_array_equal(found, wanted)


def test_thresholds_without_names_have_the_order_of_the_scores_in_reports():
    scores, Y = scores_and_labels()
    thresholds = np.linspace(0.1, 0.6, 6)
    desk = Desk(frame(scores), frame(Y, BACKWARDS), thresholds)
    assert desk.label_names == NAMES
    np.testing.assert_array_equal(desk.problem.scores, scores)
    drawn = ThresholdDisplay.from_predictions(
        frame(Y, BACKWARDS), frame(scores), thresholds=thresholds
    )
    assert {label.name: label.threshold for label in drawn.labels} == dict(
        zip(NAMES, thresholds, strict=True)
    )


def test_label_names_are_those_of_a_dask_array_of_scores():
    dask_array = pytest.importorskip("dask.array")
    scores, Y = scores_and_labels()
    chunks = dask_array.from_array(scores, chunks=(50, 6))
    found = best_thresholds(chunks, frame(Y, BACKWARDS), label_names=NAMES)
    np.testing.assert_array_equal(found.values, best_thresholds(scores, Y).values)


@given(
    seed=st.integers(0, 2**32 - 1),
    order=st.permutations(range(6)),
    limits=st.sampled_from([(2, None), (None, 2), (1, 3), (None, None)]),
    is_sparse=st.booleans(),
)
@settings(deadline=None)
def test_decisions_by_name_do_not_depend_on_the_order_of_columns(seed, order, limits, is_sparse):
    random = np.random.default_rng(seed)
    scores = random.integers(1, 4, size=(8, 6)) / 4  # with many ties
    most, top = limits
    tuned = thresholds_with_limits(random.integers(0, 4, size=6) / 4, most, top)
    wanted = tuned.decide(sparse.csr_array(scores) if is_sparse else scores)
    wanted = wanted.toarray() if is_sparse else wanted
    names = [NAMES[j] for j in order]
    np.testing.assert_array_equal(tuned.decide(frame(scores, names))[list(NAMES)], wanted)


def thresholds_with_limits(values, most, top):
    zeros = np.zeros(6, dtype=np.int64)
    evidence = Evidence(0.5, "f_measure", "micro", zeros, zeros, n_samples=8)
    return Thresholds(values, evidence, NAMES, max_decided=most, max_rank=top)


def test_ties_in_blocks_go_to_the_first_labels_of_the_thresholds(tmp_path):
    tuned = thresholds_with_limits(np.full(6, 0.5), 2, None)
    tied = frame(np.ones((5, 6)), BACKWARDS)
    tied.to_parquet(tmp_path / "scores.parquet")
    tuned.decide(tmp_path / "scores.parquet", tmp_path / "decided.npy")
    found = np.load(tmp_path / "decided.npy")
    np.testing.assert_array_equal(found, [[0, 0, 0, 0, 1, 1]] * 5)
    np.testing.assert_array_equal(found, tuned.decide(tied).to_numpy())


@pytest.mark.filterwarnings("ignore:With this")
def test_ties_of_bands_go_to_the_first_labels_of_the_bands():
    from dataclasses import replace

    scores, Y = scores_and_labels()
    bands = review_bands(frame(scores), frame(Y), min_precision=0.7, min_recall=0.9)
    bands = replace(bands, upper=np.full(6, 0.5), lower=np.full(6, 0.5), max_decided=2)
    tied = np.ones((3, 6))
    found = bands.decide(frame(tied, BACKWARDS))
    np.testing.assert_array_equal(found[list(NAMES)], bands.decide(tied))
    np.testing.assert_array_equal(found[list(NAMES)].iloc[0], [1, 1, -1, -1, -1, -1])


def test_a_review_queue_names_the_same_cells_in_any_order_of_columns():
    scores, Y = scores_and_labels()
    rounded = np.round(scores, 1)
    bands = review_bands(frame(rounded), frame(Y), min_precision=0.7, min_recall=0.9)
    wanted = bands.queue(rounded)
    for order in (BACKWARDS, tuple("dbcafe")):
        found = bands.queue(frame(rounded, order))
        np.testing.assert_array_equal(found.rows, wanted.rows)
        assert [order[j] for j in found.labels] == [NAMES[j] for j in wanted.labels]
        np.testing.assert_array_equal(found.probability, wanted.probability)


def test_an_array_decided_by_thresholds_of_frames_reaches_their_value():
    scores, Y = scores_and_labels()
    with pytest.warns(UserWarning, match="in another order"):
        tuned = best_thresholds(frame(scores), frame(Y, BACKWARDS))
    for decided in (tuned.decide(scores), (scores >= tuned.values).astype(int)):
        assert micro(f_measure, count(Y, decided)) == pytest.approx(tuned.value)
