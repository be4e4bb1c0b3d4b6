"""scikit-learn's conventions for estimators: features, metadata of `fit`, seeds, progress."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from labelwise._validation import check_random_state, check_readable
from labelwise.splitting import MultilabelStratifiedKFold

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter


def learn_features(learner: Any, X: Any, *, reset: bool = True, trees: Any = None) -> Any:
    """Return X row-major or CSR; store its number of features, or compare it without `reset`.

    X is float64 and finite; for `trees`, a classifier of scikit-learn, it is float32, and may have
    NaN where they accept it.
    """
    from sklearn.utils import get_tags
    from sklearn.utils.validation import check_is_fitted, validate_data

    if not reset:
        check_is_fitted(learner)
    check_readable(X, "X")
    # Whether values may be missing is for the trees to say, in fit.
    allows_nan = trees is not None and get_tags(trees).input_tags.allow_nan
    return validate_data(
        learner,
        X,
        accept_sparse="csr",
        dtype=np.float64 if trees is None else np.float32,
        order="C",
        ensure_all_finite="allow-nan" if allows_nan else True,
        reset=reset,
    )


def refuse_prefit(wrapper: Any) -> None:
    """Refuse the former spelling of a wrapper around an estimator that is not fitted again."""
    if isinstance(wrapper.cv, str) and wrapper.cv == "prefit":
        raise ValueError(
            'cv="prefit" is no longer an option: write '
            f"{type(wrapper).__name__}(FrozenEstimator(fitted)), with FrozenEstimator of "
            "sklearn.frozen."
        )


def copy_feature_attributes(estimator: Any, fitted: Any) -> None:
    """Copy number and names of features from a fitted estimator to its wrapper.

    An attribute that the fitted estimator does not have is removed from the wrapper, which may
    have it from an earlier fit.
    """
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, name):
            setattr(estimator, name, getattr(fitted, name))
        elif name in vars(estimator):
            delattr(estimator, name)


def seeded(model: Any, seed: int | None) -> Any:
    """Return the model with the seed wherever it or a part of it takes one; None changes none."""
    if seed is None:
        return model
    names = [key for key in model.get_params() if key.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(names, seed))


def draw_seeds(random_state: Any, n_models: int) -> list[int | None]:
    """Draw a seed for each model; None for all, which changes no model, if `random_state` is."""
    if random_state is None:
        return [None] * n_models
    random = check_random_state(random_state)
    return [int(seed) for seed in random.randint(np.iinfo(np.int32).max, size=n_models)]


def check_coefficients(learner: Any, n_outputs: int) -> None:
    """Refuse coefficients of a loaded learner that do not fit its features and its outputs."""
    n_features = learner.n_features_in_
    if type(n_features) is not int:
        raise ValueError(f"n_features_in_ must be a whole number, got {n_features!r:.50}")
    for name, shape in (("coef_", (n_outputs, n_features)), ("intercept_", (n_outputs,))):
        array = getattr(learner, name)
        if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape:
            raise ValueError(f"{name} must be numbers of shape {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite")


def report_progress(estimator: Any, text: str) -> None:
    """Write one line of progress to the standard error stream, if the estimator is verbose."""
    if estimator.verbose:
        sys.stderr.write(f"{type(estimator).__name__}: {text}\n")
        sys.stderr.flush()


def router_with_folds(owner: Any) -> MetadataRouter:
    """Return scikit-learn's routing of an object that has `estimator` and `cv`."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

    is_splitter = hasattr(owner.cv, "split") and not isinstance(owner.cv, str)
    splitter = owner.cv if is_splitter else MultilabelStratifiedKFold()
    to_fit, to_split = (MethodMapping().add(caller="fit", callee=to) for to in ("fit", "split"))
    router = MetadataRouter(owner=owner).add_self_request(owner)
    router = router.add(estimator=owner.estimator, method_mapping=to_fit)
    return router.add(splitter=splitter, method_mapping=to_split)


