"""The study of bags: what a run gives, how models of instances are chosen, what is claimed."""

import numpy as np
import pytest
from sklearn.base import clone

import studies
from labelwise.data import make_digit_bags
from labelwise.experiments import Study
from labelwise.learners import BagPlugin, BinaryRelevance
from labelwise.measures import count, f_measure, macro
from labelwise.splitting import MultilabelStratifiedShuffleSplit
from studies.miml2017 import study as miml2017

FAST = BagPlugin(BinaryRelevance(penalty=0.01), cv=None, n_iter=1)


def test_a_study_fits_and_judges_whole_bags(tmp_path):
    data = make_digit_bags(60, sizes=[1, 2], random_state=0)
    split = MultilabelStratifiedShuffleSplit(1, test_size=1 / 3, random_state=0)
    models = {"bags": FAST.set_params(random_state=0)}
    study = Study([data], models, {"holdout": split}, ["macro-f", {"own": miml2017.bag_values}])
    rows = {row["measure"]: row["value"] for row in study.run(tmp_path / "s.sqlite").rows()}
    train, test = next(split.split(data.samples, data.Y))
    fitted = FAST.set_params(random_state=0).fit(data.take(train))
    held_out = data.take(test)
    expected = macro(f_measure, count(held_out.Y, fitted.predict(held_out)))
    assert rows["macro-f"] == rows["own/macro F"] == pytest.approx(expected)
    assert rows["own/tuned"] == fitted.thresholds_.value
    assert rows["own/instances right"] == miml2017.instances_right(fitted, held_out)


def some_values(ours, theirs):
    found = {("s", model, "macro F"): np.array(theirs) for model in miml2017.plain_models()}
    found |= {("s", model, "macro F"): np.array(ours) for model in miml2017.bag_models()}
    whole = ("s", "BagPlugin, logistic", "macro F at 0.5")
    return found | {
        ("s", miml2017.CHOSEN, miml2017.SECOND): np.array([1, 0]),
        whole: np.array(theirs),
    }


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ([0.5, 0.7], [0.4, 0.6], "**Confirmed.**"),
        ([0.45, 0.5], [0.4, 0.6], "**Confirmed.**"),
        ([0.3, 0.4], [0.4, 0.6], "**Not confirmed.**"),
    ],
)
def test_a_claim_is_confirmed_within_one_standard_error_of_the_best(ours, theirs, verdict):
    default = f"{np.mean(ours):.3f} with the default model of instances alone"
    *compared, chosen = miml2017.claims(some_values(ours, theirs), ("s",))
    for said in compared:
        assert said.endswith(f"{default}. {verdict}")
    assert chosen.endswith("in 1 of 2 runs.")


def test_those_that_tune_thresholds_are_rivals_of_their_own():
    found = some_values([0.5, 0.5], [0.4, 0.4])
    found["s", "tuned trees on bag mean", "macro F"] = np.array([0.6, 0.6])
    plain, tuned, _ = miml2017.claims(found, ("s",))
    assert "BR and LFP on summaries: 0.500" in plain
    assert plain.endswith("**Confirmed.**")
    assert "beside 0.600 ± 0.000 (tuned trees on bag mean)" in tuned
    assert tuned.endswith("**Not confirmed.**")


def test_each_part_is_worth_what_is_lost_without_it():
    said = miml2017.effects(some_values([0.5, 0.7], [0.4, 0.4]), ("s",))
    assert "tuning (0.5 for all labels) is worth: s +0.200 ± 0.100." in said[0]
    assert "+0.000 ± 0.000" in said[1]


def test_what_was_tuned_stands_above_what_new_bags_show():
    models = ("BagPlugin, logistic", "tuned on training bags")
    found = some_values([0.5, 0.7], [0.4, 0.4])
    found |= {("s", model, "tuned"): np.array([0.8, 0.6]) for model in models}
    assert [said.endswith("new ones: s +0.100.") for said in miml2017.optimism(found, ("s",))] == [
        True,
        True,
    ]


def test_the_default_model_is_the_first_of_the_list():
    data = make_digit_bags(60, sizes=[1, 2], random_state=0)
    options = {"cv": 2, "n_iter": 1, "random_state": 0}
    default = BagPlugin(**options).fit(data)
    listed = BagPlugin([miml2017.regressions()], **options).fit(data)
    scores = [model.predict_instances(data).scores for model in (listed, default)]
    np.testing.assert_array_equal(*scores)


def test_a_table_shows_every_model_and_claims_what_it_measured(monkeypatch, tmp_path):
    monkeypatch.setattr(studies, "STORES", tmp_path)
    names = ("BagPlugin, logistic", miml2017.CHOSEN, "without resampling")
    few = dict.fromkeys((*names, "tuned on training bags"), FAST)
    monkeypatch.setattr(miml2017, "bag_models", lambda: few)
    rows = miml2017.make_pipeline(miml2017.BagSummary("mean"), FAST.estimator)
    plain = {"BR on bag mean": rows, "tuned BR on bag mean": clone(rows)}
    monkeypatch.setattr(miml2017, "plain_models", lambda: plain)
    table = miml2017.TABLES["holdouts"](quick=True, repetitions=1)
    shown = {cell.where[1] for cell in table.cells}
    assert shown == {*few, *plain}
    assert all(cell.verdict == "" for cell in table.cells)
    assert "Confirmed.**" in table.words or "Not confirmed.**" in table.words
