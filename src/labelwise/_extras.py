"""Packages that only some functions need, and the extra that installs each of them."""

from __future__ import annotations

import sys
from importlib.util import find_spec

# As in pyproject.toml, which a test compares.
EXTRA_OF = {
    "defusedxml": "files",
    "pyarrow": "files",
    "snowballstemmer": "files",
    "rich": "cli",
    "typer": "cli",
    "jinja2": "reports",
    "matplotlib": "reports",
    "skops": "save",
    "dask": "cluster",
    "distributed": "cluster",
    "zarr": "cluster",
}


class MissingPackageError(ModuleNotFoundError):
    """A package that a function needs is not installed."""


def require(package: str, purpose: str) -> None:
    """Refuse to go on without a package of an extra, and say how it is installed.

    `purpose` is what needs the package, as the subject of a sentence.
    """
    if sys.modules.get(package) is None and find_spec(package) is None:
        extra = EXTRA_OF[package]
        raise MissingPackageError(
            f"{purpose} needs {package}, which is not installed: "
            f"python3 -m pip install 'labelwise[{extra}]'.",
            name=package,
        )
