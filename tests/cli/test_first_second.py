"""What commands import and compile: counted, because seconds depend on the machine."""

import os
import subprocess
import sys

import numpy as np
import pytest

# Runs a command and then prints, on stderr, the number of compiled kernels, that of compiled
# functions of text, which only error messages of NumPy functions need, and the heavy modules.
PROGRAM = """
import os
import sys
from labelwise.cli import main
texts = []
if os.environ["USES_NUMBA"] == "yes":
    from numba.core import event
    class Texts(event.Listener):
        def on_start(self, started):
            if started.data["dispatcher"].py_func.__module__ == "numba.cpython.unicode":
                texts.append(started)
        def on_end(self, ended):
            pass
    event.register("numba:compile", Texts())
try:
    main()
except SystemExit as end:
    if end.code:
        raise
heavy = "sklearn pandas matplotlib numba skops torch scipy.stats joblib".split()
dispatchers = {
    id(kernel): kernel
    for name, module in list(sys.modules.items())
    if name.startswith("labelwise.") and name.endswith("_kernels")
    for value in vars(module).values()
    for kernel in (value, getattr(value, "__wrapped__", None))
    if hasattr(kernel, "stats")
}
n_compiled = sum(sum(one.stats.cache_misses.values()) for one in dispatchers.values())
print(n_compiled, len(texts), *(name for name in heavy if name in sys.modules), file=sys.stderr)
"""
ROWS = 40


@pytest.fixture
def folder(tmp_path):
    """A folder with a data set, scores, labels and an empty cache of compiled kernels."""
    path = tmp_path
    random = np.random.default_rng(0)
    Y = (random.random((ROWS, 3)) < 0.4).astype(int)
    X = np.round(random.normal(size=(ROWS, 2)), 3)
    scores = np.round(Y + random.normal(size=Y.shape), 3)
    for name, values in (("y", Y), ("s", scores)):
        lines = [f"r{i}," + ",".join(map(str, row)) for i, row in enumerate(values.tolist())]
        (path / f"{name}.csv").write_text("\n".join(["id,sea,sky,sun", *lines]) + "\n")
    rows = [",".join(map(str, [*x, *y])) for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    (path / "d.csv").write_text("\n".join(["u,v,sea,sky,sun", *rows]) + "\n")
    columns = "@attribute u numeric\n@attribute v numeric\n"
    columns += "".join(f"@attribute {label} {{0,1}}\n" for label in ("sea", "sky", "sun"))
    (path / "d.arff").write_text(f"@relation d\n{columns}@data\n" + "\n".join(rows) + "\n")
    # `predict` must not import torch where it is installed.
    (path / "modules" / "torch").mkdir(parents=True)
    (path / "modules" / "torch" / "__init__.py").touch()
    return path


def counted(folder, command, *, uses_numba):
    """Return how many kernels and functions of text a command compiled, and its heavy modules."""
    environment = dict(os.environ, NUMBA_CACHE_DIR=str(folder / "cache"))
    environment["USES_NUMBA"] = "yes" if uses_numba else "no"
    searched = [str(folder / "modules"), os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, searched))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    n_compiled, n_texts, *heavy = done.stderr.splitlines()[-1].split()
    return int(n_compiled), int(n_texts), set(heavy)


LABELS = ("--labels", "sea,sky,sun")
# What scikit-learn and skops import themselves.
WITH_MODELS = {"joblib", "numba", "pandas", "scipy.stats", "sklearn", "skops"}


# In this order: a command uses the files and the compiled kernels of those before it.
COMMANDS = [
    (("learners",), 0, set()),
    (("describe", "d.csv", *LABELS), 0, set()),
    (("describe", "d.arff", *LABELS), 16, {"numba"}),
    (("split", "d.csv", "--folds", "3", *LABELS), 8, {"numba"}),
    (("tune", "s.csv", "y.csv", "-o", "t.json"), 5, {"numba"}),
    (("decide", "t.json", "s.csv", "-o", "p.csv"), 0, set()),
    (("evaluate", "y.csv", "--scores", "s.csv", "--decided", "p.csv"), 4, {"numba"}),
    (("fit", "d.csv", *LABELS, "--learner", "br", "-o", "m.skops"), 0, WITH_MODELS),
    (("fit", "d.csv", *LABELS, "-o", "m.skops", "--force"), 17, WITH_MODELS),
    (("predict", "m.skops", "d.csv", *LABELS, "-o", "p.csv", "--force"), 0, WITH_MODELS),
]


def test_commands_on_files_import_and_compile_only_what_they_use(folder):
    for command, most_compiled, allowed in COMMANDS:
        n_compiled, n_texts, heavy = counted(folder, command, uses_numba="numba" in allowed)
        assert heavy <= allowed, command
        assert n_compiled <= most_compiled, command
        assert n_texts == 0, command
