"""Guaranteed rates of bands hold on new samples, and what cannot be guaranteed is reviewed."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse, stats

from labelwise._tuning.guarantees._certified_path import CertifiedPoint
from labelwise.decisions import Bands, Guarantee, review_bands, review_measures
from labelwise.decisions.bands import _review_bands
from labelwise.decisions.bands._review_queue import BandEnds

SHARES = np.array([0.5, 0.3, 0.2])


def drawn(random, n_samples, shift=2.0):
    Y = random.random((n_samples, 3)) < SHARES
    return shift * Y + random.normal(size=Y.shape), Y


@pytest.fixture(scope="module")
def bands():
    scores, Y = drawn(np.random.default_rng(0), 1500)
    return review_bands(
        scores, Y, min_precision=0.9, min_recall=0.9, guarantee=0.95, random_state=0
    )


def test_guaranteed_rates_are_broken_at_most_as_often_as_allowed():
    random = np.random.default_rng(1)
    new_scores, new_Y = drawn(random, 40_000)
    n_draws, n_broken, n_broken_without, n_useful = 40, 0, 0, 0
    for _ in range(n_draws):
        scores, Y = drawn(random, 400)
        for level in (None, 0.8):
            rates = {"min_precision": 0.85, "min_recall": 0.85, "guarantee": level}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = review_bands(scores, Y, **rates)
            measured = review_measures(new_Y, found.decide(new_scores))
            is_broken = measured.precision < 0.85 or measured.recall < 0.85
            n_broken += is_broken and level is not None
            n_broken_without += is_broken and level is None
            n_useful += level is not None and measured.reviewed < 0.9 * measured.n_cells
    assert n_broken <= stats.binom.ppf(0.999, n_draws, 0.2)
    assert n_broken_without > n_draws / 2
    assert n_useful > n_draws / 2


def test_the_bands_say_what_is_guaranteed_and_how_it_was_tested(bands):
    assert bands.evidence.guarantee.level == 0.95
    assert bands.evidence.guarantee.n_tuning == bands.evidence.guarantee.n_calibration == 750
    assert bands.evidence.guarantee.precision > 0.9
    assert bands.evidence.gap is None
    assert not bands.evidence.exact
    text = repr(bands)
    assert "guaranteed on new samples with probability 0.95: micro precision at least 0.9" in text
    assert "tested on 750 samples" in text
    assert "the smallest queue" not in text


def test_only_the_rates_that_were_asked_for_are_named():
    found = Guarantee(
        0.9,
        "micro",
        "each",
        None,
        0.8,
        float("nan"),
        0.85,
        40.0,
        None,
        n_tuning=60,
        n_calibration=50,
    )
    assert found.lines(None) == [
        "guaranteed on new samples with probability 0.9: micro recall at least 0.8",
        "tested on 50 samples, no decision and recall 0.8500 there; thresholds chosen on 60 others",
    ]
    both = replace(found, min_precision=0.95, precision=0.97).lines(None)
    assert both[0].endswith("micro precision at least 0.95 and micro recall at least 0.8")
    assert "precision 0.9700 and recall 0.8500 there" in both[1]


def test_the_counts_are_those_of_all_samples(bands):
    scores, Y = drawn(np.random.default_rng(0), 1500)
    states = bands.decide(scores)
    np.testing.assert_array_equal(bands.evidence.accepted, (states == 1).sum(axis=0))
    np.testing.assert_array_equal(
        bands.evidence.accepted_positives, ((states == 1) & Y).sum(axis=0)
    )
    np.testing.assert_array_equal(bands.evidence.reviewed, (states == -1).sum(axis=0))
    np.testing.assert_array_equal(
        bands.evidence.reviewed_positives, ((states == -1) & Y).sum(axis=0)
    )
    assert bands.value == bands.evidence.review_per_1000
    assert (bands.lower <= bands.upper).all()


def test_the_split_is_drawn_by_a_seed(bands):
    scores, Y = drawn(np.random.default_rng(0), 1500)
    rates = {"min_precision": 0.9, "min_recall": 0.9, "guarantee": 0.95}
    seeded = [review_bands(scores, Y, **rates, random_state=1) for _ in range(2)]
    np.testing.assert_array_equal(seeded[0].lower, seeded[1].lower)
    assert not np.array_equal(seeded[0].lower, bands.lower)


def test_one_rate_alone_is_certified_at_the_full_level(monkeypatch):
    scores, Y = drawn(np.random.default_rng(2), 300)
    levels = []

    def certified(parts, name, rate, options):
        levels.append((name, round(options.alpha, 6)))
        return CertifiedPoint(np.zeros(3), None, 1)

    monkeypatch.setattr(_review_bands, "_certified", certified)
    review_bands(scores, Y, min_precision=0.9, guarantee=0.95)
    review_bands(scores, Y, min_precision=0.9, min_recall=0.9, guarantee=0.95)
    assert levels == [("min_precision", 0.05), ("min_precision", 0.025), ("min_recall", 0.025)]


def test_a_lower_threshold_above_the_upper_one_is_lowered(monkeypatch):
    scores, Y = drawn(np.random.default_rng(2), 300)

    def certified(parts, name, rate, options):
        ends = {"min_precision": [0.5, 1.0, 2.0], "min_recall": [0.2, 1.5, 1.0]}
        return CertifiedPoint(np.array(ends[name]), None, 1)

    monkeypatch.setattr(_review_bands, "_certified", certified)
    found = review_bands(scores, Y, min_precision=0.9, min_recall=0.9, guarantee=0.95)
    np.testing.assert_array_equal(found.lower, [0.2, 1.0, 1.0])
    np.testing.assert_array_equal(found.upper, [0.5, 1.0, 2.0])
    assert found.evidence.reviewed[1] == 0


def test_what_cannot_be_guaranteed_goes_to_review_with_a_warning():
    scores, Y = drawn(np.random.default_rng(3), 40)
    with pytest.warns(UserWarning, match="no cell is accepted"):
        found = review_bands(scores, Y, min_precision=0.99, guarantee=0.99)
    assert found.evidence.accepted.sum() == 0
    assert "accepted: no cells" in repr(found)
    with pytest.warns(UserWarning, match="no cell is rejected"):
        found = review_bands(scores, Y, min_recall=0.999, guarantee=0.99)
    assert found.evidence.reviewed.sum() == scores.size
    with (
        pytest.warns(UserWarning, match="no cell is rejected"),
        pytest.raises(ValueError, match="cells without a score are always rejected"),
    ):
        review_bands(sparse.csr_array(scores), Y, min_recall=0.999, guarantee=0.99)


def test_cells_beyond_the_limit_of_a_row_are_reviewed_and_queued(monkeypatch, tmp_path):
    scores, Y = drawn(np.random.default_rng(4), 300)
    limited = CertifiedPoint(np.zeros(3), 1, 1)
    monkeypatch.setattr(_review_bands, "_certified", lambda *_: limited)
    found = review_bands(scores, Y, min_precision=0.9, min_recall=0.9, guarantee=0.95)
    assert found.max_decided == 1
    for given in (scores, sparse.csr_array(scores)):
        states = found.decide(given)
        states = states.toarray() if sparse.issparse(states) else states
        assert ((states == 1).sum(axis=1) == (scores >= 0).any(axis=1)).all()
        np.testing.assert_array_equal(states == -1, (scores >= 0) & (states != 1))
        queue = found.queue(given)
        assert queue.rows.size == (states == -1).sum() == found.evidence.reviewed.sum()
        assert ((queue.probability >= 0) & (queue.probability <= 1)).all()
    found.save(tmp_path / "bands.json")
    again = Bands.load(tmp_path / "bands.json")
    assert vars(again.evidence.guarantee) == vars(found.evidence.guarantee)
    np.testing.assert_array_equal(again.decide(scores), found.decide(scores))


def test_sparse_states_are_those_of_dense_scores_with_and_without_a_limit():
    random = np.random.default_rng(5)
    scores = random.integers(0, 4, (50, 4)) / 4
    for most in (None, 1, 2):
        ends = BandEnds(np.full(4, 0.25), np.array([0.5, 0.75, 0.5, 0.25]), most)
        rows, columns = np.indices(scores.shape)
        stored = sparse.csr_array((scores.ravel(), (rows.ravel(), columns.ravel())), scores.shape)
        np.testing.assert_array_equal(ends.states(stored).toarray(), ends.states(scores))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"guarantee": 1.5}, "guarantee must be between 0 and 1, got 1.5"),
        ({"guarantee": 0.9, "max_review": 3}, "guarantee does not go together with max_review"),
        ({"guarantee": 0.9, "cost": (1, 1, 1)}, "cost does not go together with min_recall"),
    ],
    ids=str,
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        review_bands([[0.1], [0.2]], [[0], [1]], min_recall=0.9, **options)


def test_a_guarantee_of_nothing_is_refused():
    with pytest.raises(ValueError, match="guarantee does not go together with cost"):
        review_bands([[0.1], [0.2]], [[0], [1]], cost=(1, 1, 1), guarantee=0.9)
    with pytest.raises(ValueError, match="must be given, got none"):
        review_bands([[0.1], [0.2]], [[0], [1]], guarantee=0.9)
