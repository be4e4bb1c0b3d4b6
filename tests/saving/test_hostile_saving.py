"""Each known way to make a model file do harm is closed, with the file's name and a reason."""

import io
import json
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import labelwise
from labelwise._saving._skops import skops_io
from labelwise.data import DataError, make_multilabel
from labelwise.decisions import TunedThresholds
from labelwise.features import OkapiWeights, TermSelector
from labelwise.learners import (
    BagPlugin,
    BinaryRelevance,
    CalibratedLabelRanking,
    ChainEnsemble,
    ExactFPlugin,
    OkapiNeighbors,
    SubmodularMultilabel,
)
from labelwise.measures import f_measure
from tests.saving.refusals import refusal
from tests.writers.crafted_models import packed_members


def some_data():
    data, _ = make_multilabel(60, n_features=4, n_labels=3, random_state=0)
    return np.round(3 * np.abs(data.X)), data.Y.toarray().astype(int)


def members_of(path):
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def set_attributes(model, **attributes):
    for name, value in attributes.items():
        vars(model)[name] = value(vars(model)[name]) if callable(value) else value
    return model


CHANGES = {
    "documents by row": ({"_postings": sparse.csr_array}, "stored by term"),
    "labels by column": ({"_labels": sparse.csc_array}, "labels by document"),
    "fewer documents": ({"_postings": lambda found: found[:-1]}, "must match"),
    "more labels than constants": ({"_labels": lambda found: found[:, :-1]}, "must match"),
    "infinite idf": ({"idf_": lambda idf: idf + np.inf}, "idf_ must be at most 50"),
    "undefined idf": ({"idf_": lambda idf: idf * np.nan}, "idf_ must be at most 50"),
    "fewer idf": ({"idf_": lambda idf: idf[:-1].copy()}, "one number for each of 4 terms"),
    "infinite weights": ({"_postings": lambda found: found * np.inf}, "at most 1e"),
    "a method": ({"decision_function": 3}, "must not have 'decision_function' as an attribute"),
    "the check": ({"_check_loaded": 3}, "must not have '_check_loaded' as an attribute"),
    "a private method": ({"_sums": 3}, "must not have '_sums' as an attribute"),
    "other weights": ({"weights_": StandardScaler()}, "weights_ must be OkapiWeights"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_neighbors_that_a_kernel_cannot_rely_on_are_refused(name, tmp_path):
    changes, message = CHANGES[name]
    model = set_attributes(OkapiNeighbors(3).fit(*some_data()), **changes)
    assert message in refusal(model, tmp_path / "model.skops")


@pytest.mark.parametrize("k", [0, -5, 2.5, True])
def test_neighbors_check_their_number_again_when_they_predict(k):
    X, Y = some_data()
    model = OkapiNeighbors(5).fit(X, Y).set_params(n_neighbors=k)
    with pytest.raises((ValueError, TypeError), match="n_neighbors must be"):
        model.decision_function(X)
    with pytest.raises((ValueError, TypeError), match="n_neighbors must be"):
        model.predict(X)


def test_neighbors_beyond_all_documents_are_all_of_them():
    X, Y = some_data()
    model = OkapiNeighbors(60).fit(X, Y)
    expected = model.decision_function(X)
    np.testing.assert_array_equal(
        model.set_params(n_neighbors=2**70).decision_function(X), expected
    )


def test_bags_check_the_aggregation_again_when_they_predict():
    X, Y = some_data()
    model = BagPlugin(BinaryRelevance(penalty=0.1), cv=2, n_iter=1, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="aggregation must be one of max, mean, noisy-or"):
        model.set_params(aggregation="median").decision_function(X)


def test_packed_trees_check_features_whatever_the_estimator_is_set_to():
    X, Y = some_data()
    model = CalibratedLabelRanking(DecisionTreeClassifier(random_state=0)).fit(X, Y)
    model.set_params(estimator=LogisticRegression())
    with pytest.raises(ValueError, match="X has 1 features"):
        model.decision_function(X[:, :1])


def svc(sparse_data=False, **changes):
    X, Y = some_data()
    model = SVC().fit(sparse.csr_matrix(X) if sparse_data else X, Y[:, 0])
    return set_attributes(model, **changes)


def tree(**changes):
    X, Y = some_data()
    return set_attributes(DecisionTreeClassifier(max_depth=2).fit(X, Y[:, 0]), **changes)


def forest(**changes):
    X, Y = some_data()
    model = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, Y[:, 0])
    return set_attributes(model, **changes)


def dummy(**changes):
    X, Y = some_data()
    return set_attributes(DummyClassifier(strategy="uniform").fit(X, Y[:, 0]), **changes)


def neighbors(**changes):
    X, Y = some_data()
    return set_attributes(KNeighborsClassifier(3, algorithm="brute").fit(X, Y[:, 0]), **changes)


def deeper(found):
    state = found.__getstate__()
    state["max_depth"] = 0
    found.__setstate__(state)
    return found


def words(**changes):
    return set_attributes(CountVectorizer().fit(["sea sky", "sky sun"]), **changes)


def one_hot(**changes):
    return set_attributes(OneHotEncoder(drop="first").fit([[0, 1], [1, 2], [2, 3]]), **changes)


def infrequent(groups):
    """An encoder whose categories are in other groups, and that has a column for each number."""
    encoder = OneHotEncoder(min_frequency=2, sparse_output=False).fit([[0], [0], [1]])
    return set_attributes(
        encoder,
        _default_to_infrequent_mappings=[np.array(groups)],
        _n_features_outs=[max(groups) + 1],
    )


def exact(**changes):
    return set_attributes(ExactFPlugin(penalty=0.1).fit(*some_data()), **changes)


def submodular(**changes):
    model = SubmodularMultilabel(penalty=1.0, share_of_pairs=1.0, tol=0.1, random_state=0)
    return set_attributes(model.fit(*some_data()), **changes)


def chains(**changes):
    model = ChainEnsemble(n_chains=2, n_draws=5, penalty=0.1, random_state=0)
    return set_attributes(model.fit(*some_data()), **changes)


def tuned(**changes):
    model = TunedThresholds(BinaryRelevance(penalty=0.1), cv=2, random_state=0)
    model.fit(*some_data())
    return set_attributes(model.thresholds_, **changes) and model


def columns(array):
    return np.column_stack([array, array])


PARTS = {
    "kernel of rows": lambda: svc(kernel="precomputed"),
    "kernel of another name": lambda: svc(kernel="unknown"),
    "no weights": lambda: svc(True, _dual_coef_=lambda w: sparse.csr_matrix(w.shape)),
    "sparse taken for dense": lambda: svc(True, _sparse=False),
    "dense taken for sparse": lambda: svc(_sparse=True),
    "kind of machine": lambda: svc(_impl="one_class"),
    "no classes": lambda: svc(_n_support=np.zeros(0, dtype=np.int32)),
    "half the probabilities": lambda: svc(_probA=np.ones(1)),
    "depth": lambda: tree(tree_=deeper),
    "fewer classes of samples": lambda: neighbors(_y=lambda y: y[:-1].copy()),
    "classes of samples": lambda: neighbors(_y=lambda y: y + 10**6),
    "narrow samples": lambda: neighbors(_fit_X=lambda X: X[:, :1].copy()),
    "number of samples": lambda: neighbors(n_samples_fit_=3),
    "no neighbors": lambda: neighbors(n_neighbors=0),
    "too many neighbors": lambda: neighbors(n_neighbors=10**9),
    "distances with arrays": lambda: neighbors(effective_metric_params_={"w": np.ones(9)}),
    "rows of distances": lambda: neighbors(metric="precomputed"),
    "a distance by a function": lambda: neighbors(effective_metric_=lambda _: np.log1p),
    "texts as names of files": lambda: words(input="filename"),
    "endless n-grams": lambda: words(ngram_range=[-(10**18), 1]),
    "no n-grams": lambda: words(ngram_range=[0, 1]),
    "more classes than a tree has": lambda: forest(n_classes_=10**9),
    "more classes than there are": lambda: dummy(n_classes_=10**9),
    "a function of arrays": lambda: FunctionTransformer(f_measure),
    "arguments of a function": lambda: FunctionTransformer(np.exp, kw_args={"where": False}),
    "vocabulary": lambda: words(vocabulary_={"sea": 0, "sky": 10**9, "sun": 2}),
    "groups of categories": lambda: infrequent([0, 10**9]),
    "a negative group": lambda: infrequent([0, -1]),
    "columns of categories": lambda: one_hot(_n_features_outs=[1, 2]),
    "unsorted categories": lambda: one_hot(categories_=[np.arange(3)[::-1], np.arange(1, 4)]),
    "category dropped": lambda: one_hot(_drop_idx_after_grouping=np.array([0, 9], dtype=object)),
    "labels of columns": lambda: exact(column_labels_=lambda labels: labels + 10**6),
    "order of columns": lambda: exact(column_labels_=lambda labels: labels[::-1].copy()),
    "sizes of columns": lambda: exact(column_sizes_=lambda sizes: sizes + 10**6),
    "wide coefficients": lambda: exact(coef_=columns),
    "undefined coefficients": lambda: exact(coef_=lambda coef: coef * np.nan),
    "intercepts that broadcast": lambda: submodular(intercept_=columns),
    "coefficients of more labels": lambda: submodular(coef_=lambda coef: np.tile(coef, (9, 1))),
    "infinite gains": lambda: submodular(gains_=lambda gains: gains + np.inf),
    "orders by float": lambda: chains(orders_=lambda orders: orders.astype(float)),
    "orders of fewer labels": lambda: chains(orders_=lambda orders: orders[:, :-1].copy()),
    "orders in a cube": lambda: chains(orders_=lambda orders: orders[:, :, None]),
    "orders with a label twice": lambda: chains(orders_=np.zeros_like),
    "too many sweeps": lambda: chains(sampling="gibbs", n_sweeps=50_000),
    "sweeps without a number": lambda: chains(sampling="gibbs", n_sweeps=2.5),
    "too many draws": lambda: chains(n_draws=10**7),
    "a random seed": lambda: chains(seed_=0.5),
    "thresholds that broadcast": lambda: tuned(values=lambda values: values[:, None]),
    "undefined thresholds": lambda: tuned(values=lambda values: values * np.nan),
    "names of other labels": lambda: tuned(label_names=("sea",)),
    "mean length": lambda: set_attributes(OkapiWeights().fit(some_data()[0]), avdl_=float("nan")),
    "ranking": lambda: set_attributes(
        TermSelector(2, cut=0).fit(*some_data()), ranking_=lambda ranking: ranking + 10**6
    ),
}


def boosted(nodes=None, **changes):
    """Boosted trees whose first tree has other nodes, or with other attributes."""
    X, Y = some_data()
    model = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5).fit(X, Y[:, 0])
    if nodes is not None:
        first = model._predictors[0][0]
        first.nodes = first.nodes.copy()
        replaced = nodes(first.nodes)
        first.nodes = first.nodes if replaced is None else replaced
    return set_attributes(model, **changes)


