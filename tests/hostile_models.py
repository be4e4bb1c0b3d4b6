"""Load model files and predict with them, each in a process that may be lost.

``python -m tests.hostile_models FOLDER`` tries all `NAME.skops` in a folder. The samples are in
`samples_KIND.npy`, where KIND is the part of NAME before the first "-". Some files together get a
process with limits of memory and of time, and each file one of its own if that process is lost. A
line for each file that broke a promise is written.
"""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

import labelwise
from labelwise.data import DataError
from tests.model_register import LINEAR

METHODS = ("predict", "predict_proba", "decision_function", "transform", "decision_path")
# Files that a process tries: what they import late is imported once.
TOGETHER = 40
# Limits of a process. Compiling a kernel takes some of the seconds.
MOST_SECONDS = 60
MOST_BYTES = 4 * 2**30


def problems_of(folder):
    """Return a line for each file of a folder that broke a promise, tried by another process."""
    found = subprocess.run(
        [sys.executable, "-m", "tests.hostile_models", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    lines = found.stdout.splitlines()
    if found.returncode or lines[-1:] != ["done"]:
        return [f"no end: {lines[-1:]} {found.stderr[-2000:]}"]
    return lines[:-1]


def try_model(path, X):
    """Return what is wrong with the answer to a file, or None if it is refused or predicts."""
    try:
        model = labelwise.load(path)
    except DataError as refusal:
        told = str(refusal)
        is_sentence = told.startswith(f"{path}: ") and told.endswith(".") and "\n" not in told
        return None if is_sentence else f"refused without a sentence: {told!r}"
    except Exception as error:
        return f"refused by {error!r}"
    for method in METHODS:
        for rows in [X] if X.dtype.kind == "U" else (X, sparse.csr_array(X)):
            try:
                getattr(model, method)(rows)
            except MemoryError:
                return f"{method} took more than {MOST_BYTES} bytes"
            # Models that are wrong in other ways may fail, but never in a kernel.
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                if isinstance(error, IndexError) and last.filename.endswith("_kernels.py"):
                    return f"{method} left an array in {last.name}"
    return None


def problems_apart(paths, samples):
    """Return a line for each file that broke a promise, tried together by a process of their own.

    If it is lost or one of several files breaks a promise, each is tried in a process of its own.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            # The processor's time, since others may use the processor too; then any time.
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            signal.alarm(10 * MOST_SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            for path in paths:
                problem = try_model(path, samples[f"samples_{path.name.partition('-')[0]}"])
                if problem:
                    os.write(writing, f"{path.name}: {problem}\n".encode())
            os.write(writing, b"done\n")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        lines = answer.read().decode().splitlines()
    status = os.waitpid(child, 0)[1]
    if len(paths) > 1 and lines != ["done"]:
        return [line for path in paths for line in problems_apart([path], samples)]
    if lines[-1:] == ["done"]:
        return lines[:-1]
    is_killed = os.WIFSIGNALED(status)
    by = f"by {signal.Signals(os.WTERMSIG(status)).name}" if is_killed else "without a word"
    return [f"{paths[0].name}: lost {by}"]


def main(folder):
    """Try every file of a folder."""
    warnings.simplefilter("ignore")
    # What a model may need is imported before the forks.
    labelwise.save(LINEAR, folder / "warm")
    labelwise.load(folder / "warm")
    samples = {path.stem: np.load(path) for path in folder.glob("samples_*.npy")}
    paths = sorted(folder.glob("*.skops"))
    for first in range(0, len(paths), TOGETHER):
        for line in problems_apart(paths[first : first + TOGETHER], samples):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
