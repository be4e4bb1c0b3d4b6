"""The study's shortcuts give what scikit-learn gives, and its runs are those of the paper."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from labelwise.data import Dataset, make_multilabel
from labelwise.decisions import best_thresholds, scan_thresholds
from labelwise.experiments import CellOutcome
from studies.comparison import Spread
from studies.pillai2012 import study as pillai2012, tuning
from tests.oracles.terms import weighted

DATA, _ = make_multilabel(n_samples=120, random_state=0)
X, Y = DATA.X, DATA.Y.toarray().astype(np.int64)
SEEN, NEW = slice(0, 80), slice(80, 120)


def test_neighbour_scores_are_those_of_the_classifier_for_each_k():
    candidates = [{"k": k} for k in (1, 4, 9)]
    given = tuning.neighbour_scores(X[SEEN], Y[SEEN], X[NEW], candidates)
    for candidate, scores in zip(candidates, given, strict=True):
        model = KNeighborsClassifier(candidate["k"], algorithm="brute").fit(X[SEEN], Y[SEEN])
        expected = np.transpose([proba[:, 1] for proba in model.predict_proba(X[NEW])])
        np.testing.assert_allclose(scores, expected)


def test_radial_scores_are_those_of_the_rbf_kernel():
    candidates = [{"gamma": 0.5, "C": 1.0}, {"gamma": 0.5, "C": 10.0}, {"gamma": 2.0, "C": 1.0}]
    given = tuning.radial_scores(X[SEEN], Y[SEEN], X[NEW], candidates)
    for candidate, scores in zip(candidates, given, strict=True):
        for j in range(Y.shape[1]):
            model = SVC(**candidate).fit(X[SEEN], Y[SEEN, j])
            np.testing.assert_allclose(scores[:, j], model.decision_function(X[NEW]), atol=1e-6)


def test_each_run_trains_on_eight_of_ten_parts_and_tests_on_the_same_rows():
    train, test = np.arange(50), np.arange(50, 60)
    runs = list(tuning.EightOfTenParts(train, test).split(None))
    assert len(runs) == 10
    assert all(rows.size == 40 and np.array_equal(tested, test) for rows, tested in runs)
    times = np.bincount(np.concatenate([rows for rows, _ in runs]), minlength=50)
    assert (times == 8).all()


@pytest.fixture(scope="module")
def trial():
    model = tuning.TuningTrial(tuning.neighbour_scores, [{"k": 3}, {"k": 9}], random_state=0)
    return model.fit(X[SEEN], Y[SEEN])


def test_a_trial_tunes_in_every_way_on_the_scores_of_the_folds(trial):
    cells = tuning.table_cells(CellOutcome(trial, DATA, np.arange(80), np.arange(80, 120)))
    assert cells["exact - Algorithm 1"] == pytest.approx(0, abs=1e-15)
    assert cells["evaluated"] < 1
    assert set(pillai2012.COLUMNS.values()) <= set(cells)


def test_the_first_loop_is_that_of_the_labels_in_another_order(trial):
    orders = tuning.label_orders(Y[SEEN])
    assert (np.diff(Y[SEEN].sum(axis=0)[orders["frequent first"][0]]) <= 0).all()
    assert all(sorted(order) == list(range(Y.shape[1])) for o in orders.values() for order in o)
    assert [len(found) for found in trial.first_loops_.values()] == [1, 1, 1, 5]
    (order, found), *_ = trial.first_loops_["rare first"]
    scores = trial._held_out_scores(X[SEEN], Y[SEEN], [trial.chosen_])[0]
    expected = scan_thresholds(scores[:, order], Y[SEEN][:, order], max_scans=1)
    assert found.values.tolist() == expected.thresholds.values.tolist()


def test_inner_folds_choose_the_parameter_of_fbr_without_the_rows_that_they_tune(trial):
    parts = list(trial._folds(X[SEEN], Y[SEEN]))
    assert len(parts) == 5
    chosen = []
    for train, _ in parts:
        rows, truth = X[SEEN][train], Y[SEEN][train]
        scores = trial._held_out_scores(rows, truth, [trial.chosen_])[0]
        found = best_thresholds(scores, truth, fbr=("auto", 0), random_state=0)
        chosen.append(found.evidence.fbr)
    assert trial.thresholds_["FBR.0, inner"].evidence.fbr == pytest.approx(np.mean(chosen))


def row_of(**values):
    found = dict.fromkeys(pillai2012.COLUMNS.values(), 0.5) | values
    return {name: Spread(value, 0.01, 10, 0) for name, value in found.items()}


def test_a_mean_may_be_off_by_two_published_deviations_and_the_rounding():
    near, far = 0.880 - 2 * 0.002 - 0.0005, 0.880 - 2 * 0.002 - 0.0006
    for value, verdict in ((near, "within"), (far, "lower")):
        cells = list(pillai2012.row_cells(("Reuters", "SVM"), row_of(exact=value)))
        judged = {cell.where[-1]: cell.verdict for cell in cells if cell.where[2] == "mean"}
        assert judged["test"] == verdict
        assert judged["shrink"] == ""
    shown = {cell.where[-1]: cell for cell in cells if cell.where[2] == "deviation"}
    assert shown["test"].published == "0.002"
    assert {cell.verdict for cell in shown.values()} == {""}


def test_the_most_that_algorithm_1_evaluates_counts_and_not_the_mean():
    def row(model, share):
        return {"dataset": "Scene", "model": model, "measure": "cell/evaluated", "value": share}

    rows = [row("SVM", 0.1), row("SVM", 1.2), row("k-NN", 0.2), row("k-NN", 0.9)]
    found = {cell.where[1]: cell.verdict for cell in pillai2012.claim_cells(rows)}
    assert found == {"Scene, SVM, most": "worse", "Scene, k-NN, most": "no worse"}


def test_gaps_are_judged_on_reuters_by_003_and_elsewhere_by_their_sign():
    def row(validation, test, fbr):
        inner = {"FBR.0, inner": test, "FBR.1, inner": fbr}
        values = {"validation": validation, "exact": test} | inner
        return {name: Spread(value, 0.0, 10, 0) for name, value in values.items()}

    spreads = {
        ("Reuters", "SVM"): row(0.91, 0.88, 0.879),
        ("Reuters", "k-NN"): row(0.91, 0.879, 0.882),
        ("Scene", "SVM"): row(0.7, 0.71, 0.71),
    }
    found = {cell.where: cell.verdict for cell in pillai2012.gap_cells(spreads)}
    assert found == {
        (pillai2012.GAP, "Reuters, SVM, least"): "no worse",
        (pillai2012.GAP, "Reuters, SVM, most"): "no worse",
        (pillai2012.CHANGE, "Reuters, SVM, most"): "no worse",
        (pillai2012.GAP, "Reuters, k-NN, least"): "no worse",
        (pillai2012.GAP, "Reuters, k-NN, most"): "worse",
        (pillai2012.CHANGE, "Reuters, k-NN, most"): "worse",
        (pillai2012.GAP, "Scene, SVM, least"): "worse",
        (pillai2012.CHANGE, "Scene, SVM, most"): "no worse",
    }


def test_sizes_are_those_of_the_training_rows():
    data = Dataset(X, Y, train=np.arange(80), test=np.arange(80, 120))
    found = pillai2012.sizes_of(data)
    assert found["training samples"] == 80
    assert found["testing samples"] == 40
    assert found["highest class frequency"] == pytest.approx(Y[:80].mean(axis=0).max())


COUNTS = st.integers(1, 5).flatmap(
    lambda n_terms: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2, 7]), min_size=n_terms, max_size=n_terms),
        min_size=1,
        max_size=6,
    )
)


@given(counts=COUNTS, data=st.data())
def test_weights_of_terms_are_those_of_the_definition(counts, data):
    rows = data.draw(st.sets(st.integers(0, len(counts) - 1), min_size=1).map(sorted))
    given_counts = sparse.csr_array(counts)
    result = pillai2012.tf_idf(given_counts, np.array(rows))
    assert np.allclose(result.toarray(), weighted(counts, rows), rtol=1e-14)
    assert given_counts.toarray().tolist() == counts
