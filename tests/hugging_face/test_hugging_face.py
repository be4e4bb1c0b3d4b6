"""Measures of a trainer's evaluation and thresholds of a configuration, without transformers."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from labelwise.decisions import best_thresholds, corrected_value
from labelwise.hugging_face import compute_metrics, decide, store_thresholds
from labelwise.measures import evaluate

NAMES = ["sea", "ship", "sky"]


@dataclass
class Prediction:
    """What EvalPrediction of transformers is: two arrays, also by iteration."""

    predictions: Any
    label_ids: Any

    def __iter__(self):
        return iter((self.predictions, self.label_ids))


class Config:
    """A configuration that is saved as JSON, as PretrainedConfig is."""

    def __init__(self, **values):
        vars(self).update(values)

    def again(self):
        return Config(**json.loads(json.dumps(vars(self), allow_nan=False)))


def rows(seed=0):
    random = np.random.default_rng(seed)
    labels = (random.random((300, 3)) < 0.3).astype(np.float32)
    return (random.normal(size=labels.shape) + 2 * labels - 2).astype(np.float32), labels


def test_measures_are_those_of_the_library():
    logits, labels = rows()
    found = compute_metrics(Prediction(logits, labels))
    scores = logits.astype(np.float64)
    tuned = best_thresholds(scores, labels, shrink="auto", random_state=0)
    assert found["micro_f"] == evaluate(labels, decided=scores >= 0)["micro-f"]
    assert found["tuned_micro_f"] == evaluate(labels, decided=tuned.decide(scores))["micro-f"]
    assert found["new_samples"] == corrected_value(tuned, scores, labels, random_state=0)
    assert found["micro_f"] < found["new_samples"] <= found["tuned_micro_f"]
    assert all(type(value) is float for value in found.values())


def test_the_first_of_several_outputs_has_the_logits():
    logits, labels = rows()
    hidden = np.zeros((300, 7))
    assert compute_metrics(Prediction((logits, hidden), labels)) == compute_metrics(
        Prediction(logits, labels)
    )


def test_missing_labels_are_not_measured():
    logits, labels = rows()
    unknown = labels.copy()
    unknown[::3, 1] = -100
    nothing = labels.copy()
    nothing[::3, 1] = np.nan
    found = compute_metrics((logits, unknown))
    assert found == compute_metrics((logits, nothing))
    assert found != compute_metrics((logits, labels))


def test_another_measure_is_tuned_for():
    logits, labels = rows()
    assert (
        compute_metrics((logits, labels), maximize="macro-f")["tuned_macro_f"]
        >= compute_metrics((logits, labels))["tuned_macro_f"]
    )


def test_a_saved_configuration_decides_as_the_thresholds_do():
    logits, labels = rows()
    tuned = best_thresholds(logits, labels, label_names=["sky", "sea", "ship"])
    config = Config(id2label=dict(enumerate(NAMES)))
    store_thresholds(config, tuned)
    again = config.again()  # keys of id2label are now texts
    in_order = logits[:, [1, 2, 0]]
    expected = np.asarray(tuned.decide(logits))[:, [1, 2, 0]]
    sets = [[NAMES[j] for j in row.nonzero()[0]] for row in expected]
    assert decide(again, in_order) == sets


def test_a_label_that_is_never_decided_stays_so():
    with pytest.warns(UserWarning, match="no positives"):
        tuned = best_thresholds([[0.5, 9.0], [0.1, 8.0]], [[1, 0], [0, 0]])
    config = Config(id2label={0: "a", 1: "b"})
    store_thresholds(config, tuned)
    assert decide(config.again(), [[1.0, 1e9]]) == [["a"]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: compute_metrics((np.zeros((3, 2)), np.zeros((3, 1)))),
            "labels must have the shape",
        ),
        (lambda: decide(Config(id2label={0: "a"}), [[1.0]]), "config must have thresholds"),
        (
            lambda: decide(Config(id2label={0: "a"}, thresholds=[0.0]), [[1.0, 2.0]]),
            "a column for each of 1 thresholds",
        ),
        (
            lambda: store_thresholds(
                Config(id2label={0: "a"}), best_thresholds([[1.0, 2.0]], [[1, 1]])
            ),
            "thresholds must be those of 1 labels",
        ),
        (
            lambda: store_thresholds(
                Config(id2label={0: "a"}), best_thresholds([[1.0]], [[1]], label_names=["b"])
            ),
            r"thresholds must be those of the labels \['a'\]",
        ),
        (lambda: decide(Config(id2label={1: "a"}, thresholds=[0.0]), [[1.0]]), "from 0"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
