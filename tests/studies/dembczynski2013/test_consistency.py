"""Theorems 2 and 3 of dembczynski2013: regrets are those of the true distributions."""

from itertools import product

import numpy as np
import pytest

from labelwise.measures import count, f_measure
from studies.dembczynski2013 import consistency as study


def test_expected_f_is_the_mean_over_drawn_label_sets():
    for joint in study.distributions():
        found = study.expected_f(joint)
        for decided, value in zip(study.SETS_OF_TWO, found, strict=True):
            f = [
                f_measure(count([truth], [decided], by="sample"))[0] for truth in study.SETS_OF_TWO
            ]
            assert value == pytest.approx(joint @ f)
    # As in the proof of Theorem 2: no label is best, both are next.
    assert study.expected_f(np.array(study.THEOREM_2)) == pytest.approx([0.5, 0.4, 0.2, 13 / 30])


def test_regret_is_0_where_the_best_set_is_decided_and_the_loss_elsewhere():
    class Fixed:
        def __init__(self, decided):
            self.decided = decided

        def fit(self, X, Y):
            assert X.shape == (50, 8)
            assert Y.shape == (50, 2)
            return self

        def predict(self, X):
            return np.tile(self.decided, (len(X), 1))

    for decided, k in product(study.SETS_OF_TWO, range(8)):
        found = study.regrets(Fixed(decided), 50, 0)[k]
        values = study.expected_f(study.distributions()[k])
        own = values[study.SETS_OF_TWO.tolist().index(decided.tolist())]
        assert found == pytest.approx(values.max() - own)


def test_regret_of_efp_is_to_be_0_and_that_of_rml_not(monkeypatch):
    monkeypatch.setattr(study, "regrets", lambda *_: np.full(8, 0.03))
    cells = {cell.where: cell for cell in study.regret_cells((100_000,), 1)}
    column = "100,000 samples"
    assert cells[study.ALL, "EFP", column].verdict == "higher"
    assert cells[study.WORST, "RML", column].verdict == "worse"
    assert cells[study.WORST, "LFP", column].verdict == ""
