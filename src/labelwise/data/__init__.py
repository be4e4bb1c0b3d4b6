"""Read, describe and generate multi-label data."""

from labelwise.data._dataset import Dataset
from labelwise.data._description import Description
from labelwise.data._files import DataError

__all__ = ["DataError", "Dataset", "Description"]
