"""Conformal risk control takes the first point whose corrected mean loss is low enough."""

import numpy as np
import pytest

from labelwise.decisions.guarantees._risk_control import first_controlled_point
from labelwise.decisions.guarantees.paths._units import shuffled_units
from labelwise.decisions.problem._problem import check_problem

PATH = np.linspace(3, -3, 40)[:, None].repeat(3, axis=1)


def definition(scores, Y, least):
    """The definition, with samples that have labels."""
    has_labels = Y.any(axis=1)
    n = has_labels.sum()
    for k, thresholds in enumerate(PATH):
        found = ((scores >= thresholds) & Y)[has_labels].sum(axis=1)
        loss = (1 - found / Y[has_labels].sum(axis=1)).mean()
        if (n * loss + 1) / (n + 1) <= 1 - least:
            return k
    return None


@pytest.mark.parametrize("least", [0.2, 0.5, 0.8, 0.999])
@pytest.mark.parametrize("n_samples", [5, 60])
def test_the_point_is_that_of_the_definition(n_samples, least):
    random = np.random.default_rng(n_samples)
    Y = random.random((n_samples, 3)) < 0.4
    scores = Y + random.normal(size=Y.shape)
    units = shuffled_units(check_problem(scores, Y, None), np.random.RandomState(0))
    assert first_controlled_point(units, PATH, least) == definition(scores, Y, least)
