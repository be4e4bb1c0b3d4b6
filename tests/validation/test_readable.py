"""What would be misread without an error is refused wherever arrays come in."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from labelwise._validation import check_readable
from labelwise.data import Bags, Dataset
from labelwise.decisions import (
    CalibratedLabels,
    TunedThresholds,
    best_thresholds,
    joint_from_samples,
    maximize_expected_f,
    maximize_expected_f_independent,
    micro_frontier,
    proportion_cut,
    rank_cut,
    scan_thresholds,
)
from labelwise.features import OkapiWeights, TermSelector, combine, term_scores
from labelwise.learners import (
    BinaryRelevance,
    CalibratedLabelRanking,
    ExactFPlugin,
    OkapiNeighbors,
    ReverseMultilabel,
)
from labelwise.measures import Counts, count, evaluate, measure_scores, precision
from labelwise.splitting import MultilabelStratifiedKFold, assign, split_quality
from tests import hostile_matrices

Y = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1]])
S = Y / 2 + 0.1
X = Y + 0.25
THRESHOLDS = best_thresholds(S, Y)
FITTED = BinaryRelevance(penalty=1.0).fit(X, Y)
NEIGHBORS = OkapiNeighbors(n_neighbors=2).fit(X, Y)
OF_LABELS = {
    "count": lambda A: count(A, Y),
    "count of decisions": lambda A: count(Y, A),
    "evaluate": lambda A: evaluate(A, decided=Y),
    "best thresholds": lambda A: best_thresholds(S, A),
    "proportion cut": lambda A: proportion_cut(S, A),
    "assign": lambda A: assign(A, 2, random_state=0),
    "split quality": lambda A: split_quality(A, [0, 1, 0, 1, 0, 1]),
    "data set": lambda A: Dataset(X, A),
    "term scores": lambda A: term_scores(X, A, "df"),
    "learner": lambda A: BinaryRelevance().fit(X, A),
    "tuned": lambda A: TunedThresholds(OneVsRestClassifier(LogisticRegression())).fit(X, A),
    "calibrated": lambda A: CalibratedLabels(OneVsRestClassifier(LogisticRegression())).fit(X, A),
}
OF_SCORES = {
    "thresholds": lambda A: best_thresholds(A, Y),
    "scan": lambda A: scan_thresholds(A, Y),
    "frontier": lambda A: micro_frontier(A, Y),
    "decide": lambda A: THRESHOLDS.decide(A),
    "rank cut": lambda A: rank_cut(A, 2),
    "shares of training": lambda A: proportion_cut(A, Y),
    "evaluation": lambda A: evaluate(Y, scores=A),
    "coverage": lambda A: measure_scores(Y, A, "coverage"),
    "expected F": lambda A: maximize_expected_f_independent(A),
}
OF_FEATURES = {
    "features of a data set": lambda A: Dataset(A, Y),
    "bags": lambda A: Bags(A, np.arange(7)),
    "list of bags": lambda A: Dataset([A, X], [[1], [0]]),
    "terms": lambda A: term_scores(A, Y, "df"),
    "selector": lambda A: TermSelector(1).fit(A, Y),
    "selected": lambda A: TermSelector(1).fit(X, Y).transform(A),
    "weights": lambda A: OkapiWeights().fit(A),
    "regressions": lambda A: BinaryRelevance(penalty=1.0).fit(A, Y),
    "predictions": lambda A: FITTED.predict(A),
    "plugin": lambda A: ExactFPlugin(penalty=1.0).fit(A, Y),
    "structured": lambda A: ReverseMultilabel(penalty=1.0, random_state=0).fit(A, Y),
    "ranking": lambda A: CalibratedLabelRanking().fit(A, Y),
    "neighbors": lambda A: NEIGHBORS.decision_function(A),
    "own": lambda A: OkapiNeighbors().fit(A, Y),
}
DENSE_ONLY = {
    "joint": lambda A: maximize_expected_f(A[:, :, None], np.zeros(6)),
    "empty": lambda A: maximize_expected_f(np.zeros((6, 3, 1)), A[:, 0]),
    "draws": lambda A: joint_from_samples(A[None]),
    "combined": lambda A: combine(A),
    "counts": lambda A: precision(Counts(A[:, 0], 1, 1, 1)),
    "groups of a split": lambda A: assign(Y, 2, groups=A[:, 0]),
    "groups of folds": lambda A: list(MultilabelStratifiedKFold(2).split(X, Y, A[:, 0])),
    "groups of amounts": lambda A: best_thresholds(S, Y, shrink="auto", groups=A[:, 0]),
    "sample weights": lambda A: BinaryRelevance(penalty=1.0).fit(X, Y, sample_weight=A[:, 0]),
}
CALLS = OF_LABELS | OF_SCORES | OF_FEATURES


def test_every_public_call_refuses_broken_sparse_matrices_in_a_sentence():
    """A parameter without an argument in `tests.hostile_matrices` fails this test."""
    assert hostile_matrices.problems() == []


@pytest.mark.parametrize("form", ["array", "matrix"])
@pytest.mark.parametrize(("kind", "fault"), hostile_matrices.OF_MATRICES)
def test_each_fault_of_a_sparse_matrix_is_found(kind, fault, form):
    faulty = hostile_matrices.broken(Y, kind, fault, form)
    with pytest.raises(ValueError, match=r"^X must be a sparse matrix with indices inside its"):
        check_readable(faulty, "X")


# Masked cells of Y are missing labels in these calls.
TAKES_MASKS = (
    "count",
    "evaluate",
    "best thresholds",
    "proportion cut",
    "assign",
    "split quality",
    "data set",
    "learner",
)


@pytest.mark.parametrize("call", CALLS | DENSE_ONLY)
def test_no_call_reads_what_is_under_a_mask(call):
    masked = np.ma.array(Y, mask=Y == 7)
    masked[1, 0] = np.ma.masked
    hidden = masked.copy()
    hidden.data[1, 0] = 1 - Y[1, 0]
    if call in TAKES_MASKS:
        found, other = ((CALLS | DENSE_ONLY)[call](given) for given in (masked, hidden))
        assert repr(found) == repr(other)
        return
    with pytest.raises(ValueError, match=r"must have no masked cells, got 1\.|missing labels"):
        (CALLS | DENSE_ONLY)[call](masked)


def test_masks_that_hide_nothing_and_sound_matrices_pass():
    whole = np.ma.array(Y, mask=np.zeros_like(Y))
    assert count(whole, Y).fn.sum() == 0
    with pytest.raises(ValueError, match=r"Y must have no masked cells, got 1\."):
        count([Y[0], np.ma.array(Y[1], mask=[0, 1, 0])], Y[:2])
    for kind in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr"):
        assert count(sparse.csr_array(Y).asformat(kind), Y).fn.sum() == 0


def test_indices_that_were_shuffled_after_the_matrix_was_used_are_sorted_again():
    edited = sparse.csr_array(np.arange(1.0, 19).reshape(6, 3))
    assert edited.has_canonical_format
    for part in (edited.indices, edited.data):
        part.reshape(6, 3)[:] = part.reshape(6, 3)[:, ::-1].copy()
    expected = best_thresholds(edited.toarray(), Y)
    assert best_thresholds(edited, Y).value == expected.value
    np.testing.assert_array_equal(rank_cut(edited, 2).toarray(), rank_cut(edited.toarray(), 2))
    found, expected = (term_scores(form, Y, "chi2-max") for form in (edited, edited.toarray()))
    np.testing.assert_array_equal(found, expected)


def test_repeated_cells_are_summed_and_the_argument_is_not_changed():
    dense = np.arange(1.0, 19).reshape(6, 3)
    twice = np.repeat(dense / 2, 2, axis=1).ravel()
    parts = twice, np.tile([2, 2, 1, 1, 0, 0], 6), np.arange(0, 37, 6)
    repeated, expected = sparse.csr_array(parts, shape=(6, 3)), dense[:, ::-1]
    weights = OkapiWeights().fit(repeated)
    np.testing.assert_allclose(weights.idf_, OkapiWeights().fit(expected).idf_)
    found = weights.transform(repeated).toarray()
    np.testing.assert_allclose(found[:, ::-1], OkapiWeights().fit(dense).transform(dense))
    assert repeated.nnz == 36
    np.testing.assert_array_equal(repeated.data, twice)
