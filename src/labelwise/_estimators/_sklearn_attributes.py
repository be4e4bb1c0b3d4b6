"""Tags and attributes that scikit-learn expects of multi-label meta-estimators."""

from __future__ import annotations

from typing import Any


def as_multilabel(tags: Any, like: Any = None, *, takes_vector: bool = False) -> Any:
    """Change scikit-learn's tags to those of a multi-label classifier.

    If `like` is given, X may be sparse or contain NaN whenever the estimator `like` accepts that.
    With `takes_vector`, y may also be a vector of two classes.
    """
    tags.target_tags.single_output = takes_vector
    tags.target_tags.multi_output = True
    tags.classifier_tags.multi_class = False
    tags.classifier_tags.multi_label = True
    # An estimator without a base class of scikit-learn has no tags: those of X stay as they are.
    if hasattr(like, "__sklearn_tags__"):
        from sklearn.utils import get_tags

        accepted = get_tags(like).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = accepted.sparse, accepted.allow_nan
    return tags


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
