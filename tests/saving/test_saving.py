"""A saved model is the same model, and a file that is none is refused.

Every module of the package takes part: archive, files, members, parts, run_settings, schema,
sklearn_parts, soundness, trusted, versions.
"""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import labelwise
from labelwise._saving import _archive
from labelwise.data import DataError, make_multilabel
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.learners import (
    BinaryRelevance,
    CalibratedLabelRanking,
    OkapiNeighbors,
    ReverseMultilabel,
    SampledFPlugin,
    SubmodularMultilabel,
)
from labelwise.measures import f_measure, jaccard
from labelwise.splitting import MultilabelStratifiedKFold
from tests.saving.refusals import refusal

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
FOREST = RandomForestClassifier(3, random_state=0)
LINEAR = LogisticRegression()
NAMES = ["sea", "sky", "sun"]


class Foreign(ClassifierMixin, BaseEstimator):
    """A classifier that the package does not know."""

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.most_ = np.bincount(y).argmax()
        return self

    def predict(self, X):
        return np.full(len(X), self.most_)


def some_data():
    data, _ = make_multilabel(60, n_features=4, n_labels=3, random_state=0)
    return data.X, pd.DataFrame(data.Y.toarray().astype(int), columns=NAMES)


def fitted(model):
    return model.fit(*some_data())


def rewritten(path, **changes):
    """The file with its JSON, or its first array, changed by functions of the content."""
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    for name, change in changes.items():
        if name == "array":
            key = next(key for key in members if key.endswith(".npy"))
            members[key] = change(members[key])
        else:
            key = f"{name}.json"
            members[key] = json.dumps(change(json.loads(members[key]))).encode()
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(fitted(BinaryRelevance(LINEAR)), path)
    return path


@pytest.mark.parametrize(
    "model",
    [
        BinaryRelevance(LINEAR),
        BinaryRelevance(FOREST),
        BinaryRelevance(SVC()),
        BinaryRelevance(KNeighborsClassifier(3, algorithm="brute")),
        CalibratedLabelRanking(FOREST, random_state=0),
        CalibratedLabelRanking(make_pipeline(StandardScaler(), LINEAR), random_state=0),
        TunedThresholds(BinaryRelevance(TREE), maximize=jaccard, average="macro", random_state=0),
        TunedThresholds(
            CalibratedLabelRanking(TREE), cv=MultilabelStratifiedKFold(3), random_state=0
        ),
        CalibratedLabels(BinaryRelevance(LINEAR), method="sigmoid"),
        CalibratedLabels(BinaryRelevance(LINEAR), method="isotonic"),
        make_pipeline(StandardScaler(), BinaryRelevance(LINEAR)),
        make_pipeline(FunctionTransformer(np.cbrt), BinaryRelevance(LINEAR)),
        OneVsRestClassifier(LINEAR),
    ],
    ids=lambda model: str(model).split("(")[0],
)
def test_a_saved_model_predicts_bit_for_bit_the_same(model, tmp_path):
    X, _ = some_data()
    fitted(model)
    labelwise.save(model, tmp_path / "model.skops")
    again = labelwise.load(tmp_path / "model.skops")
    assert str(again) == str(model)
    for method in ("predict", "predict_proba", "decision_function"):
        assert hasattr(again, method) == hasattr(model, method)
        if hasattr(model, method):
            np.testing.assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))


def test_names_thresholds_and_measures_are_inside(tmp_path):
    model = fitted(TunedThresholds(BinaryRelevance(TREE), maximize=f_measure, random_state=0))
    labelwise.save(model, tmp_path / "model.skops")
    again = labelwise.load(tmp_path / "model.skops")
    assert again.maximize is f_measure
    assert again.thresholds_.label_names == tuple(NAMES)
    assert repr(again.thresholds_) == repr(model.thresholds_)
    np.testing.assert_array_equal(again.thresholds_.values, model.thresholds_.values)
    assert again.estimator_.classes_.tolist() == [0, 1, 2]


def test_a_file_is_a_skops_archive_that_says_who_wrote_it(saved):
    with zipfile.ZipFile(saved) as packed:
        about = json.loads(packed.read("labelwise.json"))
    assert about["labelwise"] == labelwise.__version__
    assert skops.io.get_untrusted_types(file=saved)


