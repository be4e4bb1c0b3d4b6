"""Read, describe and generate multi-label data."""

from labelwise.data._arff import read_arff
from labelwise.data._bags import Bags
from labelwise.data._corpus import make_corpus
from labelwise.data._dataset import Dataset
from labelwise.data._description import Description
from labelwise.data._digits import make_digit_bags
from labelwise.data._files import DataError
from labelwise.data._load import load
from labelwise.data._multilabel import Posterior, make_multilabel
from labelwise.data._reuters import read_reuters
from labelwise.data._svmlight import read_svmlight
from labelwise.data._svmlight_writing import write_svmlight
from labelwise.data._table import read_table
from labelwise.data._terms import count_terms, tf_idf

__all__ = [
    "Bags",
    "DataError",
    "Dataset",
    "Description",
    "Posterior",
    "count_terms",
    "load",
    "make_corpus",
    "make_digit_bags",
    "make_multilabel",
    "read_arff",
    "read_reuters",
    "read_svmlight",
    "read_table",
    "tf_idf",
    "write_svmlight",
]
