"""The nearest agreeing probabilities by a general solver, and what proves them nearest."""

import numpy as np
from scipy.optimize import LinearConstraint, minimize


def sizes_of(joint):
    """π_s for each s: the sum over labels is s π_s."""
    return joint.sum(axis=0) / np.arange(1, joint.shape[1] + 1)


def disagreement(joint, p_empty):
    """How far a table [label, s - 1] is from that of any distribution, at the worst constraint."""
    sizes = sizes_of(joint)
    return max(abs(sizes.sum() + p_empty - 1), -joint.min(), (joint - sizes).max(), -p_empty)


def optimality_gap(joint, p_empty, nearest, nearest_empty):
    """The most that <q - p, y - p> is over all y; p is the projection of q iff it is 0.

    It is greatest at a vertex: the empty set, or the s labels with the largest q - p for some s.
    """
    away, away_empty = joint - nearest, p_empty - nearest_empty
    n_labels, n_sizes = joint.shape
    ranked = np.sort(away, axis=0)[::-1]
    vertices = [ranked[:s, s - 1].sum() for s in range(1, min(n_labels, n_sizes) + 1)]
    here = (away * nearest).sum() + away_empty * nearest_empty
    return max(away_empty, *vertices) - here


def nearest_by_solver(joint, p_empty):
    """Minimise the squared distance subject to the constraints as they are written."""
    n_labels, n_sizes = joint.shape
    size = np.tile(1 / np.arange(1, n_sizes + 1), n_labels)
    # Variables: the joint table row by row, then p_empty.
    in_total = LinearConstraint(np.append(size, 1), 1, 1)
    share = np.zeros((joint.size, joint.size + 1))
    for cell, (i, s) in enumerate(np.ndindex(joint.shape)):
        share[cell, :-1].reshape(joint.shape)[:, s] = 1 / (s + 1)
        share[cell, :-1].reshape(joint.shape)[i, s] -= 1
    below_its_size = LinearConstraint(share, 0, np.inf)
    wanted = np.append(joint.ravel(), p_empty)
    found = minimize(
        lambda p: ((p - wanted) ** 2).sum() / 2,
        np.append(np.zeros(joint.size), 1),
        jac=lambda p: p - wanted,
        bounds=[(0, None)] * wanted.size,
        constraints=[in_total, below_its_size],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return found.x[:-1].reshape(joint.shape), found.x[-1]
