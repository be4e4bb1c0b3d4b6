"""What cannot be adapted is refused in one sentence that says why."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from labelwise.decisions import adapt_thresholds, best_thresholds
from tests.label_shift.draws import TUNED_AT, draw, tuned_by_hand


@pytest.mark.parametrize(
    ("scores", "place"),
    [
        ([[0.1, 0.2], [0.3, 1.5]], "1.5 at row 1, label 'sky'"),
        ([[0.1, -0.2], [0.3, 1.5]], "-0.2 at row 0, label 'sky'"),
        (sparse.csr_array([[0.0, 0.2], [2.0, 0.5]]), "2 at row 1, label 'sea'"),
        (np.asfortranarray([[0.1, 0.2], [3.0, 1.5]]), "3 at row 1, label 'sea'"),
    ],
)
def test_scores_that_are_no_probabilities_are_refused(scores, place):
    tuned = tuned_by_hand([1, 2], 4, label_names=("sea", "sky"))
    if not sparse.issparse(scores):
        scores = pd.DataFrame(scores, columns=["sea", "sky"])
    with pytest.raises(ValueError, match="new_scores must contain probabilities") as refused:
        adapt_thresholds(tuned, scores)
    assert place in str(refused.value)
    assert "labelwise fit --calibrate" in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"average": "sample"}, "the expected mean over samples"),
        ({"fbr": 0.2}, "tuned with fbr"),
        ({"measure": "my_own"}, "my_own is not one of precision, recall, f_measure"),
        ({"adapted": True}, "adapted already"),
    ],
)
def test_thresholds_that_cannot_be_adapted_are_refused(fields, reason):
    tuned = tuned_by_hand([1], 4, **fields)
    with pytest.raises(ValueError, match=reason):
        adapt_thresholds(tuned, [[0.5]])


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.filterwarnings("ignore:Constraints that new samples may break")
def test_constrained_and_certified_thresholds_are_refused(average):
    scores, Y = draw(np.random.default_rng(0), 500, [TUNED_AT] * 2)
    tuned = best_thresholds(scores, Y, maximize=f"{average}-f", min_recall=0.5)
    with pytest.raises(ValueError, match="tuned with constraints"):
        adapt_thresholds(tuned, scores)
    certified = best_thresholds(scores, Y, maximize=f"{average}-f", min_recall=0.2, guarantee=0.9)
    with pytest.raises(ValueError, match="their guarantee would not hold"):
        adapt_thresholds(certified, scores)


def test_other_arguments_are_refused():
    tuned = tuned_by_hand([1, 2], 4)
    with pytest.raises(TypeError, match="thresholds must be Thresholds, got list"):
        adapt_thresholds([0.5], [[0.5]])
    with pytest.raises(ValueError, match=r"got 2\.5 for label 1; for other scores, give"):
        adapt_thresholds(replace(tuned, values=np.array([np.inf, 2.5])), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="new_scores has 1 labels, but there are 2 thresholds"):
        adapt_thresholds(tuned, [[0.5]])
    with pytest.raises(ValueError, match="at least one sample, got 0"):
        adapt_thresholds(tuned, np.zeros((0, 2)))
    with pytest.raises(ValueError, match="alpha must be from 0 to 1, got 2"):
        adapt_thresholds(tuned, [[0.5, 0.5]], alpha=2)
    with pytest.raises(ValueError, match="at least one sample, and not more positives"):
        adapt_thresholds(tuned_by_hand([1, 2], 1), [[0.5, 0.5]])


@pytest.mark.parametrize("labels", [["fog"], [2], [True], [-1], [0.5]])
def test_labels_that_do_not_exist_are_refused(labels):
    tuned = tuned_by_hand([1, 2], 4, label_names=("sea", "sky"))
    with pytest.raises(ValueError, match="labels must be those of the thresholds, got"):
        adapt_thresholds(tuned, [[0.5, 0.5]], labels=labels)
    with pytest.raises(TypeError, match="labels must be a sequence of names or numbers, got 'sea'"):
        adapt_thresholds(tuned, [[0.5, 0.5]], labels="sea")
