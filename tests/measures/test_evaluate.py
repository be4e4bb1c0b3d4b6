"""An evaluation has every measure that applies, and shows all of them.

Tests of `_evaluate` and `_evaluation_result`.
"""

import json
import math
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.metrics import fbeta_score, jaccard_score, precision_score, recall_score
from sklearn.neighbors import KNeighborsClassifier

from labelwise import measures
from labelwise.measures import count, evaluate, macro, micro, scorer
from tests.measures import outcomes
from tests.measures.outcomes import (
    decided_outcomes,
    f_of_means,
    ndcg_at,
    precision_at,
    random_outcome,
    recall_at,
    scored_outcomes,
)

COUNTED = {
    "precision": measures.precision,
    "recall": measures.recall,
    "f": measures.f_measure,
    "jaccard": measures.jaccard,
    "accuracy": measures.accuracy,
    "balanced-accuracy": measures.balanced_accuracy,
    "g-mean": measures.g_mean,
    "matthews": measures.matthews,
}
RANKED = {
    "coverage": outcomes.coverage,
    "ranking-loss": outcomes.ranking_loss,
    "one-error": outcomes.one_error,
    "r-precision": outcomes.r_precision,
    "macro-average-precision": outcomes.average_precision,
    "sample-average-precision": partial(outcomes.average_precision, average="sample"),
    "micro-average-precision": partial(outcomes.average_precision, average="micro"),
    "micro-auc": outcomes.area_under_roc,
    "macro-auc": partial(outcomes.area_under_roc, average="macro"),
    "sample-auc": partial(outcomes.area_under_roc, average="sample"),
    "precision-at-1": partial(precision_at, k=1),
    "recall-at-1": partial(recall_at, k=1),
    "ndcg-at-1": partial(ndcg_at, k=1),
}
UNDEFINED = st.sampled_from(["nan", "skip", 0.5])


def without_empty(measure, counts, beta):
    """The measure, not defined without positives and decisions."""
    values = measure(counts, beta) if measure is measures.f_measure else measure(counts)
    return np.where(counts.tp + counts.fp + counts.fn == 0, np.nan, values)


@given(decided_outcomes())
@pytest.mark.filterwarnings("ignore:.*samples:")
def test_zero_is_the_convention_of_scikit_learn(outcome):
    Y, decided = (np.asarray(matrix) for matrix in outcome)
    found = evaluate(Y, decided=decided, undefined="zero", beta=2.0)
    if Y.shape[1] == 1:  # which scikit-learn takes for two classes
        return
    functions = {
        "precision": precision_score,
        "recall": recall_score,
        "f": partial(fbeta_score, beta=2.0),
        "jaccard": jaccard_score,
    }
    for average, ours in (("micro", "micro"), ("macro", "macro"), ("samples", "sample")):
        for name, function in functions.items():
            expected = function(Y, decided, average=average, zero_division=0)
            assert found[f"{ours}-{name}"] == pytest.approx(expected)


def test_labels_that_count_as_one_are_reported_with_the_value_without_them():
    Y, decided = np.eye(4, dtype=int), np.zeros((4, 4), dtype=int)
    Y[2:] = 0
    decided[0, 0] = 1
    found = evaluate(Y, decided=decided)
    assert found["macro-f"] == 0.75
    assert "2 labels have no positives and no decisions and count as 1 in macro-f" in str(found)
    assert "macro-f is 0.5000 over labels with positives" in str(found)
    assert 'undefined="defined" (--undefined defined) leaves them out.' in str(found)
    skipped, zero = (evaluate(Y, decided=decided, undefined=u) for u in ("skip", "zero"))
    assert (skipped["macro-f"], zero["macro-f"]) == (0.5, 0.25)
    assert "No value for 2 labels, counted as 0: macro-recall, macro-f" in str(zero)
    for silent in (skipped, zero, evaluate(Y[:, :2], decided=decided[:, :2])):
        assert "as 1 in macro-f" not in str(silent)
    named = scorer("macro-f", undefined="zero")
    assert named.undefined == "zero"


