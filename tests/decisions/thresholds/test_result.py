"""Thresholds decide by name, for dense and sparse scores, and describe themselves."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from labelwise.decisions import best_thresholds

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
SCORES = pd.DataFrame({"sea": [0.9, 0.6, 0.3, 0.2], "sky": [0.2, 0.4, 0.1, 0.3]})
Y = pd.DataFrame({"sky": [0, 1, 0, 0], "sea": [1, 0, 1, 0]})


@pytest.fixture
def tuned():
    return best_thresholds(SCORES[["sky", "sea"]], Y)


def test_columns_are_decided_by_name_and_frames_keep_their_form(tuned):
    assert tuned.label_names == ("sky", "sea")
    expected = np.array([[0, 1], [1, 1], [0, 1], [0, 0]])
    for scores in (SCORES, SCORES[["sky", "sea"]], pl.from_pandas(SCORES)):
        decided = tuned.decide(scores)
        assert type(decided) is type(scores)
        assert list(decided.columns) == list(scores.columns)
        np.testing.assert_array_equal(decided[["sky", "sea"]].to_numpy(), expected)
    decided = tuned.decide(SCORES[["sky", "sea"]].to_numpy())
    assert decided.dtype == np.int8
    np.testing.assert_array_equal(decided, expected)


def test_sparse_scores_give_sparse_decisions_where_absent_is_not_decided(tuned):
    rows = sparse.csr_array(np.array([[0.0, 0.9], [0.5, 0.0], [0.1, 0.1]]))
    decided = tuned.decide(rows)
    assert decided.dtype == bool
    assert decided.nnz == 2
    np.testing.assert_array_equal(decided.toarray(), [[0, 1], [1, 0], [0, 0]])
    everybody = best_thresholds([[0.1]], [[1]])
    assert everybody.decide(sparse.csr_array((2, 1))).nnz == 0


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (SCORES.rename(columns={"sea": "see"}), "scores lacks label 'sea'"),
        (SCORES.assign(sun=0.1), "scores has an unknown label 'sun'"),
        ([[0.1]], "scores has 1 labels, but there are 2 thresholds"),
        ([[0.1, np.nan]], "scores must be finite, got nan at row 0"),
    ],
    ids=["lacking", "unknown", "too few", "nan"],
)
def test_scores_that_do_not_fit_are_refused(tuned, scores, message):
    with pytest.raises(ValueError, match=message):
        tuned.decide(scores)


def test_float32_scores_are_decided_as_tuned():
    random = np.random.default_rng(0)
    scores = random.random((500, 3), dtype=np.float32)
    truth = random.random((500, 3)) < scores
    tuned = best_thresholds(scores, truth)
    np.testing.assert_array_equal(tuned.decide(scores).sum(axis=0), tuned.evidence.decided)
    assert (tuned.values == tuned.values.astype(np.float32)).all()


def test_the_text_of_thresholds_has_value_proof_and_a_table(tuned):
    assert repr(tuned) == (
        "Thresholds of 2 labels: micro F 0.8571 on 4 samples\n"
        "the highest of all\n"
        "proof by certificate 0.428571: each label maximises true positives - 0.428571 × "
        "decisions\n"
        "\n"
        "label  threshold  support  decided\n"
        "sky         0.35        1        1\n"
        "sea         0.25        2        3"
    )
    many = best_thresholds(np.eye(30), np.eye(30), maximize="macro-f", shrink=0.5)
    assert "... and 10 more" in repr(many)
    assert "shrink 0.5" in repr(many)


def test_thresholds_cannot_be_changed(tuned):
    with pytest.raises(AttributeError):
        tuned.value = 1.0
    assert len({tuned, tuned}) == 1


@pytest.mark.parametrize(
    ("n_labels", "values", "advice"),
    [
        (2, [0.1, 0.9], r"one value for each of 2 labels \(for one sample, use reshape\(1, -1\)\)"),
        (1, [0.1, 0.9], r"\(for one label, use reshape\(-1, 1\)\)"),
        (
            2,
            [0.1, 0.9, 0.3],
            r"for one sample, use reshape\(1, -1\); for one label, reshape\(-1, 1",
        ),
    ],
)
def test_a_single_row_or_column_of_scores_is_told_how_to_be_a_matrix(n_labels, values, advice):
    tuned = best_thresholds([[0.2] * n_labels, [0.8] * n_labels], [[0] * n_labels, [1] * n_labels])
    with pytest.raises(ValueError, match=f"scores must be 2-D, rows by labels, got 1-D.*{advice}"):
        tuned.decide(values)
