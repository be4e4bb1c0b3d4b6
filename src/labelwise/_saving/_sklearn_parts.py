"""Checks of scikit-learn's objects whose fields reach compiled code or the size of an array.

That is the code of trees, also of boosted ones, of libsvm and of brute-force neighbours, scipy's
functions of sparse matrices whose column numbers come from a transformer's attributes, and numbers
of classes for which an array is made. All other types that a file may contain compute with NumPy,
which checks shapes and indices itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._saving._trusted import full_name
from labelwise._validation import is_whole

# The others need rows of a kernel matrix instead of features, which libsvm reads by number.
_KERNELS = ("linear", "poly", "rbf", "sigmoid")
# The others take arrays as parameters, or rows of a matrix of distances.
_METRICS = ("cityblock", "cosine", "euclidean", "l1", "l2", "manhattan", "minkowski", "sqeuclidean")
_TWISTER_WORDS = 624


def check_sklearn_part(part: Any) -> None:
    """Refuse, with a ValueError, a part of a model that compiled code could not read safely."""
    for base in type(part).__mro__:
        check = _CHECKS.get(full_name(base))
        if check is not None:
            check(part)


def _is(part: Any, name: str) -> bool:
    return full_name(type(part)) == name


def _check_tree(tree: Any) -> None:
    """Refuse a tree with links or features out of range, or with a cycle."""
    n_nodes = tree.node_count
    # Checked first: every array of a tree has `node_count` entries, whatever was allocated.
    if not 0 < n_nodes == tree.capacity or tree.value.size == 0:
        raise ValueError("a tree must have as many nodes as it claims")
    inner = np.flatnonzero(tree.children_left != -1)
    features = tree.feature[inner]
    children = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    _check_links(inner, children, n_nodes)
    # Room is made for paths of `max_depth` nodes.
    is_deep_enough = _depth(inner, children, n_nodes) <= tree.max_depth < n_nodes
    if not is_deep_enough or ((features < 0) | (features >= tree.n_features)).any():
        raise ValueError("a tree must have features and a depth that it knows")


def _check_links(inner: np.ndarray, children: np.ndarray, n_nodes: int) -> None:
    """Refuse links after which a node is met twice, or never.

    scikit-learn numbers children after their parents: every path ends.
    """
    is_forward = (children > np.tile(inner, 2)).all()
    if not is_forward or not np.array_equal(np.sort(children), np.arange(1, n_nodes)):
        raise ValueError("a tree must lead from its root to a leaf")


def _depth(inner: np.ndarray, children: np.ndarray, n_nodes: int) -> int:
    """Return the length of the longest path from the root, by doubling steps upwards."""
    above, n_steps = np.zeros(n_nodes, dtype=np.intp), np.ones(n_nodes, dtype=np.intp)
    above[children] = np.tile(inner, 2)
    n_steps[0] = 0
    while above.any():
        n_steps += n_steps[above]
        above = above[above]
    return int(n_steps.max())


def _check_tree_model(model: Any) -> None:
    """Refuse a fitted tree that reads more features than its estimator checks."""
    if hasattr(model, "tree_"):
        _check_owner(model, model)


def _check_forest(forest: Any) -> None:
    """Refuse trees that read more features, or have other classes, than their forest."""
    for tree in getattr(forest, "estimators_", ()):
        _check_owner(tree, forest)
        # The forest makes an array with this number of columns for the classes.
        known = np.atleast_1d(getattr(forest, "n_classes_", tree.tree_.n_classes))
        if not np.array_equal(known, tree.tree_.n_classes):
            raise ValueError("the trees of a forest must have its classes")


def _check_owner(tree: Any, owner: Any) -> None:
    width = owner.n_features_in_
    if not _is(tree.tree_, "sklearn.tree._tree.Tree") or type(width) is not int:
        raise ValueError("a tree must belong to an estimator that knows its features")
    if tree.tree_.n_features > width:
        raise ValueError(f"a tree looks at {tree.tree_.n_features} features of {width}")


def _check_boosting(model: Any) -> None:
    """Refuse boosted trees that do not match the features, classes and outputs of the model.

    Compiled code adds the value of each tree to the column of its output, in an array with as many
    columns as the first predictions (`init_`) have.
    """
    if not hasattr(model, "estimators_"):
        return
    trees, n_outputs = model.estimators_, model.n_trees_per_iteration_
    sound = (
        isinstance(trees, np.ndarray)
        and trees.ndim == 2
        and trees.size > 0
        and type(n_outputs) is int
        and trees.shape[1] == n_outputs
        and all(_is(tree, "sklearn.tree._classes.DecisionTreeRegressor") for tree in trees.flat)
        and _n_first_predictions(model) == n_outputs
    )
    if not sound:
        raise ValueError("boosted trees must be those of the outputs, with usual first predictions")
    for tree in trees.flat:
        _check_owner(tree, model)
        # One value a node; the first tree checks the number of features for all others.
        if tree.tree_.value.shape[1:] != (1, 1) or tree.n_features_in_ != model.n_features_in_:
            raise ValueError("boosted trees must have the features of the model and one output")


def _n_first_predictions(model: Any) -> int:
    """Return the number of columns of the predictions that trees correct, -1 if it is not known."""
    from sklearn.base import is_classifier

    first = model.init_
    if isinstance(first, str):
        return int(model.n_trees_per_iteration_) if first == "zero" else -1
    if _is(first, "sklearn.dummy.DummyRegressor"):
        return int(first.n_outputs_)
    # The others compute their number of columns in other ways, or give a regressor one column.
    is_prior = (
        is_classifier(model)
        and _is(first, "sklearn.dummy.DummyClassifier")
        and first._strategy == "prior"
        and first.n_outputs_ == 1
        and np.shape(first.class_prior_) == (first.n_classes_,)
    )
    if not is_prior:
        return -1
    is_multiclass = _is(model._loss, "sklearn._loss.loss.HalfMultinomialLoss")
    return int(first.n_classes_) if is_multiclass else 1


def _check_hist_boosting(model: Any) -> None:
    """Refuse histogram-based trees that do not match the features and outputs of the model."""
    if hasattr(model, "_in_fit"):
        raise ValueError("boosted trees must not be in the middle of their fit")
    if not hasattr(model, "_predictors"):
        return
    width, n_outputs, rounds = model.n_features_in_, model.n_trees_per_iteration_, model._predictors
    if type(width) is not int or type(n_outputs) is not int:
        raise ValueError("boosted trees must know the numbers of features and outputs")
    kinds = "sklearn.ensemble._hist_gradient_boosting"
    # A preprocessor could change the number of features.
    sound = (
        model._preprocessor is None
        and _is(model._bin_mapper, f"{kinds}.binning._BinMapper")
        and isinstance(model._baseline_prediction, np.ndarray)
        and model._baseline_prediction.shape == (1, n_outputs)
        and isinstance(rounds, list)
        and all(isinstance(trees, list) and len(trees) == n_outputs for trees in rounds)
        and all(_is(tree, f"{kinds}.predictor.TreePredictor") for trees in rounds for tree in trees)
    )
    if not sound:
        raise ValueError(f"boosted trees must be those of {n_outputs} outputs")
    if any(_most_feature(tree.nodes) >= width for trees in rounds for tree in trees):
        raise ValueError(f"boosted trees must look at {width} features")


def _check_predictor(predictor: Any) -> None:
    """Refuse a histogram-based tree with a cycle, links out of range, or categories."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    nodes = predictor.nodes
    if not isinstance(nodes, np.ndarray) or nodes.dtype != PREDICTOR_RECORD_DTYPE:
        raise ValueError("a boosted tree must have nodes of scikit-learn's kind")
    if nodes.ndim != 1 or nodes.size == 0:
        raise ValueError("a boosted tree must have a root")
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    split = nodes[inner]
    _check_links(inner, np.concatenate([split["left"], split["right"]]), nodes.size)
    # The bits of categories would be looked up in tables that are not checked here.
    if (split["feature_idx"] < 0).any() or split["is_categorical"].any():
        raise ValueError("a boosted tree must split numbers of its features")


