"""A cell is run again if code that can change its value was edited, and only then."""

import importlib
import subprocess
import sys
from functools import cached_property, lru_cache, partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from labelwise import measures
from labelwise.experiments.running import _fingerprint
from labelwise.experiments.running._fingerprint import (
    OwnCode,
    canonical_form,
    code_digest,
    is_own,
    package_digest,
)

ROOT = Path(__file__).parents[3]
MODULE = """
'''The code of a user.'''
from functools import cached_property, lru_cache, partial
from numba import njit
from sklearn.base import BaseEstimator
import helper

LIMIT = 3
RATES = {"slow": [0.1], "fast": [0.9]}
UNUSED = 1


class Base:
    step = 1

    def start(self):
        return helper.weight() + LIMIT


class Model(Base, BaseEstimator):
    def __init__(self, measure=None):
        self.measure = measure

    def fit(self, X, Y):
        # A comment.
        return inner(X) + self.stop + self.rate

    @property
    def stop(self):
        return cached(5)

    @cached_property
    def rate(self):
        return RATES["slow"] + kernel(6)


def inner(x):
    return (lambda y: deep(y))(x)


def deep(x):
    return [x for _ in range(7)]


@lru_cache
def cached(x):
    return x + 8


@njit
def kernel(x):
    return x + 9


def words():
    return "a page"
"""
HELPER = """
UNIT = 10


def weight():
    return UNIT + added(11)


def added(number):
    return number
"""
EDITS = [
    ("LIMIT = 3", "LIMIT = 4"),
    ('"slow": [0.1]', '"slow": [0.2]'),
    ("step = 1", "step = 2"),
    ("+ LIMIT", "- LIMIT"),
    ("+ self.stop", "- self.stop"),
    ("cached(5)", "cached(6)"),
    ("kernel(6)", "kernel(7)"),
    ("range(7)", "range(8)"),
    ("x + 8", "x + 1"),
    ("x + 9", "x + 1"),
    ("UNIT = 10", "UNIT = 12"),
    ("added(11)", "added(12)"),
    ("return number", "return -number"),
]
HARMLESS = [
    ("# A comment.", "# Another comment."),
    ("UNUSED = 1", "UNUSED = 2"),
    ("a page", "another page"),
    ("'''The code of a user.'''", "'''Somebody's code.'''"),
    ("LIMIT = 3", "\n\n\nLIMIT = 3"),
]


def digest_of(folder, monkeypatch, old="", new=""):
    """Return the digest of `Model` after an edit of its file or of the file beside it."""
    monkeypatch.syspath_prepend(folder)
    for name, text in (("helper", HELPER), ("own_model", MODULE)):
        (folder / f"{name}.py").write_text(text.replace(old, new, 1) if old else text)
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    model = importlib.import_module("own_model").Model()
    for name in ("helper", "own_model"):
        sys.modules.pop(name, None)
    return code_digest([canonical_form(model, "model")])


@pytest.mark.parametrize(("old", "new"), EDITS, ids=[new for _, new in EDITS])
def test_an_edit_of_code_that_a_model_reaches_changes_its_digest(tmp_path, monkeypatch, old, new):
    assert old in MODULE + HELPER
    before = digest_of(tmp_path, monkeypatch)
    assert digest_of(tmp_path, monkeypatch, old, new) != before


@pytest.mark.parametrize(("old", "new"), HARMLESS, ids=[new for _, new in HARMLESS])
def test_edits_that_cannot_change_values_leave_the_digest(tmp_path, monkeypatch, old, new):
    assert old in MODULE + HELPER
    before = digest_of(tmp_path, monkeypatch)
    assert digest_of(tmp_path, monkeypatch, old, new) == before


def test_digests_are_the_same_in_every_process():
    program = (
        "from tests.experiments.running.test_code_digest import own_digest\nprint(own_digest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == own_digest()


class Odd(BaseEstimator):
    """Names things that have no stable text, itself, and a partial."""

    shown = object()
    later = partial(max, 3)

    @cached_property
    def part(self):
        return Odd, GENERATOR, remembered, np.mean

    def fit(self, X, Y):
        return self.fit(X, Y) + Odd.fit(self, X, Y)


@lru_cache
def remembered():
    return Odd


GENERATOR = np.random.default_rng(0)


def own_digest():
    return code_digest([canonical_form(Odd(), "model")])


def test_code_of_labelwise_and_of_installed_packages_is_not_followed():
    own = OwnCode()
    own.add_form([canonical_form(value, "it") for value in (LogisticRegression(), np.sin)])
    own.add(measures.f_measure)
    assert own.found == set()
    assert [is_own(name) for name in (__name__, "labelwise.data", "json", "sklearn.base")] == [
        True,
        False,
        False,
        False,
    ]


def test_every_digest_includes_that_of_the_package(monkeypatch):
    before = code_digest([])
    monkeypatch.setattr(_fingerprint, "package_digest", lambda _: "another")
    assert code_digest([]) != before


def test_the_digest_of_a_package_counts_code_and_neither_comments_nor_pages(tmp_path):
    def digest(folder, text, part="data"):
        (tmp_path / folder / part).mkdir(parents=True)
        (tmp_path / folder / part / "_file.py").write_text(text)
        return package_digest(tmp_path / folder)

    plain = digest("plain", '"""Words."""\n\n\ndef f():\n    """More."""\n    return 1\n')
    assert (
        digest("words", '"""Other."""\n\n# Why.\ndef f():\n    """Less."""\n    return 1\n')
        == plain
    )
    assert digest("code", '"""Words."""\n\n\ndef f():\n    """More."""\n    return 2\n') != plain
    assert digest("moved", '"""Words."""\n\n\ndef f():\n    return 1\n', "features") != plain
    assert digest("page", "x = 1\n", "reports") == digest("pages", "x = 2\n", "cli")