def routed_to_fit(
    owner: Any, sample_weight: Any, groups: Any, params: dict[str, Any], weighted: str
) -> tuple[Any, dict[str, Any]]:
    """Return the groups for the splitter, and the arguments of the estimator's ``fit``.

    Under scikit-learn's metadata routing, the requests of `estimator` and `cv` of the owner decide.
    An estimator whose ``fit`` takes no weights is fitted without them, and a warning says so,
    unless it is frozen; `weighted` names what counts samples by weight all the same.
    """
    from sklearn import get_config
    from sklearn.frozen import FrozenEstimator
    from sklearn.utils.metadata_routing import process_routing

    if get_config()["enable_metadata_routing"]:
        given = {"sample_weight": sample_weight, "groups": groups, **params}
        given = {name: value for name, value in given.items() if value is not None}
        routed = process_routing(owner, "fit", **given)
        return routed.splitter.split.get("groups"), dict(routed.estimator.fit)
    given = {name: value for name, value in params.items() if value is not None}
    to_estimator = weights_for(owner.estimator, sample_weight)
    is_frozen = isinstance(owner.estimator, FrozenEstimator)
    if sample_weight is not None and not to_estimator and not is_frozen:
        warnings.warn(
            f"sample_weight counts for the {weighted} only: the fit of "
            f"{type(_last_step(owner.estimator)[1]).__name__} takes none.",
            stacklevel=3,
        )
    return groups, given | to_estimator | groups_for(owner.estimator, groups)


def given_to_fit(owner: Any, base: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for ``fit`` of `base`, the estimator that `owner` wraps.

    Those that are None are left out. Under scikit-learn's metadata routing, the requests of
    ``owner.estimator`` select them, if there is one.
    """
    from sklearn import get_config
    from sklearn.utils.metadata_routing import process_routing

    given = {name: value for name, value in params.items() if value is not None}
    groups = groups_for(base, given.pop("groups", None))
    if given and owner.estimator is not None and get_config()["enable_metadata_routing"]:
        given = dict(process_routing(owner, "fit", **given).estimator.fit)
    return given | groups


def weights_for(estimator: Any, weights: Any) -> dict[str, Any]:
    """Return the argument that gives weights of samples to ``fit``, in a pipeline to its last step.

    It is empty without weights, and for an estimator that takes none or wraps one that takes none,
    unless the wrapper counts samples by weight itself (`LabelClassifier._counts_weights`).
    """
    from sklearn.utils.validation import has_fit_parameter

    prefix, last = _last_step(estimator)
    part = last
    while part is not None and has_fit_parameter(part, "sample_weight"):
        part = None if getattr(part, "_counts_weights", False) else getattr(part, "estimator", None)
    return {f"{prefix}sample_weight": weights} if weights is not None and part is None else {}


def groups_for(estimator: Any, groups: Any) -> dict[str, Any]:
    """Return the argument that gives the groups of samples to the folds inside an estimator.

    In a pipeline, the last step gets the groups. Under scikit-learn's metadata routing, the
    requests of the estimator decide. An estimator that takes no groups has no folds to divide by
    them.
    """
    from sklearn import get_config
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
    from sklearn.utils.metadata_routing import get_routing_for_object
    from sklearn.utils.validation import has_fit_parameter

    if groups is None:
        return {}
    if get_config()["enable_metadata_routing"]:
        is_taken = get_routing_for_object(estimator).consumes("fit", ["groups"])
        return {"groups": groups} if is_taken else {}
    prefix, last = _last_step(estimator)
    # A search passes `groups` among its further parameters to its folds.
    is_search = isinstance(last, GridSearchCV | RandomizedSearchCV)
    is_taken = is_search or has_fit_parameter(last, "groups")
    return {f"{prefix}groups": groups} if is_taken else {}


def _last_step(estimator: Any) -> tuple[str, Any]:
    """Return the last step of a pipeline, of any depth, after the prefix of its arguments."""
    prefix = ""
    while hasattr(estimator, "steps"):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix, estimator