def _most_feature(nodes: np.ndarray) -> int:
    """Return the highest number of a feature that a tree looks at, -1 if it has one leaf."""
    return int(nodes["feature_idx"][nodes["is_leaf"] == 0].max(initial=-1))


def _check_machine(machine: Any) -> None:
    """Refuse support vectors, weights and classes that do not fit together."""
    if not hasattr(machine, "support_"):
        return
    vectors, weights = machine.support_vectors_, machine._dual_coef_
    n_vectors, n_classes = vectors.shape[0], len(machine._n_support)
    n_pairs = n_classes * (n_classes - 1) // 2
    sound = (
        isinstance(machine.kernel, str)
        and machine.kernel in _KERNELS
        and _is_dense_or_full(vectors, weights, machine._sparse)
        and vectors.shape[1] == machine.shape_fit_[1] == machine.n_features_in_
        and weights.shape == (n_classes - 1, n_vectors)
        and n_classes >= 2
        and machine._intercept_.shape == (n_pairs,)
        and machine.support_.shape == (n_vectors,)
        and (machine._n_support >= 0).all()
        and machine._n_support.sum(dtype=np.int64) == n_vectors
        and machine._probA.size == machine._probB.size
        and machine._probA.size in (0, n_pairs)
    )
    if not sound:
        raise ValueError("the parts of a support vector machine must fit together")


