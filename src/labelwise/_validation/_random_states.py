"""Turn the argument `random_state` into a random generator, as scikit-learn does."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np


def check_random_state(random_state: Any) -> np.random.RandomState:
    """Return the generator of a seed, a generator itself, or that of numpy for None.

    The generators are those of scikit-learn's function of this name, whose import takes longer
    than most commands.
    """
    if random_state is None or random_state is np.random:
        # The generator that `np.random.seed` seeds is public only as the owner of its methods.
        return np.random.rand.__self__  # type: ignore[attr-defined,no-any-return]
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**32:
        return np.random.RandomState(int(random_state))
    raise ValueError(
        "random_state must be None, a RandomState or a whole number from 0 to 2**32 - 1, "
        f"got {random_state!r}."
    )
