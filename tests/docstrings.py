"""Faults of public docstrings: those that numpydoc finds, and rules that it does not check."""

import ast
import importlib
import inspect
import pkgutil
import re

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

import labelwise

LONGEST_SUMMARY = 75
# Errors of numpydoc that are not faults here.
LEFT_OUT = {
    "ES01": "a first line that says everything needs no further paragraph",
    "EX01": "the example of a class shows its methods and properties",
    "SA01": "not every name has a related one",
    "PR01": "objects that only functions create describe their fields as attributes; see below",
}
# How descriptions of parameters that many functions share begin. What is particular to a function
# follows. More than one sentence stands for a parameter only where its meaning differs.
SHARED = {
    "Y": [
        "True labels, 0 or 1.",
        "Labels of the samples, 0 or 1.",  # nothing is compared with them
        "Labels that were written down, 0 or 1.",  # 0 may be a positive
        "Labels of each sample; None if they are unknown.",  # Dataset
    ],
    "y": [
        "Labels of the samples, 0 or 1",
        "Labels of the bags, 0 or 1",
        "True labels, 0 or 1, or the true classes of a vector.",  # score
        "Labels, passed to the transformer of texts.",
        "Ignored; present for scikit-learn's convention.",
    ],
    "scores": [
        "Finite scores; higher scores mean likelier labels.",
        "Scores of the instances, bag after bag.",
    ],
    "proba": ["Probabilities from 0 to 1; absent entries of a sparse matrix are 0."],
    "decided": [
        "Decisions, 0 or 1.",
        "Decisions of a model that has no thresholds, 0 or 1:",
        "Decisions and true positives of the vertices",
        "1 where a label is accepted, 0 where it is rejected and -1 where a person decides",
    ],
    "label_names": [
        "Names of the labels, in the order of the columns; None takes those of a frame or of sets.",
        "Names of the labels.",  # of a result, which has them in any case
        'Names of the labels; "0", "1", ... if they have none.',
        "Names of the labels; None for their numbers.",
    ],
    "random_state": ["Seed of the random numbers; the same int gives the same result."],
    "sample_weight": ["Weight of each sample, finite and not negative."],
    "groups": [
        "Group of each sample; samples of a group stay together",
        "Group of each bag; bags of a group stay together.",
        "Ignored; present for scikit-learn's convention.",
        "Probability P(z | x) of each hidden group for each sample;",
        "Groups of methods without a significant difference.",
        "Column of identifiers of the data sets (`Dataset.ids`), such as that of patients:",
    ],
    "ids": [
        "Ids of the samples, by which they are matched: the name of a column that the arguments "
        "have beside the labels, or a dict of such names, or of array-likes of ids, by argument. "
        "None means the index of pandas frames, or the ids of a file that "
        "`labelwise.data.read_scores` or `read_labels` has read. False matches samples by position "
        "if only one argument has ids, which is refused otherwise, unless the other one is an "
        "array.",
        "Name of the column of ids, or several names of which the file has one.",
        "Columns that identify the samples; they are not in X",
        "Nominal attributes that are identifiers.",
        "Names of the samples.",
    ],
    "beta": ["Weight of recall in the F-measure: recall counts beta² as much as precision."],
    "maximize": ["The measure to maximise", "The measure, such as"],
    "slices": [
        "Slice of each sample",
        "Evaluation of each slice of the samples;",  # a result
        "Columns of groups of samples",  # the desk
    ],
    "undefined": [
        "How labels and samples without a value enter",
        "How labels without a value enter a mean:",  # macro
    ],
    "cv": [
        "An int is the number of folds of `MultilabelStratifiedKFold`, the same in every call.",
        "Folds of bags.",
        "The folds on which λ is chosen.",
        "Folds on which λ is chosen",
    ],
    "inverse_propensity": ["Weights of the labels from `inverse_propensities`"],
    "n_bootstrap": ["Number of bootstrap draws"],
    "values": [
        "Data sets by methods, in any form that `paired_values` accepts.",
        "At least two data sets by three methods, in any form that `paired_values` accepts.",
        "One of these:",  # paired_values itself
        "Values of each measure.",
        "The measure at each size",
    ],
    "params": ["Passed to the ``fit`` of the estimator."],
    "verbose": ["1 writes progress to the standard error stream"],
    "line_options": ["Options of matplotlib's ``plot`` for the line"],
    "n_jobs": ["Number of parallel jobs; results do not depend on it."],
    "max_bytes": [
        "Refuse a file if its unpacked content, or an array built from it, takes more bytes.",
        "Largest size of the content in memory.",  # of a model
        "Replaces the ``max_bytes`` of the file.",
    ],
    "ax": ["Axes to draw on; by default those of a new figure."],
}
# Published for model files only: users do not see these classes.
PARTS_OF_MODELS = {"Forests", "Sigmoid"}
PAPERS = re.compile(r"\b(?:[a-z]+(?:19|20)\d\d)\b")


