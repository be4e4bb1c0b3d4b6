"""Guarantees in every slice at once, for slices of 30 to 3,000 samples."""

import numpy as np
import pytest

from labelwise._tuning import Request
from labelwise._tuning.guarantees._certified_labels import holm_level
from labelwise._tuning.guarantees._certify import certify, split_parts
from labelwise._tuning.problem._problem import check_curves
from labelwise.decisions import Certify, Thresholds, best_thresholds
from labelwise.measures import count, micro, precision, recall

SIZES = (30, 150, 500, 1500)
LEVEL = 0.9
N_DRAWS = 20
# Of 20 draws, 2 may break the promise; 7 or more have a probability below 0.003.
MOST_BROKEN = 6


def draw(random, sizes=SIZES):
    """Labels of slices; every third slice has noisier scores, every second one higher scores."""
    number = np.repeat(np.arange(len(sizes)), sizes)
    latent = 2 * random.normal(size=(number.size, 3)) - 1
    Y = random.random(latent.shape) < 1 / (1 + np.exp(-latent))
    noise = np.where(number % 3 == 2, 2.0, 0.5)[:, None]
    scores = latent + noise * random.normal(size=latent.shape) + (number % 2)[:, None]
    return scores, Y, np.array([f"s{one}" for one in number])


@pytest.fixture(scope="module")
def population():
    return draw(np.random.default_rng(1), (8_000,) * len(SIZES))


@pytest.mark.parametrize(
    ("limits", "rate"),
    [({"min_precision": 0.7}, precision), ({"min_recall": 0.5}, recall)],
    ids=["precision", "recall"],
)
def test_no_certified_slice_breaks_its_rate_more_often_than_promised(population, limits, rate):
    scores, Y, slices = population
    random = np.random.default_rng(2)
    n_broken, n_held = 0, np.zeros(len(SIZES), dtype=int)
    for _ in range(N_DRAWS):
        *sample, of_sample = draw(random)
        guarantee = Certify(LEVEL, across="slices")
        tuned = best_thresholds(
            *sample, slices=of_sample, **limits, guarantee=guarantee, random_state=0
        )
        decided = tuned.decide(scores, slices=slices)
        held = tuned.evidence.guarantee.needed == 0
        n_held += held
        reached = [
            micro(rate, count(Y[slices == name], decided[slices == name]))
            for name in tuned.slices.names
        ]
        n_broken += (np.array(reached)[held] < next(iter(limits.values()))).any()
        never = ~held[[int(name[1:]) for name in np.unique(slices)]]
        for name in np.unique(slices)[never]:
            assert not decided[slices == name].any()
    assert n_broken <= MOST_BROKEN
    # Large slices are certified nearly always, tiny ones rarely.
    assert n_held[-1] >= 0.9 * N_DRAWS
    assert n_held[0] <= n_held[-1]


def test_the_result_says_which_slices_hold_and_what_the_others_need(tmp_path):
    *sample, slices = draw(np.random.default_rng(3))
    guarantee = Certify(0.95, across="slices")
    tuned = best_thresholds(
        *sample, slices=slices, min_precision=0.75, guarantee=guarantee, random_state=0
    )
    needed = tuned.evidence.guarantee.needed
    assert needed.shape == (4,)
    assert needed[3] == 0 < needed[0]
    shown = repr(tuned)
    assert "micro precision at least 0.75 in every decided slice" in shown
    assert "certified slices: " in shown
    assert "further samples needed): s0" in shown
    tuned.save(tmp_path / "t.json")
    loaded = Thresholds.load(tmp_path / "t.json")
    assert repr(loaded) == shown
    assert loaded.slices.max_decided.tolist() == tuned.slices.max_decided.tolist()
    scores = sample[0]
    assert (
        loaded.decide(scores, slices=slices).tolist()
        == tuned.decide(scores, slices=slices).tolist()
    )
    assert tuned.decide(scores, slices=slices)[slices == "s0"].sum() == 0


def test_groups_that_count_the_same_are_certified_by_slice():
    scores, Y, slices = draw(np.random.default_rng(4), (900, 900))
    groups = np.random.default_rng(5).integers(0, 600, len(Y))
    for weigh in ("sample", "group"):
        guarantee = Certify(0.9, across="slices", weigh=weigh)
        tuned = best_thresholds(
            scores, Y, slices=slices, groups=groups, min_recall=0.3, guarantee=guarantee,
            random_state=0,
        )  # fmt: skip
        assert (tuned.evidence.guarantee.needed == 0).any()


