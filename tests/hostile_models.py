"""Load model files and predict with them, in a process that may be lost.

``python -m tests.hostile_models FOLDER`` reads all `NAME.skops` in a folder, whose samples are in
`samples.npy`. It writes a line for each when it starts, and one for each that broke a promise.
"""

import faulthandler
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

import labelwise
from labelwise.data import DataError

METHODS = ("predict", "predict_proba", "decision_function", "transform", "decision_path")
# Seconds for one file. Compiling a kernel takes some of them.
LONGEST = 60


def problems_of(folder):
    """What went wrong with the files of a folder in a process of its own."""
    found = subprocess.run(
        [sys.executable, "-m", "tests.hostile_models", str(folder)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    lines = found.stdout.splitlines()
    problems = [line for line in lines if line.startswith("broken")]
    if found.returncode or lines[-1:] != ["done"]:
        problems.append(f"lost at {lines[-1:]}: {found.stderr[-2000:]}")
    return problems


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
            # Models that are wrong in other ways may fail, but never in a kernel.
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                if isinstance(error, IndexError) and last.filename.endswith("_kernels.py"):
                    return f"{method} left an array in {last.name}"
    return None


def tell(*words):
    """Write a line at once: the next moment may be the last."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def main(folder):
    """Try every file of a folder."""
    warnings.simplefilter("ignore")
    X = np.load(folder / "samples.npy")
    for path in sorted(folder.glob("*.skops")):
        tell("trying", path.name)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        problem = try_model(path, X)
        if problem:
            tell("broken", path.name, problem)
    faulthandler.cancel_dump_traceback_later()
    tell("done")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
