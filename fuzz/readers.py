"""Feed hostile bytes to the ARFF and XML readers: nothing but DataError may come out.

Run by ``make fuzz`` with NUMBA_DISABLE_JIT=1, so that the fuzzer sees the branches of the kernels.
The arguments are libFuzzer's.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["labelwise"]):
    from labelwise.data import (
        DataError,
        _arff_kernels,  # noqa: F401  (loaded here to be instrumented)
        read_arff,
    )
    from labelwise.data._label_xml import read_label_names

SEEDS = [
    b"@relation 'x: -C 1'\n@attribute y {0,1}\n@attribute 'a b' numeric\n@data\n1,-2.5e3\n0,?\n",
    b"@relation x -C -1\n@attribute a real\n@attribute s string\n@attribute c {u,'v w',\"x\"}\n"
    b"@attribute y {no,yes}\n@data\n{0 1.5, 1 'q\\'r', 3 yes}\n{2 'v w'}\n{}\n",
    b"@relation x\n@attribute id {k1,k2}\n@attribute bag relational\n @attribute f numeric\n"
    b"@end bag\n@attribute y {0,1}\n% c\n@data\nk1,'1\\n2\\n3',0\nk2,\"4\",1\n",
    b'<?xml version="1.0"?><labels xmlns="m"><label name="a"><label name="b"/></label></labels>',
    b'<!DOCTYPE l [<!ENTITY a "b">]><labels><label name="&a;"/></labels>',
]
WORDS = ["@attribute ", " {0,1}", " numeric", " string", " relational", "@end", "@data", "%"]


def main() -> None:
    """Fuzz from the seeds until libFuzzer's arguments say stop."""
    with tempfile.TemporaryDirectory() as room:
        corpus, hostile = Path(room) / "corpus", Path(room) / "hostile.arff"
        corpus.mkdir()
        for number, seed in enumerate(SEEDS):
            (corpus / f"seed{number}").write_bytes(seed)
        words = Path(room) / "words"
        words.write_text("".join(f'"{word}"\n' for word in WORDS))

        def read(content: bytes) -> None:
            hostile.write_bytes(content)
            for reading in (read_label_names, lambda path: read_arff(path, labels=-1), read_arff):
                try:
                    reading(hostile)
                except DataError as refusal:
                    if "\n" in str(refusal):
                        raise RuntimeError("A refusal must be one line.") from refusal

        own = [f"-artifact_prefix={room}/", f"-dict={words}", "-len_control=0", str(corpus)]
        atheris.Setup([*sys.argv, *own], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
