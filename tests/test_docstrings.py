"""Public docstrings have numpydoc's sections in full."""

import importlib
import inspect

import pytest

from tests.docstrings import (
    SHARED,
    beginning,
    described,
    descriptions,
    faults,
    public_objects,
    sections,
)

PUBLIC = public_objects()


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_docstring_has_all_its_sections(name):
    assert faults(PUBLIC[name]) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "GL08: The object does not have a docstring"),
        ("Return the sum", "SS03: Summary does not end with a period"),
        (
            "Returns the sum.",
            "SS05: Summary must start with infinitive verb, not third person "
            '(e.g. use "Generate" instead of "Generates")',
        ),
        (f"Return {'very ' * 15}much.", "has 87 characters in its first line"),
        ("Return it.\n\nParameters\n----------\nc : int\n    A.", "PR02: Unknown parameters {'c'}"),
        ("Return the sum.\n\nParameters\n----------\na : int\n", "does not describe b"),
        (
            "Return the sum.\n\nParameters\n----------\na, b : int\n",
            "does not give the default of b",
        ),
        (
            "Return the sum.\n\nParameters\n----------\na : int\n    A.\nb : int, default=1\n",
            "gives another default of b than 0",
        ),
        ("Return the sum.", "RT01: No Returns section found"),
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


# What tunes thresholds, or takes samples as it did; see "Order of arguments" in docs/stages.
LEARN_FROM_LABELS = (
    *("best_thresholds", "certified_frontier", "macro_frontier", "micro_frontier", "review_bands"),
    *("complete_labels", "scan_thresholds", "rank_rule", "proportion_rule", "Desk"),
    # Methods of thresholds that tune them again.
    *("confidence_interval", "corrected_value"),
    # Functions of `deployment`, whose first argument is the thresholds.
    *("check_promises", "doctor", "find_label_errors", "update"),
)


def parameters_of(public):
    """The parameters of a function or class; none of a property or an exception."""
    if isinstance(public, property):
        return []
    try:
        return list(inspect.signature(public).parameters.values())
    except ValueError:  # exceptions and warnings
        return []


def test_labels_come_last_where_something_is_learned_and_first_where_it_is_measured():
    wrong = []
    for name, public in PUBLIC.items():
        names = [one.name for one in parameters_of(public)]
        others = [names.index(part) for part in ("scores", "proba", "decided") if part in names]
        if "Y" in names and others:
            learns = name.rpartition(".")[2] in LEARN_FROM_LABELS
            if learns == (names.index("Y") < min(others)):
                wrong.append(name)
    assert wrong == []


# Parameters that rightly have several defaults, and why.
SEVERAL_DEFAULTS = {
    "by": "columns of rows, scores of terms, or what is counted or listed",
    "language": "a code of a vocabulary's labels, or the name of a language's stop words",
    "max_bytes": "a model is in memory as long as it is used, a file of data only until it is read",
    "max_labels": "a figure has place for few labels, a table of counts for more",
    "maximize": "best_at_k is for rare labels, and macro averages are",
    "method": "of calibration, or of stratification",
    "n_bags": "those of a generated data set, or of a figure",
    "n_bootstrap": "none for values alone; few where thresholds are tuned for each, else many",
    "n_features": "those of a generated data set, or as many as a file has",
    "n_labels": "those of a generated data set, or as many as a file has",
    "n_splits": "those of the classes of this name in iterative-stratification and scikit-learn",
    "n_terms": "those of a generated data set, or as many as remain",
    "name": "of a data set, a study or a curve",
    "shrink": "`best_thresholds` returns the optimum of its scores, estimators the best for others",
    "texts": "a data set without texts has an empty tuple, as for all of its parts",
    "undefined": "a study prints means as the command evaluate does; one value asked for is NaN",
    "ids": "a data set without ids has an empty dictionary",
    "groups": "those of samples, or of methods without a significant difference",
    "measure": "the one of a curve of terms, or all of several",
}


def test_a_parameter_has_one_default():
    """Objects that functions return have the defaults of their fields."""
    defaults = {}
    for name, public in PUBLIC.items():
        stage, _, last = name.rpartition(".")
        is_returned = inspect.isclass(public) and last not in importlib.import_module(stage).__all__
        for one in [] if is_returned else parameters_of(public):
            if one.default is not one.empty:
                defaults.setdefault(one.name, set()).add(repr(one.default))
    several = {name for name, found in defaults.items() if len(found) > 1}
    assert several == set(SEVERAL_DEFAULTS)


def shared_descriptions():
    """The name of an object, a shared parameter of it, and the description of the parameter."""
    for name, public in PUBLIC.items():
        text = inspect.cleandoc(public.__doc__ or "")
        found = descriptions(sections(text).get("Parameters", ""))
        yield from ((name, key, found[key]) for key in found if key in SHARED)


def test_a_shared_parameter_has_one_description():
    """A description begins as `SHARED` in tests/docstrings.py says; particulars follow."""
    found = list(shared_descriptions())
    assert len(found) > 100
    assert [one for one in found if beginning(*one[1:]) is None] == []
    assert beginning("Y", "The labels.") is None


def test_types_of_arguments_have_one_name():
    vague = ("data frame", "dataframe", "label sets", "RandomState instance")
    for name, public in PUBLIC.items():
        parts = sections(inspect.cleandoc(public.__doc__ or ""))
        for key, kind in described(parts.get("Parameters", "")).items():
            assert not any(word in kind for word in vague), (name, key, kind)