def test_types_that_are_not_known_are_neither_saved_nor_loaded(tmp_path):
    path = tmp_path / "model.skops"
    model = fitted(BinaryRelevance(Foreign()))
    with pytest.raises(
        TypeError, match=r"that load knows, got .*Foreign.*: give them by trusted, or .* ONNX"
    ):
        labelwise.save(model, path)
    assert not path.exists()
    labelwise.save(model, path, trusted=[Foreign])
    with pytest.raises(DataError, match=r"types that are not trusted: .*Foreign\."):
        labelwise.load(path)
    again = labelwise.load(path, trusted=[Foreign])
    X, _ = some_data()
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_parameter_that_a_file_lacks_has_its_default(tmp_path):
    model = fitted(BinaryRelevance(penalty=0.1))
    del model.standardize  # as in files of version 0.2
    labelwise.save(model, tmp_path / "model.skops")
    again = labelwise.load(tmp_path / "model.skops")
    assert again.get_params() == BinaryRelevance(penalty=0.1).get_params()
    X, _ = some_data()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_parts_of_scikit_learn_that_cannot_be_checked_need_trust(tmp_path):
    boosted = fitted(BinaryRelevance(AdaBoostClassifier(n_estimators=2)))
    with pytest.raises(
        TypeError, match=r"got .*AdaBoostClassifier.* by its own library or as ONNX"
    ):
        labelwise.save(boosted, tmp_path / "model.skops")


def test_functions_that_have_no_name_are_not_saved(tmp_path):
    model = TunedThresholds(BinaryRelevance(TREE), maximize=lambda counts: counts.tp)
    with pytest.raises(TypeError, match="lambda"):
        labelwise.save(model, tmp_path / "model.skops")


def test_only_estimators_are_saved(tmp_path):
    with pytest.raises(TypeError, match="model must be an estimator, got dict"):
        labelwise.save({}, tmp_path / "model.skops")
    with pytest.raises(TypeError, match=r"trusted must contain types, got 'os\.system'"):
        labelwise.save(BinaryRelevance(), tmp_path / "model.skops", trusted=["os.system"])
    with pytest.raises(TypeError, match=r"trusted must contain types, got 'os\.system'"):
        labelwise.load(tmp_path / "model.skops", trusted=["os.system"])


def test_what_cannot_be_written_leaves_what_was_there(saved, monkeypatch):
    before = saved.read_bytes()
    with pytest.raises(OSError, match="cannot be written"):
        labelwise.save(BinaryRelevance(), saved / "below")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        labelwise.save(BinaryRelevance(), saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 3, "labelwise": "9.1.0"}, "version 3.*none above 2: load it with labelwise 9"),
        ({"version": 1}, "version 1, of before the first release: fit the model again"),
        ({"labelwise": "9.1.0"}, r"labelwise 9.1.0, which is newer than .* here"),
        ({"scikit-learn": "77.0"}, r"scikit-learn 77.0, which is newer than"),
        ({"scikit-learn": None}, "'None' as its version of scikit-learn"),
        ({"version": "1"}, "version '1', but must have a whole number"),
        ({"format": "other"}, "contains no labelwise model"),
    ],
)
def test_newer_versions_are_refused_by_name(saved, change, message):
    rewritten(saved, labelwise=lambda about: about | change)
    with pytest.raises(DataError, match=message):
        labelwise.load(saved)


def test_an_archive_of_skops_alone_is_not_ours(tmp_path):
    path = tmp_path / "model.skops"
    skops.io.dump(LINEAR, path)
    with pytest.raises(DataError, match="contains no labelwise model"):
        labelwise.load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist"),
        (b"", "is not a model file"),
        (b"PK\x03\x04 and so on", "is not a model file"),
        (b"\x1f\x8b and so on", "is not a whole gzip file"),
    ],
)
def test_files_of_other_kinds_are_refused(tmp_path, content, message):
    path = tmp_path / "model.skops"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        labelwise.load(path)


def test_other_archives_are_refused(tmp_path):
    path = tmp_path / "model.skops"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("readme.txt", "hello")
    with pytest.raises(DataError, match=r"contains 'readme\.txt', which no model has"):
        labelwise.load(path)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("labelwise.json", "{}")
    with pytest.raises(DataError, match="describes no objects"):
        labelwise.load(path)


