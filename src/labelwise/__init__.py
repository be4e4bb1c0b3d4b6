"""Multi-label classification: read, split, select, learn, decide, measure, compare, report.

There is one package for each stage, and data pass through them in this order::

    data -> splitting -> features -> learners (scores) -> decisions -> measures
         -> experiments -> reports

Import names from their stage, for instance ``from labelwise.data import load``.
Functions that read scores or labels also take paths of files larger than memory, and dask arrays.
``labelwise.save`` writes fitted models to files, and ``labelwise.load`` reads them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelwise._saving import load, save

__version__ = "0.2.0"
__all__ = ["load", "save"]
_PACKAGES = (
    *("data", "splitting", "features", "learners"),
    *("decisions", "measures", "experiments", "reports"),
)


def __getattr__(name: str) -> Any:
    # Packages, `load` and `save` import large packages, which `import labelwise` should not load.
    if name in _PACKAGES:
        return import_module(f"labelwise.{name}")
    if name in __all__:
        return getattr(import_module("labelwise._saving"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_PACKAGES, *(name for name in globals() if name.startswith("__"))})
