"""The record of calls: the same twice, and a changed result is named."""

from tests.kernels import COMPILED_ONLY
from tests.recorded_calls import CALLS, differences, record

pytestmark = COMPILED_ONLY
FEW = [
    "thresholds: micro-f",
    "frontier: ties",
    "evaluate: missing labels",
    "split: iterative",
    "learner: binary relevance, penalty",
    "command: tune",
]


def test_two_records_of_the_same_calls_are_equal_and_none_raises():
    first = record(FEW)
    assert not any("raised" in parts for parts in first.values())
    assert differences(first, record(FEW)) == []


def test_a_changed_result_is_named_with_its_call_and_part():
    before = record(["thresholds: micro-f"])
    after = {name: parts | {"/value": "0.5"} for name, parts in before.items()}
    (line,) = differences(before, after)
    assert line.startswith("thresholds: micro-f /value: ")
    assert line.endswith(" -> 0.5")


def test_there_are_calls_of_every_stage():
    kinds = {name.split(":")[0].split(",")[0] for name in CALLS}
    assert {"data", "split", "features", "learner", "thresholds", "evaluate", "study"} < kinds
    assert {"audit", "check and monitor", "expect", "label errors"} < kinds
    assert {"bands", "label shift", "at k", "blocks", "statistics", "page", "command"} < kinds