def public_objects():
    """Every public function, class, and method or property of a public class, by full name."""
    stages = [module.name for module in pkgutil.iter_modules(labelwise.__path__) if module.ispkg]
    modules = [importlib.import_module(f"labelwise.{s}") for s in stages if s[0] != "_"]
    found = {}
    for module in [labelwise, *modules]:
        if module.__name__ == "labelwise.cli":
            continue
        # Beside the listed names, a stage publishes the classes of its results.
        for name in (one for one in dir(module) if not one.startswith("_")):
            public = getattr(module, name)
            if not callable(public) or name in PARTS_OF_MODELS:
                continue
            full = f"{module.__name__}.{name}"
            found[full] = public
            if inspect.isclass(public):
                found |= {f"{full}.{key}": own for key, own in own_methods(public)}
    return found


def own_methods(kind):
    """The public methods and properties of a class and of its bases in labelwise."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("labelwise.")]
    for key, value in {k: v for base in reversed(bases) for k, v in vars(base).items()}.items():
        if key.startswith("_"):
            continue
        if isinstance(value, classmethod | staticmethod):
            yield key, value.__func__
        elif inspect.isfunction(value) or isinstance(value, property):
            yield key, value


def sections(text):
    """The text of each section of a docstring by its heading."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def described(section):
    """The type of each parameter or attribute by its name: "a, b : int" describes both."""
    types = {}
    for line in section.splitlines():
        names, _, kind = line.partition(" : ")
        if line and not line.startswith(" "):
            types |= {name.strip().lstrip("*"): kind for name in names.split(",")}
    return types


def descriptions(section):
    """The text below each parameter by its name, as one line."""
    texts, names = {}, []
    for line in section.splitlines():
        if line and not line.startswith(" "):
            names = [name.strip().lstrip("*") for name in line.partition(" : ")[0].split(",")]
        else:
            texts |= {name: f"{texts.get(name, '')} {line.strip()}".strip() for name in names}
    return texts


def beginning(name, text):
    """How the description of a shared parameter begins; None if it begins in another way."""
    return next((known for known in SHARED[name] if text.startswith(known)), None)


def faults(public):
    """What numpydoc or the style of this project would not accept in a docstring."""
    errors = validate(get_doc_object(public))["errors"]
    found = [f"{code}: {message}" for code, message in errors if code not in LEFT_OUT]
    text = inspect.cleandoc(public.__doc__ or "")
    if not text:
        return found
    summary = text.splitlines()[0]
    if len(summary) > LONGEST_SUMMARY:
        found.append(f"has {len(summary)} characters in its first line")
    parts = sections(text)
    if not isinstance(public, property):
        found += parameter_faults(parts, public)
    if PAPERS.search(text) and "References" not in parts:
        found.append("cites a paper by its key without a section References")
    return found


def parameter_faults(parts, public):
    try:
        parameters = list(inspect.signature(public).parameters.values())
    except ValueError:
        return
    types = described(parts.get("Parameters", ""))
    attributes = described(parts.get("Attributes", ""))
    for one in parameters:
        if one.name in ("self", "cls") or one.name.startswith("_"):
            continue
        if one.name not in types | attributes:
            yield f"does not describe {one.name}"
        elif one.default is not one.empty and not re.search(
            "default|optional", types.get(one.name, "default")
        ):
            yield f"does not give the default of {one.name}"
        elif gives_another_default(types.get(one.name, ""), one.default):
            yield f"gives another default of {one.name} than {one.default!r}"


def gives_another_default(text, default):
    """Whether a literal after ``default=`` is not the default of the signature."""
    written = re.search(r"default=(.+)$", text)
    # A dataclass shows what makes its default as a factory.
    if written is None or default is inspect.Parameter.empty or repr(default) == "<factory>":
        return False
    try:
        return ast.literal_eval(written[1]) != default
    except (SyntaxError, ValueError):
        return False
