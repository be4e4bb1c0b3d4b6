"""Cuts of a label by looking at all its scores, and files of the formats that the engine reads."""

import numpy as np


def cuts_at_positives(column, positive):
    """(decided, hits, lowest score, next lower score) of each cut, read off the definition."""
    found = [(0, 0, np.inf, None)]
    for score in sorted(set(column[positive].tolist()), reverse=True):
        lower = column[column < score]
        found.append(
            (
                int((column >= score).sum()),
                int((column[positive] >= score).sum()),
                score,
                lower.max() if lower.size else None,
            )
        )
    return found


def blocks(n_rows, sizes):
    """Slices of the given sizes that cover all rows, some of them empty; the last is the rest."""
    ends = np.minimum(np.cumsum([0, *sizes]), n_rows).tolist()
    return [slice(a, b) for a, b in zip([*ends], [*ends[1:], n_rows], strict=True)]


def gaps_between(scores, hits):
    """Count, highest score and ties of the gap of each hit, and the highest score below all hits.

    A score belongs to the last of the hits, in rising order, that are not above it.
    """
    counts, ties = [0] * len(hits), [0] * len(hits)
    highest, below = [-float("inf")] * len(hits), -float("inf")
    for score in scores:
        reached = [entry for entry, hit in enumerate(hits) if hit <= score]
        if not reached:
            below = max(below, score)
            continue
        counts[reached[-1]] += 1
        highest[reached[-1]] = max(highest[reached[-1]], score)
        ties[reached[-1]] += hits[reached[-1]] == score
    return counts, highest, ties, below
