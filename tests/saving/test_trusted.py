"""Which types of scikit-learn and labelwise a model file may contain, and how skops is imported."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
import scipy.special
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import all_estimators

import labelwise
from labelwise import decisions, features, learners, measures
from labelwise._saving import _skops
from labelwise._saving._skops import _public_names
from labelwise._saving._trusted import _PREFIXES, is_estimator, own_type


def full_name(one):
    return f"{one.__module__}.{one.__name__}"


def test_trusted_estimators_are_those_that_scikit_learn_lists_in_the_known_stages():
    listed = {full_name(one) for _, one in all_estimators()}
    # Every class of scikit-learn that is loaded, and each of them as if it were in a public module.
    classes = {
        full_name(value)
        for name, module in list(sys.modules.items())
        if name.startswith("sklearn.") and module is not None
        for value in vars(module).values()
        if inspect.isclass(value)
    }
    names = classes | {name.replace("._", ".") for name in classes}
    expected = {name for name in listed if name.startswith(_PREFIXES)}
    assert len(expected) > 100
    assert {name for name in names if is_estimator(name)} == expected


@pytest.mark.parametrize(
    "name",
    [
        "sklearn.base.BaseEstimator",
        "sklearn.linear_model.LogisticRegression",  # the class is in a private module
        "sklearn.linear_model._logistic.LogisticRegressionCV2",
        "sklearn.pipeline._print_elapsed_time",
        "sklearn.pipeline.BaseEstimator",
        "sklearn.cluster._kmeans.KMeans",
        "sklearn.utils._testing.MinimalClassifier",
        "sklearn.tree.tests.test_tree.DecisionTreeClassifier",
        "sklearn.neighbours",
        "sklearn",
        "",
    ],
)
def test_other_names_are_no_trusted_estimators(name):
    assert not is_estimator(name)


def test_modules_that_only_a_file_names_are_not_imported():
    program = """
import sys
from labelwise._saving._trusted import is_estimator
for module in ("sklearn.tree.tests.test_tree", "sklearn.utils.estimator_checks", "sklearn.cluster"):
    assert not is_estimator(f"{module}.Anything")
    assert module not in sys.modules, module
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_class_and_measure_of_the_package_may_be_loaded():
    for stage, is_wanted in (
        (learners, inspect.isclass),
        (decisions, inspect.isclass),
        (features, inspect.isclass),
        (measures, inspect.isfunction),
    ):
        for one in (getattr(stage, name) for name in stage.__all__):
            if is_wanted(one):
                assert own_type(full_name(one)) is one


@pytest.mark.parametrize(
    "name",
    [
        "labelwise.save",
        "labelwise.decisions.best_thresholds",
        "labelwise.decisions.Problem",
        "labelwise.measures.Counts",
        "labelwise.learners.import_module",
        "labelwise.cli.main",
        "learners.BinaryRelevance",
        "BinaryRelevance",
    ],
)
def test_other_names_of_the_package_may_not_be_loaded(name):
    assert own_type(name) is None


@pytest.mark.parametrize("first", ["import skops.io", ""])
def test_skops_itself_still_trusts_estimators(first):
    program = f"""
import sys
{first}
before = sys.modules.get("skops.io")
from labelwise._saving._skops import skops_io
ours = skops_io()
from skops.io import dumps, get_untrusted_types
import skops
assert before in (None, skops.io)
assert skops.io is sys.modules["skops.io"] is not ours
from sklearn.linear_model import LogisticRegression
stored = dumps(LogisticRegression())
assert get_untrusted_types(data=stored) == []
(unknown,) = ours.get_untrusted_types(data=stored)
assert unknown == "sklearn.linear_model._logistic.LogisticRegression"
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_skops_still_imports_scikit_learn_that_a_model_does_not_use():
    program = "import sys; import skops.io; print('sklearn.cluster' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    # If not, `labelwise._saving._skops` can go, and `import skops.io` take its place.
    assert done.stdout.strip() == "True"


def test_other_releases_of_skops_are_used_unchanged_and_trust_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(_skops, "_TESTED", ())
    import skops.io

    assert _skops.skops_io() is skops.io
    X, Y = np.eye(8, 3), np.eye(8, 2)
    model = learners.BinaryRelevance(LogisticRegression()).fit(X, Y)
    labelwise.save(model, tmp_path / "model.skops")
    again = labelwise.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    foreign = learners.BinaryRelevance(GradientBoostingClassifier(n_estimators=1)).fit(X, Y)
    with pytest.raises(TypeError, match=r"got .*GradientBoostingClassifier"):
        labelwise.save(foreign, tmp_path / "model.skops")


def test_skops_trusts_the_same_functions_of_numpy_and_scipy():
    from skops.io import _trusted_types
    from skops.io._utils import get_public_type_names

    for module, names in (
        (np, _trusted_types.NUMPY_UFUNC_TYPE_NAMES),
        (scipy.special, _trusted_types.SCIPY_UFUNC_TYPE_NAMES),
    ):
        assert len(names) > 50
        assert _public_names(module, np.ufunc) == get_public_type_names(module, np.ufunc) == names


def test_a_function_of_the_program_in_a_module_of_scipy_is_not_trusted(monkeypatch):
    monkeypatch.setattr(scipy.special, "mine", np.frompyfunc(abs, 1, 1), raising=False)
    assert not any("abs" in name for name in _public_names(scipy.special, np.ufunc))


def test_another_thread_may_import_skops_at_the_same_time():
    program = """
import threading
from labelwise._saving._skops import skops_io
errors = []
def other():
    try:
        from skops.io import dump
    except ImportError as error:
        errors.append(error)
threads = [threading.Thread(target=one) for one in (skops_io, other)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not errors
"""
    subprocess.run([sys.executable, "-c", program], check=True)
