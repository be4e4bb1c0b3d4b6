"""Multi-label classification, from the file to the report.

The way of the data is one sentence, and the folders are its words::

    data -> splitting -> features -> learners (scores) -> decisions -> measures
         -> experiments -> reports

Import what you need from the stage it belongs to, for instance
``from labelwise.data import load``.
"""

__version__ = "0.1.0"