def test_a_file_with_a_wrong_byte_is_read_right_or_refused(saved):
    X, _ = some_data()
    expected = labelwise.load(saved).predict_proba(X)
    content = saved.read_bytes()
    random = np.random.default_rng(0)
    n_refused = 0
    for place in random.integers(len(content), size=60):
        broken = bytearray(content)
        broken[place] ^= 1 << random.integers(8)
        saved.write_bytes(broken)
        try:
            found = labelwise.load(saved).predict_proba(X)
        except DataError:
            n_refused += 1
        else:
            np.testing.assert_array_equal(found, expected)
    saved.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match="is not a model file"):
        labelwise.load(saved)
    assert n_refused > 30


def test_archives_that_unpack_to_too_much_are_refused(saved):
    with zipfile.ZipFile(saved, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("1.npy", bytes(10**7))
    assert saved.stat().st_size < 10**5
    with pytest.raises(DataError, match="more than max_bytes=1000000 bytes"):
        labelwise.load(saved, max_bytes=10**6)
    with pytest.raises(DataError, match=r"has no object for, or lacks, the array '1\.npy'"):
        labelwise.load(saved)


def test_packed_matrices_within_archives_are_bounded_too(saved):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("data.npy", bytes(10**7))
    with zipfile.ZipFile(saved, "a") as packed:
        packed.writestr("1.npz", inner.getvalue())
    with pytest.raises(DataError, match="more than max_bytes=1000000 bytes"):
        labelwise.load(saved, max_bytes=10**6)


def test_headers_that_claim_more_than_is_there_are_refused(saved):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    rewritten(saved, array=lambda _: header.getvalue())
    with pytest.raises(DataError, match=r"claims an array of \(1000000000000,\)"):
        labelwise.load(saved)


def test_a_member_given_twice_is_refused(saved):
    with zipfile.ZipFile(saved, "a") as packed, pytest.warns(UserWarning, match="Duplicate"):
        packed.writestr("labelwise.json", "{}")
    with pytest.raises(DataError, match="contains a member twice"):
        labelwise.load(saved)


def first_array(node):
    """The first description of an array in a schema."""
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    if isinstance(node, dict) and "file" in node:
        return node
    return next((found for found in map(first_array, parts) if found), None)


@pytest.mark.parametrize("number", [None, 0, True, "1", 7])
def test_arrays_are_not_read_again_and_again(saved, number):
    # skops keeps an object by its number, if that is true; else it reads the file each time.
    with zipfile.ZipFile(saved, "a") as packed:
        array = io.BytesIO()
        np.save(array, np.zeros(3))
        packed.writestr(f"{number}.npy", array.getvalue())

    def change(schema):
        node = first_array(schema)
        node["__id__"] = 8 if number == 7 else number
        node["file"] = f"{number}.npy"
        return schema

    rewritten(saved, schema=change)
    message = "to an object that is not its owner" if number == 7 else "an object without a number"
    with pytest.raises(DataError, match=message):
        labelwise.load(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"__loader__": "MethodNode"}, r"not trusted: .*\(as MethodNode\)"),
        ({"__loader__": "PartialNode"}, r"not trusted: .*\(as PartialNode\)"),
        ({"__module__": "os", "__class__": "system"}, "not trusted: os.system"),
        ({"__module__": 3}, "describes an object without a type"),
        ({"protocol": 0}, "has protocol 0, which labelwise never wrote"),
        ({"protocol": 99}, "is not a model"),
        ({"content": {"__loader__": "JsonNode"}}, "describes an object without a type"),
        ({"content": []}, "has no object for, or lacks, the array"),
    ],
)
def test_descriptions_of_other_things_are_refused(saved, change, message):
    rewritten(saved, schema=lambda schema: schema | change)
    with pytest.raises(DataError, match=message):
        labelwise.load(saved)


def test_descriptions_that_go_too_deep_are_refused(saved, monkeypatch):
    deep = "[" * 10**5 + "]" * 10**5
    with zipfile.ZipFile(saved) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(saved, "w") as packed:
        for name, content in (members | {"schema.json": deep}).items():
            packed.writestr(name, content)
    with pytest.raises(DataError, match=r"has no JSON in schema\.json"):
        labelwise.load(saved)
    monkeypatch.setattr(_archive, "_MOST_SCHEMA", 1000)
    with pytest.raises(DataError, match=r"more than 1000 bytes in schema\.json"):
        labelwise.load(saved)


def broken_tree(model):
    model.estimators_[0].tree_.children_left[0] = 10**6


def endless_tree(model):
    model.estimators_[0].tree_.children_right[0] = 0


def wide_tree(model):
    model.estimators_[0].tree_.feature[0] = 4


def narrow_owner(model):
    model.estimators_[0].n_features_in_ = 3


