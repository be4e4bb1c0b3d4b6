"""scikit-learn's conventions for multi-label estimators: features, tags, seeds, score, progress."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from labelwise._estimators._vector_targets import is_vector
from labelwise._validation import check_random_state, check_readable, labels_for


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


def as_multilabel(tags: Any, like: Any = None, *, takes_vector: bool = False) -> Any:
    """Change scikit-learn's tags to those of a multi-label classifier.

    If `like` is given, X may be sparse or contain NaN whenever the estimator `like` accepts that.
    With `takes_vector`, y may also be a vector of two classes.
    """
    tags.target_tags.single_output = takes_vector
    tags.target_tags.multi_output = True
    tags.classifier_tags.multi_class = False
    tags.classifier_tags.multi_label = True
    from sklearn.frozen import FrozenEstimator
    from sklearn.utils import get_tags

    if isinstance(like, FrozenEstimator):
        like = like.estimator
    # An estimator without a base class of scikit-learn has no tags: those of X stay as they are.
    if hasattr(like, "__sklearn_tags__"):
        accepted = get_tags(like).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = accepted.sparse, accepted.allow_nan
    return tags


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


class LabelAccuracyMixin:
    """The method `score` of classifiers, with labels matched by name.

    It goes before scikit-learn's ``ClassifierMixin``, whose method compares columns by position.
    """

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the share of samples whose labels are all predicted right.

        Parameters
        ----------
        X : samples
            As in `predict`.
        y : array, sparse matrix, frame or list of sets, or vector of classes
            True labels, 0 or 1, or the true classes of a vector. Sets and columns of frames are
            matched by the names that the estimator was fitted to; arrays, and estimators without
            names, by position.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each sample, finite and not negative. None means equal weights.

        Returns
        -------
        float
            Subset accuracy, from 0 to 1; for a vector y, the accuracy.

        Raises
        ------
        ValueError
            If y lacks a label of the estimator or has one that the estimator does not know.
        """
        from sklearn.metrics import accuracy_score

        truth = y if is_vector(y) else labels_for(self, y).matrix.toarray().astype(np.int64)
        predicted = self.predict(X)  # type: ignore[attr-defined]
        return float(accuracy_score(truth, predicted, sample_weight=sample_weight))


def report_progress(estimator: Any, text: str) -> None:
    """Write one line of progress to the standard error stream, if the estimator is verbose."""
    if estimator.verbose:
        sys.stderr.write(f"{type(estimator).__name__}: {text}\n")
        sys.stderr.flush()
