"""Read, describe and generate multi-label data.

`Dataset` is the form that every reader and generator returns, and computes its own statistics. Each
reader and each generator has a file of its own; `load` finds the reader of a file by its ending, in
the list of formats in `_load`. `read_scores` and `read_labels` read matrices with names and ids.
Readers check every size before memory is used (`labelwise._io`).
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._io import DataError, DataWarning
    from labelwise._matrices import read_scores
    from labelwise.data._annif import is_annif, read_annif, read_suggestions, read_vocabulary
    from labelwise.data._arff import read_arff
    from labelwise.data._bags import Bags
    from labelwise.data._corpora import make_corpus
    from labelwise.data._dataset import Dataset
    from labelwise.data._digits import make_digit_bags
    from labelwise.data._load import input_files, load
    from labelwise.data._multilabel import Posterior as Posterior, make_multilabel
    from labelwise.data._read_labels import read_labels
    from labelwise.data._sentences import split_sentences
    from labelwise.data._svmlight import read_svmlight, write_svmlight
    from labelwise.data._table import read_table

__all__ = [
    "Bags",
    "DataError",
    "DataWarning",
    "Dataset",
    "input_files",
    "is_annif",
    "load",
    "make_corpus",
    "make_digit_bags",
    "make_multilabel",
    "read_annif",
    "read_arff",
    "read_labels",
    "read_scores",
    "read_suggestions",
    "read_svmlight",
    "read_table",
    "read_vocabulary",
    "split_sentences",
    "write_svmlight",
]

publish(__name__)
