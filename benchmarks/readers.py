"""Reading: ours beside liac-arff on sparse sets and beside pandas.read_csv on dense ones."""

import gzip
import os
import tempfile
import time
from pathlib import Path

import arff
import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks.speedups import record
from benchmarks.timing import fastest, most_memory
from labelwise.data import read_arff

SPARSE = ("delicious/delicious-train", "bibtex/bibtex-train", "tmc2007-500/tmc2007-500-train")
DENSE = ("scene/scene-train", "yeast/yeast-train")
DEFAULT_HOME = Path(__file__).parents[2] / "shared" / "datasets"


def main() -> None:
    """Print the times, their ratio and the memory."""
    home = Path(os.environ.get("LABELWISE_DATA", DEFAULT_HOME))
    if not home.is_dir():
        print(f"readers: no benchmark sets in {home}; set LABELWISE_DATA to their folder.")
        return
    table = Table(title="Reading a file (seconds, fastest of several runs)")
    for heading in ("file", "peer", "peer s", "ours s", "peer / ours", "memory / arrays"):
        table.add_column(heading, justify="left" if heading in ("file", "peer") else "right")
    with tempfile.TemporaryDirectory() as room:
        cold = None
        for name in (*SPARSE, *DENSE):
            path, xml = unpacked(home / f"{name}.arff.gz", Path(room))
            start = time.perf_counter()
            data = read_arff(path, labels=xml)
            cold = time.perf_counter() - start if cold is None else cold
            peer, peer_seconds = beside(name, path)
            ours = fastest(lambda path=path, xml=xml: read_arff(path, labels=xml), 7)
            record(f"read {path.name} / {peer}", ours, peer_seconds)
            memory = most_memory(lambda path=path, xml=xml: read_arff(path, labels=xml))
            share = (memory - path.stat().st_size) / size_of(data)
            table.add_row(
                path.name,
                peer,
                f"{peer_seconds:.3f}",
                f"{ours:.4f}",
                f"{peer_seconds / ours:.1f}",
                f"{share:.2f} + file",
            )
    Console(width=110).print(table)
    print(f"The first file of the process took {cold:.2f} s, loading compiled code included.")


def unpacked(packed: Path, room: Path) -> tuple[Path, Path]:
    """Write the file unpacked, so that nobody's time is gzip's; return it and its label XML."""
    path = room / packed.name.removesuffix(".gz")
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path, next(packed.parent.glob("*.xml"))


def beside(name: str, path: Path) -> tuple[str, float]:
    """Return the peer's name and its seconds on the same rows."""
    if name in SPARSE:
        return "liac-arff", fastest(lambda: read_with_liac(path), 3)
    rows = path.read_bytes().partition(b"@data")[2].lstrip()
    csv = path.with_suffix(".csv")
    csv.write_bytes(rows)
    return "pandas.read_csv", fastest(lambda: pd.read_csv(csv, header=None), 7)


def read_with_liac(path: Path) -> sparse.csr_array:
    """Return the whole file as one sparse matrix; labels are not separated from features."""
    with path.open() as file:
        table = arff.load(file, return_type=arff.COO)
    values, rows, columns = table["data"]
    numbers = np.array(values, dtype=float)
    return sparse.coo_array((numbers, (rows, columns))).tocsr()


def size_of(data) -> int:
    """Return the bytes of X and Y."""
    return sum(
        array.data.nbytes + array.indices.nbytes + array.indptr.nbytes
        if sparse.issparse(array)
        else array.nbytes
        for array in (data.X, data.Y)
    )


if __name__ == "__main__":
    main()
