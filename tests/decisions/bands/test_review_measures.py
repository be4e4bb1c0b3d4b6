"""Measures of three states count cells, and cross-validation counts unseen ones."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise.decisions import (
    ReviewMeasures,
    confidence_interval,
    corrected_value,
    review_bands,
    review_measures,
)

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, max_side=6)


@given(data=st.data(), shape=SHAPES)
def test_counts_and_rates_are_those_of_the_cells(data, shape):
    Y = data.draw(hnp.arrays(bool, shape))
    states = data.draw(hnp.arrays(np.int8, shape, elements=st.sampled_from([-1, 0, 1])))
    for given_states in (states, sparse.csr_array(states), states.tolist()):
        found = review_measures(Y, given_states)
        assert found == ReviewMeasures(
            n_samples=shape[0],
            n_cells=Y.size,
            n_positive=Y.sum(),
            accepted=(states == 1).sum(),
            accepted_positives=Y[states == 1].sum(),
            reviewed=(states == -1).sum(),
            reviewed_positives=Y[states == -1].sum(),
            reviewed_samples=(states == -1).any(axis=1).sum(),
        )
    answered = np.where(states == -1, Y, states == 1)
    rates = {
        "precision": (Y & (states == 1)).sum() / max((states == 1).sum(), 1),
        "recall_accepted": (Y & (states == 1)).sum() / max(Y.sum(), 1),
        "recall": (Y & answered).sum() / max(Y.sum(), 1),
        "precision_answered": (Y & answered).sum() / max(answered.sum(), 1),
    }
    for name, rate in rates.items():
        value = getattr(found, name)
        assert value == pytest.approx(rate) or np.isnan(value)
    assert np.isnan(found.precision) == (not (states == 1).any())
    assert np.isnan(found.recall) == (not Y.any())


def test_the_measures_of_the_tuning_rows_are_those_of_the_bands():
    random = np.random.default_rng(0)
    Y = random.random((100, 3)) < 0.3
    scores = random.normal(size=Y.shape) + Y
    bands = review_bands(scores, Y, min_precision=0.8, min_recall=0.9)
    found = review_measures(Y, bands.decide(scores))
    for name in ("precision", "recall", "recall_accepted", "review_per_1000"):
        assert getattr(found, name) == getattr(bands.evidence, name)


def test_columns_are_matched_by_name():
    Y = pd.DataFrame({"sea": [1, 0], "sky": [0, 0]})
    found = review_measures(Y, pd.DataFrame({"sky": [0, -1], "sea": [1, 0]}))
    assert (found.precision, found.reviewed_positives) == (1.0, 0)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([[1, 2]], "decided must contain only 1, 0 and -1 for review, got 2"),
        (sparse.csr_array([[1, -2]]), "decided must contain only 1, 0 and -1 for review, got -2"),
        ([[1]], "decided has 1 labels but Y has 2"),
    ],
    ids=["two", "sparse", "shape"],
)
def test_other_states_are_refused(states, message):
    with pytest.raises(ValueError, match=message):
        review_measures([[1, 0]], states)


def on_other_folds(scores, Y, **options):
    """Measures of the bands on samples that they were not tuned on."""
    return corrected_value(review_bands(scores, Y, **options), scores, Y, random_state=0)


def test_every_unseen_row_is_counted_once_and_rates_are_lower_than_those_tuned_for():
    random = np.random.default_rng(1)
    Y = random.random((150, 3)) < 0.3
    scores = random.normal(size=Y.shape) + Y
    found = on_other_folds(scores, Y, min_precision=1, min_recall=1)
    assert (found.n_samples, found.n_positive) == (150, Y.sum())
    assert found.precision < 1
    assert found.recall < 1


def test_the_corrected_value_of_bands_needs_their_request_and_knows_no_slices():
    random = np.random.default_rng(1)
    Y = random.random((60, 3)) < 0.3
    scores = random.normal(size=Y.shape) + Y
    bands = review_bands(scores, Y, min_precision=0.8)
    with pytest.raises(ValueError, match="slices must be None for bands"):
        corrected_value(bands, scores, Y, slices=np.ones(60))
    unasked = replace(bands, evidence=replace(bands.evidence, request=None))
    with pytest.raises(ValueError, match="got none, as in files of earlier releases: call review_"):
        corrected_value(unasked, scores, Y)
    with pytest.raises(TypeError, match="thresholds must be Thresholds, got Bands"):
        confidence_interval(bands, scores, Y)


def test_a_total_of_reviews_is_shared_out_among_the_rows_of_the_folds():
    random = np.random.default_rng(2)
    Y = random.random((200, 3)) < 0.3
    found = on_other_folds(random.normal(size=Y.shape) + Y, Y, max_review=100)
    assert 60 < found.reviewed < 150


def test_nothing_is_known_of_a_single_row_or_group_or_of_folds_without_bands():
    assert on_other_folds([[0.1, 0.2, 0.3]], [[1, 1, 1]], min_recall=1) is None
    random = np.random.default_rng(3)
    Y = random.random((40, 3)) < 0.3
    scores = random.normal(size=Y.shape)
    bands = review_bands(scores, Y, min_precision=0.9, min_recall=1.0, max_review=119)
    assert corrected_value(bands, scores, Y, groups=np.zeros(40), random_state=0) is None
    request = replace(bands.evidence.request, max_review=1)
    bands = replace(bands, evidence=replace(bands.evidence, request=request))
    assert corrected_value(bands, scores, Y, random_state=0) is None


def test_costs_of_a_label_are_numbers():
    bands = review_bands(np.eye(3), np.eye(3), cost=(1, [1, 2, 3], 0.5))
    costs = bands.evidence.request.costs
    assert [float(part[1]) for part in costs] == [1.0, 2.0, 0.5]