def at_root(**fields):
    """Change fields of the root of a tree."""

    def change(nodes):
        for name, value in fields.items():
            nodes[name][0] = value

    return change


BOOSTED = {
    "a cycle": lambda: boosted(at_root(left=0)),
    "a link out of range": lambda: boosted(at_root(right=2**32 - 1)),
    "one child twice": lambda: boosted(at_root(right=1)),
    "a feature out of range": lambda: boosted(at_root(feature_idx=4)),
    "a negative feature": lambda: boosted(at_root(feature_idx=-1)),
    "a category": lambda: boosted(at_root(is_categorical=1)),
    "no node": lambda: boosted(lambda nodes: nodes[:0]),
    "a matrix of nodes": lambda: boosted(lambda nodes: nodes[None]),
    "plain nodes": lambda: boosted(lambda nodes: nodes["value"].copy()),
    "more outputs": lambda: boosted(n_trees_per_iteration_=2),
    "outputs without number": lambda: boosted(n_trees_per_iteration_=1.0),
    "a wide baseline": lambda: boosted(_baseline_prediction=np.zeros((1, 10**6))),
    "fewer features": lambda: boosted(n_features_in_=1),
    "features without number": lambda: boosted(n_features_in_=np.array([4])),
    "trees of another kind": lambda: boosted(_predictors=[[tree()]]),
    "a tuple of trees": lambda: boosted(_predictors=tuple),
    "another mapper of bins": lambda: boosted(_bin_mapper=StandardScaler()),
    "a preprocessor": lambda: boosted(_preprocessor=StandardScaler()),
    "the middle of a fit": lambda: boosted(_in_fit=True),
}


