"""Expected values of decisions, and the best of all decisions of at most k labels a sample."""

from itertools import combinations, product

import numpy as np

from labelwise.measures import Counts


def expected_counts(proba, decided):
    """Counts of each label if cells are positive with these probabilities."""
    tp, fp = proba * decided, (1 - proba) * decided
    fn, tn = proba * (1 - decided), (1 - proba) * (1 - decided)
    return Counts(*(cells.sum(axis=0) for cells in (tp, fp, fn, tn)))


def expected_value(proba, decided, average, measure):
    """The measure of expected counts; a label without a value counts as 0."""
    counts = expected_counts(proba, decided)
    if average == "micro":
        counts = Counts(*(cells.sum(keepdims=True) for cells in counts))
    return float(np.nan_to_num(measure(counts)).mean())


def expected_coverage(proba, decided):
    """The expected share of labels that have a hit, over all outcomes of the cells."""
    total = 0.0
    for outcome in product((0, 1), repeat=proba.size):
        Y = np.reshape(outcome, proba.shape)
        chance = np.prod(np.where(Y == 1, proba, 1 - proba))
        total += chance * (Y * decided).any(axis=0).mean()
    return total


def all_decisions(n_samples, n_labels, k):
    """Every decision of at most k labels for each sample."""
    sets = [chosen for size in range(k + 1) for chosen in combinations(range(n_labels), size)]
    for rows in product(sets, repeat=n_samples):
        decided = np.zeros((n_samples, n_labels))
        for i, chosen in enumerate(rows):
            decided[i, list(chosen)] = 1
        yield decided


def improved_rows(proba, decided, k, value_of):
    """Decisions after each sample in turn got its best labels while all others stay.

    The present labels stay if no others are better.
    """
    decided = decided.copy()
    for i in range(len(proba)):
        best, highest = decided.copy(), value_of(decided)
        for row in all_decisions(1, proba.shape[1], k):
            decided[i] = row[0]
            if value_of(decided) > highest + 1e-12:
                best, highest = decided.copy(), value_of(decided)
        decided = best
    return decided


def decided_by_rule(proba, slopes, prices, k):
    """The k highest gains above 0 of each sample, the first labels among equal ones."""
    decided = np.zeros(proba.shape)
    for i, row in enumerate(proba):
        gains = [slope * p - price for p, slope, price in zip(row, slopes, prices, strict=True)]
        falling = sorted(range(len(gains)), key=lambda j: (-gains[j], j))
        decided[i, [j for j in falling[:k] if gains[j] > 0 and row[j] > 0]] = 1
    return decided


def prices(gains, k):
    """For each sample, the middle of its k-th highest gain and the next; 0 if that is not above 0.

    Also the sum of all gains above their price.
    """
    middles = []
    for row in gains:
        falling = sorted((gain for gain in row if gain > 0), reverse=True)
        middles.append((falling[k - 1] + falling[k]) / 2 if len(falling) > k else 0.0)
    above = np.maximum(gains - np.array(middles)[:, None], 0)
    return np.array(middles), float(above.sum())


def best_set_less_prices(proba, costs, scale, constant):
    """The highest ``scale·Σ proba / (constant + size) - Σ costs`` of any set of cells."""
    highest = 0.0
    for inside in product((False, True), repeat=len(proba)):
        chosen = np.array(inside, dtype=bool)
        value = scale * proba[chosen].sum() / (constant + max(chosen.sum(), 1))
        highest = max(highest, value - costs[chosen].sum())
    return highest
