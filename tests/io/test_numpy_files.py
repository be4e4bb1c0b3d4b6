"""npy and npz files: what numpy and scipy write is read back, and false headers are refused."""

import io
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labelwise._io import check_npy, npy_array, npz_arrays, sparse_matrix
from labelwise.data import DataError

PATH = Path("file")


def written(save, *arguments, **named):
    stream = io.BytesIO()
    save(stream, *arguments, **named)
    return stream.getvalue()


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.eye(3)), np.array(["a", "bc"])],
    ids=["rows", "columns", "texts"],
)
def test_an_array_is_read_as_numpy_wrote_it(array):
    content = written(np.save, array)
    check_npy(PATH, content)
    np.testing.assert_array_equal(npy_array(PATH, content), array)


def test_a_header_that_claims_other_sizes_than_the_bytes_is_refused():
    content = written(np.save, np.zeros((4, 3)))
    for damaged in (content[:-8], content + bytes(8)):
        with pytest.raises(DataError, match="claims an array"):
            check_npy(PATH, damaged)
        with pytest.raises(DataError, match="is not an array in npy format"):
            npy_array(PATH, damaged)


def test_python_objects_are_not_read():
    content = written(np.save, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError):
        npy_array(PATH, content)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_a_sparse_matrix_is_read_as_scipy_wrote_it(kind):
    matrix = sparse.random_array((5, 4), density=0.4, rng=0)
    content = written(sparse.save_npz, matrix.asformat(kind))
    found = sparse_matrix(PATH, npz_arrays(PATH, content, 10_000))
    np.testing.assert_array_equal(found.toarray(), matrix.toarray())


def test_unpacked_arrays_are_bounded():
    content = written(np.savez_compressed, a=np.zeros(1000))
    with pytest.raises(DataError, match="more than max_bytes=100 bytes"):
        npz_arrays(PATH, content, 100)
