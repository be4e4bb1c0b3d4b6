"""The frame of pages: one file, a strict policy, and data that nothing can escape from."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise.reports import write_report
from labelwise.reports.page import as_script, packed, packed_small
from tests.reports.overviews.small_pages import DATASET, EVALUATION


class Tags(HTMLParser):
    """Every tag with its attributes, and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inside, self.open = [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.open = (tag, dict(attrs).get("type")) if tag in ("script", "style") else None

    def handle_data(self, data):
        if self.open:
            self.inside[self.open] = self.inside.get(self.open, "") + data

    def handle_endtag(self, _tag):
        self.open = None


@pytest.fixture(scope="module", params=["desk", "evaluation", "data"])
def tags(request, desk_file, tmp_path_factory):
    path = desk_file
    if request.param != "desk":
        path = tmp_path_factory.mktemp("pages") / "page.html"
        write_report({"evaluation": EVALUATION, "data": DATASET}[request.param], path)
    return Tags(path.read_text(encoding="utf-8"))


def test_nothing_is_loaded_and_no_handler_is_in_the_markup(tags):
    for tag, attributes in tags.found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form[action]")
        assert not {"src", "srcset", "action", "style"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")


def test_the_policy_allows_the_style_and_the_script_by_their_hashes(tags):
    policy = next(
        one["content"]
        for _, one in tags.found
        if one.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for name, key in (("script-src", ("script", None)), ("style-src", ("style", None))):
        digest = hashlib.sha256(tags.inside[key].encode()).digest()
        assert rules[name] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert "unsafe" not in policy


def test_ids_are_unique_and_every_label_names_a_field(tags):
    ids = [one["id"] for _, one in tags.found if "id" in one]
    assert len(ids) == len(set(ids))
    for tag, one in tags.found:
        for name in {"for", "aria-labelledby"} & set(one):
            assert one[name] in ids, (tag, one)


def test_the_page_has_one_script_and_its_data(tags):
    scripts = [one.get("type") for tag, one in tags.found if tag == "script"]
    assert scripts == ["application/json", None]
    assert json.loads(tags.inside["script", "application/json"])


def test_scripts_never_write_markup_or_evaluate_text(tags):
    script = tags.inside["script", None]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", script)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", script)


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_data_is_read_back_and_cannot_end_its_element(data):
    text = as_script(data)
    assert json.loads(text) == data
    assert not set("<>&") & set(text)
    assert text.isascii()


@given(st.lists(st.integers(0, 2**31 - 1)))
def test_small_numbers_are_packed_into_bytes(numbers):
    found = packed_small(np.array(numbers, dtype=np.int64))
    rest = iter(np.frombuffer(base64.b64decode(found["rest"]), "<i4").tolist())
    small = base64.b64decode(found["data"])
    assert [one if one < 255 else next(rest) for one in small] == numbers


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.float32, np.float64])
def test_arrays_are_packed_byte_by_byte(kind):
    array = np.array([[0, 1], [2, 250]], dtype=kind)
    found = packed(array, kind)
    again = np.frombuffer(base64.b64decode(found["data"]), f"<{found['type']}")
    assert again.tolist() == array.ravel().tolist()


def test_results_without_a_page_are_refused(tmp_path):
    with pytest.raises(TypeError, match=r"results must be one of Desk, Evaluation, .*, got int\."):
        write_report(3, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