@pytest.mark.parametrize("name", BOOSTED)
def test_boosted_trees_that_compiled_code_cannot_rely_on_are_refused(name, tmp_path):
    # scikit-learn itself refuses nodes that cannot be converted to its kind.
    message = "is not a model file" if name == "plain nodes" else "contains no sound model ("
    assert message in refusal(BOOSTED[name](), tmp_path / "model.skops")


def gradients(kind=GradientBoostingClassifier, n_classes=2, trees=None, first=None, **changes):
    """Boosted trees of scikit-learn's older kind, some of whose parts are replaced."""
    X, _ = some_data()
    model = kind(n_estimators=2, max_depth=2, random_state=0).fit(X, np.arange(len(X)) % n_classes)
    if trees is not None:
        model.estimators_ = trees(model.estimators_)
    set_attributes(model.init_, **(first or {}))
    return set_attributes(model, **changes)


def with_first(replaced):
    """Replace the first tree of boosted trees."""

    def change(trees):
        trees = trees.copy()
        trees[0, 0] = replaced(trees[0, 0])
        return trees

    return change


def fitted_tree(n_features=4, n_outputs=1):
    """Fit a regression tree with as many features and outputs."""
    X = np.arange(40.0).reshape(10, 4)[:, np.arange(n_features) % 4]
    return DecisionTreeRegressor(max_depth=2).fit(X, np.tile(X[:, :1], n_outputs))


