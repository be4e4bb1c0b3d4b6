"""Multi-label classification: read, split, select, learn, decide, measure, compare, report.

There is one package for each stage, and data pass through them in this order::

    data -> splitting -> features -> learners (scores) -> decisions -> measures
         -> experiments -> reports

Import names from their stage, for instance ``from labelwise.data import load``.
Functions that read scores or labels also take paths of files larger than memory, and dask arrays.
``labelwise.save`` writes fitted models to files, and ``labelwise.load`` reads them.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._saving import load, save

__version__ = "0.2.0"
__all__ = ["load", "save"]

publish(
    __name__,
    packages=[
        *("data", "splitting", "features", "learners"),
        *("decisions", "measures", "deployment", "experiments", "reports", "hugging_face"),
    ],
)
