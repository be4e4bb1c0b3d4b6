"""Rows of frames go by their ids, wherever scores or decisions come with labels."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from labelwise.decisions import (
    best_thresholds,
    micro_frontier,
    proportion_rule,
    rank_rule,
    review_bands,
    scan_thresholds,
)
from labelwise.measures import count, evaluate, measure_scores

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
    "rank_rule": lambda S, Y: rank_rule(S, Y).value,
    "proportion_rule": lambda S, Y: proportion_rule(S, Y).value,
    "evaluate scores": lambda S, Y: list(evaluate(Y, scores=S).values()),
    "evaluate decisions": lambda S, Y: list(evaluate(Y, decided=S > 0).values()),
    "count": lambda S, Y: count(Y, S > 0).tp,
    "measure_scores": lambda S, Y: measure_scores(Y, S, "micro-average-precision"),
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
        (["a", "b", "x"], "scores lacks row 'c', which Y has."),
        (["a", "b", "c", "d"], "Y lacks row 'd', which scores has."),
        (["a", "b", "b"], "scores has row 'b' twice, so rows do not match."),
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
    with pytest.raises(ValueError, match=r"Y has no ids and scores has: give both the same index"):
        best_thresholds(scores, Y)
    by_index = best_thresholds(scores.sort_index(), Y)
    assert np.array_equal(by_index.values, best_thresholds(*arrays()).values)


def without_ids(values):
    """Frames that have no ids of their rows."""
    return {
        "counted": pd.DataFrame(values, columns=NAMES),
        "numbered": pd.DataFrame(values, columns=NAMES, index=list(range(len(values)))),
        "polars": pl.DataFrame(values, schema=NAMES),
        "arrow": pa.table({name: values[:, j] for j, name in enumerate(NAMES)}),
    }


BY_POSITION = {
    "best_thresholds": lambda S, Y, **to: best_thresholds(S, Y, maximize="macro-f", **to).values,
    "scan_thresholds": lambda S, Y, **to: scan_thresholds(S, Y, **to).thresholds.values,
    "micro_frontier": lambda S, Y, **to: micro_frontier(S, Y, **to).hits,
    "rank_rule": lambda S, Y, **to: rank_rule(S, Y, **to).value,
    "proportion_rule": lambda S, Y, **to: proportion_rule(S, Y, **to).value,
    "review_bands": lambda S, Y, **to: review_bands(S, Y, min_recall=0.9, **to).lower,
    "evaluate": lambda S, Y, **to: list(evaluate(Y, scores=S, **to).values()),
}


@pytest.mark.parametrize("kind", ["counted", "numbered", "polars", "arrow"])
@pytest.mark.parametrize("function", BY_POSITION.values(), ids=BY_POSITION)
def test_ids_of_one_frame_are_refused_unless_positions_are_asked_for(function, kind):
    plain, truth = arrays()
    expected = function(plain, truth)
    scores = pd.DataFrame(plain, columns=NAMES, index=INDEXES["text"])
    labels = pd.DataFrame(truth, columns=NAMES, index=INDEXES["text"])
    for S, Y, having, lacking in (
        (scores, without_ids(truth)[kind], "scores", "Y"),
        (without_ids(plain)[kind], labels, "Y", "scores"),
    ):
        with pytest.raises(ValueError) as refused:
            function(S, Y)
        assert str(refused.value) == (
            f"{lacking} has no ids and {having} has: give both the same index, or pass "
            f"{lacking} as an array to match rows by position."
        )
        assert np.array_equal(function(S, Y, ids=False), expected, equal_nan=True)


def test_functions_without_the_option_propose_an_array():
    plain, truth = arrays()
    scores = pd.DataFrame(plain, columns=NAMES, index=INDEXES["text"])
    with pytest.raises(ValueError, match=r"or pass Y as an array to match rows by position[.]"):
        measure_scores(pd.DataFrame(truth, columns=NAMES), scores, "one-error")
    found, expected = (measure_scores(truth, S, "macro-auc") for S in (scores, plain))
    assert found == expected
    decided, labels = (scores > 0).astype(int), pd.DataFrame(truth, columns=NAMES)
    with pytest.raises(ValueError, match="Y has no ids and decided has"):
        count(labels, decided)
    assert np.array_equal(count(labels, decided, ids=False).tp, count(truth, plain > 0).tp)


def test_arrays_have_no_ids_and_go_by_position():
    """As the scores that a model returns for the rows of a frame do."""
    plain, truth = arrays()
    expected = best_thresholds(plain, truth).values
    scores, labels = (
        pd.DataFrame(values, columns=NAMES, index=INDEXES["text"]) for values in (plain, truth)
    )
    for S, Y in ((scores, truth), (plain, labels), (plain.tolist(), labels)):
        assert np.array_equal(best_thresholds(S, Y).values, expected)
    repeated = pd.Index(["same"] * 40)
    same = best_thresholds(scores.set_index(repeated), labels.set_index(repeated))
    assert np.array_equal(same.values, expected)


KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("index", ["text", "numbers"])
@pytest.mark.parametrize(
    "function", [BY_POSITION[name] for name in BY_POSITION if name != "scan_thresholds"]
)
def test_rows_are_matched_by_a_column_of_ids_or_by_given_ids(function, kind, index):
    plain, truth = arrays()
    keys = list(INDEXES[index])
    expected = function(plain, truth)
    turned = [keys[row] for row in ORDER]
    Y = kind({"doc": keys, **dict(zip(NAMES, truth.T, strict=True))})
    S = kind({"doc": turned, **dict(zip(NAMES, plain[ORDER].T, strict=True))})
    named = kind({"key": turned, **dict(zip(NAMES, plain[ORDER].T, strict=True))})
    for scores, labels, ids in (
        (S, Y, "doc"),
        (named, Y, {"scores": "key", "Y": "doc"}),
        (plain[ORDER], Y, {"scores": turned, "Y": "doc"}),
        (plain[ORDER], truth, {"scores": np.array(turned), "Y": np.array(keys)}),
    ):
        assert np.array_equal(function(scores, labels, ids=ids), expected, equal_nan=True)


def test_ids_that_are_not_there_are_refused():
    plain, truth = arrays(3)
    Y = pl.DataFrame({"doc": ["a", "b", "c"], **dict(zip(NAMES, truth.T, strict=True))})
    for ids, kind, message in (
        ("key", ValueError, "Y must have the column 'key' of ids, got 'doc', 'sea', 'sky'"),
        ("doc", TypeError, "scores must be a frame with the column 'doc' of ids, got ndarray"),
        ({"Y": "doc"}, ValueError, "scores has no ids and Y has .* or give ids=False"),
        (True, TypeError, "ids must be a name, a dict, False or None, got True"),
        ({"Y": "doc", "scores": ["a"]}, ValueError, "ids has 1 ids for 3 rows of scores"),
        ({"Y": "doc", "S": ["a"]}, ValueError, "ids must be those of Y or scores, got 'S'"),
    ):
        with pytest.raises(kind, match=message):
            best_thresholds(plain, Y, ids=ids)
    assert best_thresholds(plain, Y, ids={"Y": "doc", "scores": False}).evidence.n_samples == 3


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
