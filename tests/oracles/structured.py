"""The structured hinge loss as it is defined: by all label sets, and as a quadratic program."""

import itertools

import clarabel
import networkx as nx
import numpy as np
from scipy import sparse


def all_sets(n_labels):
    return np.array(list(itertools.product((False, True), repeat=n_labels)))


def f_loss(truth, decided, beta=1.0):
    weighted_size = beta**2 * truth.sum() + decided.sum()
    hits = (truth & decided).sum()
    return 0.0 if weighted_size == 0 else 1 - (1 + beta**2) * hits / weighted_size


def pair_gains(decided, gains):
    """gains: an upper triangular matrix."""
    return decided.astype(float) @ gains @ decided.astype(float)


def value(scores, decided, gains):
    return scores @ decided + pair_gains(decided, gains)


def violation(scores, truth, decided, gains, beta=1.0):
    return f_loss(truth, decided, beta) + value(scores, decided, gains)


def hinge_loss(scores, truth, gains, beta=1.0):
    highest = max(violation(scores, truth, one, gains, beta) for one in all_sets(truth.size))
    return highest - value(scores, truth, gains)


def highest_violation(scores, truth, beta=1.0):
    """As by all label sets, without pairs: of so many hits and misses those of highest scores."""
    hits, misses = (np.sort(scores[truth == kind])[::-1] for kind in (True, False))
    violations = [
        1 - (1 + beta**2) * a / (beta**2 * hits.size + a + b) + hits[:a].sum() + misses[:b].sum()
        for a in range(hits.size + 1)
        for b in range(misses.size + 1)
        if hits.size + a + b > 0
    ]
    return max(violations + [0.0] * (hits.size == 0))


def central_features(X):
    """Features less their mean, and a constant whose square is a tenth of their mean square."""
    central = X - X.mean(axis=0)
    constant = np.sqrt((central**2).sum(axis=1).mean() / 10)
    return np.column_stack([central, np.full(len(X), constant)])


def objective(weights, intercepts, X, Y, penalty, gains, beta=1.0):
    """weights: a row for each feature as given, whose 0 the intercepts are the scores of."""
    features = central_features(X)
    of_constant = (intercepts + X.mean(axis=0) @ weights) / features[0, -1]
    scores = features @ np.vstack([weights, of_constant])
    losses = [hinge_loss(*row, gains, beta) for row in zip(scores, Y, strict=True)]
    return penalty / 2 * ((weights**2).sum() + (of_constant**2).sum()) + np.mean(losses)


def smallest_best_set(scores, gains, tolerance=1e-9):
    sets = all_sets(scores.size)
    values = np.array([value(scores, one, gains) for one in sets])
    best = sets[values >= values.max() - tolerance]
    return best[np.argmin(best.sum(axis=1))]


def violation_by_sizes(scores, truth, gains, beta=1.0):
    """The highest true value of the sets that maximise the loss made linear at a size."""
    n_true, n_labels = truth.sum(), scores.size
    tried = [truth]
    if n_true == 0:
        one = smallest_best_set(scores, gains)
        if not one.any():
            one = np.arange(n_labels) == np.argmax(scores)
        tried.append(one)
    else:
        of_hit = -(1 + beta**2) / (beta**2 * n_true + np.arange(n_labels + 1))
        for k in range(n_labels + 1):
            tried.append(smallest_best_set(scores + of_hit[k] * truth, gains))
        for k in range(n_true, n_labels + 1):
            of_size = -of_hit[k] * n_true / (beta**2 * n_true + k)
            tried.append(smallest_best_set(scores + of_size + of_hit[k] * truth, gains))
    return max(violation(scores, truth, one, gains, beta) for one in tried)


def least_objective(X, Y, penalty, gains, beta=1.0, learned=False):
    """The optimum over all weights, a constraint for each label set of each row, by clarabel.

    If weights of pairs are learned, they are at least 0, are penalised, and multiply the gains.
    """
    n_rows, n_labels = Y.shape
    features = central_features(X)
    n_weights = features.shape[1] * n_labels
    pairs = np.argwhere(gains > 0) if learned else np.empty((0, 2), dtype=int)
    n_learned = n_weights + len(pairs)
    left, right = [], []
    for i, truth in enumerate(Y):
        for one in all_sets(n_labels):
            row = np.zeros(n_learned + n_rows)
            row[:n_weights] = np.outer(features[i], one.astype(float) - truth).ravel()
            for p, (k, j) in enumerate(pairs):
                both = float(one[k] and one[j]) - float(truth[k] and truth[j])
                row[n_weights + p] = gains[k, j] * both
            row[n_learned + i] = -1
            left.append(row)
            gain = 0.0 if learned else pair_gains(one, gains) - pair_gains(truth, gains)
            right.append(-f_loss(truth, one, beta) - gain)
    for p in range(len(pairs)):
        row = np.zeros(n_learned + n_rows)
        row[n_weights + p] = -1
        left.append(row)
        right.append(0.0)
    curvature = np.append(np.full(n_learned, penalty), np.zeros(n_rows))
    slope = np.append(np.zeros(n_learned), np.full(n_rows, 1 / n_rows))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.diags(curvature)),
        slope,
        sparse.csc_matrix(np.array(left)),
        np.array(right),
        [clarabel.NonnegativeConeT(len(right))],
        settings,
    )
    return solver.solve().obj_val


def highest_value_by_flow(scores, gains):
    """max_y value(scores, y, gains), from a maximum flow of another package.

    A label gains from the source or pays the sink; a pair's gain is lost if one label is missing.
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(["source", "sink"])
    for j, score in enumerate(scores):
        if score > 0:
            graph.add_edge("source", j, capacity=score)
        else:
            graph.add_edge(j, "sink", capacity=-score)
    for k, other in np.argwhere(gains > 0).tolist():
        pair = f"{k} and {other}"
        graph.add_edge("source", pair, capacity=gains[k, other])
        graph.add_edge(pair, k)
        graph.add_edge(pair, other)
    flow = nx.maximum_flow_value(graph, "source", "sink")
    return scores[scores > 0].sum() + gains.sum() - flow
