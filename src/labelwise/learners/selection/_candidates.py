"""The candidates of `BestLearner`: the default ones, those by name, and what each costs.

A learner becomes a candidate by a line in `REGISTER`. It is imported when it is built, because
scikit-learn's forests take long to import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelwise._text import listed, quoted
from labelwise.learners._binary_relevance import BinaryRelevance
from labelwise.learners.selection import _costs as costs
from labelwise.learners.selection._costs import Size


class Candidate(NamedTuple):
    """A learner that takes part in a race."""

    name: str
    estimator: Any
    cost: float  # of a fit to all rows: the lower one of two equally good candidates is chosen
    seconds: Callable[[int], float]  # predicted, of a fit to a number of rows


class KnownLearner(NamedTuple):
    """A learner of the register: how it is built, for which samples, and what it costs."""

    build: Callable[[bool, int | None], Any]  # from whether X is sparse, and the seed
    seconds: Callable[[Size], float]  # predicted, of one fit
    refusal: Callable[[Size], str] = costs.never  # why it is not for these samples, or ""
    is_default: bool = True


def _scaled(model: Any, is_sparse: bool) -> Any:
    """Return a model of scaled features; sparse features, usually of texts, stay as they are."""
    if is_sparse:
        return model
    # The transformer must not turn rows into a frame.
    scaler = StandardScaler(with_mean=False).set_output(transform="default")
    return make_pipeline(scaler, model)


def _logistic(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    return _scaled(BinaryRelevance(rescale=True), is_sparse)


def _linear_svm(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    return _scaled(BinaryRelevance(loss="squared_hinge"), is_sparse)


def _kernel_svm(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from sklearn.svm import SVC

    return _scaled(BinaryRelevance(SVC(C=10.0)), is_sparse)


def _forest(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from sklearn.ensemble import RandomForestClassifier

    from labelwise.learners import LabelForest

    return LabelForest(RandomForestClassifier(200, random_state=seed))


def _extra_trees(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from sklearn.ensemble import ExtraTreesClassifier

    from labelwise.learners import LabelForest

    return LabelForest(ExtraTreesClassifier(200, random_state=seed))


def _forest_per_label(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from sklearn.ensemble import RandomForestClassifier

    from labelwise.learners import LabelForest

    return LabelForest(RandomForestClassifier(100, random_state=seed), joint=False)


def _boosting(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from sklearn.ensemble import HistGradientBoostingClassifier

    boosting = HistGradientBoostingClassifier(
        learning_rate=0.05,
        max_iter=150,
        max_leaf_nodes=15,
        min_samples_leaf=5,
        max_features=0.3,
        early_stopping=False,
        random_state=seed,
    )
    return BinaryRelevance(boosting)


def _label_ranking(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from labelwise.learners import CalibratedLabelRanking

    return CalibratedLabelRanking(random_state=seed)


def _exact_f(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from labelwise.learners import ExactFPlugin

    return _scaled(ExactFPlugin(), is_sparse)


def _chains(is_sparse: bool, seed: int | None) -> Any:
    from labelwise.learners import SampledFPlugin

    return _scaled(SampledFPlugin(random_state=seed), is_sparse)


def _neighbors(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from sklearn.neighbors import KNeighborsClassifier

    return _scaled(KNeighborsClassifier(10, weights="distance", algorithm="brute"), is_sparse)


def _okapi(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from labelwise.learners import OkapiNeighbors

    return OkapiNeighbors(30)


# Arguments with which a package prints nothing.
_QUIET: dict[str, dict[str, Any]] = {"lightgbm": {"verbose": -1}, "catboost": {"verbose": False}}


def _installed(module: str, class_name: str) -> Callable[[bool, int | None], Any]:
    """Return a builder of a model for each label by a package that may not be installed."""

    def build(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
        if find_spec(module) is None:
            raise ValueError(f"candidates names {module!r}, which is not installed.")
        kind = getattr(import_module(module), class_name)
        return BinaryRelevance(kind(random_state=seed, **_QUIET.get(module, {})))

    return build


REGISTER: Mapping[str, KnownLearner] = {
    "br": KnownLearner(_logistic, costs.logistic),
    "br-svm": KnownLearner(_linear_svm, costs.linear_svm),
    "knn": KnownLearner(_neighbors, costs.neighbors),
    "okapi": KnownLearner(_okapi, costs.neighbors, costs.unless_counts),
    "efp": KnownLearner(_exact_f, costs.exact_f, costs.unless_many_rows),
    "chains": KnownLearner(_chains, costs.chains, costs.unless_many_rows),
    "br-kernel-svm": KnownLearner(_kernel_svm, costs.kernel_svm, costs.unless_few_rows),
    "forest": KnownLearner(_forest, costs.forest, costs.unless_many_rows),
    "extra-trees": KnownLearner(_extra_trees, costs.extra_trees, costs.unless_many_rows),
    "br-forest": KnownLearner(_forest_per_label, costs.forest_per_label, costs.unless_many_rows),
    "clr": KnownLearner(_label_ranking, costs.label_ranking, costs.unless_few_pairs),
    # `labelwise.save` writes no boosted trees, because compiled code would follow their arrays
    # unchecked: these four are tried only if they are named.
    "br-boosting": KnownLearner(_boosting, costs.boosting, costs.unless_dense, is_default=False),
    "lightgbm": KnownLearner(
        _installed("lightgbm", "LGBMClassifier"), costs.boosting, is_default=False
    ),
    "xgboost": KnownLearner(
        _installed("xgboost", "XGBClassifier"), costs.boosting, is_default=False
    ),
    "catboost": KnownLearner(
        _installed("catboost", "CatBoostClassifier"), costs.boosting, is_default=False
    ),
}


def default_candidates(
    size: Size, seed: int | None
) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """Return the default candidates for some samples, and why the others are left out."""
    taken, left_out = [], []
    for name, kind in REGISTER.items():
        if not kind.is_default:
            continue
        reason = kind.refusal(size)
        if not reason and kind.seconds(size) > costs.LONGEST_FIT:
            reason = f"a fit would take about {kind.seconds(size):.0f} seconds"
        if reason:
            left_out.append((name, reason))
        else:
            taken.append(_candidate(name, kind, size, seed))
    return taken, left_out


def given_candidates(given: Any, is_sparse: bool, seed: int | None) -> list[Candidate]:
    """Return the candidates of a mapping or a sequence, with names.

    Parameters
    ----------
    given : mapping of str to estimator, or sequence of estimator, str or (str, estimator)
        A str is a name of the register. The first is taken as the cheapest.
    is_sparse : bool
        Whether X is a sparse matrix.
    seed : int or None
        Seed of the learners of the register.

    Returns
    -------
    list of Candidate

    Raises
    ------
    TypeError, ValueError
        If there is no candidate, a name is unknown or repeated, or one is no estimator.
    """
    pairs = list(given.items()) if isinstance(given, Mapping) else _named(given)
    if not pairs:
        raise ValueError("candidates must contain an estimator, got none.")
    names = [name for name, _ in pairs]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(f"candidates must have different names, got {repeated[0]!r} twice.")
    found = []
    for place, (name, one) in enumerate(pairs):
        estimator = _of_register(one).build(is_sparse, seed) if isinstance(one, str) else one
        if not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
            raise TypeError(f"candidates must be estimators or names, got {one!r} as {name!r}.")
        found.append(Candidate(str(name), estimator, float(place), _unknown))
    return found


def given_estimators(given: Any) -> list[Any]:
    """Return the estimators of a mapping or a sequence that is not checked yet."""
    values = list(given.values()) if hasattr(given, "values") else list(given)
    last = [one[-1] if isinstance(one, tuple) else one for one in values]
    return [one for one in last if hasattr(one, "__sklearn_tags__")]


def _unknown(n_rows: int) -> float:  # noqa: ARG001
    """Return 0 for the seconds of an estimator without a cost model."""
    return 0.0


def probability_models(seed: int | None) -> list[Any]:
    """Return the default candidates that give probabilities without a choice of penalties.

    They suit models that are fitted many times, and take dense and sparse rows.
    """
    return [REGISTER[name].build(False, seed) for name in ("knn", "forest", "extra-trees")]


def _named(given: Any) -> list[tuple[str, Any]]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TypeError(f"candidates must be a list or a mapping of estimators, got {given!r}.")
    pairs = []
    for one in given:
        if isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str):
            pairs.append(one)
        else:
            pairs.append((one if isinstance(one, str) else type(one).__name__, one))
    return pairs


def _of_register(name: str) -> KnownLearner:
    if name not in REGISTER:
        known = listed(list(REGISTER), len(REGISTER), show=quoted)
        raise ValueError(f"candidates must be estimators or one of {known}, got {name!r}.")
    return REGISTER[name]


def _candidate(name: str, kind: KnownLearner, size: Size, seed: int | None) -> Candidate:
    def seconds(n_rows: int) -> float:
        return kind.seconds(size._replace(n_rows=n_rows))

    return Candidate(name, kind.build(size.is_sparse, seed), kind.seconds(size), seconds)


def size_of(X: Any, n_labels: int) -> Size:
    """Return the size of a checked matrix of features."""
    is_sparse = sparse.issparse(X)
    entries = X.data if is_sparse else X
    n_stored = X.nnz if is_sparse else X.size
    are_counts = bool(n_stored and (entries >= 0).all() and (entries == np.floor(entries)).all())
    return Size(
        X.shape[0], X.shape[1], n_labels, n_stored / max(1, X.shape[0]), is_sparse, are_counts
    )