def test_samples_that_count_as_one_are_reported():
    Y, decided = [[1, 0], [0, 0], [0, 1], [0, 0]], [[0, 0], [0, 0], [0, 1], [0, 1]]
    found = evaluate(Y, decided=decided)
    assert (found["sample-f"], found.n_empty_samples) == (0.5, 1)
    wanted = "1 sample has no positives and no decisions and counts as 1 in sample-f"
    assert wanted in str(found)
    for undefined in ("skip", "zero"):
        assert wanted not in str(evaluate(Y, decided=decided, undefined=undefined))
    assert wanted not in str(evaluate(Y, scores=decided))


@given(decided_outcomes(), UNDEFINED)
def test_each_value_of_decisions_is_that_of_its_function(outcome, undefined):
    found = evaluate(*outcome[:1], decided=outcome[1], undefined=undefined, beta=2.0)
    by_label, by_sample = (count(*outcome, by) for by in ("label", "sample"))
    expected = {}
    for name, measure in COUNTED.items():
        beta = 2.0 if name == "f" else 1.0
        pooled = micro(measure, by_label, beta=beta)
        replaced = undefined == 0.5 and math.isnan(pooled)
        expected[f"micro-{name}"] = undefined if replaced else pooled
        if undefined == "skip" and name in ("f", "jaccard"):
            measure = partial(without_empty, measure, beta=beta)
            beta = 1.0
        expected[f"macro-{name}"] = macro(measure, by_label, undefined, beta=beta)
        expected[f"sample-{name}"] = macro(measure, by_sample, undefined, beta=beta)
    expected["f-of-means"] = f_of_means(by_label, 2.0, undefined)
    is_wrong = np.not_equal(*outcome)
    expected["hamming-loss"] = is_wrong.mean()
    expected["subset-accuracy"] = 1 - is_wrong.any(axis=1).mean()
    assert dict(found) == pytest.approx(expected, nan_ok=True)


@given(scored_outcomes(), UNDEFINED)
def test_each_value_of_scores_is_that_of_its_function(outcome, undefined):
    found = evaluate(outcome[0], scores=outcome[1], undefined=undefined, cutoffs=[1])
    expected = {name: measure(*outcome, undefined=undefined) for name, measure in RANKED.items()}
    assert dict(found) == pytest.approx(expected, nan_ok=True)


def test_scores_and_decisions_together_give_what_each_gives_alone():
    Y, scores, decided = random_outcome()
    alone = dict(evaluate(Y, scores=scores)) | dict(evaluate(Y, decided=decided))
    assert dict(evaluate(Y, scores=scores, decided=decided)) == alone


def test_measures_are_at_1_3_and_5_labels_unless_cutoffs_are_given():
    Y, scores = np.eye(7, dtype=int), np.arange(49.0).reshape(7, 7)
    assert evaluate(Y, scores=scores) == evaluate(Y, scores=scores, cutoffs=(1, 3, 5))
    assert evaluate(Y, scores=scores) != evaluate(Y, scores=scores, cutoffs=(1, 3, 6))


def test_cutoffs_beyond_the_labels_are_left_out():
    found = evaluate([[1, 0], [0, 1]], scores=[[0.2, 0.1], [0.1, 0.2]], cutoffs=(1, 2, 3))
    assert [name for name in found if name.startswith("ndcg")] == ["ndcg-at-1", "ndcg-at-2"]


def test_values_of_each_label_are_those_of_the_label_alone():
    Y, scores, decided = random_outcome()
    found = evaluate(Y, scores=scores, decided=decided).per_label
    np.testing.assert_array_equal(found["positives"], Y.sum(axis=0))
    np.testing.assert_array_equal(found["decided"], decided.sum(axis=0))
    assert {"average-precision", "auc", *COUNTED} == set(found) - {"positives", "decided"}
    for j in range(Y.shape[1]):
        alone = evaluate(Y[:, [j]], scores=scores[:, [j]], decided=decided[:, [j]], cutoffs=[])
        for name in set(found) - {"positives", "decided"}:
            assert found[name][j] == pytest.approx(alone[f"micro-{name}"])


