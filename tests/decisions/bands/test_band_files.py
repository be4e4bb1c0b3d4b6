"""A file of bands is read as it was written, and anything else is refused."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise.data import DataError
from labelwise.decisions import Bands, Thresholds, best_thresholds, load_rule, review_bands
from tests.decisions.problems import problems
from tests.spoken import spoken

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
SCORES = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
Y = [[1, 0], [0, 1], [1, 0], [0, 0]]


@pytest.fixture
def path(tmp_path):
    bands = review_bands(SCORES, Y, min_precision=1, min_recall=1, label_names=["sea", "sky"])
    bands.save(tmp_path / "bands.json")
    return tmp_path / "bands.json"


@given(problem=problems(), options=st.sampled_from([{"min_recall": 0.9}, {"max_review": 1}]))
def test_what_is_written_is_read_again(problem, options, tmp_path_factory):
    path = tmp_path_factory.mktemp("bands") / "bands.json"
    bands = review_bands(*problem, **options)
    bands.save(path)
    again = Bands.load(path)
    for one, expected in ((again, bands), (again.evidence, bands.evidence)):
        for name, value in vars(expected).items():
            assert type(getattr(one, name)) is type(value)
            if name not in ("curves", "evidence"):
                np.testing.assert_array_equal(getattr(one, name), value, err_msg=name)
    for one, expected in zip(again.curves, bands.curves, strict=True):
        np.testing.assert_array_equal(one, expected)
    assert repr(again) == repr(bands)
    for one, expected in zip(again.queue(problem[0]), bands.queue(problem[0]), strict=True):
        np.testing.assert_array_equal(one, expected)


def test_a_file_is_read_as_what_it_says_it_is(path, tmp_path):
    assert type(load_rule(path)) is Bands
    best_thresholds(SCORES, Y).save(tmp_path / "thresholds.json")
    assert type(load_rule(tmp_path / "thresholds.json")) is Thresholds
    with pytest.raises(DataError, match="is not a file of labelwise bands"):
        Bands.load(tmp_path / "thresholds.json")
    with pytest.raises(DataError, match="is not a file of labelwise thresholds"):
        Thresholds.load(path)


# A file of the first release with bands: without two keys, and with curves as lists.
FIRST = """{
 "format": "labelwise bands",
 "version": 1,
 "upper": [0.75, "inf"],
 "lower": [0.25, "inf"],
 "support": [2, 1],
 "accepted": [1, 0],
 "accepted_positives": [1, 0],
 "reviewed": [2, 0],
 "reviewed_positives": [1, 0],
 "n_samples": 4,
 "label_names": ["sea", "sky"],
 "objective": "review",
 "value": 500.0,
 "gap": 0.0,
 "curves": [[0, 1, 1], [0.25], [0.5]]
}
"""
NAMED_CURVES = {"curves": {"starts": [0, 1, 1], "floors": [0.25], "shares": [0.5]}}


@pytest.mark.parametrize(
    "added", [{}, NAMED_CURVES, {**NAMED_CURVES, "most_per_row": None, "guarantee": None}]
)
def test_files_of_every_release_are_read(added, tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**json.loads(FIRST), **added}))
    found = Bands.load(path)
    assert found.max_decided is found.evidence.guarantee is None
    np.testing.assert_array_equal(found.upper, [0.75, np.inf])
    np.testing.assert_array_equal(found.decide([[0.8, 5], [0.5, 0]]), [[1, 0], [-1, 0]])
    assert found.queue([[0.8, 5], [0.5, 0]]).probability.tolist() == [0.5]


def test_a_guarantee_of_version_2_is_read(path):
    told = {"level": 0.9, "min_precision": 0.8, "min_recall": None, "precision": 0.9, "recall": 1}
    told |= {"review_per_1000": 20, "n_tuning": 5, "n_calibration": 6, "weigh": "group"}
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, "version": 2, "guarantee": told}), encoding="utf-8")
    found = Bands.load(path).evidence.guarantee
    assert (found.level, found.value, found.average, found.weigh) == (0.9, 20, "micro", "group")
    path.write_text(json.dumps({**content, "guarantee": told}), encoding="utf-8")
    with pytest.raises(DataError, match="guarantee"):
        Bands.load(path)


def changed(**changes):
    return lambda content: content | changes


def curves(starts, floors, shares):
    return changed(curves={"starts": starts, "floors": floors, "shares": shares})


HOSTILE = [
    (list, "is not a file of labelwise bands"),
    (changed(version=4), "has version 4, but only 1 to 3 can be read"),
    (changed(request={}), "request: min_precision, min_recall, max_review or cost must be given"),
    (changed(request={"min_recall": "all"}), "request: min_recall must be"),
    (changed(request={"max_decisions": 5}), "request: there is no option 'max_decisions'"),
    (changed(request={"cost": [1, 1]}), "request: cost must be three costs"),
    (changed(more=1), "has an unknown key 'more'"),
    (lambda content: {k: v for k, v in content.items() if k != "gap"}, "lacks the key 'gap'"),
    (changed(lower=[0.1]), "lower has 1 labels but upper has 2"),
    (changed(lower=[0.8, 0.1]), "lower must not be above upper"),
    (changed(upper=["nan", 1]), "upper: nan is not allowed"),
    (changed(accepted=[-1, 0]), r"accepted\[0\] must be greater than or equal to 0, got -1"),
    (changed(label_names=["sea"]), "label_names has 1 labels but upper has 2"),
    (changed(objective="joy"), "objective must be 'review', 'recall', .*, got 'joy'"),
    (changed(n_samples=0), "n_samples must be greater than or equal to 1, got 0"),
    (changed(curves=[]), "curves must be an object"),
    (changed(curves={"starts": [0, 0, 0]}), "lacks the key 'curves.floors'"),
    (curves([0, 1], [0.2], [0.5]), "curves must have the first piece of each label"),
    (curves([0, 2, 1], [0.2], [0.5]), "curves must have the first piece of each label"),
    (curves([0, 1, 1], [0.2, 0.1], [0.5]), "curves must have a floor and a share"),
    (curves([0, 1, 1], [0.2], [1.5]), "curves must have shares from 0 to 1"),
    (curves([0, 1, 1], [0.2], ["nan"]), r"curves\.shares: nan is not allowed"),
    (curves([0, 1, 1], ["nan"], [0.5]), r"curves\.floors: nan is not allowed"),
    (curves([0, 0, 0], [], []), "curves must have falling floors down to the lower"),
    (curves([0, 1, 1], [0.5], [0.5]), "curves must have falling floors down to"),
    (curves([0, 2, 2], [0.1, 0.2], [0.5, 0.5]), "curves must have falling floors"),
]


@pytest.mark.parametrize(("change", "message"), HOSTILE, ids=spoken)
def test_what_is_not_known_is_refused(path, change, message):
    content = change(json.loads(path.read_text(encoding="utf-8")))
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        Bands.load(path)
