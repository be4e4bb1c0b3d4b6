"""Representations of the samples of a race: features by several transformers, computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from labelwise._validation import n_rows, take_rows
from labelwise.learners.selection._candidates import (
    Candidate,
    RegisteredLearner,
    default_candidates,
    size_of,
)
from labelwise.learners.selection._costs import Size

# Costs of a representation are predicted from this number of samples.
_SAMPLE = 400
_FEW = 50
# The number of different terms of n texts is about proportional to n to this power (Heaps' law).
_HEAPS = 0.6


class Representation:
    """Features of samples by a transformer, which is fitted when they are first needed.

    It is fitted once to all samples: terms and their document frequencies do not depend on labels,
    so that the models of a fold know which terms occur in held-out samples, and nothing else of
    them. That is harmless if terms of a single text are left out. Such terms of a held-out text,
    which no model knows, take part in its norm, but not in that of a new text. With stems of
    abstracts of "Hallmarks of Cancer", thresholds from terms of each fold have a micro F of 0.677
    on held-out texts and 0.666 on new ones, those from terms of all texts 0.690 and 0.652. Without
    terms of a single text (words), it is 0.671 and 0.656, or 0.668 and 0.656.
    """

    def __init__(self, name: str, transformer: Any, X: Any, Y: np.ndarray) -> None:
        self.name = name
        self._X, self._Y = X, Y
        self._new = transformer
        self._n_rows = n_rows(X)

    @cached_property
    def _fitted(self) -> tuple[Any, Any]:
        transformer = clone(self._new)
        return transformer, transformer.fit_transform(self._X, self._Y)

    @property
    def transformer(self) -> Any:
        """The transformer, fitted to all samples."""
        return self._fitted[0]

    def features(self, rows: np.ndarray) -> Any:
        """Return the features of some samples by their numbers."""
        matrix = self._fitted[1]
        return matrix if rows.size == self._n_rows else take_rows(matrix, rows)

    @cached_property
    def _trial(self) -> tuple[Size, float]:
        """Size of all rows, and the seconds that the transformer takes for them, by a sample."""
        start = perf_counter()
        if self._n_rows <= _SAMPLE:
            return size_of(self._fitted[1], self._Y.shape[1]), perf_counter() - start
        rows = np.linspace(0, self._n_rows - 1, _SAMPLE).astype(np.intp)
        with suppress(ValueError):
            # What is imported by the first call must not be counted for all samples.
            clone(self._new).fit_transform(take_rows(self._X, rows[:_FEW]), self._Y[rows[:_FEW]])
        start = perf_counter()
        found = clone(self._new).fit_transform(take_rows(self._X, rows), self._Y[rows])
        more = self._n_rows / _SAMPLE
        size = size_of(found, self._Y.shape[1])
        n_features = round(size.n_features * more**_HEAPS)
        return (
            size._replace(n_rows=self._n_rows, n_features=n_features),
            more * (perf_counter() - start),
        )

    @property
    def size(self) -> Size:
        """The size of all rows."""
        return self._trial[0]

    def part(self, size: Size, n_rows: int) -> Size:
        """Return the size of a number of the rows; most terms and most labels are rare."""
        share = n_rows / self._n_rows
        if share >= 1:
            return size
        positives = (self._Y == 1).sum(axis=0)
        n_labels = max(1, round(float((1 - (1 - share) ** positives).sum())))
        n_features = max(1, round(size.n_features * share**_HEAPS))
        return size._replace(n_rows=n_rows, n_features=n_features, n_labels=n_labels)

    def seconds(self) -> float:
        """Predict the seconds that the transformer takes for all rows."""
        return self._trial[1]


def check_representations(given: Any) -> dict[str, Any]:
    """Check `representations`, a mapping of names to transformers."""
    if not isinstance(given, Mapping) or not given:
        raise TypeError(
            f"representations must be a mapping of names to transformers, got {given!r:.50}."
        )
    for name, one in given.items():
        if not hasattr(one, "fit_transform") or not hasattr(one, "get_params"):
            raise TypeError(f"representations must be transformers, got {one!r:.50} as {name!r}.")
    return {str(name): one for name, one in given.items()}


def candidates_on(
    representations: Sequence[Representation], register: Sequence[RegisteredLearner], seed: int
) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """Return the default candidates: quick linear learners on all representations, others on one.

    Linear learners come first: the first one on the first representation, then by their predicted
    seconds. All others are tried on the first representation, if time is left.
    """
    main = representations[0]
    taken, left_out = default_candidates(register, main.size, seed, main.part)
    linear = [one for one in register if one.is_for_texts]
    found = [
        # Linear models decide equally fast: the best is chosen by its value.
        _on(one, candidate._replace(cost=0.0, is_first=candidate.is_first and one is main), 0)
        for one in representations
        for candidate in default_candidates(linear, one.size, seed, one.part)[0]
    ]
    others = [one for one in taken if one.name not in {quick.name for quick in linear}]
    found += [_on(main, one, 1) for one in others]
    return found, left_out


def _on(representation: Representation, candidate: Candidate, priority: int) -> Candidate:
    """Return a candidate that takes the features of a representation."""
    return candidate._replace(
        name=f"{candidate.name}/{representation.name}",
        seconds=partial(_with_transformer, candidate, representation),
        priority=priority,
        representation=representation,
    )


def _with_transformer(one: Candidate, representation: Representation, n_rows: int) -> float:
    return one.seconds(n_rows) + representation.seconds()