@pytest.mark.parametrize("spoil", [broken_tree, endless_tree, wide_tree, narrow_owner])
def test_trees_that_lead_nowhere_are_refused(spoil, tmp_path):
    model = fitted(BinaryRelevance(TREE))
    spoil(model)
    assert "contains no sound model (a tree" in refusal(model, tmp_path / "model.skops")


def test_forests_of_narrower_trees_are_refused(tmp_path):
    model = fitted(BinaryRelevance(FOREST))
    model.estimators_[0].n_features_in_ = 3
    assert "a tree looks at 4 features of 3" in refusal(model, tmp_path / "model.skops")


def shorter(array):
    return array[:-1].copy()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("pairs_", lambda pairs: pairs + 10**6),
        ("fixed_votes_", shorter),
        ("fixed_votes_", np.zeros_like),
        ("classes_", shorter),
        ("models_", list),
        ("models_", lambda forests: forests._replace(jump=forests.jump - 10**6)),
        ("models_", lambda forests: forests._replace(code=forests.code * 10**3)),
        ("n_features_in_", lambda width: width - 3),
    ],
)
def test_rankings_with_votes_for_nobody_are_refused(name, change, tmp_path):
    model = fitted(CalibratedLabelRanking(FOREST, random_state=0))
    setattr(model, name, change(getattr(model, name)))
    assert "contains no sound model" in refusal(model, tmp_path / "model.skops")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("pairs_", lambda pairs: pairs + 10**6),
        ("pairs_", lambda pairs: pairs[:, ::-1].copy()),
        ("gains_", shorter),
        ("gains_", np.negative),
        ("intercept_", lambda intercept: intercept[:1].copy()),
    ],
)
def test_pairs_of_labels_that_are_not_there_are_refused(name, change, tmp_path):
    model = fitted(SubmodularMultilabel(penalty=1.0, share_of_pairs=1.0, tol=0.1, random_state=0))
    setattr(model, name, change(getattr(model, name)))
    assert "contains no sound model" in refusal(model, tmp_path / "model.skops")


def test_support_vectors_that_do_not_fit_are_refused(tmp_path):
    model = fitted(BinaryRelevance(SVC()))
    model.estimators_[0]._n_support = model.estimators_[0]._n_support * 1000
    assert "support vector machine must fit together" in refusal(model, tmp_path / "model.skops")


def test_random_states_that_point_outside_are_refused(tmp_path):
    path, random = tmp_path / "model.skops", np.random.RandomState(0)
    labelwise.save(BinaryRelevance(DecisionTreeClassifier(random_state=random)), path)
    place = f'"{random.get_state(legacy=False)["state"]["pos"]}"'

    def change(schema):
        text = json.dumps(schema)
        assert text.count(place) == 1
        return json.loads(text.replace(place, '"1000000"'))

    rewritten(path, schema=change)
    # NumPy 2.5 refuses the state itself.
    with pytest.raises(DataError, match=r"place of a random state|state position must be"):
        labelwise.load(path)


def test_sparse_parts_with_indices_outside_are_refused(tmp_path):
    X, Y = some_data()
    model = KNeighborsClassifier(3, algorithm="brute").fit(sparse.csr_matrix(X), Y)
    labelwise.save(model, tmp_path / "model.skops")
    labelwise.load(tmp_path / "model.skops")
    model._fit_X.indices[:] = 10**6
    assert "is not a sparse matrix" in refusal(model, tmp_path / "other.skops")


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (OkapiNeighbors, {"k": 7}, {"n_neighbors": 7}),
        (ReverseMultilabel, {"max_passes": 9}, {"max_iter": 9}),
        (SubmodularMultilabel, {"max_passes": 9}, {"max_iter": 9}),
        (SampledFPlugin, {"n_draws": "auto"}, {"max_error": 0.02, "max_draws": 1024}),
        (SampledFPlugin, {"n_draws": 50}, {"max_error": None, "max_draws": 50}),
    ],
)
def test_options_of_models_that_an_earlier_release_saved_have_their_new_names(kind, old, new):
    state = {key: value for key, value in kind().get_params().items() if key not in new} | old
    if kind is SampledFPlugin:
        state |= {"max_error": 0.02, "max_draws": 1024}
    loaded = kind()
    vars(loaded).clear()
    loaded.__setstate__(state)
    assert loaded.get_params() == kind(**new).get_params()
    assert vars(loaded).keys() == vars(kind()).keys()
