"""The candidates of `BestLearner`: default ones, those by name, and what each costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise.learners.selection._costs import LONGEST_FIT, Size, never

# Builds a learner from whether X is sparse, and the seed.
Build = Callable[[bool, int | None], Any]


class RegisteredLearner(NamedTuple):
    """A learner by its short name: how it is built, how it decides, and what it costs."""

    name: str
    class_name: str  # in labelwise.learners, or with its package
    line: str  # one line for the user
    rule: str  # how the learner decides by itself
    build: Build
    maximizes: str | None = None  # the measure that this rule is for
    takes_counts: bool = False  # of terms, instead of their tf-idf weights
    seconds: Callable[[Size], float] | None = None  # predicted, of one fit; None: no candidate
    refusal: Callable[[Size], str] = never  # why it is not for these samples, or ""
    is_linear: bool = False  # the first of these is always tried on sparse features
    is_for_texts: bool = False  # whether it is tried on each representation of texts
    is_saved: bool = True  # whether `labelwise.save` writes its models
    least_rows: int = 1  # fewer are too few for a fit to four of five folds


class Candidate(NamedTuple):
    """A learner that takes part in a race."""

    name: str
    estimator: Any
    cost: float  # of a fit to all rows: the lower one of two equally good candidates is chosen
    seconds: Callable[[int], float]  # predicted, of a fit to a number of rows
    is_first: bool = False  # whether it is tried first, whatever its predicted seconds
    priority: int = 0  # others are tried in this order; of equals, the quicker first
    representation: Any = None  # `Representation` whose features it takes; None for those of X


def default_candidates(
    register: Sequence[RegisteredLearner],
    size: Size,
    seed: int | None,
    parts: Callable[[Size, int], Size] | None = None,
) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """Return the default candidates for some samples, and why the others are left out.

    These are the learners of the register that have a cost model. On sparse features, usually of
    texts, the first linear one is taken whatever it costs. `parts` gives the size of a number of
    the rows; None means that they have all features and all labels.
    """
    taken, left_out = [], []
    known = [(one, one.seconds) for one in register if one.seconds is not None]
    quick = quick_linear(register) if size.is_sparse else None
    for one, seconds in known:
        reason, took = one.refusal(size), seconds(size)
        if size.n_rows < one.least_rows:
            reason = f"it is for at least {one.least_rows} rows"
        is_first = one is quick
        if not reason and took > LONGEST_FIT and not is_first:
            reason = f"a fit would take about {took:.0f} seconds"
        if reason:
            left_out.append((one.name, reason))
        else:
            estimator = one.build(size.is_sparse, seed)
            of_rows = partial(_seconds, seconds, size, parts)
            taken.append(Candidate(one.name, estimator, took, of_rows, is_first))
    return taken, left_out


def quick_linear(register: Sequence[RegisteredLearner]) -> RegisteredLearner | None:
    """Return the linear learner that is always tried on sparse features, usually of texts."""
    linear = (one for one in register if one.is_linear and one.seconds is not None)
    return next(linear, None)


def given_candidates(given: Any, build: Callable[[str], Any]) -> list[Candidate]:
    """Return the candidates of a mapping or a sequence, with names.

    Parameters
    ----------
    given : mapping of str to estimator, or sequence of estimator, str or (str, estimator)
        A str is a name of the register. The first is taken as the cheapest.
    build : callable
        Builds the learner of a name, or raises a ValueError if the name is unknown.

    Returns
    -------
    list of Candidate

    Raises
    ------
    TypeError, ValueError
        If there is no candidate, a name is unknown or repeated, or one is not an estimator.
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
        estimator = build(one) if isinstance(one, str) else one
        if not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
            raise TypeError(f"candidates must be estimators or names, got {one!r} as {name!r}.")
        # Without a cost model, the seconds of a fit are unknown.
        found.append(Candidate(str(name), estimator, float(place), lambda n_rows: 0.0))  # noqa: ARG005
    return found


def given_estimators(given: Any) -> list[Any]:
    """Return the estimators of a mapping or a sequence that is not checked yet."""
    values = list(given.values()) if hasattr(given, "values") else list(given)
    last = [one[-1] if isinstance(one, tuple) else one for one in values]
    return [one for one in last if hasattr(one, "__sklearn_tags__")]


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


def _seconds(
    predicted: Callable[[Size], float],
    size: Size,
    parts: Callable[[Size, int], Size] | None,
    n_rows: int,
) -> float:
    """Return the predicted seconds of a fit to some of the rows."""
    return predicted(size._replace(n_rows=n_rows) if parts is None else parts(size, n_rows))


def size_of(X: Any, n_labels: int) -> Size:
    """Return the size of a checked matrix of features."""
    is_sparse = sparse.issparse(X)
    entries = X.data if is_sparse else X
    n_stored = X.nnz if is_sparse else X.size
    are_counts = bool(n_stored and (entries >= 0).all() and (entries == np.floor(entries)).all())
    return Size(
        X.shape[0], X.shape[1], n_labels, n_stored / max(1, X.shape[0]), is_sparse, are_counts
    )


def sizes_of_parts(X: Any, Y: np.ndarray) -> Callable[[Size, int], Size]:
    """Return a function from the size of all rows, and a number of rows, to the size of these.

    Of many terms and many labels, most are rare: a part of the rows has far fewer of them. A
    feature or label of c rows is expected in a random part of share s with probability 1 - (1 -
    s)^c.
    """
    positives = (Y == 1).sum(axis=0)
    entries = np.bincount(X.indices, minlength=X.shape[1]) if sparse.issparse(X) else None

    def part(size: Size, n_rows: int) -> Size:
        if n_rows >= size.n_rows:
            return size
        without = 1 - n_rows / size.n_rows
        n_labels = max(1, round(float((1 - without**positives).sum())))
        n_features = size.n_features
        if entries is not None:
            n_features = max(1, round(float((1 - without**entries).sum())))
        return size._replace(n_rows=n_rows, n_features=n_features, n_labels=n_labels)

    return part
