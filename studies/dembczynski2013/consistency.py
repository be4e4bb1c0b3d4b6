"""dembczynski2013, Theorems 2 and 3: regret of the learners with more and more samples.

Samples have one of several contexts, each with a joint distribution of two labels: that of Theorem
2, and others drawn at random. The features say which context it is, so that every learner can
represent the best decisions. The regret is the expected F of the best decisions less that of the
learner's, both under the true distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import studies
from labelwise.learners import BinaryRelevance, ExactFPlugin, IndependentFPlugin, ReverseMultilabel
from studies.comparison import Cell, Table, published_cells

FOLDER = studies.FOLDER / "dembczynski2013"
SETS_OF_TWO = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
THEOREM_2 = (0.5, 0.2, 0.0, 0.3)
N_RANDOM = 7
N_SAMPLES, QUICK = (100, 1_000, 10_000, 100_000), (100, 1_000)
N_SEEDS = 5
ALL, WORST = "mean of all", "Theorem 2"
# λ of all belongs to the mean loss: it must fall for the weights to become free, as in the theorem.
MODELS: dict[str, Callable[[int], Any]] = {
    "EFP": lambda n: ExactFPlugin(penalty=0.1 / n),
    "LFP": lambda n: IndependentFPlugin(BinaryRelevance(penalty=0.1 / n)),
    "RML": lambda n: ReverseMultilabel(penalty=10 / n, tol=0.01, random_state=0),
}


def distributions() -> np.ndarray:
    """Return the joint distribution of each context, (n_contexts, 4)."""
    drawn = np.random.default_rng(0).dirichlet(np.ones(4), N_RANDOM)
    return np.vstack([THEOREM_2, drawn])


def expected_f(joint: np.ndarray) -> np.ndarray:
    """Return the expected F of each set of two labels, if that is decided."""
    hits = SETS_OF_TWO @ SETS_OF_TWO.T
    sizes = SETS_OF_TWO.sum(axis=1)
    whole = sizes[:, None] + sizes
    f = np.where(whole == 0, 1.0, 2 * hits / np.maximum(whole, 1))
    return np.asarray(f @ joint)


def regrets(model: Any, n_samples: int, seed: int) -> np.ndarray:
    """Fit a model to samples of all contexts; return its regret in each."""
    random, joints = np.random.default_rng(seed), distributions()
    context = np.arange(n_samples) % len(joints)
    # The context of each sample, and the label set drawn from its distribution.
    drawn = [random.choice(4, p=joints[k]) for k in context]
    X = np.eye(len(joints))
    decided = model.fit(X[context], SETS_OF_TWO[drawn]).predict(X)
    values = np.array([expected_f(joint) for joint in joints])
    chosen = decided @ [2, 1]
    return np.asarray(values.max(axis=1) - values[np.arange(len(joints)), chosen])


def regret_cells(sizes: tuple[int, ...], n_seeds: int) -> Iterator[Cell]:
    """Give the mean regret of each learner at each number of samples."""
    printed = published_cells(FOLDER / "theorem3.csv", keys=("context", "model"))
    for name, make in MODELS.items():
        for n_samples in sizes:
            found = np.mean(
                [regrets(make(n_samples), n_samples, s) for s in range(n_seeds)], axis=0
            )
            for context, value in ((WORST, found[0]), (ALL, found.mean())):
                column = f"{n_samples:,} samples"
                text = printed.get((context, name, column), "")
                aim = "same" if name == "EFP" else "at least"
                yield Cell((context, name, column), text, float(value), 0.005, aim)


def table_3(*, quick: bool = False, repetitions: int | None = None) -> Table:
    """Return the regrets, those with most samples judged by the theorems."""
    n_seeds = repetitions or (1 if quick else N_SEEDS)
    words = (
        "Regret in expected F, by the number of samples, mean of "
        f"{n_seeds} draws. There are {1 + N_RANDOM} contexts, each with a distribution of two "
        "labels: that of the paper's Theorem 2, and others drawn at random before the first run. "
        "Theorem 3 says that the regret of EFP tends to 0: it may be 0.005 with most samples. By "
        "Theorem 2 that of RML does not: the best decision there is no label, with an expected F "
        "of 0.5, the next best both, with 0.4333, so that a learner that does not find the best "
        "has a regret of at least 0.0667. LFP, which is consistent for independent labels only, is "
        "shown."
    )
    sizes = QUICK if quick else N_SAMPLES
    cells = tuple(regret_cells(sizes, n_seeds))
    keys = ("context", "model", "samples")
    return Table("dembczynski2013", "theorem3", "Theorem 3", words, keys, cells)
