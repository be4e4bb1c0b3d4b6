"""Which types of scikit-learn and labelwise a model file may contain, and how skops is imported."""

import inspect
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.special
from sklearn.base import BaseEstimator
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingRegressor
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer, PolynomialFeatures

import labelwise
from labelwise import decisions, features, learners, measures
from labelwise._saving import _skops
from labelwise._saving._archive import open_archive
from labelwise._saving._trusted import TYPES, full_name, own_type
from tests.saving.trusted_models import saved_models


def test_every_trusted_type_of_scikit_learn_is_in_a_model_that_is_tested(tmp_path):
    path, found = tmp_path / "model.skops", set()
    for _, _, content in saved_models(path):
        archive = open_archive(path, io.BytesIO(content), 2**30)
        found |= {one.type for one in archive.objects}
        assert isinstance(labelwise.load(path), BaseEstimator)
    trusted = {name for names in TYPES.values() for name in names if name.startswith("sklearn.")}
    assert {name for name in found if name.startswith("sklearn.")} == trusted


def test_the_policy_names_every_trusted_type_of_scikit_learn():
    policy = (Path(labelwise.__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in policy.splitlines() if line.startswith("| `")]
    named = set(re.findall(r"`(\w+)`", "".join(rows)))
    kinds = ("LossNode", "ObjectNode", "TreeNode")
    assert named == {name.rpartition(".")[2] for kind in kinds for name in TYPES[kind]}


@pytest.mark.parametrize(
    "model",
    [
        MLPClassifier(max_iter=1),
        MultiLabelBinarizer(),
        PolynomialFeatures(),
        AdaBoostClassifier(),
        GradientBoostingRegressor(loss="huber").fit(np.eye(4), np.arange(4)),
        HashingVectorizer(),
        FunctionTransformer(np.add),
        FunctionTransformer(scipy.special.expit),
        KNeighborsClassifier(3, algorithm="kd_tree").fit(np.eye(4), np.arange(4)),
    ],
    ids=lambda model: str(model).split("(")[0],
)
def test_other_types_of_scikit_learn_are_not_saved(model, tmp_path):
    with pytest.raises(TypeError, match="model must contain only types that load knows, got"):
        labelwise.save(model, tmp_path / "model.skops")
    assert not (tmp_path / "model.skops").exists()


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
    foreign = learners.BinaryRelevance(AdaBoostClassifier(n_estimators=1)).fit(X, Y)
    with pytest.raises(TypeError, match=r"got .*AdaBoostClassifier"):
        labelwise.save(foreign, tmp_path / "model.skops")


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