def test_undefined_labels_and_samples_are_counted():
    Y = np.array([[1, 0, 0], [1, 0, 1], [0, 0, 0], [0, 0, 0]])
    decided = np.array([[1, 0, 1]] * 4)  # nobody has or gets the label in the middle
    found = evaluate(Y, scores=np.eye(4, 3), decided=decided, undefined="skip")
    assert found.n_undefined["macro-recall"] == found.n_undefined["macro-auc"] == 1
    assert found.n_undefined["f-of-means"] == 1
    assert found.n_undefined["sample-recall"] == found.n_undefined["coverage"] == 2
    assert found.n_undefined["macro-f"] == 1
    assert found.n_undefined["micro-recall"] == 0
    assert f"{found['macro-recall']:.4f} (2 of 3)" in str(found)
    assert f"{found['sample-recall']:.4f} (2 of 4)" in str(found)


@given(decided_outcomes(), st.sampled_from(["nan", "defined", "zero"]))
def test_the_mean_of_defined_values_keeps_the_conventional_one(outcome, undefined):
    found = evaluate(outcome[0], decided=outcome[1], undefined=undefined)
    counts = {"macro": count(*outcome, "label"), "sample": count(*outcome, "sample")}
    for name, measure in COUNTED.items():
        for average, cells in counts.items():
            one = found.measured[f"{average}-{name}"]
            values = measure(cells)
            if undefined == "zero" and name in ("f", "jaccard"):
                values = without_empty(measure, cells, 1.0)
            known = values[~np.isnan(values)]
            assert one.n_undefined == values.size - known.size
            wanted = known.mean() if known.size else np.nan
            assert one.mean_of_defined == pytest.approx(wanted, nan_ok=True)
            if undefined == "defined":
                assert one.value == pytest.approx(wanted, nan_ok=True)


def test_a_mean_that_is_nan_is_printed_with_the_mean_of_defined_values_and_their_count():
    Y, decided = [[1, 0], [0, 0]], [[1, 0], [0, 1]]
    assert "nan (1.0000 over 1 of 2)" in str(evaluate(Y, decided=decided))
    assert "nan" not in str(evaluate(Y, decided=decided, undefined="defined")).lower()


def test_names_of_labels_are_kept_and_matched():
    truth = [{"sea"}, {"sky"}]
    scores = pd.DataFrame({"sun": [0.1, 0.1], "sky": [0.2, 0.8], "sea": [0.9, 0.3]})
    found = evaluate(truth, scores=scores, decided=[{"sea"}, {"sun"}])
    assert found.label_names == ("sea", "sky", "sun")
    assert found["one-error"] == 0
    assert found.to_dict("label")["sun"]["decided"] == 1
    assert evaluate(truth, scores=scores).label_names == ("sea", "sky", "sun")
    frame = pl.DataFrame({"sky": [0, 1], "sea": [1, 0], "sun": [0, 0]})
    assert evaluate(frame, scores=scores).label_names == ("sky", "sea", "sun")
    assert evaluate(frame, scores=scores)["one-error"] == 0
    assert evaluate(frame.to_numpy(), scores=scores).label_names == ("sun", "sky", "sea")
    assert evaluate([[1]], decided=[[1]], label_names=["sea"]).label_names == ("sea",)
    assert evaluate([[1, 0]], decided=[[1, 0]]).label_names == ("0", "1")


def test_sets_may_lack_names_that_the_scores_bring():
    scores = pd.DataFrame({"b": [0.2, 0.1], "a": [0.1, 0.3]})
    found = evaluate([[1, 0], [0, 1]], scores=scores, decided=[{"b"}, {"a"}])
    assert found["subset-accuracy"] == 1


