"""A request is checked once, before any work, and each array passes the gate once per call."""

import sys
from inspect import signature

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from labelwise import _validation
from labelwise._tuning import with_current_options
from labelwise._tuning.objectives._request import (
    Certify,
    Request,
    option_of,
    options,
)
from labelwise.cli import _blocks, _inputs
from labelwise.cli.running import load_command
from labelwise.data import read_scores
from labelwise.decisions import TunedThresholds, best_thresholds
from labelwise.learners import BagPlugin, BinaryRelevance
from labelwise.measures import Counts, f_measure, jaccard, matthews
from tests.cli.shell import run
from tests.decisions.columns import Columns, numbered
from tests.spoken import spoken

GATES = ("check_labels", "check_scores", "check_outcome")
WITH_DRAWS = {"shrink": "auto", "random_state": 0}


@pytest.fixture
def n_calls(monkeypatch):
    """How often each gate was called, and requests were built, wherever they are imported."""
    # The command loads its modules when it runs: they must be there to be counted, and reset.
    assert {_blocks.__name__, _inputs.__name__, read_scores.__module__} <= set(sys.modules)
    found = dict.fromkeys([*GATES, "Request"], 0)

    def counted(name, function):
        def count_call(*arguments, **options):
            found[name] += 1
            return function(*arguments, **options)

        return count_call

    gates = {getattr(_validation, name): name for name in GATES}
    wrapped = {function: counted(name, function) for function, name in gates.items()}
    # Folds are made by the public `assign`, which checks the labels that any caller gives it.
    modules = [
        module
        for name, module in sys.modules.items()
        if name.startswith("labelwise") and not name.startswith("labelwise.splitting")
    ]
    for names in map(vars, modules):
        for name, value in list(names.items()):
            if callable(value) and getattr(value, "__name__", "") in GATES:
                monkeypatch.setitem(names, name, wrapped[value])
    monkeypatch.setattr(Request, "__init__", counted("Request", Request.__init__))
    return found


@pytest.mark.parametrize("given", [{}, WITH_DRAWS, {"cost": (1, 2)}, {"fbr": "auto"}], ids=spoken)
def test_best_thresholds_passes_each_gate_once(n_calls, given):
    X, Y = numbered()
    best_thresholds(X[:, :2], Y, **given)
    assert n_calls == {"check_labels": 1, "check_scores": 1, "check_outcome": 1, "Request": 1}


@pytest.mark.parametrize("given", [{}, {"maximize": "sample-f"}, {"fbr": "auto"}], ids=spoken)
def test_tuned_thresholds_passes_each_gate_once(n_calls, given):
    X, Y = numbered()
    TunedThresholds(Columns(), cv=4, random_state=0, **given).fit(X, Y)
    # Each fold has an array of scores.
    assert n_calls == {"check_labels": 1, "check_scores": 4, "check_outcome": 0, "Request": 1}


def test_thresholds_of_a_fitted_estimator_pass_each_gate_once(n_calls):
    X, Y = numbered()
    base = clone(Columns()).fit(X, Y)
    TunedThresholds(FrozenEstimator(base), random_state=0).fit(X, Y)
    assert n_calls == {"check_labels": 1, "check_scores": 1, "check_outcome": 0, "Request": 1}


def test_one_request_serves_all_rounds_and_estimators_of_a_bag_learner(n_calls):
    X, Y = numbered()
    estimators = [BinaryRelevance(penalty=penalty) for penalty in (0.1, 1.0)]
    BagPlugin(estimators, n_iter=2, cv=None, random_state=0).fit(X, Y)
    assert n_calls["Request"] == 1


@pytest.mark.parametrize("given", [[], ["--shrink", "auto"], ["--bootstrap", "4"]], ids=str)
def test_the_command_passes_the_gate_of_each_public_function_once(n_calls, tmp_path, given):
    X, Y = numbered()
    np.save(tmp_path / "scores.npy", X[:, :2])
    np.save(tmp_path / "labels.npy", Y)
    run("tune", tmp_path / "scores.npy", tmp_path / "labels.npy", *given)
    # Those of best_thresholds, corrected_value and confidence_interval, after that of the files.
    n_gates = 3 if "--bootstrap" in given else 2
    read = {"check_labels": 1 + n_gates, "check_scores": 1 + n_gates}
    assert n_calls == {**read, "check_outcome": n_gates, "Request": 1}


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
    given = best_thresholds(X[:, :2], Y, maximize=measure, average=average)
    assert repr(named) == repr(given)
    models = (
        TunedThresholds(Columns(), maximize=name, random_state=0),
        TunedThresholds(Columns(), maximize=measure, average=average, random_state=0),
    )
    first, second = (model.fit(X, Y) for model in models)
    assert repr(first.thresholds_) == repr(second.thresholds_)
    np.testing.assert_array_equal(first.corrected_value_, second.corrected_value_)


