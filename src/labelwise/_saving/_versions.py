"""Versions of format, labelwise and scikit-learn in a model file, and their check."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from labelwise import __version__
from labelwise._io import DataError

ABOUT = "labelwise.json"
FORMAT = "labelwise model"
VERSION = 2


def versions_here() -> dict[str, Any]:
    """Return the format and the versions that `save` writes into a file."""
    import sklearn

    return {
        "format": FORMAT,
        "version": VERSION,
        "labelwise": __version__,
        "scikit-learn": sklearn.__version__,
    }


def check_versions(path: Path, about: Any) -> None:
    """Refuse files that `save` did not write, and files of other versions of the format."""
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DataError(path, f"contains no {FORMAT}.")
    version = about.get("version")
    if type(version) is not int or version < 1:
        raise DataError(path, f"has version {version!r:.50}, but must have a whole number.")
    if version < VERSION:
        raise DataError(path, f"has version {version}, which named private modules: save it again.")
    here = versions_here()
    if version > VERSION:
        raise DataError(
            path,
            f"has version {version}, but labelwise {__version__} knows none above {VERSION}: "
            f"load it with labelwise {str(about.get('labelwise'))[:20]}.",
        )
    for name in ("labelwise", "scikit-learn"):
        written = str(about.get(name))[:20]
        # Releases that differ in the third number have the same attributes of models.
        if _release(path, name, written) > _release(path, name, here[name]):
            raise DataError(
                path, f"was written with {name} {written}, which is newer than {here[name]} here."
            )


def _release(path: Path, name: str, version: str) -> tuple[int, ...]:
    found = re.match(r"(\d{1,9})\.(\d{1,9})", version)
    if found is None:
        raise DataError(path, f"has {version!r} as its version of {name}.")
    return tuple(map(int, found.groups()))