def test_rates_of_slices_count_groups_alike_if_the_guarantee_does():
    scores, Y, slices = draw(np.random.default_rng(4), (900, 900))
    groups = np.random.default_rng(5).integers(0, 300, len(Y)) ** 2 // 300
    problem = check_curves(scores, Y, None, groups, None, slices)
    options = Certify(0.9, across="slices", weigh="group")
    request = Request(min_recall=0.3, guarantee=options)
    thresholds, _, found = certify(problem, request, options, 0, None)
    tested = split_parts(problem, options, np.random.RandomState(0), None).calibration.problem
    decided = tested.scores.toarray() >= np.where(tested.scores.toarray(), thresholds, np.inf)
    weight = (1 / np.bincount(tested.groups))[tested.groups]
    hits = weight @ (decided & tested.Y.toarray()).sum(axis=1)
    assert found.precision == pytest.approx(hits / (weight @ decided.sum(axis=1)))
    assert found.recall == pytest.approx(hits / (weight @ tested.Y.toarray().sum(axis=1)))


def test_means_over_samples_are_certified_by_slice():
    scores, Y, slices = draw(np.random.default_rng(6), (900, 900))
    tuned = best_thresholds(
        scores, Y, slices=slices, maximize="sample-f", min_recall=0.4, random_state=0,
        guarantee=Certify(0.9, across="slices"), sample_weight=np.full(len(Y), 2),
    )  # fmt: skip
    assert (tuned.evidence.guarantee.needed == 0).all()
    assert tuned.evidence.guarantee.recall > 0.4


def test_sequences_that_are_done_leave_their_share_to_the_others():
    assert holm_level(np.array([0.01, 0.02, 0.2]), 0.06) == pytest.approx(0.06)
    assert holm_level(np.array([0.03, 0.03, 0.2]), 0.06) == pytest.approx(0.02)
    assert holm_level(np.array([]), 0.06) == 0.06


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slices": None}, 'across="slices" needs slices'),
        ({"maximize": "macro-f"}, 'across="slices" needs average="micro" or "sample"'),
        ({"min_precision": 0.9999}, "cannot be guaranteed in any slice with probability 0.95"),
    ],
)
def test_guarantees_that_no_slice_can_keep_are_refused(options, message):
    scores, Y, slices = draw(np.random.default_rng(0), (60, 60))
    asked = {"slices": slices, "min_precision": 0.7} | options
    with pytest.raises(ValueError, match=message):
        best_thresholds(
            scores, Y, **asked, guarantee=Certify(0.95, across="slices"), random_state=0
        )


def test_a_label_is_never_decided_if_a_slice_has_no_certificate():
    # The number of slices is a multiple of the number of labels.
    random = np.random.default_rng(0)
    scores = random.random((4000, 2))
    Y = (random.random((4000, 2)) < scores).astype(int)
    Y[:, 0] = random.random(4000) < 0.05
    slices = np.array(list("acd"))[random.integers(0, 3, 4000)]
    slices[:12] = "b"
    certify = Certify(0.9, across="slices")
    found = best_thresholds(
        scores, Y, slices=slices, min_precision=0.7, guarantee=certify, random_state=0
    )
    needed = found.evidence.guarantee.needed
    assert (needed > 0).tolist() == [False, True, False, False]
    assert found.evidence.decided[0] == 0
    assert found.evidence.never_decided() == {"without a certificate": ["0"]}


@pytest.mark.parametrize("seed", [391, 398])
def test_limits_of_decisions_hold_in_their_slices_only(seed):
    # Certificates limit the decisions of a sample: with 391 only those of other slices.
    random = np.random.default_rng(seed)
    z = random.normal(size=(300, 3))
    Y = (random.random((300, 3)) < 1 / (1 + np.exp(-2 * z))).astype(int)
    scores = 1 / (1 + np.exp(-2 * z))
    slices = np.where(random.random(300) < 0.5, "a", "b")
    least = (0.6, 0.7, 0.75, 0.8)[seed % 4]
    found = best_thresholds(
        scores, Y, slices=slices, min_precision=least, guarantee=0.9, random_state=0
    )
    limits = found.slices.max_decided
    assert found.max_decided == 2
    assert (None if limits is None else limits.tolist()) == ([3, 3] if seed == 391 else None)
    decided = found.decide(scores, slices=slices)
    for number, name in enumerate(found.slices.names):
        mine = decided[slices == name]
        np.testing.assert_array_equal(mine.sum(axis=0), found.slices.decided[number])
        assert mine.sum(axis=1).max() == (3 if seed == 391 else 2)
