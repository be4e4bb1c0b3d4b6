"""The part of numpydoc's rules that public docstrings must follow, as a list of faults."""

import importlib
import inspect
import pkgutil
import re

import labelwise

LONGEST_SUMMARY = 75
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
    text = inspect.cleandoc(public.__doc__ or "")
    if not text:
        return ["has no docstring"]
    parts = sections(text)
    found = [*summary_faults(text.splitlines()[0], public)]
    if not isinstance(public, property):
        found += parameter_faults(parts, public)
    if gives_value(public) and not {"Returns", "Yields"} & parts.keys():
        found.append("has no section Returns")
    if PAPERS.search(text) and "References" not in parts:
        found.append("cites a paper by its key without a section References")
    return found


def summary_faults(summary, public):
    if len(summary) > LONGEST_SUMMARY:
        yield f"has {len(summary)} characters in its first line"
    if not summary.endswith("."):
        yield "has no period at the end of its first line"
    first = summary.split()[0]
    if inspect.isfunction(public) and first.endswith("s") and not first.endswith("ss"):
        yield f"begins with {first!r}, not with an imperative"


def parameter_faults(parts, public):
    try:
        parameters = list(inspect.signature(public).parameters.values())
    except ValueError:
        return
    # Fields of a named tuple are its attributes.
    types = described(parts.get("Parameters", "")) | described(parts.get("Attributes", ""))
    for one in parameters:
        if one.name in ("self", "cls"):
            continue
        if one.name not in types:
            yield f"does not describe {one.name}"
        elif one.default is not one.empty and not re.search("default|optional", types[one.name]):
            yield f"does not give the default of {one.name}"


def gives_value(public):
    """Whether a function returns something, by its annotation."""
    if not inspect.isfunction(public):
        return False
    annotation = inspect.signature(public).return_annotation
    return annotation not in ("None", None, "Never", "NoReturn")
