"""Time of tuning: all ways find the same value, and what is claimed is judged by the times."""

import numpy as np
import pytest

from labelwise.data import make_digit_bags
from studies.miml2017 import tuning as study

DATA = make_digit_bags(60, sizes=[1, 2, 3], random_state=0)


def test_all_ways_find_the_best_macro_f():
    scores, truth = study.instance_scores(DATA), DATA.Y.toarray().astype(bool)
    values = {call(scores, DATA.bags[:-1], truth) for call in study.WAYS.values()}
    assert max(values) - min(values) < 1e-12


@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_ties_and_labels_without_positives_are_no_exception():
    starts, truth = np.array([0, 2, 3]), np.array([[True, False]] * 2 + [[False, False]])
    scores = np.array([[0.5, 0.1], [0.2, 0.1], [0.5, 0.1], [0.5, 0.1]])
    values = [call(scores, starts, truth) for call in study.WAYS.values()]
    assert values == pytest.approx([0.9] * 3)


def test_a_way_that_finds_another_value_is_an_error(monkeypatch):
    monkeypatch.setitem(study.WAYS, "one sort", lambda *_: 0.0)
    with pytest.raises(RuntimeError, match="Ways of tuning found different values"):
        study.seconds_of(DATA)


def test_the_claim_is_judged_by_the_ratio_of_times(monkeypatch):
    for name in study.QUICK:
        monkeypatch.setitem(study.SETS, name, lambda: DATA)
    for slow, verdict in ((1.0, "no worse"), (0.9, "worse")):
        times = {"each instance score": slow, "each bag maximum": 0.1, "one sort": 0.01}
        monkeypatch.setattr(study, "seconds_of", lambda _, times=times: times)
        table = study.table_tuning(quick=True)
        cells = {cell.where[1]: cell for cell in table.cells}
        assert cells[study.SPEED_UP].verdict == verdict
        assert cells[study.CANDIDATES].measured == DATA.X.shape[0] / 60


def test_digit_bags_have_the_sizes_that_their_names_say():
    for size in (3, 10):
        data = study.SETS[f"digit bags of {size}"]()
        assert set(np.diff(data.bags)) == {size}