def _is_dense_or_full(vectors: Any, weights: Any, is_sparse: Any) -> bool:
    """Return whether arrays are dense, or CSR with every weight stored, as libsvm assumes."""
    if not is_sparse:
        return isinstance(vectors, np.ndarray) and isinstance(weights, np.ndarray)
    if not (sparse.issparse(vectors) and sparse.issparse(weights)):
        return False
    full = np.tile(np.arange(weights.shape[1]), weights.shape[0])
    return vectors.format == weights.format == "csr" and np.array_equal(weights.indices, full)


def _check_neighbors(model: Any) -> None:
    """Refuse training samples, classes, neighbours and distances that do not fit together."""
    if not hasattr(model, "_fit_X"):
        return
    n_samples, n_features = model._fit_X.shape
    sound = (
        (isinstance(model._fit_X, np.ndarray) or sparse.issparse(model._fit_X))
        and (n_samples, n_features) == (model.n_samples_fit_, model.n_features_in_)
        and is_whole(model.n_neighbors)
        and 1 <= model.n_neighbors <= n_samples
        and {model.metric, model.effective_metric_} <= set(_METRICS)
        and model.metric_params is None
        and set(model.effective_metric_params_) <= {"p"}
        and all(isinstance(p, int | float) for p in model.effective_metric_params_.values())
    )
    if sound and hasattr(model, "classes_"):
        columns = model._y.reshape(n_samples, -1).T
        classes = model.classes_ if model.outputs_2d_ else [model.classes_]
        sound = len(columns) == len(classes) and all(
            ((column >= 0) & (column < len(values))).all()
            for column, values in zip(columns, classes, strict=True)
        )
    if not sound:
        raise ValueError("the samples of a neighbours model must fit together")


def _check_vectorizer(vectorizer: Any) -> None:
    """Refuse files instead of texts, endless n-grams, and columns that are not 0, 1, 2, ..."""
    lowest, highest = vectorizer.ngram_range
    if vectorizer.input != "content" or not (is_whole(lowest) and is_whole(highest)):
        raise ValueError("a vectorizer must take texts and have two whole numbers as ngram_range")
    if not 1 <= lowest <= highest:
        raise ValueError(f"ngram_range must be at least 1, got {lowest!r:.50}")
    vocabulary = getattr(vectorizer, "vocabulary_", {})
    columns = np.fromiter(vocabulary.values(), dtype=np.int64, count=len(vocabulary))
    if not np.array_equal(np.sort(columns), np.arange(columns.size)):
        raise ValueError(f"vocabulary_ must number its {columns.size} terms from 0")


