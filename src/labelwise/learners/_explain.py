"""`explain`: the terms behind each decision of a linear model or of Okapi neighbours.

The score of a label is a sum: an intercept and a contribution of each feature of the sample, its
value times its coefficient. Okapi neighbours sum products of terms over the nearest documents, so
that each term has a contribution as well. Wrappers that tune thresholds leave scores as they are,
and a blend is the mean of several sums. `explain` therefore turns any of these models into a list
of summands (`_Summand`), and sorts the contributions of each cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import LabelScorer, WordsOfStems, constant_scores, scoring_method
from labelwise._validation import (
    check_backend,
    check_readable,
    check_whole,
    n_rows,
    refuse_sparse,
)
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.learners._bag_plugin import BagPlugin
from labelwise.learners._best_learner import BestLearner
from labelwise.learners._binary_relevance import BinaryRelevance
from labelwise.learners._independent_f import IndependentFPlugin
from labelwise.learners._okapi_neighbors import OkapiNeighbors
from labelwise.learners.bags._bag_scores import learn_bags

# Contributions in memory at a time.
_TOGETHER = 2**22
_WRAPPERS = (CalibratedLabels, IndependentFPlugin, TunedThresholds)


@dataclass(frozen=True)
class Explanation:
    """The terms that contributed most to the scores of cells.

    `explain` returns such objects. A cell is a pair of sample and label. The terms of cell c are
    at ``starts[c]`` to ``starts[c + 1] - 1``, the highest contribution first. For each cell,
    ``intercepts + sum of contributions + rest`` is the score.

    Attributes
    ----------
    samples : ndarray of int of shape (n_cells,)
        Row of each cell in X.
    labels : ndarray of int of shape (n_cells,)
        Number of the label of each cell.
    scores : ndarray of float64 of shape (n_cells,)
        Score of each cell.
    intercepts : ndarray of float64 of shape (n_cells,)
        Part of each score that depends on no feature.
    rest : ndarray of float64 of shape (n_cells,)
        Sum of all contributions that are not listed.
    starts : ndarray of int of shape (n_cells + 1,)
        Number of the first term of each cell, and the number of all terms.
    terms : ndarray of str of shape (n_terms,)
        Names of the features, cell after cell.
    contributions : ndarray of float64 of shape (n_terms,)
        What each feature adds to the score of its cell.
    label_names : tuple of str, or None
        Names of the labels, if the model knows them.

    See Also
    --------
    explain : Find the terms that contributed most to each decision.
    """

    samples: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    intercepts: np.ndarray
    rest: np.ndarray
    starts: np.ndarray
    terms: np.ndarray
    contributions: np.ndarray
    label_names: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.samples)

    def __repr__(self) -> str:
        return f"Explanation of {len(self):,} cells by {len(self.terms):,} terms"

    def of_cell(self, cell: int) -> list[tuple[str, float]]:
        """List the terms of one cell with their contributions, the highest first.

        Parameters
        ----------
        cell : int
            Number of the cell, from 0.

        Returns
        -------
        list of (str, float)
            Terms and contributions.
        """
        here = slice(self.starts[cell], self.starts[cell + 1])
        return list(zip(self.terms[here].tolist(), self.contributions[here].tolist(), strict=True))

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Convert to a data frame with a row for each term of each cell.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None, default=None
            Library of the frame; None takes the first of them that is installed.

        Returns
        -------
        DataFrame or pyarrow.Table
            Columns sample, label, score, intercept, rest, term and contribution. A cell without
            terms has one row, with an empty term and the contribution 0.

        Raises
        ------
        ValueError
            If `backend` is unknown.
        """
        import narwhals as nw

        sizes = np.diff(self.starts)
        lines = np.maximum(sizes, 1)
        cells = np.repeat(np.arange(len(self)), lines)
        terms, contributions = np.full(cells.size, "", dtype=object), np.zeros(cells.size)
        has_term = np.repeat(sizes > 0, lines)
        terms[has_term], contributions[has_term] = self.terms, self.contributions
        names = None if self.label_names is None else np.array(self.label_names, dtype=object)
        columns = {
            "sample": self.samples[cells],
            "label": (self.labels if names is None else names[self.labels])[cells],
            "score": self.scores[cells],
            "intercept": self.intercepts[cells],
            "rest": self.rest[cells],
            "term": terms,
            "contribution": contributions,
        }
        as_lists = {name: column.tolist() for name, column in columns.items()}
        return nw.from_dict(as_lists, backend=check_backend(backend)).to_native()


