"""Names of measures: refuse an unknown one with a sentence that names the nearest known one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, TypeVar

V = TypeVar("V")
_AVERAGES = ("micro", "macro", "sample")
# Words of other packages for those of names here; "" is left out.
_SYNONYMS = {
    **dict.fromkeys(("f1", "fbeta", "fscore", "fmeasure", "f1score"), "f"),
    **dict.fromkeys(("samples", "example", "examples", "instance", "instances"), "sample"),
    **dict.fromkeys(("score", "measure", "index", "roc", "averaged"), ""),
    **dict.fromkeys(("mcc", "phi"), "matthews"),
    "iou": "jaccard",
    "acc": "accuracy",
    "auroc": "auc",
}


class NamedValues(dict[str, V]):
    """Values by the name of a measure; an unknown name is answered with the nearest known one."""

    def __missing__(self, name: str) -> V:
        raise UnknownNameError(_not_among(name, self, "name"))


class UnknownNameError(KeyError):
    """A KeyError that prints its sentence; KeyError itself prints the sentence in quotes."""

    def __str__(self) -> str:
        return str(self.args[0])


def check_known(name: Any, known: Collection[str], input_name: str = "measure") -> str:
    """Return a name that is among the known ones; refuse any other."""
    if name not in known:
        raise ValueError(_not_among(name, known, input_name))
    return str(name)


def _not_among(name: Any, known: Collection[str], input_name: str) -> str:
    listed = ", ".join(known) or "none"
    return f"{input_name} must be one of {listed}, got {name!r}{did_you_mean(name, known)}"


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return the end of an error message: ", did you mean 'micro-f'?" for a near miss, else ".".

    The names of other packages are near misses: "f1_micro", "samples-f1", "mcc". An average that
    is missing gives all averages.
    """
    from difflib import get_close_matches

    if not isinstance(name, str):
        return "."
    wanted, plain = _plain(name), {_plain(one): one for one in known}
    found = [one for key, one in plain.items() if key == wanted or key[1:] == wanted]
    if not found:
        joined = {"-".join(key): one for key, one in plain.items()}
        close = get_close_matches("-".join(wanted), joined, n=1, cutoff=0.75)
        found = [joined[key] for key in close]
    if not found:
        return "."
    last = f" or {found[-1]!r}" if len(found) > 1 else ""
    first = found[:-1] if len(found) > 1 else found
    return f", did you mean {', '.join(map(repr, first))}{last}?"


def _plain(name: str) -> tuple[str, ...]:
    """Return the words of a name, the average first, with the words of other packages replaced."""
    words = [_SYNONYMS.get(word, word) for word in re.split(r"[-_ ]+", name.lower())]
    words = [word for word in words if word]
    return (
        *(word for word in words if word in _AVERAGES),
        *(w for w in words if w not in _AVERAGES),
    )
