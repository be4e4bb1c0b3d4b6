"""Macro curves of pillai2012: how far points lie below the concave line over all thresholds."""

from itertools import product

import numpy as np
import pytest

from labelwise.measures import count, f_measure, precision, recall
from studies.pillai2012 import macro_curves as study
from tests.oracles import thresholds as oracle


def some_problem(seed):
    random = np.random.default_rng(seed)
    Y = random.random((9, 3)) < 0.5
    Y[0] = True
    return (Y + random.normal(size=Y.shape)).round(1), Y.astype(int)


def all_rates(scores, Y):
    """Thresholds of all labels that decide something, with macro recall and precision."""
    for thresholds in product(*(np.unique(column) for column in scores.T)):
        counts = count(Y, scores >= thresholds)
        yield counts, recall(counts).mean(), precision(counts).mean()


@pytest.mark.parametrize("seed", range(5))
def test_gaps_are_those_of_all_thresholds(seed, monkeypatch):
    scores, Y = some_problem(seed)
    monkeypatch.setattr(study, "RECALLS", (0.3, 0.6, 1.0))
    line = np.array(oracle.macro_envelope(scores, Y), dtype=float)
    found = {cell.where[1:]: cell.measured for cell in study.curve_cells("some", scores, Y)}
    tried = list(all_rates(scores, Y))
    betas, gaps = 2.0 ** (np.arange(-16, 17) / 4), []
    for beta in betas:
        f = [f_measure(counts, beta).mean() for counts, *_ in tried]
        # Of equal values, thresholds with the fewest decisions.
        best = np.flatnonzero(np.isclose(f, max(f), rtol=0, atol=1e-12))
        _, x, y = min((tried[k] for k in best), key=lambda one: (one[0].tp + one[0].fp).sum())
        gaps.append(np.interp(x, *line.T) - y)
    assert found[study.BY_BETA, "points"] == 33
    assert found[study.BY_BETA, "mean"] == pytest.approx(np.mean(gaps))
    assert found[study.BY_BETA, "largest"] == pytest.approx(max(gaps))
    gaps = []
    for least in (0.3, 0.6, 1.0):
        allowed = [one for one in tried if (recall(one[0]) >= least).all()]
        x, y = max((one[1:] for one in allowed), key=lambda rates: (rates[1].round(12), rates[0]))
        gaps.append(np.interp(x, *line.T) - y)
    assert found[study.BY_RECALL, "points"] == 3
    assert found[study.BY_RECALL, "mean"] == pytest.approx(np.mean(gaps))
    assert found[study.BY_RECALL, "least"] == pytest.approx(min(gaps), abs=1e-11)


def test_no_point_is_above_the_line():
    for seed in range(20):
        cells = study.curve_cells("some", *some_problem(seed))
        assert all(cell.measured >= 0 for cell in cells if cell.where[-1] == "least")