def explain(
    model: Any, X: Any, *, top: int | None = 5, cells: Any = None, in_words: bool = False
) -> Explanation:
    """Find the terms that contributed most to each decision of a model.

    Parameters
    ----------
    model : estimator
        A fitted linear model (`BinaryRelevance` with linear models, ``OneVsRestClassifier`` of
        linear classifiers, or any estimator with `coef_` and `intercept_`) or `OkapiNeighbors`; on
        its own, as the last step of a pipeline, within `TunedThresholds`, `CalibratedLabels` or
        `IndependentFPlugin` or `BagPlugin`, or chosen or blended by `BestLearner`.
    X : array, sparse matrix, frame or list of texts
        The samples, as ``model.predict`` takes them.
    top : int or None, default=5
        Number of terms for each cell: those with the highest contributions above 0, which are the
        terms that favour the label. None lists all contributions other than 0.
    cells : pair of int arrays, default=None
        Samples and labels of the cells to explain. None means all labels that the model decides.
    in_words : bool, default=False
        Whether to name stems (of `TextTerms`) by words of the text of the sample. The contribution
        of a stem is then added to that of the same word in another member of a blend.

    Returns
    -------
    Explanation
        Terms, contributions and scores of the cells.

    Raises
    ------
    TypeError
        If the model is neither linear nor made of Okapi neighbours.
    ValueError
        If `cells` are not samples of X and labels of the model.

    See Also
    --------
    Explanation : The result.

    Notes
    -----
    The contribution of a feature is its value, after all earlier steps of a pipeline, times its
    coefficient: it is compared with a sample in which the feature is 0. Contributions of Okapi
    neighbours are those of terms: the products of a term, summed over the neighbours that carry
    the label. If all features of a table are terms of one column, their names are without it.

    The score is that of `decision_function`; of a calibrated model, it is the score before
    calibration, which is in the same order; of a `BagPlugin`, that of the instance with the highest
    score, whose terms are listed; of a blend, the mean log-odds of its members. A member
    of a blend that is neither linear nor made of neighbours counts as one term, with the name of
    the candidate.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from labelwise.features import TextTerms
    >>> from labelwise.learners import BinaryRelevance, explain
    >>> texts = ["a calm sea", "the sea is blue", "hills and woods", "dark woods"]
    >>> model = make_pipeline(TextTerms(), BinaryRelevance(penalty=0.1))
    >>> model = model.fit(texts, [[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> explain(model, ["sea and woods"], cells=([0, 0], [0, 1])).terms.tolist()
    ['sea', 'wood']
    >>> explain(model, ["sea and woods"], cells=([0, 0], [0, 1]), in_words=True).terms.tolist()
    ['sea', 'woods']
    """
    refuse_sparse(model, "model", "a fitted estimator")
    n_terms = None if top is None else check_whole(top, "top")
    check_readable(X, "X")
    check_is_fitted(model)
    summands = list(_summands(model, X, None))
    if all(isinstance(one.part, _Unexplained) for one in summands):
        raise _not_explained(model)
    terms_of, codes = _common_terms(summands, in_words)
    samples, labels = cells_of(model, X, cells, summands[0].columns.size)
    width = max(one.part.width for one in summands)
    n_together = max(1, _TOGETHER // max(1, width))
    blocks = []
    for start in range(0, max(1, samples.size), n_together):
        here = slice(start, start + n_together)
        blocks.append(_explained(summands, codes, terms_of, samples[here], labels[here], n_terms))
    intercepts, rest, scores, sizes, terms, values = map(np.concatenate, zip(*blocks, strict=True))
    return Explanation(
        samples,
        labels,
        scores,
        intercepts,
        rest,
        np.concatenate(([0], np.cumsum(sizes))),
        terms_of.names()[terms],
        values,
        _label_names(model),
    )


class _Part(Protocol):
    """A model whose scores are an intercept and contributions of named features."""

    names: np.ndarray
    width: int  # most contributions of a cell

    def contributions(
        self, samples: np.ndarray, columns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the intercepts of cells; cell, feature and value of each contribution."""


class _Summand(NamedTuple):
    """A model in the score of a label: ``slope * (intercept + contributions) + offset``.

    `columns` has the number of each label in the model; labels with one class have the slope 0.
    `words` has the words of the samples if names of features are stems.
    """

    part: _Part
    columns: np.ndarray
    slopes: np.ndarray
    offsets: np.ndarray
    words: WordsOfStems | None = None


class _Linear:
    """Scores ``X @ coef.T + intercept``."""

    def __init__(self, X: Any, coef: Any, intercept: np.ndarray, names: np.ndarray) -> None:
        self.X, self.coef, self.intercept, self.names = X, coef, intercept, names
        self.width = int(np.diff(X.indptr).max(initial=0)) if sparse.issparse(X) else X.shape[1]

    def contributions(
        self, samples: np.ndarray, columns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        rows = sparse.csr_array(self.X[samples])
        cells = np.repeat(np.arange(samples.size), np.diff(rows.indptr))
        values = rows.data * self.coef[columns[cells], rows.indices]
        return self.intercept[columns], cells, rows.indices, values


class _Neighbors:
    """Scores of `OkapiNeighbors`, by term."""

    def __init__(self, X: Any, model: OkapiNeighbors, names: np.ndarray) -> None:
        self.X, self.model, self.names = X, model, names
        self.width = names.size

    def contributions(
        self, samples: np.ndarray, columns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return np.zeros(samples.size), *self.model.term_products(self.X, samples, columns)


class _OfBags:
    """Scores of bags: those of one instance for each bag and label."""

    def __init__(self, part: _Part, instances: np.ndarray) -> None:
        self.part, self.instances = part, instances
        self.names, self.width = part.names, part.width

    def contributions(
        self, samples: np.ndarray, columns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.part.contributions(self.instances[samples, columns], columns)


class _Unexplained:
    """Scores of any other model, as one term."""

    width = 1

    def __init__(self, scores: np.ndarray, name: str) -> None:
        self.scores, self.names = scores, np.array([name], dtype=object)

    def contributions(
        self, samples: np.ndarray, columns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        cells = np.arange(samples.size)
        return np.zeros(cells.size), cells, np.zeros_like(cells), self.scores[samples, columns]


def _summands(
    model: Any, X: Any, names: np.ndarray | None, called: str | None = None
) -> Iterator[_Summand]:
    """Yield the models of which the scores of a model are the sum.

    `names` are those of the features of X, if an earlier step gave them; `called` is the name of a
    candidate of `BestLearner`.
    """
    if isinstance(model, Pipeline):
        steps, words = model[:-1], None
        if len(steps):
            names, words = _names_out(steps, names), WordsOfStems.of(steps, X)
            X = steps.transform(X)
        for one in _summands(model.steps[-1][1], X, names, called):
            yield one if words is None else one._replace(words=words)
    elif isinstance(model, FrozenEstimator):
        yield from _summands(model.estimator, X, names, called)
    elif isinstance(model, _WRAPPERS) and model.estimator_ is not None:
        ends = constant_scores(model.constants_, scoring_method(model.estimator_))
        for one in _summands(model.estimator_, X, names, called):
            yield _of_all_labels(one, model.constants_, ends)
    elif isinstance(model, BestLearner) and model.estimators_:
        yield from _summands_of_best(model, X, names)
    elif isinstance(model, BagPlugin) and model.estimator_ is not None:
        yield from _summands_of_bags(model, X, names)
    else:
        part = _part(model, X, names, called)
        n_labels = part[1]
        yield _Summand(part[0], np.arange(n_labels), np.ones(n_labels), np.zeros(n_labels))


def _summands_of_best(model: BestLearner, X: Any, names: np.ndarray | None) -> Iterator[_Summand]:
    """Yield the chosen candidate, or each member of a blend with the slopes of its sigmoids."""
    is_blend, n_members = len(model.estimators_) > 1, len(model.estimators_)
    method = "decision_function" if is_blend else scoring_method(model.estimators_[0])
    ends = constant_scores(model.constants_, method) / n_members
    for number, estimator in enumerate(model.estimators_):
        for one in _summands(estimator, X, names, model.best_names_[number]):
            whole = one
            if is_blend:
                slopes, offsets = model.slopes_[number], model.intercepts_[number]
                whole = one._replace(
                    slopes=one.slopes * slopes / n_members,
                    offsets=(one.offsets * slopes + offsets) / n_members,
                )
            yield _of_all_labels(whole, model.constants_, ends)


def _summands_of_bags(model: BagPlugin, X: Any, names: np.ndarray | None) -> Iterator[_Summand]:
    """Yield the models of instances, each with the highest instance of each bag and label."""
    if model.aggregation != "max":
        raise _not_explained(model)
    found = model.predict_instances(X)
    highest = (found.starts[:-1, None] + found.top_instance)[:, np.isnan(model.constants_)]
    ends = constant_scores(model.constants_, scoring_method(model.estimator_))
    for one in _summands(model.estimator_, learn_bags(model, X, reset=False).rows, names):
        varies = one.slopes != 0
        instances = np.zeros((len(highest), one.columns.max() + 1), dtype=np.intp)
        instances[:, one.columns[varies]] = highest[:, varies]
        of_bags = one._replace(part=_OfBags(one.part, instances), words=None)
        yield _of_all_labels(of_bags, model.constants_, ends)


def _of_all_labels(one: _Summand, constants: np.ndarray, ends: np.ndarray) -> _Summand:
    """Return a summand of all labels, of one that may lack those with one class."""
    varies = np.isnan(constants)
    if one.columns.size == varies.size:
        inner = one
    else:
        columns = np.zeros(varies.size, dtype=np.intp)
        slopes, offsets = np.zeros(varies.size), np.zeros(varies.size)
        columns[varies], slopes[varies], offsets[varies] = one.columns, one.slopes, one.offsets
        inner = _Summand(one.part, columns, slopes, offsets)
    return inner._replace(
        slopes=np.where(varies, inner.slopes, 0.0), offsets=np.where(varies, inner.offsets, ends)
    )


def _part(model: Any, X: Any, names: np.ndarray | None, called: str | None) -> tuple[_Part, int]:
    """Return the part of a model that is not a wrapper, and its number of labels."""
    if isinstance(model, OkapiNeighbors):
        known = _feature_names(model, names, model.n_features_in_)
        return _Neighbors(X, model, known), model.constants_.size
    found = _coefficients(model)
    if found is not None and hasattr(model, "decision_function"):
        coef, intercept = found
        rows = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        rows = sparse.csr_array(rows) if sparse.issparse(rows) else rows
        scores = np.asarray(model.decision_function(X)).reshape(n_rows(X), -1)
        if scores.shape[1] == len(coef) and np.allclose(rows @ coef.T + intercept, scores):
            known = _feature_names(model, names, coef.shape[1])
            return _Linear(rows, coef, intercept, known), len(coef)
    return _unexplained(model, X, called)


def _unexplained(model: Any, X: Any, called: str | None) -> tuple[_Part, int]:
    """Return the scores of a model as one part; only a member of a blend is scored."""
    if called is None:
        raise _not_explained(model)
    n_labels = len(model.classes_)
    scorer = LabelScorer(model, np.full(n_labels, np.nan))
    return _Unexplained(scorer.scores(X, scoring_method(model)), called), n_labels


def _coefficients(model: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return coefficients and intercepts of all labels; None if the model is not linear."""
    if hasattr(model, "coef_") and hasattr(model, "intercept_"):
        coef = np.atleast_2d(np.asarray(model.coef_))
        return coef, np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(coef))
    estimators = getattr(model, "estimators_", None)
    if not isinstance(estimators, list) or not all(hasattr(one, "coef_") for one in estimators):
        return None
    parts = [_coefficients(one) for one in estimators]
    if not parts or any(part is None or len(part[0]) != 1 for part in parts):
        return None
    coef = np.concatenate([part[0] for part in parts if part is not None])
    intercept = np.concatenate([part[1] for part in parts if part is not None])
    if isinstance(model, BinaryRelevance) and not np.isnan(model.constants_).all():
        varies = np.isnan(model.constants_)
        whole = np.zeros((varies.size, coef.shape[1]))
        whole[varies] = coef
        ends = 2 * model.constants_ - 1
        ends[varies] = intercept
        return whole, ends
    return coef, intercept


def _names_out(steps: Any, names: np.ndarray | None) -> np.ndarray | None:
    """Return the names of the features that the steps of a pipeline give; None if unknown."""
    try:
        found = np.asarray(steps.get_feature_names_out(names), dtype=object)
    except (AttributeError, ValueError):
        return None
    kinds = getattr(steps.steps[0][1], "kinds_", {})
    used = [name for name, kind in kinds.items() if kind not in ("id", "unused")]
    if len(used) == 1 and kinds[used[0]] == "text":
        # Terms of the only column of a table need no column before them.
        found = np.array([name.removeprefix(f"{used[0]}:") for name in found], dtype=object)
    return found


def _feature_names(model: Any, names: np.ndarray | None, n_features: int) -> np.ndarray:
    """Return the names of features: those of earlier steps, of a frame, or numbers."""
    known: Any = names
    for attribute in ("feature_names_in_", "feature_names_"):
        if known is None:
            known = getattr(model, attribute, None)
    if known is None or len(known) != n_features:
        known = [str(f) for f in range(n_features)]
    return np.array([str(name) for name in known], dtype=object)


class _NamedTerms:
    """Numbers and names of the terms of features; a stem can be a different word in each sample."""

    def __init__(self, features: list[tuple[str, WordsOfStems | None]]) -> None:
        self._features = features
        self._numbers: dict[str, int] = {}
        # -1 for stems.
        self._fixed = np.array(
            [self._number(name) if words is None else -1 for name, words in features],
            dtype=np.intp,
        )

    def names(self) -> np.ndarray:
        """Return the names of all numbers."""
        return np.array(list(self._numbers), dtype=object)

    def numbers(self, features: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """Return the number of the term of each feature in its sample."""
        found: np.ndarray = self._fixed[features]
        stems = np.flatnonzero(found < 0)
        if stems.size:
            pairs = np.stack([features[stems], samples[stems]])
            distinct, places = np.unique(pairs, axis=1, return_inverse=True)
            words = [self._in_words(feature, row) for feature, row in distinct.T.tolist()]
            found[stems] = np.array(words, dtype=np.intp)[places.ravel()]
        return found

    def _in_words(self, feature: int, row: int) -> int:
        name, words = self._features[feature]
        return self._number(name if words is None else words.in_words(name, row))

    def _number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))


