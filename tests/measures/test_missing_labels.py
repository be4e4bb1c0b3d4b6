"""Missing labels in measures: a cell without truth is as if it did not exist."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn import metrics

from labelwise._measuring import named_measures
from labelwise.measures import (
    count,
    evaluate,
    f_measure,
    macro,
    scorer,
)
from tests.measures.outcomes import (
    area_under_roc,
    average_precision,
    coverage,
    ndcg_at,
    one_error,
    precision_at,
    r_precision,
    ranking_loss,
    scored_outcomes,
)
from tests.oracles import missing_labels as oracle

# `evaluate` computes measures of top labels only if they are named.
MEASURES = {
    name: measure for name, measure in named_measures(cutoffs=[1]).items() if not measure.of_top
}
UNDEFINED = st.sampled_from(["nan", "skip", 0.25])
FORMS = st.sampled_from([np.asarray, sparse.csr_array])  # absent where a score is 0


@st.composite
def gappy_outcomes(draw):
    """A truth with NaN in some cells, scores and decisions."""
    Y, scores = draw(scored_outcomes())
    gone = draw(hnp.arrays(bool, Y.shape).filter(lambda gone: not gone.all()))
    decided = draw(hnp.arrays(np.int8, Y.shape, elements=st.integers(0, 1)))
    return np.where(gone, np.nan, Y), scores, decided


def assert_close(found, expected, names=None):
    for name in expected if names is None else names:
        assert found[name] == pytest.approx(expected[name], rel=1e-9, abs=1e-9, nan_ok=True), name


@given(gappy_outcomes(), FORMS)
def test_a_label_is_measured_on_the_samples_that_have_it(outcome, form):
    Y, scores, decided = outcome
    found = evaluate(Y, scores=form(scores), decided=decided, cutoffs=[1], undefined="skip")
    columns = [j for j in range(Y.shape[1]) if not np.isnan(Y[:, j]).all()]
    assert found.label_names == tuple(map(str, columns))
    for place, j in enumerate(columns):
        has_it = ~np.isnan(Y[:, j])
        alone = evaluate(
            Y[has_it][:, [j]],
            scores=form(scores[has_it][:, [j]]),
            decided=decided[has_it][:, [j]],
            cutoffs=[1],
            undefined="skip",
        )
        for name, column in alone.per_label.items():
            np.testing.assert_allclose(found.per_label[name][place], column[0], rtol=1e-12)


@given(gappy_outcomes(), FORMS, UNDEFINED)
def test_a_sample_is_measured_on_the_labels_that_it_has(outcome, form, undefined):
    Y, scores, decided = outcome
    options = {"cutoffs": [1], "undefined": undefined}
    found = evaluate(Y, scores=form(scores), decided=decided, **options)
    names = [name for name, measure in MEASURES.items() if measure.by == "sample"]
    alone = []
    for i in np.flatnonzero(~np.isnan(Y).all(axis=1)):
        has_it = ~np.isnan(Y[i])
        row = [part[[i]][:, has_it] for part in (Y, scores, decided)]
        alone.append(evaluate(row[0], scores=form(row[1]), decided=row[2], **options))
    for name in names:
        values = np.array([one[name] for one in alone])
        kept = values[~np.isnan(values)] if undefined == "skip" else values
        expected = kept.mean() if kept.size else np.nan
        assert found[name] == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True), name


@given(gappy_outcomes(), FORMS)
def test_micro_averages_are_over_the_cells_with_truth(outcome, form):
    Y, scores, decided = outcome
    found = evaluate(Y, scores=form(scores), decided=decided)
    known = ~np.isnan(Y)
    cells = [part[known][:, None] for part in (Y, scores, decided)]
    expected = evaluate(cells[0], scores=form(cells[1]), decided=cells[2])
    assert_close(found, expected, [name for name in expected if name.startswith("micro-")])


@given(gappy_outcomes(), UNDEFINED, st.data())
def test_samples_and_labels_without_truth_are_left_out(outcome, undefined, data):
    Y, scores, decided = outcome
    options = {"undefined": undefined, "n_bootstrap": 3, "random_state": 0, "cutoffs": [1]}
    rows, columns = (~np.isnan(Y).all(axis=axis) for axis in (1, 0))
    weights = np.ones(len(Y))
    if data.draw(st.booleans()):
        weights = data.draw(hnp.arrays(np.float64, len(Y), elements=st.floats(0.5, 2)))
    found = evaluate(Y, scores=scores, decided=decided, sample_weight=weights, **options)
    some = [part[rows][:, columns] for part in (Y, scores, decided)]
    kept = {"scores": some[1], "decided": some[2], "sample_weight": weights[rows]}
    expected = evaluate(some[0], **kept, **options)
    assert_close(found, expected)
    np.testing.assert_equal(found.intervals, expected.intervals)
    assert found.n_samples == rows.sum()
    assert found.n_missing == np.isnan(Y).sum()
    assert found.n_without_truth == ((~rows).sum(), (~columns).sum())


@given(gappy_outcomes(), FORMS, st.data())
def test_whole_weights_are_repeated_samples_with_missing_labels_too(outcome, form, data):
    Y, scores, decided = outcome
    weights = data.draw(hnp.arrays(np.int64, len(Y), elements=st.integers(1, 3)))
    rows = np.repeat(np.arange(len(Y)), weights)
    found = evaluate(Y, scores=form(scores), decided=decided, sample_weight=weights)
    expected = evaluate(Y[rows], scores=form(scores[rows]), decided=decided[rows])
    assert_close(found, expected)


@given(gappy_outcomes(), st.data())
def test_decisions_and_scores_of_missing_labels_do_not_matter(outcome, data):
    Y, scores, decided = outcome
    gone = np.isnan(Y)
    other_scores = np.where(gone, data.draw(st.floats(-3, 3)), scores).astype(scores.dtype)
    found = evaluate(Y, scores=scores, decided=decided)
    assert_close(evaluate(Y, scores=other_scores, decided=np.where(gone, 1, decided)), found)


@given(gappy_outcomes())
def test_counts_leave_missing_labels_out(outcome):
    Y, _, decided = outcome
    for by, pairs in (
        ("label", zip(Y.T, decided.T, strict=True)),
        ("sample", zip(Y, decided, strict=True)),
    ):
        expected = np.array([oracle.counts_of_cells(truth, given == 1) for truth, given in pairs])
        np.testing.assert_array_equal(np.transpose(count(Y, decided, by)), expected)


@given(gappy_outcomes())
def test_functions_and_evaluate_agree_on_missing_labels(outcome):
    Y, scores, decided = outcome
    found = evaluate(Y, scores=scores, decided=decided, cutoffs=[1])
    wrong = np.where(np.isnan(Y), np.nan, decided != Y)[~np.isnan(Y).all(axis=1)]
    expected = {
        "hamming-loss": np.nanmean(wrong, axis=1).mean(),
        "subset-accuracy": np.mean(np.nansum(wrong, axis=1) == 0),
        "coverage": coverage(Y, scores),
        "ranking-loss": ranking_loss(Y, scores),
        "one-error": one_error(Y, scores),
        "r-precision": r_precision(Y, scores),
        "precision-at-1": precision_at(Y, scores, 1),
        "ndcg-at-1": ndcg_at(Y, scores, 1),
        "micro-auc": area_under_roc(Y, scores),
        "sample-auc": area_under_roc(Y, scores, average="sample"),
        "macro-average-precision": average_precision(Y, scores),
    }
    assert_close(found, expected)


def test_macro_measures_of_labels_with_gaps_agree_with_scikit_learn():
    random = np.random.default_rng(0)
    Y = (random.random((80, 4)) < 0.4).astype(float)
    scores = np.round(random.random(Y.shape) + 0.3 * Y, 1)
    decided = scores > 0.6
    weights = random.random(80)
    Y[random.random(Y.shape) < 0.3] = np.nan
    found = evaluate(Y, scores=scores, decided=decided, sample_weight=weights)
    known = ~np.isnan(Y)
    expected = {"macro-f": [], "macro-auc": [], "macro-average-precision": []}
    for j in range(4):
        has_it = known[:, j]
        options = {"sample_weight": weights[has_it]}
        truth, score = Y[has_it, j], scores[has_it, j]
        expected["macro-f"].append(metrics.f1_score(truth, decided[has_it, j], **options))
        expected["macro-auc"].append(metrics.roc_auc_score(truth, score, **options))
        expected["macro-average-precision"].append(
            metrics.average_precision_score(truth, score, **options)
        )
    assert_close(found, {name: np.mean(values) for name, values in expected.items()})


FRAMES = {
    "pandas": pd.DataFrame({"a": [1.0, np.nan, 0.0], "b": [1.0, 1.0, np.nan]}),
    "pandas NA": pd.DataFrame(
        {"a": pd.array([1, None, 0], dtype="Int64"), "b": pd.array([True, True, None], "boolean")}
    ),
    "pandas None": pd.DataFrame({"a": [1, None, 0], "b": [True, True, None]}, dtype=object),
    "polars": pl.DataFrame({"a": [1, None, 0], "b": [True, True, None]}),
    "masked": np.ma.array([[1, 1], [7, 1], [0, 7]], mask=[[0, 0], [1, 0], [0, 1]]),
    "sparse": sparse.csr_array([[1.0, 1.0], [np.nan, 1.0], [0.0, np.nan]]),
    "float32": np.array([[1, 1], [np.nan, 1], [0, np.nan]], dtype=np.float32),
    "list": [[1, 1], [float("nan"), 1], [0, float("nan")]],
}


@pytest.mark.parametrize("form", FRAMES)
def test_missing_labels_are_read_in_every_form(form):
    decided = [[1, 0], [1, 1], [1, 1]]
    found = evaluate(FRAMES[form], decided=decided)
    assert found.n_missing == 2
    np.testing.assert_array_equal(
        np.transpose(count(FRAMES[form], decided)), [[1, 1, 0, 0], [1, 0, 1, 0]]
    )


def test_the_printout_says_how_many_cells_have_no_truth():
    nan = np.nan
    decided = np.ones((3, 2))
    one = evaluate([[1, nan], [0, 1], [1, 1]], decided=decided)
    assert "1 cell has no truth in Y and counts nowhere." in repr(one)
    more = evaluate([[1, nan], [0, nan], [nan, nan]], decided=decided)
    assert "4 cells have no truth in Y and count nowhere; 1 sample and 1 label " in repr(more)
    assert "without any truth left out." in repr(more)
    assert "Evaluation of 2 samples and 1 labels" in repr(more)
    assert "truth" not in repr(evaluate([[1, 0], [0, 1], [1, 1]], decided=decided))


def test_labels_without_any_truth_are_refused_if_there_are_no_others():
    with pytest.raises(ValueError, match="Y must have a label that is not missing"):
        evaluate([[np.nan]], decided=[[1]])
    with pytest.raises(ValueError, match="Y must have a label that is not missing"):
        coverage([[np.nan]], [[0.1]])


def test_decisions_must_not_be_missing():
    with pytest.raises(ValueError, match="decided must contain only 0 and 1, got nan at row 0"):
        evaluate([[1, 0]], decided=[[np.nan, 0]])


class Model:
    """A fitted model that knows the labels a and b."""

    label_names_ = ("a", "b")

    def predict(self, X):
        return (X > 0).astype(int)

    def decision_function(self, X):
        return X


X = np.array([[0.5, -1.0], [0.2, 0.3], [-0.1, 0.6], [0.1, -0.2]])


@pytest.mark.parametrize("name", ["micro-f", "macro-auc", "neg-ranking-loss", "sample-f"])
def test_scorers_leave_missing_labels_out(name):
    Y = np.array([[1, np.nan], [0, 1], [np.nan, 0], [1, 1]])
    measured = evaluate(Y, scores=X, decided=X > 0, undefined="skip")
    value = measured[name.removeprefix("neg-")] * (-1 if name.startswith("neg-") else 1)
    assert scorer(name, undefined="skip")(Model(), X, Y) == pytest.approx(value)
    frame = pd.DataFrame(Y[:, ::-1], columns=["b", "a"])
    assert scorer([name], undefined="skip")(Model(), X, frame)[name] == pytest.approx(value)


@pytest.mark.parametrize("name", ["micro-f", "micro-auc", "sample-average-precision"])
def test_missing_labels_that_a_model_does_not_know_count_nowhere(name):
    frame = pd.DataFrame(
        {"a": [1, 0, np.nan, 1], "b": [np.nan, 1, 0, 1], "c": [1.0, 1.0, np.nan, 0.0]}
    )
    scores = np.column_stack([X, np.full(4, -9.0)])
    expected = evaluate(frame, scores=scores, decided=scores > 0, undefined="skip")[name]
    found = scorer(name, unknown_labels="missed", undefined="skip")(Model(), X, frame)
    assert found == pytest.approx(expected)


def test_counts_of_a_label_without_truth_are_zero():
    counts = count([[np.nan, 1], [np.nan, 0]], [[1, 1], [1, 0]])
    assert [cells.tolist() for cells in counts] == [[0, 1], [0, 0], [0, 0], [0, 1]]
    assert macro(f_measure, counts) == 1
