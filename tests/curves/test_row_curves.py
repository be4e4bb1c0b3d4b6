"""Weights of samples are whole or rounded so that sums of them are exact."""

import numpy as np
import pytest

from labelwise.decisions import best_thresholds


@pytest.mark.parametrize("total", [1e-100, 1e100, 0.0, np.inf])
def test_sums_of_weights_that_cannot_be_multiplied_are_refused(total):
    with pytest.raises(ValueError, match=r"^sample_weight must"):
        best_thresholds([[0.5]], [[1]], sample_weight=[total])


@pytest.mark.parametrize("total", [np.nextafter(1e-100, 1), 1.0, np.nextafter(1e100, 0)])
def test_sums_of_weights_within_the_limits_are_accepted(total):
    assert best_thresholds([[0.5]], [[1]], sample_weight=[total]).value == 1
