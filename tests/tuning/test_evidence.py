"""What evidence says of thresholds: labels that are never decided, and what to expect elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

from labelwise.decisions import Thresholds, best_thresholds
from labelwise.measures import f_measure

# The second label is not worth a decision for micro F, the third has no positives.
Y = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]])
SCORES = np.array([[9, 1, 0], [8, 2, 0], [1, 6, 0], [2, 5, 0], [7, 4, 0], [3, 3, 0]]) * 1.0
NAMES = ("good", "poor", "gone")
pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")


def test_labels_are_never_decided_for_one_reason_each():
    found = best_thresholds(SCORES, Y).evidence.never_decided(NAMES)
    assert found == {
        "without positives": ["gone"],
        "not worth a decision for this measure": ["poor"],
    }
    raised = best_thresholds(SCORES, Y, maximize="macro-f", fbr=(0.5, 0)).evidence
    assert raised.never_decided() == {"without positives": ["2"], "with F below fbr 0.5": ["1"]}
    assert best_thresholds(SCORES[:, :1], Y[:, :1]).evidence.never_decided() == {}


def test_counts_and_f_of_labels_are_those_of_the_decisions():
    tuned = best_thresholds(SCORES, Y, maximize="macro-f")
    known, decided = tuned.evidence, tuned.decide(SCORES)
    np.testing.assert_array_equal(known.counts.tp, (decided & Y).sum(axis=0))
    np.testing.assert_array_equal(known.counts.tn, ((1 - decided) & (1 - Y)).sum(axis=0))
    np.testing.assert_array_equal(known.f_of_labels[:2], f_measure(known.counts)[:2])
    assert np.isnan(known.f_of_labels[2])


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({"value": 0.8, "corrected_value": 0.81}, "Expect 0.8100 on new samples (cross-val"),
        ({"value": 0.8, "corrected_value": 0.75}, "Expect 0.7500 on new samples"),
        ({"value": 0.8, "corrected_value": 0.6}, "Some labels have too few positives"),
        ({"value": 0.8}, "Do not rely on 0.8000: it was not tested"),
        ({"value": 1.0, "corrected_value": 1.0}, "Do not rely on 1.0000 unless"),
        # A cost is lower on the tuning samples, and differences are shares of it.
        ({"value": 100.0, "corrected_value": 101.0, "measure": "cost"}, "Expect 101.0000 on new"),
        ({"value": 100.0, "corrected_value": 99.0, "measure": "cost"}, "Expect 99.0000 on new"),
        ({"value": 100.0, "corrected_value": 130.0, "measure": "cost"}, "Some labels have too few"),
    ],
)
def test_the_last_line_judges_the_value(changed, verdict):
    known = replace(best_thresholds(SCORES, Y).evidence, **changed)
    assert known.report(NAMES).splitlines()[-1].startswith(verdict)


def test_reports_have_the_worst_labels_and_say_nothing_that_is_not_known(tmp_path):
    random = np.random.default_rng(0)
    truth = random.random((80, 25)) < 0.3
    tuned = best_thresholds(truth + random.normal(size=truth.shape), truth)
    report = tuned.report()
    rows = [line.split() for line in report.splitlines() if line.split()[:1] and line[0].isdigit()]
    shown = {int(row[0]): row[-1] for row in rows if len(row) == 5}
    worst = np.lexsort((tuned.evidence.f_of_labels, tuned.evidence.decided > 0))[:20]
    assert shown == {int(j): f"{tuned.evidence.f_of_labels[j]:.4f}" for j in worst}
    assert "... and 5 more, which are better" in report
    assert "Do not rely on" in report
    tuned.save(tmp_path / "t.json")
    loaded = Thresholds.load(tmp_path / "t.json")
    assert loaded.evidence.f_of_labels is None
    assert loaded.report().startswith(repr(loaded))
    assert "Do not rely on" not in loaded.report()
