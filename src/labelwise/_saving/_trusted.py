"""The list of types that a model file may contain, and the check of a file against it.

A type of scikit-learn is on the list if models of labelwise need it, and if its predictions are
safe for one of two reasons: they compute with NumPy and SciPy, which check shapes and indices, from
the arrays in the file; or `_sklearn_parts` checks the fields that reach compiled code or the size
of an array. The table in SECURITY.md gives the reason for each type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from inspect import isclass, isfunction
from typing import Any

from labelwise._saving._archive import Archive

_SKLEARN = {
    "compose._column_transformer": ("ColumnTransformer",),
    "decomposition._pca": ("PCA",),
    "decomposition._truncated_svd": ("TruncatedSVD",),
    "dummy": ("DummyClassifier", "DummyRegressor"),
    "ensemble._forest": ("ExtraTreesClassifier", "RandomForestClassifier", "RandomTreesEmbedding"),
    "ensemble._gb": ("GradientBoostingClassifier", "GradientBoostingRegressor"),
    "ensemble._hist_gradient_boosting.binning": ("_BinMapper",),
    "ensemble._hist_gradient_boosting.gradient_boosting": (
        *("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"),
    ),
    "ensemble._hist_gradient_boosting.predictor": ("TreePredictor",),
    "feature_extraction.text": ("CountVectorizer", "TfidfTransformer", "TfidfVectorizer"),
    "frozen._frozen": ("FrozenEstimator",),
    "isotonic": ("IsotonicRegression",),
    "linear_model._logistic": ("LogisticRegression", "LogisticRegressionCV"),
    "linear_model._perceptron": ("Perceptron",),
    "linear_model._ridge": ("RidgeClassifier",),
    "linear_model._stochastic_gradient": ("SGDClassifier",),
    "_loss.link": ("HalfLogitLink", "IdentityLink", "Interval", "LogitLink", "MultinomialLogit"),
    "_loss.loss": (
        *("ExponentialLoss", "HalfBinomialLoss", "HalfMultinomialLoss", "HalfSquaredError"),
    ),
    "model_selection._search": ("GridSearchCV", "RandomizedSearchCV"),
    "multiclass": ("OneVsRestClassifier",),
    "multioutput": ("ClassifierChain", "MultiOutputClassifier"),
    "naive_bayes": ("BernoulliNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    "neighbors._classification": ("KNeighborsClassifier",),
    "neighbors._graph": ("KNeighborsTransformer",),
    "pipeline": ("FeatureUnion", "Pipeline"),
    "preprocessing._data": (
        *("MaxAbsScaler", "MinMaxScaler", "Normalizer", "RobustScaler", "StandardScaler"),
    ),
    "preprocessing._encoders": ("OneHotEncoder", "OrdinalEncoder"),
    "preprocessing._function_transformer": ("FunctionTransformer",),
    "preprocessing._label": ("LabelBinarizer", "LabelEncoder"),
    "svm._classes": ("LinearSVC", "SVC"),
    "tree._classes": (
        *("DecisionTreeClassifier", "DecisionTreeRegressor"),
        *("ExtraTreeClassifier", "ExtraTreeRegressor"),
    ),
}
_NUMBERS = (
    *("bool", "float16", "float32", "float64", "longdouble", "longlong", "ulonglong"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)
_NUMPY_SCALARS = frozenset(f"numpy.{name}" for name in (*_NUMBERS, "str_"))
# For FunctionTransformer, which calls them with the samples and nothing else.
_FUNCTIONS = (
    *("absolute", "cbrt", "exp", "expm1", "log", "log10", "log1p", "log2", "sign", "sqrt"),
    *("square", "tanh"),
)
# skops builds an object by the loader that the file names. Each loader gets the types that it
# writes, so that a file cannot have one type built as if it were another.
TYPES: dict[str, frozenset[str]] = {
    "DictNode": frozenset({"builtins.dict", "collections.OrderedDict"}),
    "FunctionNode": frozenset(f"numpy.{name}" for name in _FUNCTIONS),
    "JsonNode": frozenset({"builtins.str"}),
    "ListNode": frozenset({"builtins.list"}),
    "LossNode": frozenset(
        [f"sklearn._loss._loss.Cy{name}" for name in ("ExponentialLoss", "HalfBinomialLoss")]
        + [f"sklearn._loss._loss.Cy{name}" for name in ("HalfMultinomialLoss", "HalfSquaredError")]
        + [f"sklearn.linear_model._sgd_fast.{name}" for name in ("Hinge", "ModifiedHuber")]
        + ["sklearn.linear_model._sgd_fast.SquaredHinge"]
    ),
    "NdArrayNode": _NUMPY_SCALARS | {"numpy.ndarray"},
    "ObjectNode": frozenset(
        f"sklearn.{module}.{name}" for module, names in _SKLEARN.items() for name in names
    ),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "SparseMatrixNode": frozenset(
        f"scipy.sparse._{form}.{form}_{kind}"
        for form in ("csc", "csr")
        for kind in ("array", "matrix")
    ),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
    "TupleNode": frozenset({"builtins.tuple"}),
    "TypeNode": _NUMPY_SCALARS | {f"builtins.{name}" for name in ("bool", "float", "int", "str")},
}
_CONTAINERS: tuple[tuple[type, str], ...] = (
    (dict, "DictNode"),
    (list, "ListNode"),
    (tuple, "TupleNode"),
)
# Stages of labelwise, and which of their public names may be in a file.
_OWN_STAGES: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(("decisions", "features", "learners", "splitting"), isclass),
    "measures": isfunction,
}
_OWN_PARTS = (
    "labelwise.decisions.BandEvidence",
    "labelwise.decisions.ConstraintCheck",
    "labelwise.decisions.Evidence",
    "labelwise.decisions.Guarantee",
    "labelwise.decisions.Sigmoid",
    "labelwise.decisions.SliceThresholds",
    "labelwise.learners.Blend",
    "labelwise.learners.Forests",
    "labelwise.learners.Leaderboard",
)


def check_trusted(more: Sequence[type]) -> None:
    """Refuse an argument `trusted` that is not a sequence of types."""
    for given in more:
        if not isclass(given):
            raise TypeError(f"trusted must contain types, got {given!r}.")


def untrusted_types(archive: Archive, more: Sequence[type] = ()) -> list[str]:
    """Return the types in an archive that the loaders which would build them may not build."""
    found = {(one.loader, one.type) for one in archive.objects}
    known = {(loader, name) for loader, names in TYPES.items() for name in names}
    own = (own_type(name) for _, name in found)
    for one in (*filter(None, own), *more):
        known.add((_loader(one), full_name(one)))
    known |= {("TypeNode", full_name(one)) for one in more}
    names = {name for _, name in known}
    return sorted(
        f"{name:.100} (as {loader:.50})" if name in names or loader not in TYPES else name[:100]
        for loader, name in found - known
    )


def own_type(name: str) -> Any:
    """Return the public class or function of labelwise that a file may name, or None."""
    stage, _, short_name = name.rpartition(".")
    is_wanted = _OWN_STAGES.get(stage.removeprefix("labelwise."))
    if is_wanted is None or not stage.startswith("labelwise.") or find_spec(stage) is None:
        return None
    package = import_module(stage)
    if name not in _OWN_PARTS and short_name not in package.__all__:
        return None
    one = getattr(package, short_name)
    return one if is_wanted(one) and full_name(one) == name else None


def _loader(one: Any) -> str:
    """Return the class of skops that writes and builds objects of a type, or a function."""
    if not isclass(one):
        return "FunctionNode"
    for base, loader in _CONTAINERS:
        if issubclass(one, base):
            return loader
    return "ObjectNode"


def full_name(one: Any) -> str:
    """Return the module and the name of a class or a function."""
    return f"{one.__module__}.{one.__name__}"