def test_the_table_shows_every_value():
    Y, scores, decided = random_outcome()
    found = evaluate(Y, scores=scores, decided=decided, beta=0.5)
    table = str(found)
    for name, value in found.items():
        assert name.removeprefix("micro-").removeprefix("macro-").removeprefix("sample-") in table
        assert f"{value:.4f}" in table
    assert table.startswith("Evaluation of 40 samples and 6 labels")
    assert "F with beta = 0.5" in table
    assert repr(found) == table


def test_html_escapes_label_names():
    page = evaluate([{"<script>alert(1)</script>"}], decided=[{"a & b"}])._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "a &amp; b" in page


def test_the_page_says_how_many_labels_it_leaves_out():
    Y = np.eye(150, dtype=int)
    page = evaluate(Y, decided=Y)._repr_html_()
    assert "and 50 more" in page


def test_dictionaries_are_plain_enough_for_json():
    Y, scores, decided = random_outcome()
    found = evaluate(Y, scores=scores, decided=decided)
    assert json.loads(json.dumps(found.to_dict())) == dict(found)
    by_label = json.loads(json.dumps(found.to_dict("label")))
    assert list(by_label) == list(found.label_names)
    assert by_label["3"]["recall"] == found.per_label["recall"][3]


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_frames_of_every_library_have_the_same_values(backend, kind):
    Y, scores, decided = random_outcome()
    found = evaluate(Y, scores=scores, decided=decided, n_bootstrap=20, random_state=0)
    frame = found.to_frame(backend=backend)
    assert isinstance(frame, kind)
    rows = pa.table(frame).to_pydict()
    assert dict(zip(rows["measure"], rows["value"], strict=True)) == dict(found)
    assert rows["undefined"] == list(found.n_undefined.values())
    low = dict(zip(rows["measure"], rows["low"], strict=True))
    assert low["micro-f"] == found.intervals["micro-f"][0]
    labels = pa.table(found.to_frame("label", backend=backend)).to_pydict()
    assert labels["label"] == list(found.label_names)
    assert labels["recall"] == found.per_label["recall"].tolist()


def test_frames_come_from_the_first_library_that_is_there(monkeypatch):
    found = evaluate([[1]], decided=[[1]])
    assert isinstance(found.to_frame(), pd.DataFrame)
    monkeypatch.setattr(
        "labelwise._validation._arrays.find_spec", lambda name: name == "pyarrow" or None
    )
    assert isinstance(found.to_frame(), pa.Table)


def test_sparse_input_gives_what_dense_input_gives():
    Y, _, decided = random_outcome()
    forms = sparse.csr_array(Y), sparse.coo_matrix(decided)
    stored = evaluate(forms[0], decided=forms[1], n_bootstrap=9, random_state=0)
    dense = evaluate(Y, decided=decided, n_bootstrap=9, random_state=0)
    assert dict(stored) == dict(dense)
    assert stored.intervals == dense.intervals


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "scores or decided must be given, got neither"),
        (
            {"decided": [[1]], "n_bootstrap": 1},
            ValueError,
            "n_bootstrap must be 0 or at least 2, got 1",
        ),
        ({"decided": [[1]], "n_bootstrap": True}, TypeError, "n_bootstrap must be a whole number"),
        ({"decided": [[1]], "confidence": 1.0}, ValueError, "confidence must be between 0 and 1"),
        ({"decided": [[1]], "confidence": 95}, ValueError, "confidence must be between 0 and 1"),
        ({"decided": [[1]], "beta": 0}, ValueError, "beta must be a positive number, got 0"),
        ({"decided": [[1]], "cutoffs": [0]}, ValueError, "cutoffs must be at least 1, got 0"),
        ({"decided": [[1]], "cutoffs": ["a"]}, TypeError, "cutoffs must be a whole number"),
        ({"decided": [[1]], "undefined": "none"}, ValueError, 'undefined must be "nan"'),
        ({"scores": [[1]], "decided": [[1, 0]]}, ValueError, "decided has 2 labels but Y has 1"),
    ],
)
def test_bad_arguments_are_refused_by_name(options, error, message):
    with pytest.raises(error, match=message):
        evaluate([[1]], **options)


