"""Faults of public docstrings: those that numpydoc finds, and rules that it does not check."""

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
PAPERS = re.compile(r"\b(?:[a-z]+(?:19|20)\d\d)\b")


def public_objects():
    """Every public function, class, and method or property of a public class, by full name."""
    stages = [module.name for module in pkgutil.iter_modules(labelwise.__path__) if module.ispkg]
    modules = [importlib.import_module(f"labelwise.{s}") for s in stages if s[0] != "_"]
    found = {}
    for module in [labelwise, *modules]:
        if module.__name__ == "labelwise.cli":
            continue
        for name in module.__all__:
            public = getattr(module, name)
            if not callable(public):
                continue
            full = f"{module.__name__}.{name}"
            found[full] = public
            if inspect.isclass(public):
                found |= {f"{full}.{key}": own for key, own in own_methods(public)}
    return found


def own_methods(kind):
    """The public methods and properties that a class defines with a docstring or without."""
    for key, value in vars(kind).items():
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
