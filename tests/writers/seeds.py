"""A small whole file of every format that is read, as seeds of damaged ones."""

import gzip
import io

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from scipy import sparse

from tests.writers.reuters import sgm_bytes


def _saved(save, *parts, **named):
    file = io.BytesIO()
    save(file, *parts, **named)
    return file.getvalue()


def _parquet(columns, **options):
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, **options)
    return file.getvalue()


_ARFF = [
    b"@relation 'x: -C 1'\n@attribute y {0,1}\n@attribute 'a b' numeric\n@data\n1,-2.5e3\n0,?\n",
    b"@relation x -C -1\n@attribute a real\n@attribute s string\n@attribute c {u,'v w',\"x\"}\n"
    b"@attribute y {no,yes}\n@data\n{0 1.5, 1 'q\\'r', 3 yes}\n{2 'v w'}\n{}\n",
    b"@relation x\n@attribute id {k1,k2}\n@attribute bag relational\n @attribute f numeric\n"
    b"@end bag\n@attribute y {0,1}\n% c\n@data\nk1,'1\\n2\\n3',0\nk2,\"4\",1\n",
]
_XML = [
    b'<?xml version="1.0"?><labels xmlns="m"><label name="a"><label name="b"/></label></labels>',
    b'<labels><!-- c --><label name="&lt;a"/><l:label xmlns:l="m" name="b"/></labels>',
]
_SVMLIGHT = [
    b"0,2 1:0.5 3:1.5\n 2:1  # no label\nsea,sky qid:3 1:-1e3\n",
    b"2 4 3\n0,2 0:0.5 3:1.5\n1 2:1\n",
]
_CSV = [
    b"size,colour,id,y\n1.5,red,a,1\n2,blue,b,0\n,red,c,1\n4,green,d,0\n",
    b'y;x\n"a;b";1\n"";2\n"say ""a""\n";3\n',
    "y\tgr\u00f6\u00dfe\n0\t1e5\n1\t-2\n".encode("latin-1"),
]
_TABLE = {
    "x": [1.5, None, 2.0],
    "n": [1, 2, 3],
    "word": ["u", "v", "u"],
    "y": [True, False, True],
}
_PARQUET = [
    _parquet(_TABLE),
    _parquet({**_TABLE, "y": [["a", "b"], [], ["a"]]}, compression="gzip", use_dictionary=False),
]
_JSON_LINES = [
    b'{"id": 7, "x": 1.5, "n": 1, "word": "u", "y": true}\n'
    b'{"id": 8, "x": null, "n": 2, "word": "v\\u00e9", "y": false}\n',
    b'{"id": "a", "n": [1, "b"], "y": ["sea", "sky"]}\n\n{"id": "b", "y": [], "z": {"a": [[1]]}}\n',
    b'{"y": "sea;sky", "n": "u"}\r\n{"y": 1e400, "n": [["v"], []]}',
]
_NPY = [
    _saved(np.save, np.array([[0, 1], [1, 0]], dtype=np.int8)),
    _saved(np.save, np.array([[0.5, 1.0], [1.0, 0.0]], order="F")),
]
_NPZ = [
    _saved(np.savez_compressed, scores=np.eye(2), label_names=np.array(["a", "b"])),
    *(
        _saved(sparse.save_npz, sparse.coo_array(np.eye(3)).asformat(form), compressed=False)
        for form in ("csr", "csc", "coo")
    ),
]
_SGM = [
    sgm_bytes(
        [
            {"newid": 1, "part": "TRAIN", "topics": ["oil"], "title": "Ships", "body": "A & b"},
            {"newid": 2, "part": "TEST", "topics": ["oil", "gas"], "unmarked": "sailing boats"},
        ]
    )
]

# The ending of a file, and files that may bear it.
SEEDS = {
    ".arff": [*_ARFF, gzip.compress(_ARFF[0], mtime=0)],
    ".xml": _XML,
    ".svm": [*_SVMLIGHT, gzip.compress(_SVMLIGHT[0], mtime=0)],
    ".csv": [*_CSV, gzip.compress(_CSV[0], mtime=0)],
    ".jsonl": [*_JSON_LINES, gzip.compress(_JSON_LINES[0], mtime=0)],
    ".parquet": _PARQUET,
    ".npy": _NPY,
    ".npz": _NPZ,
    ".sgm": _SGM,
}
