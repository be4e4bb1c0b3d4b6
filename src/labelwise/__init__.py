"""Multi-label classification, from the file to the report.

The way of the data is one sentence, and the folders are its words::

    data -> splitting -> features -> learners (scores) -> decisions -> measures
         -> experiments -> reports

Import what you need from the stage it belongs to, for instance
``from labelwise.data import load``. Fitted models of any stage are written to files by
``labelwise.save`` and read by ``labelwise.load``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelwise._saving import load, save

__version__ = "0.1.0"
__all__ = ["load", "save"]


def __getattr__(name: str) -> Any:
    # Both stand on heavy packages, which an import of labelwise alone does not load.
    if name in __all__:
        from labelwise import _saving

        return getattr(_saving, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
