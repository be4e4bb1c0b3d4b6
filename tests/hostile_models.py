"""Load model files and predict with them, each in a process that may be lost.

``python -m tests.hostile_models FOLDER`` tries all `NAME.skops` in a folder. The samples are in
`samples_KIND.npy`, where KIND is the part of NAME before the first "-". Every file gets a process
with limits of memory and of time, and a line for each that broke a promise is written.
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
# Limits of one file. Compiling a kernel takes some of the seconds.
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


def tried_apart(path, X):
    """Return what is wrong with the answer to a file, given by a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            # The processor's time, since others may use the processor too; then any time.
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            signal.alarm(10 * MOST_SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            os.write(writing, (try_model(path, X) or "none").encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        problem = answer.read().decode()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return f"lost by {signal.Signals(os.WTERMSIG(status)).name}"
    return None if problem == "none" else problem or "lost without a word"


def main(folder):
    """Try every file of a folder."""
    warnings.simplefilter("ignore")
    # What a model may need is imported before the forks.
    labelwise.save(LINEAR, folder / "warm")
    labelwise.load(folder / "warm")
    samples = {path.stem: np.load(path) for path in folder.glob("samples_*.npy")}
    for path in sorted(folder.glob("*.skops")):
        problem = tried_apart(path, samples[f"samples_{path.name.partition('-')[0]}"])
        if problem:
            sys.stdout.write(f"{path.name}: {problem}\n")
            sys.stdout.flush()
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
