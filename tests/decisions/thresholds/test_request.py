"""A request is checked once, before any work, and each array passes the gate once per call."""

import sys

import numpy as np
import pytest
from sklearn.base import clone

from labelwise import _validation
from labelwise._validation import _outcome
from labelwise.cli.commands import _tune
from labelwise.decisions import TunedThresholds, best_thresholds
from labelwise.decisions.thresholds._request import DEFAULTS, Request, check_request
from labelwise.learners import BagPlugin, BinaryRelevance
from labelwise.measures import Counts, f_measure, jaccard, matthews
from tests.cli.shell import run
from tests.decisions.columns import Columns, numbered
from tests.spoken import spoken

GATES = ("check_labels", "check_scores", "check_outcome")
WITH_DRAWS = {"shrink": "auto", "n_bootstrap": 4, "random_state": 0}


@pytest.fixture
def n_calls(monkeypatch):
    """How often each gate was called, and requests were built, wherever they are imported."""
    # The command loads its modules when it runs: they must be there to be counted, and reset.
    assert _tune.__name__ in sys.modules
    found = dict.fromkeys([*GATES, "Request"], 0)

    def counted(name, function):
        def count_call(*arguments, **options):
            found[name] += 1
            return function(*arguments, **options)

        return count_call

    gates = {getattr(_validation, name): name for name in GATES}
    wrapped = {function: counted(name, function) for function, name in gates.items()}
    modules = [vars(module) for name, module in sys.modules.items() if name[:9] == "labelwise"]
    for names in [*modules, _outcome._CHECKS]:
        for name, value in list(names.items()):
            if callable(value) and getattr(value, "__name__", "") in GATES:
                monkeypatch.setitem(names, name, wrapped[value])
    monkeypatch.setattr(Request, "__init__", counted("Request", Request.__init__))
    return found


@pytest.mark.parametrize("options", [{}, WITH_DRAWS, {"cost": (1, 2)}, {"fbr": "auto"}], ids=spoken)
def test_best_thresholds_passes_each_gate_once(n_calls, options):
    X, Y = numbered()
    best_thresholds(X[:, :2], Y, **options)
    assert n_calls == {"check_labels": 1, "check_scores": 1, "check_outcome": 1, "Request": 1}


@pytest.mark.parametrize("options", [{}, {"average": "sample"}, {"fbr": "auto"}], ids=spoken)
def test_tuned_thresholds_passes_each_gate_once(n_calls, options):
    X, Y = numbered()
    TunedThresholds(Columns(), cv=4, random_state=0, **options).fit(X, Y)
    # The splitter checks the labels that it is given; each fold has an array of scores.
    assert n_calls == {"check_labels": 2, "check_scores": 4, "check_outcome": 0, "Request": 1}


def test_thresholds_of_a_fitted_estimator_pass_each_gate_once(n_calls):
    X, Y = numbered()
    base = clone(Columns()).fit(X, Y)
    TunedThresholds(base, cv="prefit", random_state=0).fit(X, Y)
    assert n_calls == {"check_labels": 1, "check_scores": 1, "check_outcome": 0, "Request": 1}


def test_one_request_serves_all_rounds_and_estimators_of_a_bag_learner(n_calls):
    X, Y = numbered()
    estimators = [BinaryRelevance(penalty=penalty) for penalty in (0.1, 1.0)]
    BagPlugin(estimators, n_iter=2, cv=None, random_state=0).fit(X, Y)
    assert n_calls["Request"] == 1


@pytest.mark.parametrize("options", [[], ["--shrink", "auto"], ["--bootstrap", "4"]], ids=str)
def test_the_command_passes_each_gate_once(n_calls, tmp_path, options):
    X, Y = numbered()
    np.save(tmp_path / "scores.npy", X[:, :2])
    np.save(tmp_path / "labels.npy", Y)
    run("tune", tmp_path / "scores.npy", tmp_path / "labels.npy", *options)
    assert n_calls == {"check_labels": 1, "check_scores": 1, "check_outcome": 0, "Request": 1}


