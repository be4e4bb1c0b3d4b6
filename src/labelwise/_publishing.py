"""Give public classes and functions the name of their stage as ``__module__``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def publish(stage: str, names: Sequence[str], namespace: Mapping[str, Any]) -> None:
    """Set ``__module__`` of the classes and functions of a stage to the stage itself.

    Model files, store keys, tracebacks and the documentation then name ``labelwise.decisions``
    instead of a private module, and modules can be moved without breaking any of them.

    Parameters
    ----------
    stage : str
        Full name of the package, such as "labelwise.decisions".
    names : sequence of str
        Names of the classes and functions.
    namespace : mapping
        The globals of the package.
    """
    for name in names:
        if hasattr(namespace[name], "__module__"):
            namespace[name].__module__ = stage
