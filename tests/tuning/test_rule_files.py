"""A file of thresholds is read as it was written, and anything else is refused."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from labelwise import _json_files
from labelwise._tuning.objectives._request import options as declared
from labelwise.data import DataError
from labelwise.decisions import Certify, Evidence, Thresholds, best_thresholds, corrected_value
from labelwise.measures import jaccard
from tests.decisions.intervals import tuned_with_interval
from tests.decisions.problems import problems
from tests.spoken import spoken

pytestmark = pytest.mark.filterwarnings("ignore:Y has no positives")
SCORES = pd.DataFrame({"sea": [0.9, 0.6, 0.3, 0.2], "sky": [0.2, 0.4, 0.1, 0.3]})
Y = pd.DataFrame({"sky": [0, 1, 0, 0], "sea": [1, 0, 1, 0]})


@pytest.fixture
def tuned():
    return best_thresholds(SCORES[["sky", "sea"]], Y)


@pytest.mark.filterwarnings("ignore:No interval of the value")
@given(problem=problems())
def test_what_is_written_is_read_again(problem, tmp_path_factory):
    path = tmp_path_factory.mktemp("thresholds") / "new" / "tuned.json"
    for options in ({}, {"n_bootstrap": 3, "maximize": "macro-f", "random_state": 0}, {"fbr": 0.5}):
        tune = tuned_with_interval if "n_bootstrap" in options else best_thresholds
        tuned = tune(*problem, **options)
        tuned.save(path)
        again = Thresholds.load(path)
        pairs = [(vars(again), vars(tuned)), (vars(again.evidence), vars(tuned.evidence))]
        for found, wanted in pairs:
            for name in found.keys() - {"evidence", "request", "true_positives"}:
                np.testing.assert_array_equal(found[name], wanted[name], err_msg=name)
                assert type(found[name]) is type(wanted[name])
        assert repr(again) == repr(tuned)
    assert [file.name for file in path.parent.iterdir()] == ["tuned.json"]


@pytest.mark.filterwarnings("ignore:Constraints that new samples")
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"maximize": jaccard, "average": "macro", "shrink": 0.3},
        {"maximize": "macro-f", "beta": 2, "shrink": "auto"},
        {"shared": True, "min_precision": np.float64(0.4), "min_recall": 0.2},
        {"maximize": "macro-f", "fbr": ("auto", 0)},
        {"max_decisions": "2 per sample"},
        {"max_decisions": 2.5},
        {"cost": (1, np.arange(1, 7))},
        {"maximize": "macro-f", "min_recall": 0.2, "guarantee": Certify(0.6, across="all")},
    ],
    ids=spoken,
)
def test_a_file_says_what_was_asked_for(asked, tmp_path):
    random = np.random.default_rng(0)
    Y = random.random((90, 6)) < 0.4
    scores = Y + random.normal(size=Y.shape)
    tuned = best_thresholds(scores, Y, **asked, random_state=0)
    tuned.save(tmp_path / "tuned.json")
    again = Thresholds.load(tmp_path / "tuned.json")
    known = json.loads((tmp_path / "tuned.json").read_text())["request"]
    assert known.keys() == {one.name for one in declared()}
    assert again.to_dict()["request"] == tuned.to_dict()["request"]
    values = [corrected_value(one, scores, Y, random_state=0) for one in (tuned, again)]
    assert values[0] == values[1] or np.isnan(values).all()


def test_a_function_without_a_name_is_no_request_of_a_file(tmp_path):
    tuned = best_thresholds(SCORES[["sky", "sea"]], Y, maximize=lambda counts: counts.tp)
    tuned.save(tmp_path / "tuned.json")
    again = Thresholds.load(tmp_path / "tuned.json")
    assert tuned.evidence.request is not None
    assert again.evidence.request is None
    with pytest.raises(ValueError, match="thresholds must have a request to be tuned again"):
        corrected_value(again, SCORES, Y)


def test_the_file_is_plain_json_with_infinity_as_a_word(tmp_path, tuned):
    path = tmp_path / "tuned.json"
    best_thresholds([[0.1, 0.3], [0.2, 0.1]], [[1, 0], [1, 0]], label_names=["é", "b"]).save(path)
    content = json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert content["version"] == 6
    assert content["values"] == ["-inf", "inf"]
    assert content["label_names"] == ["é", "b"]


def test_the_corrected_value_is_in_the_file(tmp_path):
    path, ones = tmp_path / "tuned.json", np.ones(1, dtype=np.int64)
    evidence = Evidence(0.9, "f_measure", "micro", ones, ones, 1)
    for value in (0.75, float("nan")):
        Thresholds(np.ones(1), replace(evidence, corrected_value=value)).save(path)
        np.testing.assert_equal(Thresholds.load(path).evidence.corrected_value, value)
    content = json.loads(path.read_text())
    del content["corrected_value"], content["slices"]
    path.write_text(json.dumps({**content, "version": 5}))
    assert np.isnan(Thresholds.load(path).evidence.corrected_value)


def test_the_dictionary_has_the_content_of_the_file(tmp_path, tuned):
    tuned.save(tmp_path / "tuned.json")
    assert list(tuned.to_dict().items()) == list(
        json.loads((tmp_path / "tuned.json").read_text(encoding="utf-8")).items()
    )


def changed(**changes):
    return lambda content: content | changes


HOSTILE = [
    (list, "is not a file of labelwise thresholds"),
    (changed(format="other"), "is not a file of labelwise thresholds"),
    (changed(version=0), "has version 0, but only 1 to 6 can be read"),
    (changed(version=99), "has version 99, but only 1 to 6 can be read"),
    (changed(version=True), "has version True, but only 1 to 6 can be read"),
    (changed(version=2.0), r"has version 2\.0, but only 1 to 6 can be read"),
    (lambda c: {k: v for k, v in c.items() if k != "adapted"}, "lacks the key 'adapted'"),
    (lambda c: changed(version=2)({k: v for k, v in c.items() if k != "guarantee"}), "guarantee"),
    (
        lambda c: changed(version=1)({k: v for k, v in c.items() if k != "gap"}),
        "lacks the key 'gap'",
    ),
    (changed(version=[[]] * 25), "has more than the 28 lists that a result may have"),
    (changed(code="run"), "has an unknown key 'code'"),
    (lambda c: {k: v for k, v in c.items() if k != "beta"}, "lacks the key 'beta'"),
    (changed(values=[]), "values must have at least 1 item, got "),
    (changed(values=[0.5, None]), r"values\[1\] must be a number, got None"),
    (changed(values=[0.5, "nan"]), "values: nan is not allowed"),
    (changed(values=[0.5, "Infinity"]), r"values\[1\] must be a number, got 'Infinity'"),
    (changed(values=[[0.5], [0.2]]), r"values\[0\] must be a number, got \[0.5\]"),
    (changed(values=[0.5]), "support has 2 labels but values has 1"),
    (changed(values=[0.5, 10**400]), r"values\[1\] must be a number, got 100000"),
    (changed(label_names=["a", "a"]), "label_names: names must be distinct, got 'a' twice"),
    (changed(label_names=["a"]), "label_names has 1 labels but values has 2"),
    (changed(label_names="ab"), "label_names must be a list, got 'ab'"),
    (changed(support=[1, -1]), r"support\[1\] must be greater than or equal to 0, got -1"),
    (changed(support=[1, -2.5]), r"support\[1\] must be .* equal to 0, got -2\.5"),
    (changed(support=[2.5, "inf"]), r"support\[1\] must be a number, got 'inf'"),
    (changed(support=[1, 2**63]), "too large"),
    (changed(n_samples=2.5), "n_samples must be a whole number, got 2.5"),
    (changed(shared=1), "shared must be true or false, got 1"),
    (changed(beta=True), "beta must be a number, got True"),
    (changed(interval=[1]), r"interval must have at least 2 items, got \[1\]"),
    (changed(intervals=[[1, 2], [1]]), "intervals: all input arrays must have the same shape"),
    (changed(guarantee=[]), r"guarantee must be an object, got \[\]"),
    (changed(guarantee={}), "lacks the key 'guarantee.level'"),
    (changed(constraints=[{"name": 1}]), r"constraints\[0\]\.name must be 'min_precision', "),
    (changed(**{f"key {i}": i for i in range(50)}), "an object has more than 40 keys"),
    (changed(intervals=[[1], [2]]), "intervals has 1 labels"),
    (changed(request=[]), r"request must be an object, got \[\]"),
    (changed(request={"code": "run"}), "request: there is no option 'code'"),
    (changed(request={"maximize": 5}), "request: maximize must be a name"),
    (changed(request={"maximize": "micro-x"}), "request: .*micro-x"),
    (changed(request={"shared": []}), r"request: shared must be False, got \[\]"),
    (changed(request={"beta": {}}), "request: beta must be"),
    (changed(request={"min_precision": []}), "request: min_precision must be"),
    (changed(request={"max_decisions": {}}), "request: max_decisions must be"),
    (changed(request={"fbr": [0.1, 2]}), "request: fbr must have 0 or 1 as its rule"),
    (changed(request={"fbr": 0.1, "shared": True}), "request: fbr does not go together with"),
    (changed(request={"cost": [1, [1, 2, 3]]}), "request: cost must have 2 numbers by label"),
    (changed(request={"cost": [1, {}]}), "request: "),
    (changed(request={"min_recall": 0.5, "guarantee": {"code": 1}}), "request: .*code"),
    (
        changed(request={"min_recall": 0.5, "guarantee": {"level": 0.9, "calibration": [1]}}),
        "request: guarantee must be ",
    ),
]


@pytest.mark.parametrize(("change", "message"), HOSTILE, ids=spoken)
def test_what_is_not_known_is_refused(tmp_path, tuned, change, message):
    path = tmp_path / "tuned.json"
    tuned.save(path)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(DataError, match=message):
        Thresholds.load(path)


NOT_JSON = [
    b"{",
    b"\xff",
    b"",
    b"[" * 15,
    b'{"value": NaN}',
    b'{"value": 1e999}',
    b'{"value": -1e999}',
    b'{"value": ' + b"1" * 5000 + b"}",
    b'{"value": 1, "value": 1}',
    b'{"value": "\\',
]


@pytest.mark.parametrize("content", NOT_JSON)
def test_what_is_not_json_is_refused(tmp_path, content):
    path = tmp_path / "tuned.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not JSON"):
        Thresholds.load(path)


def test_lists_in_lists_are_refused_before_they_are_built(tmp_path):
    path = tmp_path / "tuned.json"
    for content in (b"[" * 10**6, b"[" + b"[]," * 10**6 + b"[]]", b'{"a":' * 10**6):
        path.write_bytes(content)
        tracemalloc.start()
        with pytest.raises(DataError, match="has more than the 28 lists"):
            Thresholds.load(path)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(content)
        tracemalloc.stop()


# A file of the first release: all of its keys, in the form in which it wrote them.
FIRST = """{
 "format": "labelwise thresholds",
 "version": 1,
 "values": [0.25, "inf", "-inf"],
 "value": 0.8571428571428571,
 "measure": "f_measure",
 "average": "micro",
 "support": [2, 0, 4],
 "decided": [3, 0, 4],
 "n_samples": 4,
 "beta": 1.0,
 "label_names": ["sea", "sky", "é [1]"],
 "gap": 0.0,
 "certificate": 0.42857142857142855,
 "shared": false,
 "shrink": 0.0,
 "fbr": null,
 "interval": [0.5, 0.9],
 "intervals": [[0.2, "-inf", "-inf"], [0.3, "inf", "inf"]]
}
"""
CONSTRAINT = {"name": "min_precision", "limit": 0.5, "value": 0.75, "corrected_value": "nan"}
GUARANTEE = {
    "level": 0.95,
    "average": "macro",
    "across": "each",
    "min_precision": 0.5,
    "min_recall": None,
    "precision": 0.75,
    "recall": "nan",
    "value": 0.6,
    "f_bound": None,
    "n_tuning": 200,
    "n_calibration": 100,
    "needed": [0, 59, 12],
}
LIMITED = {"most_per_row": 2, "constraints": [CONSTRAINT], "guarantee": GUARANTEE}
FREE = {"most_per_row": None, "constraints": [], "guarantee": None}
# What later releases added to the first file, in the order of time.
OLD_FILES = [
    {},
    {"adapted": True},
    {"n_missing": 3},
    {"version": 2, **LIMITED},
    {"version": 2, **FREE, "adapted": True},
    {"version": 2, **LIMITED, "adapted": False, "n_missing": 3, "weighted": True},
    {
        "version": 3,
        **LIMITED,
        "top_per_row": 3,
        "adapted": False,
        "n_missing": 0,
        "weighted": False,
    },
    {
        "version": 4,
        **LIMITED,
        "constraints": [{**CONSTRAINT, "label": "sea", "corrected_label": None}],
        "top_per_row": None,
        "adapted": False,
        "n_missing": 0,
        "weighted": False,
    },
]


@pytest.mark.parametrize("added", OLD_FILES)
def test_files_of_every_release_are_read(added, tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**json.loads(FIRST), **added}), encoding="utf-8")
    found = Thresholds.load(path)
    np.testing.assert_array_equal(found.values, [0.25, np.inf, -np.inf])
    np.testing.assert_array_equal(
        found.evidence.intervals, [[0.2, *[-np.inf] * 2], [0.3, *[np.inf] * 2]]
    )
    assert found.label_names == ("sea", "sky", "é [1]")
    assert (found.evidence.certificate, found.evidence.interval) == (
        0.42857142857142855,
        (0.5, 0.9),
    )
    for name in ("adapted", "n_missing", "weighted"):
        assert getattr(found.evidence, name) == added.get(name, getattr(Evidence, name))
    assert found.max_decided == added.get("most_per_row")
    assert found.max_rank == added.get("top_per_row")
    assert len(found.evidence.constraints) == len(added.get("constraints", ()))
    assert (found.evidence.guarantee is None) == (added.get("guarantee") is None)
    if found.evidence.guarantee is not None:
        assert found.evidence.guarantee.needed.tolist() == [0, 59, 12]
        assert found.evidence.constraints[0].limit == 0.5
    np.testing.assert_array_equal(
        found.decide([[0.3, 9, 0.1], [0.2, 1, 0]]), [[1, 0, 1], [0, 0, 1]]
    )
    found.save(tmp_path / "new.json")
    np.testing.assert_array_equal(Thresholds.load(tmp_path / "new.json").values, found.values)


def test_brackets_in_the_names_of_labels_are_no_lists(tmp_path):
    names = ["[" * 20, '{"\\' * 20]
    tuned = best_thresholds([[0.1, 0.3], [0.2, 0.1]], [[1, 0], [0, 1]], label_names=names)
    tuned.save(tmp_path / "tuned.json")
    assert Thresholds.load(tmp_path / "tuned.json").label_names == tuple(names)


def test_files_of_more_than_the_limit_are_refused_with_the_limit(tmp_path, monkeypatch, tuned):
    tuned.save(tmp_path / "tuned.json")
    monkeypatch.setattr(_json_files, "_MAX_BYTES", 100)
    with pytest.raises(DataError, match="more than max_bytes=100 bytes"):
        Thresholds.load(tmp_path / "tuned.json")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.json: does not exist"):
        Thresholds.load(tmp_path / "none.json")


def test_nothing_is_left_where_nothing_can_be_written(tmp_path, tuned):
    folder = tmp_path / "file"
    folder.write_text("in the way")
    with pytest.raises(OSError, match="cannot be written"):
        tuned.save(folder / "tuned.json")
    assert folder.read_text() == "in the way"
    (tmp_path / "tuned.json").mkdir()
    with pytest.raises(OSError, match=r"tuned.json cannot be written"):
        tuned.save(tmp_path / "tuned.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "tuned.json"]


@pytest.mark.parametrize("name", ["a", "[", 'é "\n]', '"{\\'])
def test_files_have_one_item_of_a_list_on_each_line(tmp_path, tuned, name):
    path = tmp_path / "tuned.json"
    spread = np.array([[0.25, -np.inf], [0.5, np.inf]])
    evidence = replace(tuned.evidence, intervals=spread, interval=(0.5, np.nan))
    other = replace(tuned, label_names=(name, "b"), evidence=evidence)
    other.save(path)
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
    assert Thresholds.load(path).label_names == (name, "b")


def test_names_with_brackets_are_no_lists(tmp_path, tuned):
    path = tmp_path / "tuned.json"
    replace(tuned, label_names=("[" * 20, "{" * 20)).save(path)
    assert Thresholds.load(path).label_names == ("[" * 20, "{" * 20)