def test_a_measure_is_given_as_its_function_or_by_its_name():
    for name, measure in (("f", f_measure), ("jaccard", jaccard), ("matthews", matthews)):
        by_name, given = Request(f"macro-{name}"), Request(measure, average="macro")
        assert (by_name.average, by_name.measure_name) == (given.average, given.measure_name)
        counts = Counts(*np.arange(12).reshape(4, 3))
        assert by_name.value(counts) == given.value(counts)
    X, Y = numbered()
    model = BagPlugin(BinaryRelevance(penalty=0.1), maximize="macro-jaccard", cv=2, n_iter=1)
    assert model.fit(X, Y).thresholds_.evidence.measure == "jaccard"


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"maximize": "micro-magic"}, ValueError, "maximize must be micro-, macro- or sample-"),
        ({"maximize": "f"}, ValueError, "maximize must be micro-, macro- or sample-.*got 'f'"),
        ({"maximize": None}, TypeError, "maximize must be a name such as 'micro-f'"),
        ({"maximize": f_measure, "average": "all"}, ValueError, "average must be one of micro"),
        ({"maximize": "micro-f", "average": "micro"}, ValueError, "so average must be None"),
        ({"average": "macro"}, ValueError, "so average must be None"),
        ({"shrink": True}, ValueError, "shrink must be between 0 and 1.*got True"),
        ({"fbr": (0.1, 2)}, ValueError, "fbr must have 0 or 1 as its rule, got 2"),
        ({"fbr": (0.1, 0, 1)}, ValueError, "fbr must be between 0 and 1"),
    ],
    ids=lambda given: spoken(given) if isinstance(given, dict) else "",
)
def test_wrong_options_are_refused_before_any_work(wrong, error, message):
    with pytest.raises(error, match=message):
        Request(**wrong, n_labels=2)
    X, Y = numbered()
    with pytest.raises(error, match=message):
        best_thresholds(X[:, :2], Y, **wrong)


def test_automatic_shrinkage_is_none_beside_options_that_exclude_it():
    excluding = {
        "shared": True,
        "fbr": 0.1,
        "cost": (1, 1),
        "min_recall": 0.5,
        "maximize": "sample-f",
    }
    for name, value in excluding.items():
        excluded = {name: value, "n_labels": 2}
        assert Request(shrink="auto", **excluded).shrink == 0
        with pytest.raises(ValueError, match="shrink does not go together with"):
            Request(shrink=0.5, **excluded)
    assert Request(shrink="auto").shrink == "auto"


def test_a_total_of_decisions_is_shared_out_among_parts():
    request = Request(max_decisions=30)
    part = request.for_parts(100)
    assert part.limits.in_total(50).max_decisions == 15
    assert request.limits.in_total(50).max_decisions == 30
    mean = Request(max_decisions=0.7)
    assert mean.for_parts(100).limits.in_total(10).max_decisions == 7


def test_costs_by_label_are_those_of_the_labels_that_are_left():
    request = Request(cost=([1, 2, 3], 4), n_labels=3)
    left = request.for_labels(np.array([True, False, True]))
    ones = np.ones(2)
    assert left.value(Counts(ones, ones, ones, ones)) == 1 + 3 + 4 + 4
    assert left.measure_name == "cost"


def test_functions_estimators_and_the_command_have_the_declared_options():
    function, estimator = (signature(one).parameters for one in (best_thresholds, TunedThresholds))
    command = {one.name: one for one in load_command("tune").params}
    for one in options():
        option = option_of(one)
        other = option.other_default if option.has_other_default else one.default
        assert function[one.name].default == one.default
        assert estimator[one.name].default == other
        assert (one.name in command) == option.in_command
        if option.in_command:
            assert command[one.name].default == other
            assert command[one.name].help == option.help
    for one in options(Certify):
        assert (
            command[one.name].default
            == one.default
            == signature(Certify).parameters[one.name].default
        )


def test_estimators_take_the_options_of_files_from_before_0_3():
    old = {"maximize": None, "measure": jaccard, "average": "macro", "fbr": 0.2, "fbr_rule": 0}
    old |= {"guarantee": 0.9, "across": "all", "tuning_share": 0.3, "shrink": "auto"}
    new = with_current_options(old)
    assert (new["maximize"], new["average"], new["fbr"]) == ("macro-jaccard", None, (0.2, 0))
    assert (new["guarantee"].across, new["guarantee"].tuning_share) == ("all", 0.3)
    assert with_current_options(new) is new
    own = with_current_options(old | {"measure": len, "fbr": None})
    assert (own["maximize"], own["average"], own["fbr"]) == (len, "macro", None)
    named = with_current_options(old | {"maximize": "sample-f", "measure": None, "average": None})
    assert named["maximize"] == "sample-f"
    text = with_current_options(old | {"measure": "g-mean", "average": None})
    assert text["maximize"] == "micro-g-mean"
