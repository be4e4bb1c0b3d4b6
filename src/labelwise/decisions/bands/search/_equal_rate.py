"""The highest rate that precision and recall both reach with a queue of a given size."""

from __future__ import annotations

import numpy as np

from labelwise.decisions.bands.search._band_choice import BandChoice, nested
from labelwise.decisions.bands.search._queue_search import QueueSearch

# The rate is bisected until its bounds differ by less than this.
_TOLERANCE = 1e-4


def highest_equal_rate(search: QueueSearch, most_reviewed: int) -> BandChoice:
    """Find the highest t such that a precision and a recall of t need no larger queue.

    The best pair of points of the frontier is the start. Then t is bisected: the queue for t is
    bounded from below by the frontier, and found by the search for the smallest queue.
    """
    best = _best_on_frontier(search, most_reviewed)
    low, high, rate = best.value, np.inf, 1.0
    while high - low > _TOLERANCE and low < 1:
        if search.least_queue(rate, rate) > most_reviewed:
            high = rate
        else:
            found = search.smallest_queue(rate, rate)
            if found.n_reviewed <= most_reviewed:
                low, best = search.lower_rate(found), found
            elif found.value - found.gap > most_reviewed:
                high = rate
            else:
                break
        rate = (low + min(high, 1.0)) / 2
    gap = max(0.0, min(high, 1.0) - low)
    return best._replace(objective="rate", value=low, gap=gap)


def _best_on_frontier(search: QueueSearch, most_reviewed: int) -> BandChoice:
    """Return the pair of frontier points with the highest lower rate within the queue."""
    side = search.keep
    decided, hits = side.steps.decided, side.steps.hits
    kept = np.searchsorted(decided, decided + most_reviewed, side="right") - 1
    rates = np.minimum(
        search.values.precision(decided, decided - hits), search.values.recall(hits[kept])
    )
    step = int(np.argmax(rates))
    ends = [side.at_step(n) for n in (step, int(kept[step]))]
    return BandChoice(ends[0], nested(*ends), "rate", float(rates[step]), 0.0)
