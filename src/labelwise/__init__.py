"""Multi-label classification: read, split, select, learn, decide, measure, compare, report.

There is one package for each stage, and data pass through them in this order::

    data -> splitting -> features -> learners (scores) -> decisions -> measures
         -> experiments -> reports

Import names from their stage, for instance ``from labelwise.data import load``. ``labelwise.save``
writes fitted models to files, and ``labelwise.load`` reads them.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelwise._saving import load, save

__version__ = "0.1.0"
__all__ = ["load", "save"]


def __getattr__(name: str) -> Any:
    # Both import large packages, which `import labelwise` alone should not load.
    if name in __all__:
        from labelwise import _saving

        return getattr(_saving, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
