"""Ranks of positives for weighted samples: sums of weights instead of numbers of samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse


class WeightedPositives(NamedTuple):
    """The distinct scores of each ranking, best first, with the weight that lies above them.

    Positives that share a score are one entry, and all numbers are sums of weights; otherwise as
    in `RankedPositives`. A ranking is a column ("label") or the whole matrix ("all").
    """

    ranking: np.ndarray  # the ranking that each distinct score belongs to
    hits: np.ndarray  # weight of the positives with this score
    hits_at_least: np.ndarray  # weight of the positives with this score or a greater one
    misses_above: np.ndarray  # weight of the negatives with a greater score
    misses_at_least: np.ndarray  # the same with this score among them
    n_positives: np.ndarray  # weight of the positives of each ranking
    n_negatives: np.ndarray  # weight of the negatives of each ranking

    @property
    def at_least(self) -> np.ndarray:
        """Weight of the samples with this score or a greater one."""
        return np.asarray(self.hits_at_least + self.misses_at_least)

    def total(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted sum over the positives of each ranking."""
        return np.bincount(self.ranking, self.hits * values, minlength=self.n_positives.size)


class _WeightedScores(NamedTuple):
    """Scores with the weights of the positives and of the negatives that have them."""

    scores: np.ndarray
    hits: np.ndarray
    misses: np.ndarray


def find_weighted_places(
    Y: sparse.csc_array,
    scores: Any,
    by: str,
    weights: np.ndarray,
    missing: sparse.csc_array | None = None,
) -> WeightedPositives:
    """Return the places in the rankings of each label ("label") or of all cells ("all").

    Weights are above 0. A sample of weight w counts as w samples. In sparse scores, absent ones
    are tied below all that are present, except those of cells without truth (`missing`), which are
    in no ranking. O(n_samples log n_samples) for each label.
    """
    columns = _columns(Y, scores, weights, missing)
    if by == "all":
        columns = iter([_WeightedScores(*map(np.concatenate, zip(*columns, strict=True)))])
    rankings = [_ranked(cells) for cells in columns]
    numbers = np.repeat(np.arange(len(rankings)), [one.scores.size for one in rankings])
    hits, misses = (
        [np.cumsum(part) for part in parts]
        for parts in ([one.hits for one in rankings], [one.misses for one in rankings])
    )
    above = [np.concatenate(([0.0], one[:-1])) for one in misses]
    return WeightedPositives(
        ranking=numbers,
        hits=np.concatenate([one.hits for one in rankings]),
        hits_at_least=np.concatenate(hits),
        misses_above=np.concatenate(above),
        misses_at_least=np.concatenate(misses),
        n_positives=np.array([one[-1] for one in hits]),
        n_negatives=np.array([one[-1] for one in misses]),
    )


def _ranked(cells: _WeightedScores) -> _WeightedScores:
    """Return the distinct scores, falling, with the weights of all cells that have them."""
    order = np.argsort(cells.scores)[::-1]
    falling = cells.scores[order]
    first = np.flatnonzero(np.append(True, falling[1:] != falling[:-1]))
    hits, misses = (np.add.reduceat(part[order], first) for part in (cells.hits, cells.misses))
    return _WeightedScores(falling[first], hits, misses)


def _columns(
    Y: sparse.csc_array, scores: Any, weights: np.ndarray, missing: sparse.csc_array | None
) -> Iterator[_WeightedScores]:
    """Yield the cells of each label; absent scores of one class are one cell at -inf."""
    stored = sparse.csc_array(scores) if sparse.issparse(scores) else None
    for j in range(Y.shape[1]):
        hits = np.zeros(weights.size)
        rows = Y.indices[Y.indptr[j] : Y.indptr[j + 1]]
        hits[rows] = weights[rows]
        misses = weights.copy()
        misses[rows] = 0
        if missing is not None:
            misses[missing.indices[missing.indptr[j] : missing.indptr[j + 1]]] = 0
        if stored is None:
            yield _WeightedScores(scores[:, j], hits, misses)
            continue
        own = slice(stored.indptr[j], stored.indptr[j + 1])
        scored = stored.indices[own]
        is_absent = np.ones(weights.size, dtype=bool)
        is_absent[scored] = False
        yield _WeightedScores(
            np.append(stored.data[own], -np.inf),
            np.append(hits[scored], hits[is_absent].sum()),
            np.append(misses[scored], misses[is_absent].sum()),
        )
