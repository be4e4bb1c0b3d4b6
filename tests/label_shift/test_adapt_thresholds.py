"""Thresholds follow label frequencies that have moved, and stay if none has."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from labelwise.decisions import Adaptation, Thresholds, adapt_thresholds, best_thresholds
from labelwise.measures import accuracy, count, f_measure, macro, micro
from tests.label_shift.draws import TUNED_AT, draw, tuned_by_hand
from tests.oracles import label_shift as oracle

SAME = [TUNED_AT] * 4
SHIFTED = [0.5, TUNED_AT, 0.05, 0.6]


@pytest.fixture(scope="module")
def tuning_data():
    return draw(np.random.default_rng(0), 3000, SAME)


@pytest.fixture(scope="module")
def new_scores():
    return draw(np.random.default_rng(1), 3000, SHIFTED)[0]


def test_thresholds_stay_if_nothing_moved(tuning_data):
    tuned = best_thresholds(*tuning_data)
    found = adapt_thresholds(tuned, draw(np.random.default_rng(2), 1000, SAME)[0])
    assert found.thresholds is tuned
    assert not found.moved.any()
    assert "the thresholds stay as they are" in repr(found)


@pytest.mark.parametrize("maximize", ["micro-f", "macro-f", "macro-jaccard", "micro-accuracy"])
@pytest.mark.parametrize("options", [{}, {"shared": True}, {"shrink": 0.5}])
def test_adapted_thresholds_are_better_on_the_true_labels(maximize, options):
    random = np.random.default_rng(3)
    average, _, name = maximize.partition("-")
    value_of = micro if average == "micro" else macro
    gains = []
    for _ in range(5):
        tuned = best_thresholds(*draw(random, 1000, SAME), maximize=maximize, **options)
        scores, Y = draw(random, 1000, SHIFTED)
        found = adapt_thresholds(tuned, scores)
        old, new = (
            value_of(name, count(Y, one.decide(scores))) for one in (tuned, found.thresholds)
        )
        gains.append(new - old)
        assert abs(found.thresholds.value - new) < 0.05
        assert abs(found.old_value - old) < 0.05
    assert np.mean(gains) > 0.003
    assert found.thresholds.evidence.adapted


def test_missing_labels_count_nowhere_in_the_old_frequencies(tuning_data, new_scores, tmp_path):
    scores, Y = tuning_data
    gaps = np.random.default_rng(5).random(Y.shape) < [0.0, 0.3, 0.6, 0.9]
    tuned = best_thresholds(scores, np.where(gaps, np.nan, Y), maximize="macro-f")
    tuned.save(tmp_path / "thresholds.json")
    for given in (tuned, Thresholds.load(tmp_path / "thresholds.json")):
        found = adapt_thresholds(given, new_scores)
        for j, known in enumerate(~gaps.T):
            alone = best_thresholds(scores[known][:, [j]], Y[known][:, [j]], maximize="macro-f")
            expected = adapt_thresholds(alone, new_scores[:, [j]])
            assert found.old_priors[j] == pytest.approx(Y[known, j].mean())
            assert found.priors[j] == pytest.approx(expected.priors[0])
            if found.moved[j]:
                adapted = found.thresholds.values[j]
                assert adapted == pytest.approx(expected.thresholds.values[0])
        assert found.moved.sum() == 3
        assert found.thresholds.evidence.n_missing == 0


def test_a_common_weight_changes_nothing(tuning_data, new_scores):
    plain, weighted = (
        adapt_thresholds(best_thresholds(*tuning_data, sample_weight=weights), new_scores)
        for weights in (None, np.full(3000, 7.5))
    )
    np.testing.assert_allclose(plain.old_priors, weighted.old_priors)
    np.testing.assert_allclose(plain.p_values, weighted.p_values)
    np.testing.assert_allclose(plain.thresholds.values, weighted.thresholds.values)


def test_the_test_of_a_move_keeps_its_level_with_weights_and_missing_labels():
    random, n_moved = np.random.default_rng(6), 0
    for _ in range(400):
        scores, Y = draw(random, 150, SAME[:1])
        other = random.integers(0, 2, (150, 1))  # so that no sample is without truth
        truth = np.column_stack([np.where(random.random(150) < 0.3, np.nan, Y[:, 0]), other])
        pair = np.column_stack([scores, scores])
        weights = random.choice([1.0, 10.0], 150, p=[0.9, 0.1])
        tuned = best_thresholds(pair, truth, sample_weight=weights)
        new = draw(random, 5000, SAME[:1])[0]
        found = adapt_thresholds(tuned, np.column_stack([new, new]), labels=[0])
        n_moved += found.moved[0]
    assert n_moved < 0.08 * 400  # 0.4 if a sample of weight 10 counted as ten


def test_a_cost_is_adapted_in_closed_form(tuning_data, new_scores):
    random = np.random.default_rng(4)
    tuned = best_thresholds(*tuning_data, cost=(1.0, 3.0))
    found = adapt_thresholds(tuned, new_scores)
    adapted = oracle.adapted(found.thresholds.values, found.old_priors, found.priors)
    np.testing.assert_allclose(adapted[found.moved], tuned.values[found.moved])
    assert found.thresholds.values[~found.moved] == tuned.values[~found.moved]
    assert np.isnan(found.thresholds.value)
    scores, Y = draw(random, 3000, SHIFTED)
    costs = []
    for one in (tuned, found.thresholds):
        counts = count(Y, one.decide(scores))
        costs.append(np.sum(counts.fp) + 3 * np.sum(counts.fn))
    assert costs[1] < costs[0]


def test_accuracy_is_highest_from_an_adapted_probability_of_a_half_on(tuning_data, new_scores):
    found = adapt_thresholds(best_thresholds(*tuning_data, maximize=accuracy), new_scores)
    new = np.where(found.moved, found.priors, found.old_priors)
    levels = oracle.adapted(found.thresholds.values, found.old_priors, new)
    np.testing.assert_allclose(levels, 0.5, atol=1e-3)


def test_macro_leaves_labels_that_did_not_move(tuning_data, new_scores):
    tuned = best_thresholds(*tuning_data, maximize="macro-f")
    found = adapt_thresholds(tuned, new_scores)
    assert found.moved.tolist() == [True, False, True, True]
    assert found.thresholds.values[1] == tuned.values[1]
    assert (found.thresholds.values != tuned.values)[found.moved].all()


def test_only_the_named_labels_are_adapted(tuning_data, new_scores):
    names = ("sea", "sky", "sun", "fog")
    tuned = best_thresholds(*tuning_data, maximize="macro-f", label_names=names)
    all_labels = adapt_thresholds(tuned, new_scores)
    for labels in (["fog", "sky"], [3, 1]):
        found = adapt_thresholds(tuned, new_scores, labels=labels)
        assert found.moved.tolist() == [False, False, False, True]
        assert np.isnan(found.p_values).tolist() == [True, False, True, False]
        assert found.thresholds.values[:3].tolist() == tuned.values[:3].tolist()
        assert found.thresholds.values[3] == all_labels.thresholds.values[3]
        np.testing.assert_array_equal(found.priors, all_labels.priors)


def test_level_1_adapts_all_labels_and_level_0_none(tuning_data, new_scores):
    tuned = best_thresholds(*tuning_data, maximize="macro-f")
    assert adapt_thresholds(tuned, new_scores, alpha=1).moved.all()
    assert adapt_thresholds(tuned, new_scores, alpha=0).thresholds is tuned


def test_labels_of_one_class_keep_their_threshold(new_scores):
    values = [0.4, np.inf, -np.inf, 0.3]
    for average in ("micro", "macro"):
        tuned = tuned_by_hand([600, 0, 3000, 600], 3000, values, average=average)
        found = adapt_thresholds(tuned, new_scores)
        assert found.thresholds.values[1:3].tolist() == [np.inf, -np.inf]
        assert found.thresholds.evidence.decided[1:3].tolist() == [0, 3000]


def test_sparse_scores_and_frames_give_the_same_thresholds(new_scores):
    tuned = tuned_by_hand([600] * 4, 3000, label_names=("sea", "sky", "sun", "fog"))
    found = adapt_thresholds(tuned, new_scores)
    frame = pd.DataFrame(new_scores, columns=list(tuned.label_names))
    for form in (frame[["fog", "sun", "sky", "sea"]], new_scores.tolist()):
        np.testing.assert_allclose(
            adapt_thresholds(tuned, form).thresholds.values, found.thresholds.values
        )
    cut = np.where(new_scores < 0.01, 0, new_scores)
    dense, absent = (adapt_thresholds(tuned, form) for form in (cut, sparse.csr_array(cut)))
    np.testing.assert_allclose(absent.priors, dense.priors)
    np.testing.assert_allclose(absent.thresholds.values, dense.thresholds.values)
    assert absent.thresholds.evidence.decided.tolist() == dense.thresholds.evidence.decided.tolist()


def test_adapted_thresholds_are_saved_and_are_not_adapted_again(tuning_data, new_scores, tmp_path):
    found = adapt_thresholds(best_thresholds(*tuning_data), new_scores)
    found.thresholds.save(tmp_path / "adapted.json")
    loaded = Thresholds.load(tmp_path / "adapted.json")
    assert loaded.evidence.adapted
    assert (loaded.values == found.thresholds.values).all()
    assert "expected on 3,000 new samples" in repr(loaded)
    with pytest.raises(ValueError, match="they are adapted already"):
        adapt_thresholds(loaded, new_scores)


def test_the_result_prints_as_a_table_of_the_labels_that_moved_most(new_scores):
    wide = np.tile(new_scores[:, [1]], 25)
    wide[:, 24] = new_scores[:, 0]
    found = adapt_thresholds(tuned_by_hand([600] * 25, 3000), wide)
    assert isinstance(found, Adaptation)
    lines = repr(found).splitlines()
    assert lines[0].startswith("Adaptation to 3,000 new samples: the frequencies of 1 of 25 labels")
    assert lines[1].startswith("expected micro F 0.")
    assert lines[4].split()[:2] == ["24", "0.2000"]
    assert lines[-1] == "... and 5 more"


def test_the_old_value_is_that_of_the_old_thresholds(tuning_data, new_scores):
    tuned = best_thresholds(*tuning_data)
    found = adapt_thresholds(tuned, new_scores)
    new = np.where(found.moved, found.priors, found.old_priors)
    proba = oracle.adapted(new_scores, found.old_priors, new)
    for one, value in ((tuned, found.old_value), (found.thresholds, found.thresholds.value)):
        counts = oracle.expected_counts(new_scores, proba, one.values)
        assert micro(f_measure, counts) == pytest.approx(value)
