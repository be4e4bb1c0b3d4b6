"""scikit-learn's conventions for multi-label estimators: features, seeds, progress."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from labelwise._validation import check_random_state, check_readable


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
