"""Thresholds by slice: a label in a slice is a label of its own."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from labelwise import load, save
from labelwise._tuning.problem._problem import check_problem, without_slices
from labelwise.data import DataError
from labelwise.decisions import Thresholds, TunedThresholds, best_thresholds
from labelwise.learners import BinaryRelevance
from labelwise.measures import accuracy, count, f_measure, micro
from tests.decisions.problems import problems
from tests.oracles import thresholds as by_trying

pytestmark = pytest.mark.filterwarnings(
    "ignore:Y has no positives", "ignore:Constraints that new", "ignore:Y has one class"
)


@st.composite
def sliced_problems(draw):
    scores, Y = draw(problems(most_samples=6, most_labels=2))
    names = st.lists(st.sampled_from("ab"), min_size=len(Y), max_size=len(Y))
    return scores, Y, draw(names)


def drawn(n_samples=400, seed=0):
    """Scores of three labels that are higher in slice b, and noisier in slice c."""
    random = np.random.default_rng(seed)
    Y = random.random((n_samples, 3)) < [0.4, 0.2, 0.1]
    slices = random.choice(["a", "b", "c"], n_samples)
    noise = np.where(slices == "c", 1.0, 0.4)[:, None]
    scores = Y + (slices == "b")[:, None] + noise * random.normal(size=Y.shape)
    return scores, Y, slices


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("measure", [f_measure, accuracy])
@given(problem=sliced_problems())
def test_no_thresholds_of_labels_in_slices_are_better(average, measure, problem):
    scores, Y, slices = problem
    tuned = best_thresholds(scores, Y, maximize=measure, average=average, slices=slices)
    best, fewest = by_trying.highest_in_slices(scores, Y, slices, measure, average)
    assert tuned.value == pytest.approx(best, abs=1e-12)
    assert tuned.evidence.decided.sum() == fewest
    assert tuned.evidence.exact
    decided = tuned.decide(scores, slices=slices)
    counted = (decided.sum(axis=0), (decided & Y).sum(axis=0))
    for found, known in zip(counted, ("decided", "true_positives"), strict=True):
        assert found.tolist() == getattr(tuned.evidence, known).tolist()
    if average == "micro":
        assert micro(measure, count(Y, decided)) == pytest.approx(best, abs=1e-12)


OPTIONS = (
    {"maximize": "macro-f"},
    {"maximize": "sample-f"},
    {"maximize": "sample-accuracy"},
    {"maximize": "macro-matthews"},
    {"shrink": 0.3},
    {"shrink": "auto"},
    {"maximize": "macro-f", "shrink": "auto"},
    {"fbr": 0.6},
    {"cost": (1, [1, 2, 3])},
    {"min_precision": 0.8},
    {"maximize": "macro-f", "min_precision": 0.8},
    {"max_decisions": "1 per sample"},
    {"max_decisions": 60},
    {"min_precision": 0.6, "guarantee": 0.9},
    {"maximize": "macro-f", "min_recall": 0.3, "guarantee": 0.9},
    {"maximize": "sample-f", "min_recall": 0.6, "guarantee": "expectation"},
)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_single_slice_is_tuned_as_without_slices(options):
    scores, Y, slices = drawn()
    alone = slices == "a"
    plain = best_thresholds(scores[alone], Y[alone], **options, random_state=0)
    tuned = best_thresholds(
        scores[alone], Y[alone], **options, slices=slices[alone], random_state=0
    )
    assert tuned.slices.values[0].tolist() == tuned.values.tolist() == plain.values.tolist()
    assert tuned.value == pytest.approx(plain.value, abs=1e-12)
    assert (tuned.max_decided, tuned.max_rank) == (plain.max_decided, plain.max_rank)
    for name in ("support", "decided", "true_positives"):
        assert getattr(tuned.evidence, name).tolist() == getattr(plain.evidence, name).tolist()


@pytest.mark.parametrize(
    "options", [{"maximize": "macro-f"}, {"maximize": "macro-accuracy"}, {"cost": (1, [1, 2, 3])}]
)
def test_objectives_of_single_labels_tune_each_slice_by_itself(options):
    scores, Y, slices = drawn()
    tuned = best_thresholds(scores, Y, **options, slices=slices)
    assert tuned.slices.names == ("a", "b", "c")
    together = best_thresholds(scores, Y, **options)
    assert tuned.values.tolist() == together.values.tolist()
    for name, values, support in zip("abc", tuned.slices.values, tuned.slices.support, strict=True):
        mine = slices == name
        alone = best_thresholds(scores[mine], Y[mine], **options)
        assert values.tolist() == alone.values.tolist()
        assert support.tolist() == alone.evidence.support.tolist()


def test_sparse_scores_missing_labels_and_weights_count_as_without_slices():
    scores, Y, slices = drawn(120)
    random = np.random.default_rng(1)
    truth = np.where(random.random(Y.shape) < 0.2, np.nan, Y)
    weights = random.integers(0, 3, len(Y))
    tuned = best_thresholds(scores, truth, slices=slices, sample_weight=weights, shrink=0.2)
    stored = best_thresholds(
        sparse.csr_array(scores), truth, slices=slices, sample_weight=weights, shrink=0.2
    )
    repeated = np.repeat(np.arange(len(Y)), weights)
    again = best_thresholds(scores[repeated], truth[repeated], slices=slices[repeated], shrink=0.2)
    for other in (stored, again):
        assert other.slices.values.tolist() == tuned.slices.values.tolist()
        assert other.values.tolist() == tuned.values.tolist()
        assert other.value == pytest.approx(tuned.value)
    counted = (weights > 0) & ~np.isnan(truth).all(axis=1)
    assert tuned.evidence.n_missing == np.isnan(truth[counted]).sum()


def test_slices_take_the_memory_of_the_scores_and_no_more():
    scores, Y, slices = drawn(300)
    many = [f"{name}{i % 50}" for i, name in enumerate(slices)]
    problem = check_problem(scores, Y, None, slices=many)
    assert problem.n_slices > 100
    assert problem.scores.nnz == scores.size
    assert problem.missing is None
    assert problem.most_labels == 3
    again = without_slices(problem)
    np.testing.assert_array_equal(again.scores, scores)
    assert (sparse.csc_array(Y) != again.Y).nnz == 0


def test_a_slice_that_was_not_tuned_on_takes_the_pooled_thresholds_with_a_warning():
    scores, Y, slices = drawn()
    tuned = best_thresholds(scores, Y, slices=slices)
    pool = best_thresholds(scores, Y)
    with pytest.warns(UserWarning, match="decide 2 samples of slices .* not tuned on: 'd', 'e'"):
        decided = tuned.decide(scores[:4], slices=["d", "a", "e", "b"])
    assert decided[[0, 2]].tolist() == pool.decide(scores[[0, 2]]).tolist()
    own = (scores[1] >= tuned.slices.values[0]) * 1, (scores[3] >= tuned.slices.values[1]) * 1
    assert decided[[1, 3]].tolist() == [one.tolist() for one in own]


def test_decisions_of_sparse_scores_are_those_of_dense_ones():
    scores, Y, slices = drawn(60)
    scores += 3  # no score is 0
    tuned = best_thresholds(scores, Y, slices=slices, max_decisions="1 per sample")
    decided = tuned.decide(sparse.csr_array(scores), slices=slices)
    assert decided.toarray().tolist() == tuned.decide(scores, slices=slices).tolist()
    assert decided.sum(axis=1).max() == 1


@pytest.mark.parametrize("names", [[1, 2], [1.0, 2.0], ["1", "2"], np.array([1, 2], np.uint8)])
def test_names_of_slices_are_texts(names):
    scores, Y, _ = drawn(50)
    tuned = best_thresholds(scores, Y, slices=np.asarray(names)[np.arange(50) % 2])
    assert tuned.slices.names == ("1", "2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tuned.decide(scores[:2], slices=[1, "2"])


def test_a_file_has_the_slices(tmp_path):
    scores, Y, slices = drawn()
    tuned = best_thresholds(
        scores, Y, slices=slices, maximize="macro-f", min_precision=0.6, guarantee=0.9,
        random_state=0,
    )  # fmt: skip
    tuned.save(tmp_path / "t.json")
    loaded = Thresholds.load(tmp_path / "t.json")
    assert repr(loaded) == repr(tuned)
    assert "slice  samples" in repr(tuned)
    assert loaded.to_dict() == tuned.to_dict()
    np.testing.assert_array_equal(
        loaded.decide(scores, slices=slices), tuned.decide(scores, slices=slices)
    )
    content = json.loads((tmp_path / "t.json").read_text())
    del content["slices"], content["guarantee"]
    content |= {"version": 5, "guarantee": None}
    (tmp_path / "old.json").write_text(json.dumps(content))
    assert Thresholds.load(tmp_path / "old.json").slices is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"names": ["a", "b"]}, "n_samples must have 2 numbers, one a slice."),
        ({"values": [0.5, 0.5]}, "must have a number for each label in each slice."),
        ({"names": ["a", "a", "c"]}, "'a'"),
        ({"max_decided": [1]}, "max_decided must have 3 numbers, one a slice."),
        ({"values": ["nan"] * 9}, "nan is not allowed"),
    ],
)
def test_files_with_broken_slices_are_refused(tmp_path, changed, message):
    scores, Y, slices = drawn(100)
    content = best_thresholds(scores, Y, slices=slices).to_dict()
    content["slices"] |= changed
    path = tmp_path / "t.json"
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=message):
        Thresholds.load(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slices": ["a"]}, r"slices must name a slice for each of 40 samples, got \(1,\)"),
        ({"slices": [None] * 40}, "slices must name a slice for every sample, got none at sample"),
        ({"slices": ["a"] * 40, "shared": True}, "shared does not go together with slices"),
    ],
)
def test_wrong_slices_are_refused(options, message):
    scores, Y, _ = drawn(40)
    with pytest.raises(ValueError, match=message):
        best_thresholds(scores, Y, **options)


def test_slices_are_given_to_decide_as_in_tuning():
    scores, Y, slices = drawn(40)
    with pytest.raises(ValueError, match="the thresholds differ by slice"):
        best_thresholds(scores, Y, slices=slices).decide(scores)
    with pytest.raises(ValueError, match="the thresholds have no slices"):
        best_thresholds(scores, Y).decide(scores, slices=slices)


def model_and_samples():
    """A model of two labels, whose scores are higher in slice b, and a label that all have."""
    random = np.random.default_rng(3)
    slices = random.choice(["a", "b"], 300)
    X = random.normal(size=(300, 4))
    latent = X[:, :2] + 0.5 * random.normal(size=(300, 2)) - 1.0 * (slices == "b")[:, None]
    Y = np.column_stack([latent > 0, np.ones(300)]).astype(int)
    return BinaryRelevance(LogisticRegression()), X, Y, slices


def test_an_estimator_tunes_and_predicts_by_slice(tmp_path):
    model, X, Y, slices = model_and_samples()
    tuned = TunedThresholds(model, random_state=0, shrink=0.0).fit(X, Y, slices=slices)
    plain = TunedThresholds(model, random_state=0, shrink=0.0).fit(X, Y)
    assert tuned.thresholds_.slices.names == ("a", "b")
    assert tuned.value_ > plain.value_
    assert (tuned.thresholds_.slices.values[:, 2] == -np.inf).all()
    decided = tuned.predict(X, slices=slices)
    assert decided.dtype == np.int64
    scores = tuned.decision_function(X)
    mine = slices == "b"
    expected = scores[mine] >= tuned.thresholds_.slices.values[1]
    assert decided[mine].tolist() == expected.astype(int).tolist()
    with pytest.raises(ValueError, match="the thresholds differ by slice"):
        tuned.predict(X)
    save(tuned, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert again.predict(X, slices=slices).tolist() == decided.tolist()


def test_slices_are_routed_as_metadata():
    model, X, Y, slices = model_and_samples()
    tuned = TunedThresholds(model, random_state=0)
    alone = tuned.fit(X, Y, slices=slices).predict(X, slices=slices)
    with config_context(enable_metadata_routing=True):
        asked = TunedThresholds(model, random_state=0).set_fit_request(slices=True)
        asked = asked.set_predict_request(slices=True)
        steps = Pipeline([("scale", "passthrough"), ("tuned", asked)])
        found = steps.fit(X, Y, slices=slices).predict(X, slices=slices)
    assert found.tolist() == alone.tolist()


def test_an_estimator_certifies_by_slice():
    model, X, Y, slices = model_and_samples()
    fitted = FrozenEstimator(model.fit(X[:100], Y[:100]))
    options = {"min_precision": 0.5, "guarantee": 0.8, "random_state": 0}
    tuned = TunedThresholds(fitted, **options).fit(X[100:], Y[100:], slices=slices[100:])
    assert tuned.thresholds_.slices.values.shape == (2, 3)
    assert tuned.thresholds_.evidence.guarantee.n_calibration == 100


def test_of_many_slices_those_of_lowest_precision_are_shown():
    scores, Y, _ = drawn(300)
    number = np.arange(300) % 25
    scores[number == 24] = np.random.default_rng(1).normal(size=(12, 3))
    tuned = best_thresholds(scores, Y, slices=number, min_recall=0.9)
    lines = repr(tuned).splitlines()
    assert lines[-1] == "... and 5 more slices, of higher precision"
    start = next(i for i, line in enumerate(lines) if line.startswith("slice "))
    shown = [float(line.split()[4]) for line in lines[start + 1 : -1]]
    assert len(shown) == 20
    assert shown == sorted(shown)