def _common_terms(summands: list[_Summand], in_words: bool) -> tuple[_NamedTerms, list[np.ndarray]]:
    """Return the terms of all summands, and the number of each feature of a summand among them."""
    number: dict[tuple[str, WordsOfStems | None], int] = {}
    codes = []
    for one in summands:
        words = one.words if in_words else None
        of_part = [number.setdefault((name, words), len(number)) for name in one.part.names]
        codes.append(np.array(of_part, dtype=np.intp))
    return _NamedTerms(list(number)), codes


def cells_of(model: Any, X: Any, cells: Any, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples and labels to explain, checked."""
    if cells is None:
        decided = np.asarray(model.predict(X))
        if decided.ndim == 1:
            decided = (decided == model.classes_[-1])[:, None]
        return np.nonzero(decided)  # type: ignore[return-value]
    samples, labels = (np.asarray(part) for part in cells)
    if samples.ndim != 1 or samples.shape != labels.shape:
        raise ValueError(
            "cells must be samples and labels, two vectors of one length, got shapes "
            f"{samples.shape} and {labels.shape}."
        )
    for part, name, n_values in ((samples, "samples", n_rows(X)), (labels, "labels", n_labels)):
        if part.size and (part.dtype.kind not in "iu" or part.min() < 0 or part.max() >= n_values):
            raise ValueError(f"cells must have {name} from 0 to {n_values - 1}, got others.")
    return samples.astype(np.intp), labels.astype(np.intp)


def _explained(
    summands: list[_Summand],
    codes: list[np.ndarray],
    terms_of: _NamedTerms,
    samples: np.ndarray,
    labels: np.ndarray,
    top: int | None,
) -> tuple[np.ndarray, ...]:
    """Return intercepts, rest, scores and number of terms of cells; numbers and values of terms."""
    intercepts = np.zeros(samples.size)
    found = []
    for one, code in zip(summands, codes, strict=True):
        slopes = one.slopes[labels]
        base, cells, features, values = one.part.contributions(samples, one.columns[labels])
        intercepts += slopes * base + one.offsets[labels]
        found.append((cells, code[features], slopes[cells] * values))
    cells, features, values = map(np.concatenate, zip(*found, strict=True))
    terms = terms_of.numbers(features, samples[cells])
    if len(summands) > 1:
        cells, terms, values = _summed(cells, terms, values)
    sums = np.bincount(cells, values, samples.size)
    stays = values != 0 if top is None else values > 0
    cells, terms, values = cells[stays], terms[stays], values[stays]
    order = np.lexsort((terms, -values, cells))
    cells, terms, values = cells[order], terms[order], values[order]
    sizes = np.bincount(cells, minlength=samples.size)
    if top is not None:
        rank = np.arange(cells.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        cells, terms, values = (part[rank < top] for part in (cells, terms, values))
        sizes = np.minimum(sizes, top)
    rest = sums - np.bincount(cells, values, samples.size)
    return intercepts, rest, intercepts + sums, sizes, terms, values


def _summed(
    cells: np.ndarray, terms: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Add the contributions of equal terms of several summands to the same cell."""
    keys, places = np.unique(np.stack([cells, terms]), axis=1, return_inverse=True)
    return keys[0], keys[1], np.bincount(places.ravel(), values, keys.shape[1])


def _label_names(model: Any) -> tuple[str, ...] | None:
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    names = getattr(last, "label_names_", None)
    return None if names is None else tuple(names)


def _not_explained(model: Any) -> TypeError:
    while isinstance(model, Pipeline | BestLearner):
        model = model.steps[-1][1] if isinstance(model, Pipeline) else model.estimators_[0]
    return TypeError(
        "explain needs a linear model or Okapi neighbours, whose contributions of features add up "
        f"to the score, got {type(model).__name__}."
    )
