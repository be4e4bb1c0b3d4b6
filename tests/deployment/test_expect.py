"""Measures to expect without labels: right if the probabilities are, and doubtful if not."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, logit, ndtr

from labelwise.decisions import best_thresholds
from labelwise.deployment import expect
from labelwise.measures import count, f_measure, macro, micro, precision, recall
from tests.cli.shell import refusal, run

MEASURES = {"precision": precision, "recall": recall, "f": f_measure}


def draw(seed, n_samples=2000, frequency=0.2):
    """Probabilities that are right at a frequency of 0.2, and labels."""
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, 2)) < frequency
    x = random.normal(size=Y.shape) + 2 * Y
    return expit(2 * x - 2 + logit(0.2)), Y.astype(np.int64)


@pytest.fixture(scope="module")
def tuned():
    return best_thresholds(*draw(0))


def test_values_are_those_of_the_expected_counts(tuned):
    proba, _ = draw(1, 200)
    found = expect(tuned, proba, random_state=0)
    decided = tuned.decide(proba)
    hits, positives = (proba * decided).sum(axis=0), proba.sum(axis=0)
    expected = 2 * hits.sum() / (decided.sum() + positives.sum())
    # Values are means of 600 draws, with a standard error of about 0.001.
    assert found.values["micro-f"] == pytest.approx(expected, abs=0.005)
    assert found.values["macro-recall"] == pytest.approx((hits / positives).mean(), abs=0.005)
    precisions = hits / decided.sum(axis=0)
    np.testing.assert_allclose(found.label_values["precision"], precisions, atol=0.005)


def far_from_sigmoids(random, n_samples):
    """Scores of which the share of positives rises in steps, and labels of a sample that agree."""
    scores = random.random((n_samples, 4))
    chances = np.array([0.02, 0.1, 0.2, 0.8])[(scores * 4).astype(int)]
    mood = random.normal(size=(n_samples, 1)) + random.normal(size=scores.shape)
    return scores, (ndtr(mood / np.sqrt(2)) < chances).astype(np.int64)


def by_sigmoids(random, n_samples):
    """Calibrated probabilities of rare labels, with independent labels."""
    proba = random.beta(0.3, 2.0, size=(n_samples, 4))
    return proba, (random.random(proba.shape) < proba).astype(np.int64)


def test_samples_of_a_group_are_drawn_together(tuned):
    """Four copies of each sample say as much as one: with groups, the ranges are those of one."""
    proba, Y = draw(1, 400)
    four = np.repeat(np.arange(400), 4)
    ranges = [
        expect(tuned, proba[four], calibrate=given, random_state=0).intervals["micro-f"]
        for given in ((proba[four], Y[four]), (proba[four], Y[four], four))
    ]
    alone, together = (high - low for low, high in ranges)
    assert 1.6 < together / alone < 2.4


def test_without_groups_each_sample_is_a_group(tuned):
    proba, Y = draw(1, 100)
    some = expect(tuned, proba, calibrate=(proba, Y), random_state=0)
    other = expect(tuned, proba, calibrate=(proba, Y, np.arange(100)), random_state=0)
    assert some.to_dict() == other.to_dict()


@pytest.mark.parametrize("drawn", [far_from_sigmoids, by_sigmoids])
def test_ranges_contain_the_values_about_as_often_as_they_say(drawn):
    inside, errors, n_runs = dict.fromkeys(("micro-f", "macro-f", "micro-recall"), 0), [], 20
    for seed in range(n_runs):
        random = np.random.default_rng(seed)
        calibrate, (scores, Y) = drawn(random, 600), drawn(random, 400)
        rule = best_thresholds(*calibrate)
        found = expect(rule, scores, calibrate=calibrate, random_state=seed)
        counts = count(Y, rule.decide(scores))
        values = {
            "micro-f": micro(f_measure, counts),
            "macro-f": macro(f_measure, counts),
            "micro-recall": micro(recall, counts),
        }
        errors.append(found.values["micro-f"] - values["micro-f"])
        for name, value in values.items():
            low, high = found.intervals[name]
            inside[name] += low <= value <= high
    assert min(inside.values()) >= 17, inside  # 19 are expected, at least 17 with probability 0.98
    # Sigmoids alone expect 0.09 too little of the first, and are right for the second.
    assert abs(np.mean(errors)) < 0.03


def test_any_scores_are_calibrated_by_labelled_samples():
    proba, Y = draw(1)
    scores = 3 * logit(proba) + 5
    rule = best_thresholds(scores, Y)
    new, truth = draw(2)
    found = expect(rule, 3 * logit(new) + 5, calibrate=(scores, Y), random_state=0)
    value = float(micro(f_measure, count(truth, rule.decide(3 * logit(new) + 5))))
    assert found.values["micro-f"] == pytest.approx(value, abs=0.03)
    assert found.doubts == ()
    with pytest.raises(ValueError, match="from 0 to 1 without calibrate, got"):
        expect(rule, scores)


def test_the_expected_f_has_the_beta_of_the_thresholds():
    rule = best_thresholds(*draw(1), beta=3.0)
    new, truth = draw(2)
    counts = count(truth, rule.decide(new))
    found = expect(rule, new, calibrate=draw(1), random_state=0)
    value, other = (float(micro(f_measure, counts, beta=beta)) for beta in (3.0, 1.0))
    assert abs(value - other) > 0.1
    assert found.values["micro-f"] == pytest.approx(value, abs=0.03)
    of_labels = f_measure(counts, beta=3.0)
    np.testing.assert_allclose(found.label_values["f"], of_labels, atol=0.06)


def test_frequencies_that_moved_are_said_and_followed(tuned):
    proba, Y = draw(3, frequency=0.5)
    plain = expect(tuned, proba, calibrate=draw(0), random_state=0)
    assert any("moved since tuning" in one for one in plain.doubts)
    found = expect(tuned, proba, calibrate=draw(0), adapt=True, random_state=0)
    assert not any("moved" in one for one in found.doubts)
    counts = count(Y, tuned.decide(proba))
    values = {"micro-precision": micro(precision, counts), "micro-recall": micro(recall, counts)}
    errors = [
        sum(abs(one.values[name] - value) for name, value in values.items())
        for one in (found, plain)
    ]
    assert errors[0] < 0.03 < 0.1 < errors[1]
    np.testing.assert_allclose(found.priors, 0.5, atol=0.05)


def test_reasons_for_doubt_are_named(tuned):
    proba, Y = draw(0)
    assert "no labelled samples have checked" in expect(tuned, proba, random_state=0).doubts[0]
    few = Y.copy()
    few[np.flatnonzero(Y[:, 1])[5:], 1] = 0
    found = expect(tuned, proba, calibrate=(proba, few), random_state=0)
    assert any("fewer than 10 positives" in one for one in found.doubts)
    narrow = proba.max(axis=1) < 0.5
    found = expect(tuned, proba, calibrate=(proba[narrow], Y[narrow]), random_state=0)
    assert any("lie outside of those that were calibrated" in one for one in found.doubts)
    rare, _ = draw(5, frequency=0.05)
    found = expect(tuned, rare, calibrate=draw(0), random_state=0)
    assert found.doubts[-2].startswith("samples have other scores than those that were calibrated")
    with pytest.raises(TypeError, match="scores must be dense"):
        expect(tuned, sparse.csr_array(proba))


def test_a_label_that_is_never_decided_has_no_precision():
    proba, Y = draw(0)
    rule = best_thresholds(proba, Y)
    rule = replace(rule, values=np.where(np.arange(len(rule)) == 1, np.inf, rule.values))
    found = expect(rule, proba, random_state=0)
    assert np.isnan(found.label_values["precision"][1])
    assert np.isnan(found.label_intervals["precision"][:, 1]).all()
    assert not np.isnan(found.label_intervals["recall"]).any()


def test_a_command_prints_the_expectation(tuned, tmp_path):
    (proba, Y), names = draw(0), ("sea", "sky")
    best_thresholds(proba, Y, label_names=names).save(tmp_path / "t.json")
    for name, matrix in {"scores": proba, "labels": Y}.items():
        lines = [",".join(map(repr, row)) for row in matrix.tolist()]
        (tmp_path / f"{name}.csv").write_text("\n".join([",".join(names), *lines]) + "\n")
    paths = [tmp_path / name for name in ("t.json", "scores.csv")]
    words = ("--calibrate", tmp_path / "scores.csv", tmp_path / "labels.csv")
    found = json.loads(run("expect", *paths, *words, "--json"))
    rule = best_thresholds(proba, Y, label_names=names)
    expected = expect(rule, proba, calibrate=(proba, Y), random_state=0)
    assert found["measures"]["micro-f"]["value"] == pytest.approx(expected.values["micro-f"])
    assert [one["label"] for one in found["labels"]] == list(names)
    assert run("expect", *paths, *words).startswith("Expected on 2,000 samples without labels")


def test_labels_that_were_partly_missing_have_not_moved():
    proba, Y = draw(0)
    partly = Y.astype(float)
    partly[: len(Y) // 2, 0] = np.nan
    rule = best_thresholds(proba, partly)
    found = expect(rule, draw(1)[0], calibrate=(proba, partly), random_state=0)
    assert not any("moved since tuning" in one for one in found.doubts)


def test_a_label_without_any_truth_is_expected_in_half_of_the_samples(tuned):
    proba, Y = draw(0)
    partly = np.where([True, False], np.nan, Y)
    found = expect(tuned, proba, calibrate=(proba, partly), random_state=0)
    assert found.priors[0] == pytest.approx(0.5, abs=0.05)
    assert any("'0' have fewer than 10 positives" in one for one in found.doubts)


def test_samples_like_those_to_calibrate_on_rarely_seem_different(tuned):
    said = [
        expect(tuned, draw(seed)[0], calibrate=draw(0), random_state=0).doubts
        for seed in range(1, 9)
    ]
    assert sum("other scores" in text for some in said for text in some) == 0


def test_two_samples_are_the_fewest_to_calibrate_on(tuned):
    proba, Y = draw(0)
    found = expect(tuned, proba[:5], calibrate=(proba[:2], Y[:2]), random_state=0)
    assert 0 <= found.values["micro-f"] <= 1
    with pytest.raises(
        ValueError, match=r"calibrate must have at least 2 samples or groups, got 1\."
    ):
        expect(tuned, proba, calibrate=(proba[:1], Y[:1]))
    with pytest.raises(ValueError, match=r"scores must have at least one sample, got 0\."):
        expect(tuned, proba[:0], calibrate=(proba, Y))


def test_the_command_reads_groups_of_labels_to_calibrate_with(tmp_path, monkeypatch, capsys, tuned):
    monkeypatch.chdir(tmp_path)
    proba, Y = draw(1, 60)
    replace(tuned, label_names=("a", "b")).save("t.json")
    header = "id,a,b"
    rows = [f"r{i},{p},{q}" for i, (p, q) in enumerate(proba.tolist())]
    Path("scores.csv").write_text("\n".join([header, *rows]) + "\n")
    rows = [f"r{i},{a},{b},p{i // 3}" for i, (a, b) in enumerate(Y.tolist())]
    Path("labels.csv").write_text("\n".join([f"{header},patient", *rows]) + "\n")
    files = ("t.json", "scores.csv", "--calibrate", "scores.csv", "labels.csv", "--json")
    found = json.loads(run("expect", *files, "--groups", "patient"))["measures"]["micro-f"]
    groups = np.arange(60) // 3
    same = expect(tuned, proba, calibrate=(proba, Y, groups), random_state=0)
    assert found["low"] == pytest.approx(same.intervals["micro-f"][0])
    words = refusal(monkeypatch, capsys, "expect", *files[:2], "--groups", "patient")
    assert "--groups names a column of the labels of --calibrate" in words


def test_samples_of_one_group_do_not_calibrate(tuned):
    scores, Y = draw(1, 40)
    with pytest.raises(ValueError, match="calibrate must have at least 2 samples or groups, got 1"):
        expect(tuned, scores, calibrate=(scores, Y, np.zeros(40)))
