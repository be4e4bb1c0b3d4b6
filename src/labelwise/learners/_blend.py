"""`blend`: the scores of several models as one, with weights that are fitted to their labels.

The scores of each model become log-odds by a sigmoid for each label, because models have different
scales. The blend is a weighted sum of these log-odds, whose weights are the mean of five: equal
ones, the same for all labels, and three of each label. On held-out samples these have nearly the
same value, so that choosing one of them is choosing by chance, and their mean is better. A fitted
blend is therefore one factor for each model and label, and an intercept for each label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from labelwise._estimators import HeldOutScores, constant_labels, splits_of, warn_of_constants
from labelwise._sigmoids import fit_sigmoids, platt_targets
from labelwise._text import listed
from labelwise._tuning import (
    Request,
    Samples,
    Thresholds,
    check_sample_weights,
    check_thresholds,
    in_order,
    thresholds_of_no_label,
    with_constant_labels,
)
from labelwise._validation import (
    Outcome,
    check_outcome,
    check_scores,
    columns_in_order,
    dense_targets,
    refuse_sparse,
    rows_in_order,
    rows_of,
    without_position,
)
from labelwise.learners._blend_weights import BlendWeights, common_weights, weights_by_label
from labelwise.learners.selection._leaderboard import Leaderboard, leaderboard_of
from labelwise.learners.selection._rules import RULES
from labelwise.learners.selection._trials import Arena, Trial, judged

# Penalties on the distance of a label's weights from the common weights.
_PENALTIES = (300.0, 30.0, 3.0)
_DENSE = "a dense array or a frame"  # a sigmoid needs the score of every cell
_BLEND = "blend"


class Blend(BaseEstimator):
    """Weights of models, and thresholds of their blended scores.

    `blend` returns this object.

    `labelwise.save` writes it to a file that `labelwise.load` reads.

    Parameters
    ----------
    models : tuple of str
        Names of the models.
    label_names : tuple of str or None
        Names of the labels; None for their numbers.
    weights : ndarray of shape (n_models, n_labels)
        Weight of the log-odds of each model; 0 for labels with one class.
    coefficients : ndarray of shape (n_models, n_labels)
        Factor of the scores of each model: its weight times the slope of the label's sigmoid.
    intercepts : ndarray of shape (n_labels,)
        Added to the sum of the scores times their factors; the result is in log-odds.
    thresholds : Thresholds
        Thresholds of the blended scores.
    value : float
        Value to expect on new samples: each fold is decided by the weights and the thresholds of
        the other folds. NaN if no label has both classes.
    leaderboard : Leaderboard
        The blend, and each model by itself, with values on held-out samples.

    See Also
    --------
    blend : Find the weights of models.
    """

    def __init__(
        self,
        *,
        models: tuple[str, ...],
        label_names: tuple[str, ...] | None,
        weights: np.ndarray,
        coefficients: np.ndarray,
        intercepts: np.ndarray,
        thresholds: Thresholds,
        value: float,
        leaderboard: Leaderboard,
    ) -> None:
        self.models = models
        self.label_names = label_names
        self.weights = weights
        self.coefficients = coefficients
        self.intercepts = intercepts
        self.thresholds = thresholds
        self.value = value
        self.leaderboard = leaderboard

    def scores(self, scores_of_models: Any, *, ids: Any = None) -> np.ndarray:
        """Blend the scores of the models for new samples.

        Parameters
        ----------
        scores_of_models : mapping of str to scores, or sequence of scores
            Scores of the same models as in `blend`, in any form that is accepted there.
        ids : str, dict or False, default=None
            Ids of the samples, by which they are matched: the name of a column that the arguments
            have beside the labels, or a dict of such names, or of array-likes of ids, by argument.
            None means the index of pandas frames, or the ids of a file that
            `labelwise.data.read_scores` or `read_labels` has read. False matches samples by
            position if only one argument has ids, which is refused otherwise, unless the other one
            is an array. The arguments of a dict are the names of the models.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Blended scores in log-odds; rows in the order of the first model, labels in the order of
            `label_names`.

        Raises
        ------
        TypeError, ValueError
            If models, rows or labels do not match.
        """
        given = _by_model(scores_of_models, self.models)
        ids, by_position = (None, None) if ids is None else without_position(ids)
        blended = np.zeros((1, len(self.intercepts))) + self.intercepts
        sides: list[Any] = []
        for name, factors in zip(self.models, self.coefficients, strict=True):
            data, side = rows_of(given[name], ids, name)
            refuse_sparse(data, name, _DENSE)
            checked = check_scores(data, input_name=name)
            sides.append(side._replace(label_names=checked.names, shape=checked.matrix.shape))
            matrix = in_order(self.thresholds, checked.matrix, checked.names, name)
            order = rows_in_order(sides[0], sides[-1], by_position)
            blended = blended + factors * (matrix if order is None else matrix[order])
        return np.asarray(blended)

    def decide(self, scores_of_models: Any, *, ids: Any = None) -> np.ndarray:
        """Decide the labels of new samples.

        Parameters
        ----------
        scores_of_models : mapping of str to scores, or sequence of scores
            Scores of the same models as in `blend`, in any form that is accepted there.
        ids : str, dict or False, default=None
            Ids of the samples, by which they are matched: the name of a column that the arguments
            have beside the labels, or a dict of such names, or of array-likes of ids, by argument.
            None means the index of pandas frames, or the ids of a file that
            `labelwise.data.read_scores` or `read_labels` has read. False matches samples by
            position if only one argument has ids, which is refused otherwise, unless the other one
            is an array. The arguments of a dict are the names of the models.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            1 for labels that are decided, 0 for others; rows in the order of the first model,
            labels in the order of `label_names`.

        Raises
        ------
        TypeError, ValueError
            If models, rows or labels do not match.
        """
        return np.asarray(self.thresholds.decide(self.scores(scores_of_models, ids=ids)))

    def _check_loaded(self) -> None:
        """Refuse arrays of a model file that do not match the models and the thresholds."""
        check_thresholds(self.thresholds, len(self.thresholds))
        shape = (len(self.models), len(self.thresholds))
        arrays: list[tuple[Any, tuple[int, ...]]] = [
            (self.weights, shape),
            (self.coefficients, shape),
            (self.intercepts, shape[1:]),
        ]
        for array, wanted in arrays:
            if not isinstance(array, np.ndarray) or array.shape != wanted:
                raise ValueError(f"weights of a blend must have the shape {wanted}")


def blend(
    scores_of_models: Any,
    Y: Any,
    *,
    maximize: str = "micro-f",
    beta: float = 1.0,
    cv: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
    label_names: Sequence[str] | None = None,
    random_state: Any = None,
    ids: Any = None,
) -> Blend:
    """Blend the scores of several models into decisions that maximise a measure.

    The log-odds of the models are added up with weights that are fitted to the labels, and the
    thresholds of their sums are tuned for the measure.

    Parameters
    ----------
    scores_of_models : mapping of str to scores, or sequence of scores
        Scores of each model for the same samples and labels, which no model was fitted to: arrays
        or frames of shape (n_samples, n_labels), by the name of the model. Models in a sequence
        are numbered from "model 1". Frames are matched by their ids and label names.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. NaN, null or a masked cell is a missing label, which counts nowhere.
    maximize : str, default="micro-f"
        The measure to maximise: average and measure by name, as in `best_thresholds`.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. Only for
        measures that take it.
    cv : int, splitter or iterable of (train, test), default=5
        An int is the number of folds of `MultilabelStratifiedKFold`, the same in every call.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together in all folds.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. A sample of weight 2 counts as two, one of
        weight 0 is left out.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It is that of the folds on
        which the shrinkage of thresholds is chosen.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments
        have beside the labels, or a dict of such names, or of array-likes of ids, by argument.
        None means the index of pandas frames, or the ids of a file that
        `labelwise.data.read_scores` or `read_labels` has read. False matches samples by
        position if only one argument has ids, which is refused otherwise, unless the other one
        is an array. The arguments of a dict are "Y" and the names of the models.

    Returns
    -------
    Blend
        The weights with thresholds, the value to expect on new samples, and a table of the blend
        and each model by itself.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, or rows or labels do not match.

    See Also
    --------
    BestLearner : Fit several learners, and choose or blend them.
    labelwise.decisions.best_thresholds : Tune thresholds of the scores of one model.

    Notes
    -----
    The sigmoids are those of Platt. Common weights are at least 0 and minimise the log-loss of all
    cells. Weights of a label minimise its log-loss plus a penalty on the squared distance from the
    common weights, of three strengths. The weights of the blend are the mean of these four and of
    equal weights. They are fitted to each training part of the folds for the value to expect, and
    to all samples.

    References
    ----------
    D. Wolpert, "Stacked Generalization", Neural Networks 5, 1992.

    J. Platt, "Probabilistic Outputs for Support Vector Machines and Comparisons to Regularized
    Likelihood Methods", 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.learners import blend
    >>> random = np.random.default_rng(0)
    >>> Y = random.random((1000, 3)) < 0.3
    >>> first, second = (2 * Y + random.normal(size=Y.shape) for _ in range(2))
    >>> found = blend({"first": first, "second": second}, Y, random_state=0)
    >>> found.decide({"first": first, "second": second}).shape
    (1000, 3)
    >>> [name for name in ("first", "second") if found.leaderboard.chosen == name]
    []
    """
    given = _by_model(scores_of_models, None)
    models = tuple(given)
    request = Request(maximize=maximize, beta=beta, shrink="auto")
    stack, labels, outcome = _checked(given, Y, label_names, ids)
    names, groups = outcome.names, outcome.in_order(groups, "groups")
    weights = check_sample_weights(outcome.in_order(sample_weight, "sample_weight"), labels)
    is_counted = np.ones(len(labels), dtype=bool) if weights is None else weights > 0
    constants = constant_labels(labels[is_counted])
    warn_of_constants(constants, names)
    varies = np.isnan(constants)
    of_all, factors = np.zeros((2, len(models), varies.size))
    intercepts = np.zeros(varies.size)
    value, chosen = float("nan"), None
    tuned: Any = thresholds_of_no_label(request)
    trials: list[Trial] = []
    if varies.any():
        is_counted &= ~np.isnan(labels[:, varies]).all(axis=1)
        samples = Samples(np.arange(len(labels)), labels, names, groups, {}, weights)
        splits = splits_of(cv, samples.X, labels[:, varies], groups)
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        arena = Arena(samples, splits, request, seed, None).part(np.flatnonzero(is_counted))
        counts = np.ones(len(labels)) if weights is None else weights.astype(np.float64)
        cells = _LabelledScores(stack[:, :, varies], labels[:, varies], counts).rows(is_counted)
        trials = _trials(cells, models, arena)
        chosen = trials[0]
        tuned, value = chosen.judgement.thresholds, chosen.judgement.corrected_value
        fitted = _fit(cells, models)
        way = fitted.ways[chosen.name]
        of_all[:, varies], factors[:, varies] = way.weights, way.weights * fitted.slopes
        intercepts[varies] = way.intercepts + (way.weights * fitted.intercepts).sum(axis=0)
    return Blend(
        models=models,
        label_names=names,
        weights=of_all,
        coefficients=factors,
        intercepts=intercepts,
        thresholds=with_constant_labels(tuned, constants, labels, names, weights),
        value=value,
        leaderboard=leaderboard_of(maximize, chosen, trials, []),
    )


# Arguments.


def _by_model(scores_of_models: Any, models: tuple[str, ...] | None) -> dict[str, Any]:
    """Return the scores by the names of the models; `models` are those that are known."""
    if isinstance(scores_of_models, Mapping):
        given = {str(name): one for name, one in scores_of_models.items()}
    elif isinstance(scores_of_models, Sequence):
        given = {f"model {k + 1}": one for k, one in enumerate(scores_of_models)}
    else:
        kind = type(scores_of_models).__name__
        raise TypeError(f"scores_of_models must be a mapping or a sequence of scores, got {kind}.")
    if not given:
        raise ValueError("scores_of_models must have the scores of a model, got none.")
    if models is not None and {*given} != {*models}:
        raise ValueError(
            f"scores_of_models must be those of {listed(models)}, got {listed(tuple(given))}."
        )
    return given


def _checked(
    given: Mapping[str, Any], Y: Any, label_names: Sequence[str] | None, ids: Any
) -> tuple[np.ndarray, np.ndarray, Outcome]:
    """Return scores by model, labels with NaN for missing ones, and the first model's outcome.

    Rows have the order of Y, labels that of the first model.
    """
    stack: list[np.ndarray] = []
    first: Any = None
    for name, scores in given.items():
        refuse_sparse(scores, name, _DENSE)
        of_pair = {k: ids[k] for k in ("Y", name) if k in ids} if isinstance(ids, Mapping) else ids
        outcome = check_outcome(
            Y,
            scores=scores,
            label_names=label_names,
            allow_missing=True,
            ids=of_pair,
            labels_of="scores",
            scores_name=name,
        )
        first = outcome if first is None else first
        sides = [one.samples for one in (first, outcome) if one.samples is not None]
        # The rows of Y without ids are those of each model.
        if len(sides) == 2 and rows_in_order(sides[0], sides[1], None) is not None:
            raise ValueError(
                f"{name} must have the ids of {sides[0].name} in the same order, because Y has no "
                "ids: give Y the same ids."
            )
        # Scores of missing cells are left out, which makes the others a sparse matrix.
        matrix: Any = outcome.scores
        matrix = matrix.toarray() if sparse.issparse(matrix) else matrix
        if first.names is not None and outcome.names not in (None, first.names):
            matrix = matrix[:, columns_in_order(first.names, outcome.names or (), name)]
        stack.append(np.asarray(matrix, dtype=np.float64))
    labels = dense_targets(first.Y, first.missing).astype(np.float64)
    return np.stack(stack), labels, first


# Ways to blend.


class _LabelledScores(NamedTuple):
    """Scores by model, labels, and the weight of each sample."""

    scores: np.ndarray  # (n_models, n_samples, n_labels)
    Y: np.ndarray  # NaN for a missing label
    weights: np.ndarray  # (n_samples,)

    def rows(self, chosen: np.ndarray) -> _LabelledScores:
        return _LabelledScores(self.scores[:, chosen], self.Y[chosen], self.weights[chosen])


class _Fitted(NamedTuple):
    """The sigmoids of each model, and weights of their log-odds: the blend, then each model."""

    slopes: np.ndarray  # (n_models, n_labels)
    intercepts: np.ndarray  # (n_models, n_labels)
    ways: dict[str, BlendWeights]

    def log_odds(self, scores: np.ndarray) -> np.ndarray:
        """Return the log-odds by model."""
        return np.asarray(self.slopes[:, None] * scores + self.intercepts[:, None])


def _fit(cells: _LabelledScores, models: Sequence[str]) -> _Fitted:
    """Fit the sigmoids of all models, and the weights of the blend if there are several."""
    sigmoids = [
        fit_sigmoids(scores, cells.Y, cells.weights, increasing=True) for scores in cells.scores
    ]
    slopes, intercepts = (np.array(part) for part in zip(*sigmoids, strict=True))
    fitted = _Fitted(slopes, intercepts, {})
    n_models, n_labels = slopes.shape
    if n_models > 1:
        fitted.ways[_BLEND] = _mean_weights(fitted.log_odds(cells.scores), cells)
    for name, row in zip(models, np.eye(n_models), strict=True):
        fitted.ways[name] = _same_weights(row, n_labels)
    return fitted


def _mean_weights(log_odds: np.ndarray, cells: _LabelledScores) -> BlendWeights:
    """Return the mean of equal weights, common weights, and weights of each label."""
    n_models, _, n_labels = log_odds.shape
    targets, cell_weights = platt_targets(cells.Y, cells.weights)
    common = common_weights(log_odds, targets, cell_weights)
    found = [_same_weights(row, n_labels) for row in (np.full(n_models, 1 / n_models), common)]
    for penalty in _PENALTIES:
        found.append(weights_by_label(log_odds, targets, cell_weights, common, penalty, found[-1]))
    return BlendWeights(*(np.mean(part, axis=0) for part in zip(*found, strict=True)))


def _same_weights(row: np.ndarray, n_labels: int) -> BlendWeights:
    return BlendWeights(np.repeat(row[:, None], n_labels, axis=1), np.zeros(n_labels))


# Values on held-out samples.


def _trials(cells: _LabelledScores, models: Sequence[str], arena: Arena) -> list[Trial]:
    """Judge the blend, and then each model, by the scores of the test parts of the folds."""
    parts: dict[str, list[np.ndarray]] = {}
    for train, test in arena.splits:
        fitted = _fit(cells.rows(train), models)
        log_odds = fitted.log_odds(cells.scores[:, test])
        for name, way in fitted.ways.items():
            parts.setdefault(name, []).append(way.scores(log_odds))
    rules = [RULES["thresholds"]]
    held_out = (
        HeldOutScores.of_splits(np.concatenate(found), arena.splits) for found in parts.values()
    )
    return [
        judged((name,), 0.0, rules, one, arena) for name, one in zip(parts, held_out, strict=True)
    ]