def test_frames_and_dictionaries_refuse_what_they_do_not_know():
    found = evaluate([[1]], decided=[[1]])
    with pytest.raises(ValueError, match='by must be "measure" or "label", got \'row\''):
        found.to_frame("row")
    with pytest.raises(ValueError, match='by must be "measure" or "label"'):
        found.to_dict("row")
    with pytest.raises(ValueError, match="backend must be one of pandas, polars, pyarrow, got"):
        found.to_frame(backend="dask")


def test_importing_the_measures_loads_nothing_heavy():
    heavy = {"numba", "sklearn", "pandas", "polars", "joblib", "matplotlib"}
    code = f"import sys, labelwise.measures; print({heavy!r} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


@pytest.mark.parametrize(
    ("values", "wrong", "meant"),
    [
        (lambda found: found, "macro-f1", "macro-f"),
        (lambda found: found, "f1_micro", "micro-f"),
        (lambda found: found.per_label, "f1", "f"),
        (lambda found: found.intervals, "macro-f1", "macro-f"),
        (lambda found: found.n_undefined, "macro-f1", "macro-f"),
    ],
)
def test_an_unknown_name_of_a_measure_is_answered_with_the_nearest_one(values, wrong, meant):
    named = values(evaluate([[1, 0], [0, 1]], decided=[[1, 0], [1, 1]], n_bootstrap=5))
    with pytest.raises(KeyError) as error:
        named[wrong]
    assert str(error.value).endswith(f"got {wrong!r}, did you mean {meant!r}?")
    assert wrong not in named
    assert named.get(wrong) is None


def test_a_scorer_of_several_measures_answers_an_unknown_name_with_the_nearest_one():
    X, Y = np.array([[0.0], [1.0]]), np.array([[1, 0], [0, 1]])
    model = KNeighborsClassifier(1).fit(X, Y)
    found = scorer(["micro-f"])(model, X, Y)
    with pytest.raises(KeyError, match="did you mean 'micro-f'"):
        found["f1_micro"]


def test_a_measure_that_needs_scores_is_not_among_those_of_decisions():
    found = evaluate([[1, 0], [0, 1]], decided=[[1, 0], [1, 1]])
    with pytest.raises(KeyError, match="'macro-auc'"):
        found["macro-auc"]


def test_each_slice_is_evaluated_by_itself():
    random = np.random.default_rng(0)
    Y = (random.random((80, 3)) < 0.4).astype(float)
    scores = Y + random.normal(size=Y.shape)
    decided = scores > 0.5
    Y[random.random(Y.shape) < 0.1] = np.nan
    slices = np.array(["b", "a"])[random.integers(0, 2, 80)]
    Y[:3], slices[:3] = np.nan, "c"
    weights = random.integers(0, 3, 80)
    found = evaluate(Y, scores=scores, decided=decided, slices=slices, sample_weight=weights)
    whole = evaluate(Y, scores=scores, decided=decided, sample_weight=weights)
    np.testing.assert_equal(dict(found), dict(whole))
    assert whole.slices == {}
    assert list(found.slices) == ["a", "b"]
    for name, one in found.slices.items():
        mine = slices == name
        alone = evaluate(
            Y[mine], scores=scores[mine], decided=decided[mine], sample_weight=weights[mine]
        )
        np.testing.assert_equal(dict(one), dict(alone))
        assert one.n_samples == alone.n_samples
    shown = repr(found)
    assert "slice  samples  micro-precision  micro-recall  micro-f  macro-f" in shown
    assert f"{found.slices['a']['micro-f']:.4f}" in shown
    with pytest.raises(ValueError, match="slices must name a slice for each of 80 samples"):
        evaluate(Y, scores=scores, slices=["a"])
