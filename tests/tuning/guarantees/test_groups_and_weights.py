"""Guarantees hold for groups of unequal size, weighted samples and missing labels."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.frozen import FrozenEstimator

from labelwise._tuning import check_problem
from labelwise._tuning.guarantees._certified_labels import numbers_of_label
from labelwise._tuning.guarantees._unit_statistics import shuffled_units
from labelwise.decisions import Certify, Thresholds, TunedThresholds, best_thresholds, review_bands
from tests.decisions.columns import Columns

LEVEL = 0.9
N_DRAWS = 30
# Of 30 draws, 3 may break the promise; 9 or more have a probability below 0.002.
MOST_BROKEN = 8


def draw(random, n_groups):
    """Patients with few or many images; those with many have scores that are more often wrong."""
    sizes = np.where(random.random(n_groups) < 0.1, random.integers(8, 25, n_groups), 1)
    groups = np.repeat(np.arange(n_groups), sizes)
    shift = np.repeat(random.normal(size=n_groups), sizes)[:, None]
    latent = 2 * random.normal(size=(groups.size, 4)) - 1 + 0.5 * shift
    Y = random.random(latent.shape) < 1 / (1 + np.exp(-latent))
    noise = np.where(np.repeat(sizes, sizes) > 1, 2.5, 0.6)[:, None]
    return latent + noise * random.normal(size=latent.shape), Y, groups


def rates(decided, Y, weights):
    """Precision and recall of each label, with weighted samples; NaN is a missing label."""
    known = ~np.isnan(Y)
    hits = weights @ (decided * (Y == 1))
    return hits / np.maximum(weights @ (decided * known), 1e-12), hits / (weights @ (Y == 1))


def weights_of(groups, weigh):
    return 1 / np.bincount(groups)[groups] if weigh == "group" else np.ones(groups.size)


def test_weights_of_one_are_no_weights():
    """Weighted labels are tested by betting, others by exact tests, which need fewer samples."""
    scores, Y, _ = draw(np.random.default_rng(4), 300)
    bare, ones = (
        best_thresholds(
            scores,
            Y,
            maximize="macro-f",
            min_precision=0.5,
            guarantee=0.9,
            sample_weight=weights,
            random_state=0,
        )
        for weights in (None, np.ones(len(Y)))
    )
    assert np.isfinite(bare.values).any()
    assert (bare.values == ones.values).all()


@pytest.fixture(scope="module")
def population():
    return draw(np.random.default_rng(1), 20_000)


@pytest.mark.parametrize("weigh", ["sample", "group"])
@pytest.mark.parametrize("limits", [{"min_precision": 0.6}, {"min_recall": 0.4}], ids=str)
def test_micro_rates_of_groups_are_broken_as_rarely_as_promised(population, weigh, limits):
    scores, Y, groups = population
    random = np.random.default_rng(2)
    weights = weights_of(groups, weigh)
    n_broken = n_certified = 0
    for _ in range(N_DRAWS):
        *sample, of_sample = draw(random, 1500)
        try:
            tuned = best_thresholds(
                *sample,
                **limits,
                guarantee=Certify(LEVEL, weigh=weigh),
                groups=of_sample,
                random_state=0,
            )
        except ValueError:
            continue
        n_certified += 1
        decided = tuned.decide(scores)
        hits = weights @ (decided & Y).sum(axis=1)
        total = decided if "min_precision" in limits else Y
        n_broken += hits < next(iter(limits.values())) * (weights @ total.sum(axis=1))
    assert n_certified >= (N_DRAWS / 2 if weigh == "group" else 1)
    assert n_broken <= MOST_BROKEN


@pytest.mark.parametrize("weigh", ["sample", "group"])
@pytest.mark.parametrize("limits", [{"min_precision": 0.7}, {"min_recall": 0.3}], ids=str)
def test_rates_of_labels_are_broken_as_rarely_as_promised_with_groups(population, weigh, limits):
    scores, Y, groups = population
    random = np.random.default_rng(3)
    weights = weights_of(groups, weigh)
    (limit,) = limits.values()
    n_broken = n_certified = 0
    for _ in range(N_DRAWS):
        *sample, of_sample = draw(random, 1500)
        tuned = best_thresholds(
            *sample,
            maximize="macro-f",
            **limits,
            guarantee=Certify(LEVEL, across="all", weigh=weigh),
            groups=of_sample,
            random_state=0,
        )
        reached = rates(tuned.decide(scores), Y.astype(float), weights)["min_recall" in limits]
        is_decided = tuned.values < np.inf
        n_certified += is_decided.sum()
        n_broken += (reached < limit)[is_decided].any()
    # Errors of the largest group make it hard to certify the precision of a label by samples.
    assert n_certified >= (0 if weigh == "sample" and "min_precision" in limits else N_DRAWS)
    assert n_broken <= MOST_BROKEN


@pytest.mark.parametrize("weigh", ["sample", "group"])
def test_the_expected_recall_of_groups_is_kept(population, weigh):
    scores, Y, groups = population
    random = np.random.default_rng(4)
    has_labels = Y.any(axis=1)
    weights = weights_of(groups, weigh) * has_labels
    found = []
    for _ in range(N_DRAWS):
        *sample, of_sample = draw(random, 300)
        options = Certify("expectation", weigh=weigh)
        tuned = best_thresholds(
            *sample,
            maximize="sample-f",
            min_recall=0.7,
            guarantee=options,
            groups=of_sample,
            random_state=0,
        )
        hits = (tuned.decide(scores) & Y).sum(axis=1)
        found.append(weights @ (hits / np.maximum(Y.sum(axis=1), 1)) / weights.sum())
    assert np.mean(found) >= 0.7 - 2 * np.std(found) / np.sqrt(N_DRAWS)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_rates_of_weighted_samples_with_missing_labels_are_kept(average):
    def sample(random, n_samples):
        latent = 2 * random.normal(size=(n_samples, 4)) - 1
        Y = (random.random(latent.shape) < 1 / (1 + np.exp(-latent))).astype(float)
        # Heavy samples are noisy, and a label is more often unknown where it would be wrong.
        weights = np.where(random.random(n_samples) < 0.3, 2.0, 0.5)
        scores = latent + weights[:, None] * random.normal(size=latent.shape)
        Y[random.random(latent.shape) < np.where((scores > 0) != (Y == 1), 0.4, 0.1)] = np.nan
        return scores, Y, weights

    random = np.random.default_rng(5)
    scores, Y, weights = sample(random, 40_000)
    n_broken = n_certified = 0
    for _ in range(N_DRAWS):
        *cells, of_samples = sample(random, 1500)
        tuned = best_thresholds(
            *cells,
            maximize=f"{average}-f",
            min_precision=0.6,
            guarantee=Certify(LEVEL, across="all" if average == "macro" else "each"),
            sample_weight=of_samples,
            random_state=0,
        )
        decided = tuned.decide(scores) * ~np.isnan(Y)
        hits, total = weights @ (decided * (Y == 1)), weights @ decided
        if average == "micro":
            hits, total = hits.sum(), total.sum()
        n_certified += np.any(total > 0)
        n_broken += np.any(hits < 0.6 * total)
        assert tuned.evidence.n_missing > 0
        assert tuned.evidence.weighted
    assert n_certified > N_DRAWS / 2
    assert n_broken <= MOST_BROKEN


def test_weights_of_one_change_nothing():
    scores, Y, _ = draw(np.random.default_rng(6), 800)
    options = {"min_precision": 0.6, "guarantee": 0.9, "random_state": 0}
    alone = best_thresholds(scores, Y, **options)
    same = best_thresholds(scores, Y, **options, sample_weight=np.full(len(Y), 1))
    np.testing.assert_array_equal(alone.values, same.values)
    assert alone.evidence.guarantee.f_bound == same.evidence.guarantee.f_bound


def test_groups_of_one_are_counted_alike_in_both_ways():
    scores, Y, _ = draw(np.random.default_rng(7), 800)
    found = [
        best_thresholds(
            scores,
            Y,
            min_precision=0.6,
            guarantee=Certify(0.9, weigh=weigh),
            groups=np.arange(len(Y)),
            random_state=0,
        )
        for weigh in ("sample", "group")
    ]
    np.testing.assert_array_equal(found[0].values, found[1].values)


@given(
    seed=st.integers(0, 10_000),
    rate=st.sampled_from(["min_precision", "min_recall"]),
    is_weighted=st.booleans(),
    alike=st.booleans(),
)
def test_the_numbers_of_a_label_are_those_of_the_definition(seed, rate, is_weighted, alike):
    random = np.random.default_rng(seed)
    n_samples = int(random.integers(1, 25))
    scores = random.integers(0, 5, (n_samples, 2)).astype(float)
    Y = random.random((n_samples, 2)) < 0.4
    weights = random.integers(1, 4, n_samples) if is_weighted else None
    problem = check_problem(scores, Y, None, random.integers(0, 6, n_samples), weights)
    units = shuffled_units(problem, np.random.RandomState(0))
    if alike:
        units = units.counted_alike()
    thresholds = np.sort(random.choice([-np.inf, 0, 1, 2.5, 4, np.inf], 4))[::-1]
    truth, found = units.problem.Y[:, [1]].toarray(), units.problem.scores[:, [1]]
    decided = found >= thresholds
    of_rows = decided * (truth - 0.6) if rate == "min_precision" else truth * (decided - 0.6)
    concerned = decided if rate == "min_precision" else np.broadcast_to(truth, decided.shape)
    expected = units.summed(np.asarray(of_rows, dtype=float))
    takes_part = np.add.reduceat(concerned.any(axis=1), np.append(0, units.ends[:-1])) > 0
    numbers = numbers_of_label(units, 1, thresholds, rate, 0.6)
    np.testing.assert_allclose(numbers, expected[takes_part], atol=1e-12)


def test_a_refusal_says_what_the_largest_group_costs_and_what_can_be_guaranteed():
    scores, Y, groups = draw(np.random.default_rng(8), 900)
    # One more patient, with 400 images.
    scores, Y = np.vstack([scores, scores[:400]]), np.vstack([Y, Y[:400]])
    groups = np.append(groups, np.full(400, groups.max() + 1))
    options = {"min_precision": 0.5, "groups": groups, "random_state": 0}
    with pytest.raises(ValueError, match=r'counts as 400 samples; with weigh="group".*guaranteed'):
        best_thresholds(scores, Y, **options, guarantee=0.9)
    tuned = best_thresholds(scores, Y, **options, guarantee=Certify(0.9, weigh="group"))
    text = "\n".join(tuned.evidence.guarantee.lines(None))
    assert "micro precision at least 0.5, where every group counts the same" in text
    assert f"of {tuned.evidence.guarantee.n_groups} groups" in text


def test_how_groups_are_weighed_is_saved(tmp_path):
    scores, Y, groups = draw(np.random.default_rng(9), 900)
    options = {
        "min_precision": 0.5,
        "guarantee": Certify(0.9, weigh="group"),
        "groups": groups,
        "random_state": 0,
    }
    tuned = best_thresholds(scores, Y, **options)
    tuned.save(tmp_path / "t.json")
    again = Thresholds.load(tmp_path / "t.json").evidence.guarantee
    assert again.lines(None) == tuned.evidence.guarantee.lines(None)
    bands = review_bands(scores, Y, **options)
    assert bands.evidence.guarantee.weigh == "group"
    assert "where every group counts the same" in repr(bands)


def test_the_groups_of_an_estimator_are_counted_alike():
    scores, Y, groups = draw(np.random.default_rng(10), 900)
    options = {"min_precision": 0.5, "guarantee": Certify(0.9, weigh="group")}
    fitted = Columns().fit(scores, Y)
    model = TunedThresholds(FrozenEstimator(fitted), random_state=0, **options)
    model.fit(scores, Y, groups=groups, sample_weight=np.full(len(Y), 2))
    assert model.thresholds_.evidence.guarantee.weigh == "group"
    assert model.thresholds_.evidence.weighted


def test_counting_groups_alike_needs_groups():
    scores, Y, _ = draw(np.random.default_rng(11), 50)
    with pytest.raises(ValueError, match='weigh="group" needs groups'):
        best_thresholds(scores, Y, min_precision=0.5, guarantee=Certify(0.9, weigh="group"))
    with pytest.raises(ValueError, match="weigh must be one of sample, group, got 'patient'"):
        Certify(0.9, weigh="patient")
    calibrated = Certify(0.9, calibration=(scores, Y))
    with pytest.raises(ValueError, match="sample_weight does not go together with calibration"):
        best_thresholds(
            scores, Y, min_precision=0.5, guarantee=calibrated, sample_weight=np.full(len(Y), 2)
        )
