"""A desk of weighted samples: a sample of weight n counts as n samples with the same cells."""

from base64 import b64decode

import numpy as np
import pytest
from scipy import sparse

from labelwise._tuning import Problem, held_out_frontiers
from labelwise.reports import Desk
from labelwise.reports.desk import _page_data
from tests.reports.small_desk import GROUPS, N_ROWS, SMALL, Y

WEIGHTS = np.arange(N_ROWS) % 3 + 1
OF_SAMPLES = ("slices", "Y", "scores", "versus", "ids", "texts")


def page(sample_weight=None, times=None):
    given = SMALL | {"slices": {"place": GROUPS}, "sample_weight": sample_weight}
    if times is not None:
        given |= {name: np.repeat(np.array(given[name]), times, axis=0) for name in OF_SAMPLES[1:]}
        given["slices"] = {"place": np.repeat(GROUPS, times)}
    return _page_data.desk_page(Desk(**given)).data


@pytest.fixture(scope="module")
def pages():
    return page(WEIGHTS), page(times=WEIGHTS)


@pytest.mark.parametrize("left_out", ["weight", "truth"])
def test_samples_without_weight_or_truth_are_left_out(left_out):
    kept = np.arange(N_ROWS) % 3 > 0
    of_samples = {"groups": np.arange(N_ROWS) // 4, "sample_weight": np.arange(N_ROWS) % 3}
    of_rows = SMALL | {"slices": {"place": GROUPS}} | of_samples
    of_kept = {name: np.array(of_rows[name])[kept] for name in (*OF_SAMPLES[1:], *of_samples)}
    of_kept["slices"] = {"place": np.array(GROUPS)[kept]}
    if left_out == "weight":
        whole = of_rows
    else:
        gaps = np.where(kept[:, None], Y, np.nan)
        whole = of_rows | {"Y": gaps, "sample_weight": np.maximum(of_samples["sample_weight"], 1)}
    found, wanted = (_page_data.desk_page(Desk(**one)).data for one in (whole, of_rows | of_kept))
    assert found == wanted


@pytest.mark.parametrize(
    ("groups", "units"), [(None, "samples"), (np.arange(N_ROWS) // 4, "groups of samples")]
)
def test_the_certified_line_names_what_is_independent(groups, units):
    page = _page_data.desk_page(Desk(**SMALL, groups=groups)).data
    assert page["certified"]["units"] == units


def numbers(packed):
    kinds = {"i4": "<i4", "f8": "<f8", "f4": "<f4", "u1": "u1", "small": "u1"}
    found = np.frombuffer(b64decode(packed["data"]), kinds[packed["type"]])
    if "rest" not in packed:
        return found
    rest = np.frombuffer(b64decode(packed["rest"]), "<i4")
    found = found.astype(np.int64)
    found[found == 255] = rest
    return found


@pytest.mark.parametrize("name", ["starts", "decided", "hits", "thresholds", "isHull"])
def test_stored_cuts_are_those_of_repeated_samples(pages, name):
    weighted, repeated = (numbers(one["cuts"][name]) for one in pages)
    np.testing.assert_array_equal(weighted, repeated)


@pytest.mark.parametrize("name", ["support", "known"])
def test_labels_have_the_counts_of_repeated_samples(pages, name):
    weighted, repeated = (numbers(one[name]) for one in pages)
    np.testing.assert_array_equal(weighted, repeated)
    assert pages[0]["nRows"] == pages[1]["nRows"] == WEIGHTS.sum()


def test_points_that_need_no_folds_are_those_of_repeated_samples(pages):
    for key in ("default", "exact", "shared", "macro-f"):
        weighted, repeated = (
            next(point for point in one["points"] if point["key"] == key) for one in pages
        )
        for name in ("thresholds", "decided", "hits"):
            np.testing.assert_array_equal(numbers(weighted[name]), numbers(repeated[name]))
        for name, value in repeated["averages"].items():
            assert weighted["averages"][name] == pytest.approx(value, rel=1e-12)


def test_bins_slices_and_the_macro_frontier_are_those_of_repeated_samples(pages):
    for name in ("low", "high", "count", "positive", "mean"):
        weighted, repeated = (numbers(one["bins"][name]) for one in pages)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-6)
    weighted, repeated = (one["slices"][0] for one in pages)
    assert weighted["rows"] == repeated["rows"]
    assert weighted["positives"] == repeated["positives"]
    for name in ("decided", "hits"):
        np.testing.assert_array_equal(numbers(weighted[name]), numbers(repeated[name]))
    for name in ("precision", "recall"):
        weighted, repeated = (numbers(one["macro"][name]) for one in pages)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-6)
    weighted, repeated = (one["versus"]["frontier"] for one in pages)
    assert weighted == repeated


def test_held_out_counts_are_sums_of_weights(pages):
    point = next(one for one in pages[0]["points"] if one["key"] == "exact")
    tp, fp, fn, tn = point["honest"]["counts"]
    assert tp + fn == (WEIGHTS @ Y).sum()
    assert tp + fp + fn + tn == WEIGHTS.sum() * Y.shape[1]
    for fold in pages[0]["heldOut"]:
        assert fold["nRows"] + fold["nOutRows"] == WEIGHTS.sum()


def test_held_out_frontiers_are_those_of_repeated_samples():
    folds = np.random.default_rng(0).integers(0, 4, N_ROWS)
    scores, truth = SMALL["scores"], Y.astype(bool)
    again = [np.repeat(part, WEIGHTS, axis=0) for part in (scores, truth)]
    problems = (
        Problem(scores, sparse.csc_array(truth), None, WEIGHTS),
        Problem(again[0], sparse.csc_array(again[1]), None),
    )
    weighted, expected = map(held_out_frontiers, problems, (folds, np.repeat(folds, WEIGHTS)))
    assert len(weighted) == len(expected) == 4
    for one, other in zip(weighted, expected, strict=True):
        for found, wanted in zip(one, other, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_intervals_are_wider_than_those_of_as_many_samples():
    heavy = np.where(np.arange(N_ROWS) % 20 == 0, 100, 1)
    found, plain = page(heavy), page()

    def width(one):
        point = next(point for point in one["points"] if point["key"] == "default")
        low, high = point["honest"]["intervals"]["f"]
        return high - low

    assert width(found) > 1.5 * width(plain)
    assert found["effective"] < 0.1
    assert plain["effective"] == 1


def test_weights_are_whole_numbers():
    weights = np.ones(N_ROWS)
    weights[7] = 1.5
    with pytest.raises(
        ValueError, match=r"sample_weight .* whole numbers, .* got 1\.5 for sample 7"
    ):
        Desk(SMALL["scores"], Y, sample_weight=weights)
