"""Metadata of `fit`: what estimators with folds pass to their estimator and to their splitter."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from labelwise.splitting import MultilabelStratifiedKFold

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter


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
            f"{type(owner.estimator).__name__} takes none.",
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

    It is empty without weights, and for an estimator that takes none or wraps one that takes none.
    """
    from sklearn.utils.validation import has_fit_parameter

    prefix, last = _last_step(estimator)
    part = last
    while part is not None and has_fit_parameter(part, "sample_weight"):
        part = getattr(part, "estimator", None)
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
