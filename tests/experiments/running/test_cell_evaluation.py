"""Whatever a model raises or warns of, its cell fails alone and the study can be resumed."""

import signal
import sys
import warnings

import numpy as np
import pytest
from sklearn.model_selection import KFold

from labelwise.data import Dataset
from labelwise.experiments import read_results
from labelwise.learners import BinaryRelevance
from tests.experiments.small_studies import Frequent, rows, study


class UnsayableError(Exception):
    """Cannot be written as text, and not be pickled either."""

    def __init__(self, message):
        super().__init__(message)
        self.held = sys._getframe()

    def __str__(self):
        raise ValueError("no words")

    __repr__ = __str__


class Own(BaseException):
    """No Exception."""


class UnsayableWarning(UserWarning):
    """Can be written once, as the module warnings does, and never again."""

    def __str__(self):
        self.args = self.args[1:]
        return self.args[0]


class Raising(Frequent):
    """Raises something, if it is shifted."""

    def __init__(self, kind="surrogate", shift=0.0, random_state=None):
        super().__init__(shift, random_state)
        self.kind = kind

    def fit(self, X, Y):
        if self.shift:
            raise ERRORS[self.kind]()
        return super().fit(X, Y)


ERRORS = {
    "surrogate": lambda: ValueError("a file named \ud800.arff"),
    "nul": lambda: ValueError("a\0b"),
    "huge": lambda: ValueError("x" * 10_000_000),
    "unsayable": lambda: UnsayableError("x"),
    "exit": lambda: SystemExit(3),
    "own": lambda: Own("own"),
    "recursion": lambda: RecursionError("deep"),
    "memory": lambda: MemoryError(),
    "group": lambda: ExceptionGroup("\ud800", [ValueError("\0")]),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_a_cell_fails_alone_whatever_it_raises_and_on_every_resume(tmp_path, kind):
    models = {"good": Raising(kind), "bad": Raising(kind, shift=0.1)}
    raising = study(datasets=[rows()], models=models, seeds=(0,))
    for _ in range(2):
        results = raising.run(tmp_path / "s.sqlite")
        assert results.state() == "3 of 6 cells are done, 3 failed."
        assert {cell.model for cell in results.failed} == {"bad"}
        error = results.failed[0].error
        assert type(ERRORS[kind]()).__name__ in error
        assert "\0" not in error
        assert len(error.encode()) < 50_000
    assert read_results(tmp_path / "s.sqlite").failed == results.failed


def test_ctrl_c_of_a_model_stops_the_study_only_where_it_may_be_that_of_the_user(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(ERRORS, "interrupt", KeyboardInterrupt)
    models = {"bad": Raising("interrupt", shift=0.1)}
    interrupted = study(datasets=[rows()], models=models, seeds=(0,))
    monkeypatch.setattr("signal.getsignal", lambda _: signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        interrupted.run(tmp_path / "s.sqlite")
    monkeypatch.setattr("signal.getsignal", lambda _: signal.SIG_IGN)
    results = interrupted.run(tmp_path / "s.sqlite")
    assert len(results.failed) == 3
    assert "KeyboardInterrupt" in results.failed[0].error


def test_warnings_are_kept_as_lines_whatever_their_text_is(tmp_path):
    def doubtful(_):
        warnings.warn("two\nlines \ud800 \0", stacklevel=1)
        warnings.warn(UnsayableWarning("x", "y"), stacklevel=1)
        for i in range(300):
            warnings.warn(f"{i} " * 1000, stacklevel=1)
        return 1.0

    results = study(datasets=[rows()], measures={"m": doubtful}, seeds=(0,)).run(tmp_path / "s")
    assert not results.failed
    assert "UserWarning: two lines \\ud800 \\x00" in results.warnings
    assert "UnsayableWarning: (its text cannot be formatted)" in results.warnings
    assert len(results.warnings) == 100
    assert max(map(len, results.warnings)) < 1200


def test_warnings_of_a_study_name_labels_by_name(tmp_path):
    names = ["sea", "sky", "sun"]
    # Each label has one row: without it, the label has one class.
    data = Dataset(np.arange(6.0)[:, np.newaxis], np.eye(6, 3), label_names=names)
    parts = {"models": {"br": BinaryRelevance(penalty=1.0)}, "splits": {"cv": KFold(6)}}
    results = study(datasets=[data], **parts).run(tmp_path / "s.sqlite")
    found = [text for text in results.warnings if "one class only" in text]
    assert found == [
        f"ConstantLabelWarning: Y has one class only for label {name!r}: "
        "decided as in the training data, always."
        for name in names
    ]
