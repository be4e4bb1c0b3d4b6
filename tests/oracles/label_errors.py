"""The chance that a label is wrong, written as its definition."""


def isotonic(scores, truth):
    """The share of positives of each sample in the pieces of the isotonic regression.

    Pieces are found from their averages: the value of a sample is the largest over all lower ends
    of the smallest over all upper ends of the mean between them. Returns values and piece sizes.
    """
    levels = sorted(set(scores))
    hits = {v: sum(y for s, y in zip(scores, truth, strict=True) if s == v) for v in levels}
    sizes = {v: sum(s == v for s in scores) for v in levels}

    def mean(first, last):
        part = levels[first : last + 1]
        return sum(hits[v] for v in part) / sum(sizes[v] for v in part)

    n = len(levels)
    value = {
        v: max(min(mean(a, b) for b in range(k, n)) for a in range(k + 1))
        for k, v in enumerate(levels)
    }
    found = [value[s] for s in scores]
    return found, [sum(abs(other - one) < 1e-12 for other in found) for one in found]


def chances(scores, truth, rate):
    """The probability that each label is wrong if lost and added labels are as many."""
    share = sum(truth) / len(truth)
    if share in (0, 1):
        return [0.0] * len(truth)
    added = min(rate * share / (1 - share), 0.49)
    result = []
    for value, size, y in zip(*isotonic(scores, truth), truth, strict=True):
        p = (value * size + share) / (size + 1)
        # What the label is and was given as: (true 1, given 0), (0, 0), (0, 1), (1, 1).
        lost, negative, wrong, positive = (
            p * rate,
            (1 - p) * (1 - added),
            (1 - p) * added,
            p * (1 - rate),
        )
        result.append(wrong / (wrong + positive) if y else lost / (lost + negative))
    return result
