"""The study's shortcuts give what scikit-learn gives, and its runs are those of the paper."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from labelwise.data import make_multilabel
from labelwise.experiments import CellOutcome
from studies import pillai2012

DATA, _ = make_multilabel(n_samples=120, random_state=0)
X, Y = DATA.X, DATA.Y.toarray().astype(np.int64)
SEEN, NEW = slice(0, 80), slice(80, 120)


def test_neighbour_scores_are_those_of_the_classifier_for_each_k():
    candidates = [{"k": k} for k in (1, 4, 9)]
    given = pillai2012.neighbour_scores(X[SEEN], Y[SEEN], X[NEW], candidates)
    for candidate, scores in zip(candidates, given, strict=True):
        model = KNeighborsClassifier(candidate["k"], algorithm="brute").fit(X[SEEN], Y[SEEN])
        expected = np.transpose([proba[:, 1] for proba in model.predict_proba(X[NEW])])
        np.testing.assert_allclose(scores, expected)


def test_radial_scores_are_those_of_the_rbf_kernel():
    candidates = [{"gamma": 0.5, "C": 1.0}, {"gamma": 0.5, "C": 10.0}, {"gamma": 2.0, "C": 1.0}]
    given = pillai2012.radial_scores(X[SEEN], Y[SEEN], X[NEW], candidates)
    for candidate, scores in zip(candidates, given, strict=True):
        for j in range(Y.shape[1]):
            model = SVC(**candidate).fit(X[SEEN], Y[SEEN, j])
            np.testing.assert_allclose(scores[:, j], model.decision_function(X[NEW]), atol=1e-6)


def test_each_run_trains_on_eight_of_ten_parts_and_tests_on_the_same_rows():
    train, test = np.arange(50), np.arange(50, 60)
    runs = list(pillai2012.EightOfTenParts(train, test).split(None))
    assert len(runs) == 10
    assert all(rows.size == 40 and np.array_equal(tested, test) for rows, tested in runs)
    times = np.bincount(np.concatenate([rows for rows, _ in runs]), minlength=50)
    assert (times == 8).all()


def test_a_trial_tunes_in_every_way_on_the_scores_of_the_folds():
    model = pillai2012.TuningTrial(
        pillai2012.neighbour_scores, [{"k": 3}, {"k": 9}], random_state=0
    )
    model.fit(X[SEEN], Y[SEEN])
    cells = pillai2012.table_cells(CellOutcome(model, DATA, np.arange(80), np.arange(80, 120)))
    assert cells["exact - Algorithm 1"] == pytest.approx(0, abs=1e-15)
    assert cells["evaluated"] < 1
    assert set(pillai2012.COLUMNS.values()) <= set(cells)
