"""Guaranteed constraints hold on new rows, as often as promised."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit
from sklearn.multiclass import OneVsRestClassifier

from labelwise._tuning import check_problem, random_folds, solve
from labelwise._tuning.guarantees._certify import split_parts
from labelwise.data import make_multilabel
from labelwise.decisions import (
    Certify,
    Thresholds,
    TunedThresholds,
    best_thresholds,
    certified_frontier,
    corrected_value,
    review_bands,
)
from labelwise.measures import Counts, count, f_measure, macro, micro, precision, recall
from tests.decisions.columns import Columns
from tests.kernels import COMPILED_ONLY

LIMITS = [{"min_precision": 0.75}, {"min_recall": 0.6}, {"min_precision": 0.6, "min_recall": 0.4}]


def draw(random, n_samples, dependence, n_labels=8):
    """Scores and labels; a common factor of the samples makes the labels dependent."""
    latent = random.normal(size=(n_samples, n_labels)) * 2 - 1.2
    latent += dependence * random.normal(size=(n_samples, 1))
    Y = random.random(latent.shape) < 1 / (1 + np.exp(-latent))
    return latent + random.normal(size=latent.shape) * 0.6, Y


def rates(Y, decided, average):
    """Precision and recall on new rows, by the average that was asked for."""
    if average == "micro":
        counts = count(Y, decided)
        return micro(precision, counts), micro(recall, counts)
    counts = count(Y, decided, by="sample")
    return tuple(macro(measure, counts, undefined="skip") for measure in (precision, recall))


@pytest.mark.parametrize("average", ["micro", "sample"])
@pytest.mark.parametrize("dependence", [0.0, 2.0])
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_constraints_are_broken_on_new_rows_as_rarely_as_promised(average, dependence, limits):
    random = np.random.default_rng(7)
    new_scores, new_Y = draw(random, 20_000, dependence)
    n_draws, n_broken, n_certified = 40, 0, 0
    for _ in range(n_draws):
        scores, Y = draw(random, 300, dependence)
        try:
            tuned = best_thresholds(scores, Y, maximize=f"{average}-f", guarantee=0.9, **limits)
        except ValueError as error:
            assert "cannot be guaranteed with probability 0.9" in str(error)  # noqa: PT017
            continue
        n_certified += 1
        reached = rates(new_Y, tuned.decide(new_scores), average)
        n_broken += reached[0] < limits.get("min_precision", 0)
        n_broken += reached[1] < limits.get("min_recall", 0)
    assert n_certified >= n_draws / 4
    # 4 of 40 are expected at most; 10 or more have a probability below 0.006.
    assert n_broken < 10


def test_the_bound_of_f_holds_on_new_rows_and_is_near_f():
    random = np.random.default_rng(8)
    new_scores, new_Y = draw(random, 20_000, 1.0)
    bounds = []
    for _ in range(15):
        scores, Y = draw(random, 1000, 1.0)
        tuned = best_thresholds(scores, Y, min_precision=0.6, guarantee=0.9)
        counts = count(new_Y, tuned.decide(new_scores))
        bounds.append((tuned.evidence.guarantee.f_bound, micro("f", counts)))
    low, truth = np.array(bounds).T
    assert (low <= truth).mean() >= 0.9
    assert (truth - low).mean() < 0.08


def test_expected_recall_is_kept_by_conformal_risk_control():
    random = np.random.default_rng(9)
    new_scores, new_Y = draw(random, 20_000, 1.0)
    found = []
    for _ in range(30):
        scores, Y = draw(random, 200, 1.0)
        tuned = best_thresholds(
            scores, Y, maximize="sample-f", min_recall=0.8, guarantee="expectation"
        )
        found.append(rates(new_Y, tuned.decide(new_scores), "sample")[1])
    assert 0.8 - 4 * np.std(found) / np.sqrt(30) <= np.mean(found) < 0.84


def test_expected_recall_is_kept_where_the_tuning_rows_show_no_thresholds_for_it():
    random = np.random.default_rng(18)

    def draw_with_outliers(n_samples, share):
        """One positive in ten may have a score that no threshold of the others reaches."""
        Y = random.random((n_samples, 3)) < 0.4
        low = Y & (random.random(Y.shape) < share)
        return np.where(low, -20.0, random.normal(size=Y.shape) + 3 * Y), Y

    tuning, new = draw_with_outliers(100, 0.0), draw_with_outliers(20_000, 0.1)
    found = []
    for _ in range(60):
        tuned = best_thresholds(
            *tuning,
            maximize="sample-f",
            min_recall=0.92,
            guarantee=Certify("expectation", calibration=draw_with_outliers(100, 0.1)),
        )
        found.append(rates(new[1], tuned.decide(new[0]), "sample")[1])
    assert np.mean(found) >= 0.92


def test_rows_without_labels_have_no_recall_and_do_no_harm():
    random = np.random.default_rng(10)
    scores, Y = draw(random, 400, 0.0)
    Y[::2] = False
    for level in (0.9, "expectation"):
        tuned = best_thresholds(scores, Y, maximize="sample-f", min_recall=0.5, guarantee=level)
        assert tuned.evidence.guarantee.recall >= 0.5


def test_the_rows_for_calibration_can_be_given():
    random = np.random.default_rng(11)
    scores, Y = draw(random, 300, 0.0)
    tested, truth = draw(random, 700, 0.0)
    tuned = best_thresholds(
        scores, Y, min_precision=0.7, guarantee=Certify(0.9, calibration=(tested, truth))
    )
    assert tuned.evidence.guarantee.n_tuning == tuned.evidence.n_samples == 300
    assert tuned.evidence.guarantee.n_calibration == 700
    counts = count(truth, tuned.decide(tested))
    assert tuned.evidence.guarantee.precision == pytest.approx(micro(precision, counts))
    assert tuned.evidence.guarantee.recall == pytest.approx(micro(recall, counts))


def test_rows_for_calibration_can_have_groups():
    random = np.random.default_rng(19)
    scores, Y = draw(random, 300, 0.0)
    tested, truth = draw(random, 300, 0.0)

    def tuned(*calibration, **options):
        certify = Certify(0.9, calibration=calibration)
        return best_thresholds(scores, Y, min_precision=0.7, guarantee=certify, **options)

    assert tuned(tested, truth).evidence.guarantee
    groups = np.arange(300) // 100
    with pytest.raises(ValueError, match="cannot be guaranteed"):
        tuned(tested, truth, groups)
    with pytest.raises(ValueError, match="calibration must contain groups if groups are given"):
        tuned(tested, truth, groups=groups)


def test_frames_for_calibration_are_matched_by_name():
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(12)
    (scores, Y), (tested, truth) = draw(random, 300, 0.0), draw(random, 300, 0.0)
    names = [f"l{j}" for j in range(8)]
    frame = pd.DataFrame(tested, columns=names)[names[::-1]]
    by_name, by_place = (
        best_thresholds(
            scores,
            Y,
            min_recall=0.5,
            guarantee=Certify(0.9, calibration=(given, truth)),
            label_names=names,
            random_state=0,
        )
        for given in (frame, tested)
    )
    np.testing.assert_array_equal(by_name.values, by_place.values)


def test_sparse_scores_are_certified_as_dense_ones():
    scores, Y = draw(np.random.default_rng(13), 400, 1.0)
    options = {"min_precision": 0.7, "guarantee": 0.9, "random_state": 3}
    dense = best_thresholds(scores, Y, **options)
    stored = best_thresholds(sparse.csr_array(scores), sparse.csr_array(Y), **options)
    np.testing.assert_array_equal(dense.values, stored.values)
    assert dense.max_decided == stored.max_decided


def test_positives_without_scores_are_refused_and_do_no_harm_beside_others():
    stored = sparse.csr_array(
        np.pad(np.random.default_rng(20).random((60, 2)) + 0.1, ((0, 0), (1, 0)))
    )
    Y = np.zeros((60, 3), dtype=int)
    Y[:, 0] = 1  # the label without scores
    with (
        pytest.warns(UserWarning, match="Y has no positives of"),
        pytest.raises(ValueError, match="needs positives that have scores among the 30 samples"),
    ):
        best_thresholds(stored, Y, min_precision=0.5, guarantee=0.9)
    Y[:2, 1] = 1
    tuning, tested = (stored, Y), (stored[:, [1, 2, 0]], np.ones((60, 3), dtype=int))
    with pytest.warns(UserWarning, match="Y has no positives of"):
        tuned = best_thresholds(
            *tuning, min_precision=0.5, guarantee=Certify(0.9, calibration=tested)
        )
    assert tuned.values[0] == np.inf


@pytest.mark.parametrize("sizes", [(1, 5), (5, 1)])
def test_the_bound_of_group_sizes_is_that_of_tuning_and_calibration(sizes):
    scores, Y = draw(np.random.default_rng(21), 60, 0.0)
    tuning, tested = (check_problem(scores, Y, None, np.arange(60) // size) for size in sizes)
    options = Certify(0.9)
    parts = split_parts(tuning, options, np.random.RandomState(0), tested)
    assert [part.most_weight for part in parts] == [5, 5]


def test_the_guarantee_counts_the_groups_that_it_was_tested_on():
    scores, Y = draw(np.random.default_rng(22), 400, 0.0)
    tested = (scores[200:], Y[200:], np.arange(200) // 2)
    guarantee = Certify(0.9, calibration=tested)
    tuned = best_thresholds(scores[:200], Y[:200], min_precision=0.5, guarantee=guarantee)
    assert tuned.evidence.guarantee.n_groups == 100
    path = certified_frontier(scores[:200], Y[:200], level=guarantee)
    assert path.at(0).evidence.guarantee.n_groups == 100


@pytest.mark.parametrize("has_calibration", [False, True])
def test_the_corrected_value_is_that_of_certified_thresholds_of_other_folds(has_calibration):
    scores, Y = draw(np.random.default_rng(0), 600, 2.0, n_labels=12)
    tested, guarantee = None, Certify(0.9)
    if has_calibration:
        samples = draw(np.random.default_rng(1), 300, 2.0, n_labels=12)
        tested, guarantee = check_problem(*samples, None), Certify(0.9, calibration=samples)
    tuned = best_thresholds(scores, Y, min_precision=0.8, guarantee=guarantee, random_state=0)
    problem, request = check_problem(scores, Y, None), tuned.evidence.request
    folds, limits, counts = random_folds(problem, 0), [], []
    for fold in range(5):
        here, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        found = solve(problem.rows(others), request, 0, tested)
        limits.append(found.max_decided)
        counts.append(count(Y[here], found.decide(scores[here])))
    # The limit of decisions of a sample is a part of certified thresholds.
    assert has_calibration or any(limits)
    total = Counts(*map(sum, zip(*counts, strict=True)))
    found = corrected_value(tuned, scores, Y, random_state=0)
    assert found == pytest.approx(micro(f_measure, total))


def test_groups_are_the_independent_units_and_copies_without_groups_are_not():
    scores, Y = draw(np.random.default_rng(14), 100, 0.0)
    copies = {"scores": np.repeat(scores, 4, axis=0), "Y": np.repeat(Y, 4, axis=0)}
    options = {"min_precision": 0.7, "guarantee": 0.9}
    with pytest.raises(ValueError, match="cannot be guaranteed"):
        best_thresholds(**copies, **options, groups=np.repeat(np.arange(100), 4))
    alone = best_thresholds(**copies, **options)
    each = best_thresholds(**copies, **options, groups=np.arange(400))
    assert alone.evidence.guarantee is not None
    assert each.evidence.guarantee is not None


def draw_form_letters(random, n_samples, share):
    """Rows of which a share are exact copies of three documents that the scores get wrong."""
    Y = random.random((n_samples, 6)) < 0.3
    scores = random.normal(size=Y.shape) + 2 * Y
    letter = random.integers(3, size=n_samples)
    fixed = np.random.default_rng(30)
    letters_Y = fixed.random((3, 6)) < 0.4
    letters = np.where(letters_Y, -1.0, 3.0) + 0.3 * fixed.normal(size=(3, 6))
    is_letter = random.random(n_samples) < share
    scores[is_letter], Y[is_letter] = letters[letter[is_letter]], letters_Y[letter[is_letter]]
    return scores, Y


@pytest.fixture(scope="module", params=[0.03, 0.1])
def form_letters(request):
    """New rows, and 25 draws of 1000 rows of the same population."""
    random = np.random.default_rng(31)
    draws = [draw_form_letters(random, 1000, request.param) for _ in range(25)]
    return draw_form_letters(random, 50_000, request.param), draws


def test_the_precision_of_single_labels_is_kept_where_rows_repeat(form_letters):
    (new_scores, new_Y), draws = form_letters
    n_broken = 0
    for scores, Y in draws:
        tuned = best_thresholds(scores, Y, maximize="macro-f", min_precision=0.75, guarantee=0.95)
        counts = count(new_Y, tuned.decide(new_scores))
        n_broken += np.sum(precision(counts) < 0.75)  # NaN for labels that are never decided
    # 7.5 of 150 are expected at most. Labels of a draw share its copies, so that 20 are allowed.
    assert n_broken <= 20


@COMPILED_ONLY
def test_micro_precision_is_kept_and_not_refused_where_rows_repeat(form_letters):
    (new_scores, new_Y), draws = form_letters
    tuned = [best_thresholds(*rows, min_precision=0.5, guarantee=0.95) for rows in draws]
    reached = [micro(precision, count(new_Y, one.decide(new_scores))) for one in tuned]
    assert np.sum(np.array(reached) < 0.5) <= 4  # 5 of 25 have a probability below 0.01
    bands = [review_bands(*rows, min_precision=0.5, guarantee=0.95) for rows in draws]
    accepted = [band.decide(new_scores) == 1 for band in bands]
    reached = [micro(precision, count(new_Y, one)) for one in accepted]
    assert np.sum(np.array(reached) < 0.5) <= 4


def test_expected_recall_is_kept_where_rows_repeat(form_letters):
    (new_scores, new_Y), draws = form_letters
    options = {"maximize": "sample-f", "min_recall": 0.85, "guarantee": "expectation"}
    found = [
        rates(new_Y, best_thresholds(*rows, **options).decide(new_scores), "sample")[1]
        for rows in draws
    ]
    assert np.mean(found) >= 0.85 - 3 * np.std(found) / 5


def test_tuned_thresholds_keep_the_precision_of_labels_where_rows_repeat(form_letters):
    (new_scores, new_Y), draws = form_letters
    n_broken = 0
    for scores, Y in draws:
        model = TunedThresholds(
            FrozenEstimator(Columns().fit(scores, Y)),
            maximize="macro-f",
            min_precision=0.75,
            guarantee=0.95,
        ).fit(scores, Y)
        n_broken += np.sum(precision(count(new_Y, model.predict(new_scores))) < 0.75)
    assert n_broken <= 20


def test_the_limit_of_decisions_is_enforced_and_saved(tmp_path):
    scores, Y = draw(np.random.default_rng(15), 100, 1.0, n_labels=30)
    tuned = best_thresholds(scores, Y, min_precision=0.7, guarantee=0.9)
    most = tuned.max_decided
    assert most is not None
    decided = tuned.decide(scores)
    assert decided.sum(axis=1).max() <= most
    assert (scores >= tuned.values).sum(axis=1).max() > most
    tuned.save(tmp_path / "t.json")
    again = Thresholds.load(tmp_path / "t.json")
    np.testing.assert_array_equal(again.decide(scores), decided)
    assert again.evidence.guarantee.lines(None) == tuned.evidence.guarantee.lines(None)
    assert f"at most {most} labels a sample" in repr(again)


def test_a_file_with_another_guarantee_is_refused(tmp_path):
    scores, Y = draw(np.random.default_rng(16), 300, 0.0)
    tuned = best_thresholds(scores, Y, maximize="macro-f", min_recall=0.3, guarantee=0.9)
    path = tmp_path / "t.json"
    tuned.save(path)
    content = json.loads(path.read_text())
    for change, message in [
        ({"across": "some"}, "guarantee.across must be 'each', 'all' or 'slices', got 'some'"),
        ({"needed": [1]}, "guarantee has 1 numbers of decisions needed, but must have 8"),
        ({"extra": 1}, "has an unknown key 'guarantee.extra'"),
        ({"level": "sure"}, "guarantee.level must be a number, got 'sure'"),
    ]:
        changed = {**content, "guarantee": {**content["guarantee"], **change}}
        path.write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=message):
            Thresholds.load(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "guarantee needs min_precision or min_recall"),
        ({"min_precision": 0.5, "guarantee": 1.0}, "guarantee must be between 0 and 1, got 1.0"),
        ({"min_precision": 0.5, "guarantee": "yes"}, "a probability or \"expectation\", got 'yes'"),
        ({"min_precision": 0.5, "max_decisions": 3}, "guarantee does not go together with max_"),
        (
            {"min_precision": 0.5, "guarantee": {"across": "all"}},
            'across="all" needs average="macro", got "micro"',
        ),
        ({"guarantee": {"across": "any"}}, "across must be one of each, all, slices, got 'any'"),
        ({"guarantee": {"tuning_share": 1}}, "tuning_share must be between 0 and 1, got 1"),
        ({"min_recall": 0.5, "guarantee": "expectation"}, 'guarantee="expectation" needs average='),
        (
            {"min_precision": 0.5, "guarantee": {"calibration": 3}},
            "calibration must be a pair of scores and labels, or these and groups",
        ),
        (
            {"min_precision": 0.5, "guarantee": {"calibration": ([[1.0]], [[1]])}},
            "calibration has 1 labels, but scores have 8",
        ),
    ],
)
def test_what_cannot_be_guaranteed_is_refused(options, message):
    scores, Y = draw(np.random.default_rng(17), 60, 0.0)

    def certified(guarantee=0.9, **limits):
        certify = Certify(0.9, **guarantee) if isinstance(guarantee, dict) else guarantee
        return best_thresholds(scores, Y, guarantee=certify, **limits)

    with pytest.raises(ValueError, match=message):
        certified(**options)


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="at least 2 samples or groups, got 1"):
        best_thresholds([[1.0]], [[1]], min_recall=0.5, guarantee=0.9)
    none = np.zeros((4, 4), dtype=int)
    with (
        pytest.warns(UserWarning, match="Y has no positives"),
        pytest.raises(
            ValueError, match="needs positives that have scores among the 2 samples for tuning"
        ),
    ):
        best_thresholds(np.eye(4), none, min_recall=0.5, guarantee=0.9)


def model():
    return OneVsRestClassifier(LogisticRegression())


def test_an_estimator_is_certified_as_the_model_that_it_returns():
    data, _ = make_multilabel(900, n_labels=5, random_state=0)
    X, Y = data.X, data.Y.toarray()
    fitted = model().fit(X[:300], Y[:300])
    limits = {"min_recall": 0.5, "guarantee": 0.9, "random_state": 0}
    prefit = TunedThresholds(FrozenEstimator(fitted), **limits).fit(X[300:], Y[300:])
    direct = best_thresholds(fitted.decision_function(X[300:]), Y[300:], **limits)
    np.testing.assert_array_equal(prefit.thresholds_.values, direct.values)
    assert prefit.corrected_value_ == direct.evidence.guarantee.value
    split = TunedThresholds(model(), cv=ShuffleSplit(1, random_state=0), refit=False, **limits)
    assert split.fit(X, Y).thresholds_.evidence.guarantee.n_calibration == 45


def test_pooled_scores_of_several_models_are_refused():
    data, _ = make_multilabel(60, n_labels=3, random_state=0)
    with pytest.raises(ValueError, match="guarantee needs a FrozenEstimator, or refit=False"):
        TunedThresholds(model(), min_recall=0.5, guarantee=0.9).fit(data.X, data.Y)


def test_constant_labels_count_in_the_guarantee():
    data, _ = make_multilabel(600, n_labels=4, random_state=1)
    X, Y = data.X, data.Y.toarray()
    train, test = np.arange(300), np.arange(300, 600)
    Y[train, 0] = 1  # always predicted by the model, and often wrong
    Y[test, 0] = np.arange(300) % 10 == 0
    tuned = TunedThresholds(
        model(), cv=[(train, test)], refit=False, min_precision=0.7, guarantee=0.9
    )
    with pytest.warns(UserWarning, match="one class"):
        tuned.fit(X, Y)
    decided = tuned.predict(X[test])
    assert decided[:, 0].sum() == 0
    assert micro(precision, count(Y[test], decided)) > 0.7
