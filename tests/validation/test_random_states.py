"""Random states are those of scikit-learn's function of the same name."""

import numpy as np
import pytest
from sklearn.utils import check_random_state as expected_state

from labelwise._validation import check_random_state


@pytest.mark.parametrize("seed", [0, 7, np.int64(3), np.uint8(4), True, 2**32 - 1])
def test_a_seed_draws_as_in_scikit_learn(seed):
    assert check_random_state(seed).randint(2**31) == expected_state(seed).randint(2**31)


@pytest.mark.parametrize("given", [None, np.random, np.random.RandomState(0)])
def test_a_generator_is_returned_itself_and_none_is_the_global_one(given):
    assert check_random_state(given) is expected_state(given)


@pytest.mark.parametrize("wrong", [-1, 2**32, 0.5, "seed", np.random.default_rng(0)])
def test_anything_else_is_refused(wrong):
    with pytest.raises(ValueError, match="random_state must be None, a RandomState or a whole"):
        check_random_state(wrong)
