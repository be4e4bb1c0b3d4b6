"""Rows of frames go by their index, wherever scores or decisions come with labels."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from labelwise.decisions import best_thresholds, micro_frontier, scan_thresholds
from labelwise.measures import average_precision, count, evaluate

NAMES = ["sea", "sky", "sun"]


def arrays(n_rows=40):
    random = np.random.default_rng(0)
    Y = (random.random((n_rows, 3)) < 0.4).astype(int)
    return np.round(Y + random.normal(size=Y.shape), 2), Y


def frames(index, order):
    """Scores in another order of rows than the labels."""
    scores, Y = arrays()
    truth = pd.DataFrame(Y, columns=NAMES, index=index)
    return pd.DataFrame(scores, columns=NAMES, index=index).iloc[order], truth


ORDER = np.random.default_rng(1).permutation(40)
INDEXES = {
    "text": [f"r{i}" for i in range(40)],
    "numbers": np.arange(40) * 7 % 41,
    "dates": pd.date_range("2020-01-01", periods=40),
    "pairs": pd.MultiIndex.from_arrays([np.arange(40) % 3, np.arange(40)]),
}
FUNCTIONS = {
    "best_thresholds": lambda S, Y: best_thresholds(S, Y, maximize="macro-f").values,
    "scan_thresholds": lambda S, Y: scan_thresholds(S, Y).thresholds.values,
    "micro_frontier": lambda S, Y: micro_frontier(S, Y).hits,
    "evaluate scores": lambda S, Y: list(evaluate(Y, scores=S).values()),
    "evaluate decisions": lambda S, Y: list(evaluate(Y, decided=S > 0).values()),
    "count": lambda S, Y: count(Y, S > 0).tp,
    "average_precision": lambda S, Y: average_precision(Y, S),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_shuffled_frames_give_what_their_arrays_in_order_give(function, index):
    scores, Y = frames(index, ORDER)
    assert np.array_equal(function(scores, Y), function(*arrays()), equal_nan=True)


def test_decisions_and_scores_may_be_shuffled_apart():
    scores, Y = frames(INDEXES["text"], ORDER)
    decided = (scores > 0).astype(int).iloc[::-1]
    plain, truth = arrays()
    found = evaluate(Y, scores=scores, decided=decided)
    expected = evaluate(truth, scores=plain, decided=plain > 0)
    assert np.array_equal([*found.values()], [*expected.values()], equal_nan=True)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (["a", "b", "x"], "scores lacks row 'c', which is in the index of Y."),
        (["a", "b", "c", "d"], "Y lacks row 'd', which is in the index of scores."),
        (["a", "b", "b"], "scores has 'b' twice in its index, so rows do not match."),
    ],
)
def test_index_values_that_do_not_match_are_named(index, message):
    Y = pd.DataFrame({"sea": [1, 0, 1]}, index=["a", "b", "c"])
    scores = pd.DataFrame({"sea": np.arange(len(index)) / 10}, index=index)
    with pytest.raises(ValueError) as refused:
        best_thresholds(scores, Y)
    assert str(refused.value) == message


def test_a_shuffled_count_beside_a_plain_count_is_refused():
    scores, Y = frames(None, ORDER)
    with pytest.raises(ValueError, match=r"scores and Y have the same index in another order"):
        best_thresholds(scores, Y)
    by_index = best_thresholds(scores.sort_index(), Y)
    assert np.array_equal(by_index.values, best_thresholds(*arrays()).values)


def test_an_index_beside_rows_without_one_goes_by_position():
    plain, truth = arrays()
    scores = pd.DataFrame(plain, columns=NAMES, index=INDEXES["text"])
    counted = pd.DataFrame(truth, columns=NAMES)
    expected = best_thresholds(plain, truth).values
    for Y in (truth, counted, pl.DataFrame(truth, schema=NAMES)):
        assert np.array_equal(best_thresholds(scores, Y).values, expected)
    repeated = pd.Index(["same"] * 40)
    same = best_thresholds(scores.set_index(repeated), counted.set_index(repeated))
    assert np.array_equal(same.values, expected)


@pytest.mark.parametrize("names", [NAMES, [2, 0, 1]])
def test_a_frame_of_scores_is_decided_as_a_frame(names):
    plain, truth = arrays()
    tuned = best_thresholds(pd.DataFrame(plain, columns=names), pd.DataFrame(truth, columns=names))
    turned = pd.DataFrame(plain, columns=names, index=INDEXES["text"]).iloc[ORDER, ::-1]
    decided = tuned.decide(turned)
    assert decided.index.equals(turned.index)
    assert decided.columns.equals(turned.columns)
    expected = tuned.decide(plain)
    assert isinstance(expected, np.ndarray)
    assert np.array_equal(decided.to_numpy(), expected[ORDER][:, ::-1])


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
def test_the_frame_of_decisions_is_of_the_library_of_the_scores(kind):
    plain, truth = arrays()
    tuned = best_thresholds(plain, truth, label_names=NAMES)
    decided = tuned.decide(kind({name: plain[:, NAMES.index(name)] for name in NAMES[::-1]}))
    assert type(decided) is type(kind({}))
    values = np.column_stack([decided[name].to_numpy() for name in NAMES])
    assert np.array_equal(values, tuned.decide(plain))
