"""Write small files from which a careless reader would build large arrays, or read for minutes."""

import gzip
import io
import struct
import zlib

import numpy as np
import pyarrow as pa
from pyarrow import parquet


def repeated_string_parquet(n_rows, length):
    """Return a table whose one text of `length` letters is stored once, for all rows."""
    texts = pa.array(["a" * length], pa.string())
    repeated = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_rows, dtype=np.int32)), texts)
    return _parquet({"y": pa.array(np.zeros(n_rows, dtype=np.int8)), "text": repeated})


def repeated_lists_parquet(n_rows, length):
    """Return a table of lists of label names, all of one text of `length` letters."""
    texts = pa.array(["a" * length], pa.string())
    repeated = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_rows, dtype=np.int32)), texts)
    lists = pa.ListArray.from_arrays(pa.array(np.arange(n_rows + 1, dtype=np.int32)), repeated)
    return _parquet({"x": pa.array(np.zeros(n_rows)), "y": lists})


def constant_parquet(n_rows, n_columns):
    """Return a table of zeros, which are stored as runs."""
    zeros = pa.array(np.zeros(n_rows))
    return _parquet({"y": zeros, **{f"x{j}": zeros for j in range(n_columns)}})


def _parquet(columns):
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, compression="zstd", store_schema=False)
    return file.getvalue()


def missing_values_arff(n_values, n_rows):
    """Return an ARFF file whose rows lack the value of an attribute of many values."""
    values = ",".join(f"v{number}" for number in range(n_values))
    head = f"@relation x\n@attribute y {{0,1}}\n@attribute a {{{values}}}\n@data\n"
    return (head + "0,?\n" * n_rows).encode()


def long_name_arff(length, n_values):
    """Return an ARFF file with an attribute of a long name and many values."""
    values = ",".join(f"v{number}" for number in range(n_values))
    head = f"@relation x\n@attribute y {{0,1}}\n@attribute {'a' * length} {{{values}}}\n@data\n"
    return (head + "0,v1\n" * (n_values + 1)).encode()


def escaped_values_arff(n_values, n_rows):
    """Return an ARFF file of escaped cells that name the last of many values."""
    values = ",".join(f"v{number}" for number in range(n_values))
    head = f"@relation x\n@attribute y {{0,1}}\n@attribute a {{{values}}}\n@data\n"
    return (head + f"0,'\\v{n_values - 1}'\n" * n_rows).encode()


def nominal_attributes_arff(n_attributes):
    """Return an ARFF file of one sparse row and many attributes of words."""
    attributes = "".join(f"@attribute a{j} {{u,v}}\n" for j in range(n_attributes))
    row = ",".join(f"{j} v" for j in range(n_attributes))
    return f"@relation x\n{attributes}@attribute y {{0,1}}\n@data\n{{{row}}}\n".encode()


def wide_coo_npz(n_rows, n_columns):
    """Return a sparse matrix of one entry and of any shape."""
    file = io.BytesIO()
    np.savez_compressed(
        file,
        row=np.array([0]),
        col=np.array([0]),
        data=np.array([1]),
        format=np.array(b"coo"),
        shape=np.array([n_rows, n_columns]),
        _is_array=True,
    )
    return file.getvalue()


def wide_svmlight_gz(n_columns):
    """Return an svmlight file as long as its last feature number, of blanks."""
    return gzip.compress(b"1 %d:1%s\n" % (n_columns - 1, b" " * n_columns))


def lying_gzip(n_bytes):
    """Return `n_bytes` zeros as gzip whose trailer claims no bytes at all."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(bytes(n_bytes)) + packer.flush()
    return packed[:-4] + struct.pack("<I", 0)


def long_namespace_xml(length, n_attributes):
    """Return a label XML in which every attribute stands in a namespace of a long name."""
    attributes = " ".join(f'p:a{j}=""' for j in range(n_attributes))
    return (f'<labels xmlns:p="{"u" * length}"><label name="y" {attributes}/></labels>').encode()