@pytest.mark.parametrize(
    ("name", "measure", "average"),
    [
        ("micro-f", f_measure, "micro"),
        ("macro-jaccard", jaccard, "macro"),
        ("sample-matthews", matthews, "sample"),
    ],
)
def test_maximize_names_the_measure_and_the_average(name, measure, average):
    X, Y = numbered()
    named = best_thresholds(X[:, :2], Y, maximize=name)
    given = best_thresholds(X[:, :2], Y, measure=measure, average=average)
    assert repr(named) == repr(given)
    models = (
        TunedThresholds(Columns(), maximize=name, random_state=0),
        TunedThresholds(Columns(), measure=measure, average=average, random_state=0),
    )
    first, second = (model.fit(X, Y) for model in models)
    assert repr(first.thresholds_) == repr(second.thresholds_)
    np.testing.assert_array_equal(first.corrected_value_, second.corrected_value_)


def test_a_measure_is_given_as_its_function_or_by_its_name():
    for name, measure in (("f", f_measure), ("jaccard", jaccard), ("matthews", matthews)):
        by_name = check_request({"measure": name, "average": "macro"}, n_labels=3)
        assert by_name == check_request({"measure": measure, "average": "macro"}, n_labels=3)
    X, Y = numbered()
    model = BagPlugin(BinaryRelevance(penalty=0.1), measure="jaccard", cv=2, n_iter=1)
    assert model.fit(X, Y).thresholds_.measure == "jaccard"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"maximize": "micro-magic"}, ValueError, "maximize must be micro-, macro- or sample-"),
        ({"maximize": "f"}, ValueError, "maximize must be micro-, macro- or sample-.*got 'f'"),
        ({"maximize": f_measure}, TypeError, "maximize must be a name such as 'micro-f'"),
        ({"maximize": "micro-f", "measure": jaccard}, ValueError, "so measure must be None"),
        ({"measure": "magic"}, ValueError, "measure must be one of precision, .*got 'magic'"),
        ({"maximize": "micro-f", "average": "micro"}, ValueError, "so average must be None"),
        ({"confidence": 1.0}, ValueError, "confidence must be between 0 and 1, got 1.0"),
        ({"confidence": True}, TypeError, "confidence must be a number, got True"),
        ({"shrink": True}, ValueError, "shrink must be between 0 and 1.*got True"),
        ({"n_bootstrap": 2.5}, TypeError, "n_bootstrap must be a whole number, got 2.5"),
        ({"n_bootstrap": -1}, ValueError, "n_bootstrap must be at least 0, got -1"),
    ],
    ids=lambda given: spoken(given) if isinstance(given, dict) else "",
)
def test_wrong_options_are_refused_before_any_work(options, error, message):
    with pytest.raises(error, match=message):
        check_request(options, n_labels=2)
    X, Y = numbered()
    with pytest.raises(error, match=message):
        best_thresholds(X[:, :2], Y, **options)


def test_a_confidence_may_be_any_float():
    assert check_request({"confidence": np.float32(0.9)}, 1).confidence == float(np.float32(0.9))


def test_automatic_shrinkage_gives_way_to_options_that_exclude_it_only_if_asked():
    excluding = {"shared": True, "fbr": 0.1, "cost": (1, 1), "min_recall": 0.5, "average": "sample"}
    for name, value in excluding.items():
        params = {"shrink": "auto", name: value}
        assert check_request(params, 2, shrink_if_possible=True).shrink == 0
        with pytest.raises(ValueError, match="shrink does not go together with"):
            check_request(params, 2)
    assert check_request({"shrink": "auto"}, 2, shrink_if_possible=True).shrink == "auto"


def test_a_total_of_decisions_is_shared_out_among_parts():
    request = check_request({"max_decisions": 30}, n_labels=2)
    part = request.for_parts(100)
    assert part.limits.in_total(50).max_decisions == 15
    assert request.limits.in_total(50).max_decisions == 30
    mean = check_request({"max_decisions": 0.7}, n_labels=2)
    assert mean.for_parts(100).limits.in_total(10).max_decisions == 7


def test_costs_by_label_are_those_of_the_labels_that_are_left():
    request = check_request({"cost": ([1, 2, 3], 4)}, n_labels=3)
    left = request.for_labels(np.array([True, False, True]))
    ones = np.ones(2)
    assert left.value(Counts(ones, ones, ones, ones)) == 1 + 3 + 4 + 4
    assert left.measure_name == "cost"


def test_defaults_are_those_of_the_function():
    defaults = best_thresholds.__kwdefaults__
    assert {name: defaults[name] for name in DEFAULTS} == dict(DEFAULTS)
