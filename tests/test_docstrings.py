"""Public docstrings have numpydoc's sections in full."""

import pytest

from tests.docstrings import faults, public_objects

PUBLIC = public_objects()
# Docstrings that are not finished. Names are only ever removed.
UNFINISHED = {
    "labelwise.data.Dataset",
    "labelwise.decisions.CalibratedLabels",
    "labelwise.decisions.Frontier",
    "labelwise.decisions.LinearFractional",
    "labelwise.decisions.Thresholds",
    "labelwise.decisions.joint_from_samples",
    "labelwise.decisions.maximize_expected_f_independent",
    "labelwise.learners.BagPlugin",
    "labelwise.learners.BagPlugin.decision_function",
    "labelwise.learners.BagPlugin.fit",
    "labelwise.learners.BagPlugin.predict",
    "labelwise.learners.ExactFPlugin",
    "labelwise.learners.InstanceLabels",
    "labelwise.learners.ReverseMultilabel",
}


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - UNFINISHED))
def test_a_public_docstring_has_all_its_sections(name):
    assert faults(PUBLIC[name]) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "has no docstring"),
        ("Return the sum", "has no period at the end of its first line"),
        ("Returns the sum.", "begins with 'Returns', not with an imperative"),
        ("Return the sum.\n\nParameters\n----------\na : int\n", "does not describe b"),
        (
            "Return the sum.\n\nParameters\n----------\na, b : int\n",
            "does not give the default of b",
        ),
        ("Return the sum.", "has no section Returns"),
        (
            "Return the sum (pillai2012).",
            "cites a paper by its key without a section References",
        ),
    ],
)
def test_each_fault_is_found(text, fault):
    def add(a: int, b: int = 0) -> int:
        return a + b

    add.__doc__ = text
    assert fault in faults(add)