def _check_one_hot(encoder: Any) -> None:
    """Refuse more categories than the columns that the encoder makes room for."""
    if not hasattr(encoder, "categories_"):
        return
    n_columns = []
    dropped = encoder._drop_idx_after_grouping
    for i, categories in enumerate(encoder.categories_):
        n_groups = len(categories)
        # A category is looked up by bisection, which may end beyond the last one if unsorted.
        if categories.dtype != object and not np.array_equal(
            np.searchsorted(categories, categories), np.arange(n_groups)
        ):
            raise ValueError("the categories of a one-hot encoder must be sorted")
        if encoder._infrequent_enabled:
            n_groups = _n_groups(
                encoder._infrequent_indices[i], encoder._default_to_infrequent_mappings[i], n_groups
            )
        without = None if dropped is None else dropped[i]
        if without is not None and not 0 <= without < n_groups:
            raise ValueError("a one-hot encoder must drop one of its categories")
        n_columns.append(n_groups - (without is not None))
    if encoder._n_features_outs != n_columns:
        raise ValueError("a one-hot encoder must have as many columns as categories")


def _n_groups(infrequent: Any, groups: Any, n_categories: int) -> int:
    """Return how many groups the categories of a feature are in, the infrequent ones being one."""
    if infrequent is None and groups is None:
        return n_categories
    places, groups = np.asarray(infrequent), np.asarray(groups)
    if (
        groups.shape != (n_categories,)
        or not 0 <= groups.min() <= groups.max() < n_categories
        or ((places < 0) | (places >= n_categories)).any()
    ):
        raise ValueError("a one-hot encoder must give each category a group")
    return int(groups.max()) + 1


def _check_dummy(model: Any) -> None:
    """Refuse numbers of classes, for which arrays are made, other than those of the classes."""
    if hasattr(model, "classes_"):
        classes = [model.classes_] if model.n_outputs_ == 1 else model.classes_
        if np.atleast_1d(model.n_classes_).tolist() != [len(values) for values in classes]:
            raise ValueError("n_classes_ must be the number of classes")


def _check_constant(model: Any) -> None:
    """Refuse a number of outputs, for which an array is made, other than that of the constants."""
    if hasattr(model, "constant_"):
        n_outputs = model.n_outputs_
        if type(n_outputs) is not int or np.shape(model.constant_) != (1, n_outputs):
            raise ValueError("n_outputs_ must be the number of constants")


def _check_function(transformer: Any) -> None:
    """Refuse functions that are not called with the samples alone."""
    functions = (transformer.func, transformer.inverse_func)
    if not all(one is None or isinstance(one, np.ufunc) for one in functions):
        raise ValueError("a FunctionTransformer must have a function of NumPy")
    if transformer.kw_args or transformer.inv_kw_args:
        raise ValueError("a FunctionTransformer must have no further arguments")


def _check_random_state(random: np.random.RandomState) -> None:
    state: Any = random.get_state(legacy=False)
    if not 0 <= state["state"].get("pos", 0) <= _TWISTER_WORDS:
        raise ValueError("the place of a random state must be within its words")


# By the names of types, so that nothing is imported for a model that does not contain them.
_CHECKS: dict[str, Callable[[Any], None]] = {
    "numpy.random.mtrand.RandomState": _check_random_state,
    "sklearn.dummy.DummyClassifier": _check_dummy,
    "sklearn.dummy.DummyRegressor": _check_constant,
    "sklearn.ensemble._forest.BaseForest": _check_forest,
    "sklearn.ensemble._gb.BaseGradientBoosting": _check_boosting,
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.BaseHistGradientBoosting": (
        _check_hist_boosting
    ),
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": _check_predictor,
    "sklearn.feature_extraction.text.CountVectorizer": _check_vectorizer,
    "sklearn.neighbors._base.NeighborsBase": _check_neighbors,
    "sklearn.preprocessing._encoders.OneHotEncoder": _check_one_hot,
    "sklearn.preprocessing._function_transformer.FunctionTransformer": _check_function,
    "sklearn.svm._classes.SVC": _check_machine,
    "sklearn.tree._classes.BaseDecisionTree": _check_tree_model,
    "sklearn.tree._tree.Tree": _check_tree,
}