GRADIENTS = {
    "a wider tree": lambda: gradients(trees=with_first(lambda _: fitted_tree(9))),
    "a narrower tree": lambda: gradients(trees=with_first(lambda _: fitted_tree(2))),
    "a tree of outputs": lambda: gradients(trees=with_first(lambda _: fitted_tree(4, 2))),
    "a tree of classes": lambda: gradients(trees=with_first(lambda _: tree())),
    "a tree that hides features": lambda: gradients(
        trees=with_first(lambda _: set_attributes(fitted_tree(9), n_features_in_=4))
    ),
    "no trees": lambda: gradients(trees=lambda trees: trees[:0]),
    "a list of trees": lambda: gradients(trees=np.ravel),
    "trees of numbers": lambda: gradients(estimators_=np.zeros((2, 1))),
    "more outputs than trees": lambda: gradients(n_trees_per_iteration_=2),
    "more trees than outputs": lambda: gradients(trees=lambda trees: np.tile(trees, (1, 3))),
    "trees for first predictions of one class": lambda: gradients(
        trees=lambda trees: np.tile(trees, (1, 3)), n_trees_per_iteration_=3
    ),
    "fewer first predictions": lambda: gradients(
        n_classes=3, first={"class_prior_": np.ones(2) / 2, "n_classes_": 2}
    ),
    "priors of fewer classes": lambda: gradients(n_classes=3, first={"class_prior_": np.ones(2)}),
    "first predictions of several labels": lambda: gradients(first={"n_outputs_": 2}),
    "another rule of first predictions": lambda: gradients(first={"_strategy": "constant"}),
    "another model of first predictions": lambda: gradients(init_=tree()),
    "first predictions of another name": lambda: gradients(init_="one"),
    "classes for a regression": lambda: gradients(
        GradientBoostingRegressor,
        trees=lambda trees: np.tile(trees, (1, 3)),
        n_trees_per_iteration_=3,
        init_=gradients(n_classes=3).init_,
        _loss=lambda _: gradients(n_classes=3)._loss,
    ),
    "constants of fewer outputs": lambda: gradients(
        GradientBoostingRegressor, first={"n_outputs_": 10**9}
    ),
    "fewer features": lambda: gradients(n_features_in_=1),
    "features without number": lambda: gradients(n_features_in_=np.array([4])),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient_boosting_that_compiled_code_cannot_rely_on_is_refused(name, tmp_path):
    message = "contains no sound model ("
    assert message in refusal(GRADIENTS[name](), tmp_path / "model.skops")


def generator_in(path, change):
    """Change the description of the random generator of boosted trees."""
    with_schema(path, lambda content: change(content["_feature_subsample_rng"]["content"], content))


@pytest.mark.parametrize(
    ("part", "name", "text"),
    [
        ("bit_generator", "bit_generator", '"seed"'),
        ("bit_generator", "bit_generator", '"MT19937"'),
        ("seed_seq", "pool_size", "1000000"),
    ],
)
def test_only_the_default_generator_of_numpy_is_built(part, name, text, tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(boosted(), path)

    def change(generator, _):
        generator[part]["content"][name].update(content=text, __id__=10**9)

    generator_in(path, change)
    with pytest.raises(DataError, match=f"random generator whose {name} must be"):
        labelwise.load(path)


@pytest.mark.parametrize("whole", [False, True], ids=["a number", "a dictionary"])
def test_a_description_cannot_stand_for_another_one_of_its_number(whole, tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(boosted(), path)

    def change(generator, content):
        # skops builds the first object of a number, here before that of the generator.
        seeds = json.loads(json.dumps(generator["seed_seq"]))
        seeds["content"]["pool_size"].update(content="1000000")
        if whole:
            seeds["content"]["pool_size"].update(__id__=10**9)
        content["loss"] = seeds if whole else seeds["content"]["pool_size"]

    generator_in(path, change)
    with pytest.raises(DataError, match="describes two objects under one number"):
        labelwise.load(path)


@pytest.mark.parametrize("name", PARTS)
def test_parts_that_do_not_fit_together_are_refused(name, tmp_path):
    assert "contains no sound model (" in refusal(PARTS[name](), tmp_path / "model.skops")


def with_schema(path, change):
    members = members_of(path)
    schema = json.loads(members["schema.json"])
    change(schema["content"]["content"])
    path.write_bytes(packed_members((members | {"schema.json": json.dumps(schema)}).items()))


def build_by(loader, attribute, **changes):
    return lambda content: content[attribute].update(__loader__=loader, **changes)


CSR = {"__module__": "scipy.sparse._csr", "__class__": "csr_array"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (build_by("ObjectNode", "weights_", **CSR), "csr_array (as ObjectNode)"),
        (build_by("LossNode", "weights_", __reduce__={}), "OkapiWeights (as LossNode)"),
        (build_by("TypeNode", "weights_"), "OkapiWeights (as TypeNode)"),
        (build_by("DictNode", "weights_"), "describes a dictionary without keys"),
        (build_by("JsonNode", "weights_"), "by something else than text"),
        (build_by("NdArrayNode", "constants_", __class__="void"), "dimensions for one numpy.void"),
        (build_by("NdArrayNode", "constants_", __class__="float64"), "1 dimensions for one numpy"),
        (build_by("SparseMatrixNode", "_labels", __class__="csr_matrix"), "csr_array of bool for"),
    ],
)
def test_a_type_is_built_by_its_own_loader_alone(change, message, tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(OkapiNeighbors(3).fit(*some_data()), path)
    with_schema(path, change)
    with pytest.raises(DataError) as refused:
        labelwise.load(path)
    assert message in str(refused.value)


def test_types_of_keys_are_not_called_unless_they_are_types(tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(OkapiNeighbors(3).fit(*some_data()), path)

    def change(content):
        kinds = content["weights_"]["content"]["key_types"]["content"]
        names = {"__loader__": "FunctionNode", "__module__": "numpy", "__class__": "add"}
        kinds[0].update(names, __id__=10**9)

    with_schema(path, change)
    with pytest.raises(DataError, match="keys of a dictionary by FunctionNode"):
        labelwise.load(path)


def test_losses_of_scikit_learn_come_back(tmp_path):
    X, Y = some_data()
    model = BinaryRelevance(SGDClassifier(random_state=0)).fit(X, Y)
    labelwise.save(model, tmp_path / "model.skops")
    again = labelwise.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_objects_that_multiply_by_their_numbers_are_refused(tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(make_pipeline(StandardScaler(), OkapiNeighbors(3)), path)

    def change(content):
        # Twenty levels of ten references each: a list of 10**20 numbers.
        plain = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
        level = plain | {"content": "1", "__id__": 10**9}
        for number in range(20):
            stub = {key: level[key] for key in level if key != "content"} | {"content": "1"}
            listed = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
            level = listed | {"content": [level, *[stub] * 9], "__id__": 10**9 + 1 + number}
        content["verbose"] = level

    with_schema(path, change)
    with pytest.raises(DataError, match="describes two objects under one number"):
        labelwise.load(path)


def inner_archive(path, change):
    """Change the first sparse matrix of a file."""
    members = members_of(path)
    name = next(name for name in members if name.endswith(".npz"))
    with zipfile.ZipFile(io.BytesIO(members[name])) as packed:
        arrays = [(part, packed.read(part)) for part in packed.namelist()]
    members[name] = packed_members(change(arrays))
    path.write_bytes(packed_members(members.items()))


def test_matrices_with_an_array_under_two_names_are_refused(tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(OkapiNeighbors(3).fit(*some_data()), path)
    inner_archive(path, lambda arrays: [*arrays, ("indices", dict(arrays)["indices.npy"])])
    with pytest.raises(DataError, match="has no csc_array in a part that must contain one"):
        labelwise.load(path)


@pytest.mark.parametrize("name", ["indices.npy", "indptr.npy"])
def test_matrices_whose_indices_have_another_width_are_refused(tmp_path, name):
    path, content = tmp_path / "model.skops", io.BytesIO()
    labelwise.save(OkapiNeighbors(3).fit(*some_data()), path)

    def change(arrays):
        np.save(content, np.load(io.BytesIO(dict(arrays)[name])).astype(np.int8))
        return (dict(arrays) | {name: content.getvalue()}).items()

    inner_archive(path, change)
    with pytest.raises(DataError, match="whose indices are not 32 or 64 bits wide"):
        labelwise.load(path)


def test_small_files_do_not_unpack_to_gigabytes(tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(OkapiNeighbors(3).fit(*some_data()), path)
    inner_archive(path, lambda arrays: [*arrays, ("more.npy", bytes(2**27))])
    assert path.stat().st_size < 20_000
    with pytest.raises(DataError, match="more than 1100 times its size on disk"):
        labelwise.load(path)


def test_small_descriptions_of_many_objects_are_refused_before_they_are_built(tmp_path):
    path = tmp_path / "model.skops"
    labelwise.save(OkapiNeighbors(3).fit(*some_data()), path)
    many = b"[" + b"{}," * 10**6 + b"{}]"
    path.write_bytes(packed_members((members_of(path) | {"schema.json": many}).items()))
    with pytest.raises(DataError, match="more than 1100 times its size on disk"):
        labelwise.load(path)


def test_settings_of_another_machine_are_taken_back(tmp_path):
    X, Y = some_data()
    model = make_pipeline(
        StandardScaler(), BinaryRelevance(penalty=0.1), memory=str(tmp_path / "cache")
    )
    model.fit(X, Y).set_params(binaryrelevance__n_jobs=50_000, binaryrelevance__verbose=1000)
    labelwise.save(model, tmp_path / "model.skops")
    again = labelwise.load(tmp_path / "model.skops")
    assert again.memory is None
    assert again[-1].n_jobs is None
    assert again[-1].verbose == 0
    model = BinaryRelevance(penalty=0.1, n_jobs=-1, verbose=1)
    labelwise.save(model, tmp_path / "model.skops")
    assert str(labelwise.load(tmp_path / "model.skops")) == str(model)


@pytest.mark.parametrize("kind", [GridSearchCV, RandomizedSearchCV])
def test_no_search_in_a_model_tries_a_folder_of_pickles(tmp_path, kind):
    X, Y = some_data()
    model = BinaryRelevance(LogisticRegression()).fit(X, Y)
    grid = {"memory": ["cache"], "inner__memory": ["cache"], "inner__C": [1.0]}
    pipe = Pipeline([("inner", LogisticRegression())])
    for given, kept in ((grid, {"inner__C": [1.0]}), ([grid, grid], [{"inner__C": [1.0]}] * 2)):
        labelwise.save(model.set_params(estimator=kind(pipe, given)), tmp_path / "model.skops")
        search = labelwise.load(tmp_path / "model.skops").estimator
        assert kept in vars(search).values()
        assert "cache" not in repr(search)


def test_a_device_is_refused_unread(tmp_path):
    path = tmp_path / "model.skops"
    path.symlink_to("/dev/zero")
    with pytest.raises(DataError, match=r"model.skops: is a device, not a model file\."):
        labelwise.load(path, max_bytes=10**6)


def test_running_out_of_memory_is_the_files_fault(tmp_path, monkeypatch):
    labelwise.save(OkapiNeighbors(3).fit(*some_data()), tmp_path / "model.skops")

    def fail(*_args, **_options):
        raise MemoryError

    monkeypatch.setattr(skops_io(), "load", fail)
    with pytest.raises(DataError, match=r"is not a model file, or is truncated \(MemoryError\)"):
        labelwise.load(tmp_path / "model.skops")


def test_kernels_end_whatever_the_numbers_are():
    # In a process of its own, since an endless kernel hears no signal.
    code = """
        import numpy as np
        from labelwise.learners._okapi_kernels import cut_of_best
        for value in (np.inf, -np.inf, np.nan, 1e308):
            for k in (-1, 0, 1, 3):
                cut_of_best(np.array([1.0, value, 2.0, value]), k, 2 * k, -np.inf)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=300)
