"""Read, describe and generate multi-label data."""

from labelwise.data._arff import read_arff
from labelwise.data._corpus import make_corpus
from labelwise.data._dataset import Dataset
from labelwise.data._description import Description
from labelwise.data._digits import make_digit_bags
from labelwise.data._files import DataError
from labelwise.data._multilabel import Posterior, make_multilabel
from labelwise.data._svmlight import read_svmlight

__all__ = [
    "DataError",
    "Dataset",
    "Description",
    "Posterior",
    "make_corpus",
    "make_digit_bags",
    "make_multilabel",
    "read_arff",
    "read_svmlight",
]
