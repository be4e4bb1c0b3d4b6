"""Labels from frequent to rare, for shrinkage and FBR."""

import numpy as np


def make_problem(seed=0, shape=(300, 12)):
    """Comparable scores, and labels from frequent to rare."""
    random = np.random.default_rng(seed)
    share = 0.5 / np.arange(1, shape[1] + 1) ** 1.5
    Y = random.random(shape) < share
    return random.standard_normal(shape) + np.log(share) + 2.0 * Y, Y
