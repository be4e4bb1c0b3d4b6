"""Tags and attributes that scikit-learn expects of multi-label meta-estimators."""

from __future__ import annotations

from typing import Any


def as_multilabel(tags: Any, like: Any = None) -> Any:
    """Return scikit-learn's tags as those of a classifier of 0/1 matrices.

    X may be sparse, or hold NaN, where the estimator `like` takes that.
    """
    tags.target_tags.single_output = False
    tags.target_tags.multi_output = True
    tags.classifier_tags.multi_class = False
    tags.classifier_tags.multi_label = True
    if like is not None:
        from sklearn.utils import get_tags

        taken = get_tags(like).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = taken.sparse, taken.allow_nan
    return tags


def copy_feature_attributes(estimator: Any, fitted: Any) -> None:
    """Copy `n_features_in_` and `feature_names_in_` from a fitted estimator to its wrapper.

    An attribute that the fitted estimator does not have is removed from the wrapper, which may
    have it from an earlier fit.
    """
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, name):
            setattr(estimator, name, getattr(fitted, name))
        elif name in vars(estimator):
            delattr(estimator, name)
