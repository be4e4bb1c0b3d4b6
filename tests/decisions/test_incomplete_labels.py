"""Labels that nobody wrote down are completed in number, and their share is estimated."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from labelwise.data import read_labels
from labelwise.decisions import best_thresholds, complete_labels, estimate_propensity
from labelwise.measures import count, f_measure, macro, micro
from tests.decisions.problems import problems
from tests.oracles.incomplete_labels import completed_counts

SHARES = st.sampled_from([0.125, 0.25, 0.375, 0.5, 0.75, 1.0])


@given(problem=problems(), data=st.data())
def test_completed_labels_have_the_expected_positives_above_every_score(problem, data):
    scores, Y = problem
    shares = np.array(data.draw(st.lists(SHARES, min_size=Y.shape[1], max_size=Y.shape[1])))
    completed = complete_labels(scores, Y, shares)
    assert completed.dtype == np.int8
    assert (completed >= Y).all()
    for j, share in enumerate(shares):
        expected = completed_counts(scores[:, j].tolist(), Y[:, j].tolist(), share)
        falling = np.sort(scores[:, j])[::-1]
        for k, positives in expected[1:]:
            above = scores[:, j] >= falling[k - 1]
            assert above.sum() == k
            assert completed[above, j].sum() == positives


@given(problem=problems())
def test_labels_that_are_all_written_down_stay_as_they_are(problem):
    scores, Y = problem
    np.testing.assert_array_equal(complete_labels(scores, Y, 1.0), Y)


@given(problem=problems(), data=st.data())
def test_positives_without_a_score_stand_for_others_without_a_score(problem, data):
    scores, Y = problem
    share = data.draw(SHARES)
    absent = np.array(data.draw(st.lists(st.booleans(), min_size=Y.size, max_size=Y.size)))
    absent = absent.reshape(Y.shape)
    completed = complete_labels(sparse.csr_array(np.where(absent, 0.0, scores + 10)), Y, share)
    assert (completed >= Y).all()
    for j, alone in enumerate(absent.T):
        expected = min(alone.sum(), np.floor(Y[alone, j].sum() / share + 0.5))
        assert completed[alone, j].sum() == expected
        if not alone.all():
            scored = complete_labels(scores[~alone][:, [j]], Y[~alone][:, [j]], share)
            np.testing.assert_array_equal(completed[~alone, j], scored[:, 0])


@given(problem=problems(), data=st.data())
def test_missing_labels_stay_missing_and_count_nowhere(problem, data):
    scores, Y = problem
    gaps = np.array(data.draw(st.lists(st.booleans(), min_size=Y.size, max_size=Y.size)))
    gaps = gaps.reshape(Y.shape)
    share = data.draw(SHARES)
    completed = complete_labels(scores, np.where(gaps, np.nan, Y), share)
    np.testing.assert_array_equal(np.isnan(completed), gaps)
    for j in range(Y.shape[1]):
        known = ~gaps[:, j]
        if known.any():
            alone = complete_labels(scores[known][:, [j]], Y[known][:, [j]], share)
            np.testing.assert_array_equal(completed[known, j], alone[:, 0])


def test_completed_labels_have_the_form_of_the_labels(tmp_path):
    scores = pd.DataFrame({"sky": [0.1, 0.9, 0.8], "sea": [0.8, 0.7, 0.3]}, index=["c", "a", "b"])
    frame = pd.DataFrame({"sea": [0, 0, 1], "sky": [1, 0, 0]}, index=["a", "b", "c"])
    expected = pd.DataFrame({"sea": [1, 0, 1], "sky": [1, 1, 0]}, index=["a", "b", "c"])
    completed = complete_labels(scores, frame, [0.5, 0.5])
    pd.testing.assert_frame_equal(completed.astype(np.int64), expected)
    file = tmp_path / "labels.csv"
    frame.to_csv(file, index_label="id")
    named = complete_labels(scores, read_labels(file, labels=["sea", "sky"]), 0.5)
    assert (named.ids, named.label_names) == (("a", "b", "c"), ("sea", "sky"))
    np.testing.assert_array_equal(named.values.toarray(), expected)
    # Nobody wrote the name "sky" into the file.
    file.write_text("id,topics\na,\nb,\nc,sea\n")
    listed = complete_labels(scores, read_labels(file, labels="topics"), 0.5)
    assert listed.label_names == ("sea", "sky")
    np.testing.assert_array_equal(listed.values.toarray(), expected.assign(sky=0))
    ordered = scores.loc[["a", "b", "c"], ["sea", "sky"]].to_numpy()
    polars = complete_labels(ordered, pl.DataFrame({"sea": [0, 0, 1], "sky": [1, 0, 0]}), 0.5)
    assert polars.columns == ["sea", "sky"]
    kept = complete_labels(ordered, sparse.csr_array(frame.to_numpy()), 0.5)
    sets = complete_labels(ordered, [{1}, set(), {0}], 0.5)
    for found in (polars.to_numpy(), kept.toarray(), sets):
        np.testing.assert_array_equal(found, expected)


def _hidden(seed, n_samples=4000):
    """Scores, complete labels and written ones: five labels, of which 30 to 90 % are written."""
    random = np.random.default_rng(seed)
    chances = random.beta(0.4, 1.6, (n_samples, 5))
    truth = (random.random(chances.shape) < chances).astype(np.int8)
    shares = np.linspace(0.3, 0.9, 5)
    return chances, truth, truth * (random.random(truth.shape) < shares), shares


@pytest.mark.parametrize(("maximize", "average"), [("micro-f", micro), ("macro-f", macro)])
def test_thresholds_of_completed_labels_are_nearly_those_of_the_truth(maximize, average):
    scores, truth, written, shares = _hidden(0)
    new_scores, new_truth, _, _ = _hidden(1)
    values = [
        average(
            f_measure,
            count(new_truth, best_thresholds(scores, Y, maximize=maximize).decide(new_scores)),
        )
        for Y in (truth, written, complete_labels(scores, written, shares))
    ]
    assert values[0] - values[1] > 0.02
    assert values[2] - values[1] > 2 / 3 * (values[0] - values[1])


def test_propensities_are_estimated_and_those_of_rare_labels_drawn_together():
    _, truth, written, shares = _hidden(0)
    np.testing.assert_allclose(estimate_propensity(written, truth), shares, atol=0.05)
    few, none = truth.copy(), truth.copy()
    few[np.flatnonzero(truth[:, 4])[3:], 4] = 0
    none[:, 4] = 0
    estimates = [estimate_propensity(written * Y, Y)[4] for Y in (few, none)]
    rest = written[:, :4].sum() / truth[:, :4].sum()
    assert estimates[1] == pytest.approx(rest)
    assert abs(estimates[0] - rest) < abs((written * few)[:, 4].sum() / 3 - rest)


def test_wrong_positives_are_told():
    with pytest.warns(UserWarning, match="1 positive of 2 in Y are not in complete"):
        estimate_propensity([[1], [1]], [[1], [0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: complete_labels([[0.1, 0.2]], [[1, 0]], [0.5]),
            r"propensity must be a number or one for each of 2 labels, got shape \(1,\)",
        ),
        (
            lambda: complete_labels([[0.1, 0.2]], [[1, 0]], [0.5, 0.0]),
            "propensity must be above 0 and at most 1, got 0.0",
        ),
        (
            lambda: complete_labels([[0.1, 0.2]], [[1, 0]], "half"),
            "propensity must be numbers, got str",
        ),
        (lambda: complete_labels(None, [[1, 0]], 0.5), "scores must be an array"),
        (
            lambda: complete_labels(pd.DataFrame({"a": [0.1]}), pd.DataFrame({"b": [1]}), 0.5),
            "scores lacks label 'b', which Y has",
        ),
        (
            lambda: estimate_propensity([[0]], [[1]]),
            "complete must have a positive that is in Y, got none",
        ),
        (lambda: estimate_propensity([[1]], [[1], [0]]), "complete"),
    ],
)
def test_what_is_wrong_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
