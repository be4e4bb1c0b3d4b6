"""`labelwise warm-up`: compile the kernels of all commands, so that later runs only load them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from labelwise import data, learners
from labelwise.cli._outputs import Outputs
from labelwise.cli.running import command

_NAMES = ("sea", "sky", "sun", "fog")
_LABELS = ("--labels", ",".join(_NAMES))
_ROW_FILES = ("d.arff", "e.arff", "c.svm")
# Their models are scikit-learn's, for which labelwise compiles nothing.
_WITHOUT_KERNELS = ("br-boosting", "br-kernel-svm", "br-knn", "knn")


@command(example="labelwise warm-up")
def warm_up(context: typer.Context) -> None:
    """Compile what the commands use, for all later runs.

    Run it once when an image of a server is built.
    """
    from labelwise import _jit

    program = context.find_root().command
    _jit.FEW_STEPS = 0  # files as small as these would be taken by Python
    with TemporaryDirectory() as name:
        commands = list(_commands(Path(name)))
        for words in commands:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                program.main(words, standalone_mode=False)
    Outputs().message(
        f"{len(commands)} commands have run; what they compiled is stored for later runs"
    )


def _commands(folder: Path) -> Iterator[list[str]]:
    """Write the files of the commands, and yield the words of each command."""
    _write_files(folder)
    table, dense, entries, counts = (str(folder / name) for name in ("d.csv", *_ROW_FILES))
    scores, truth, thresholds = (str(folder / name) for name in ("s.csv", "y.csv", "t.json"))
    for path in (dense, entries):
        yield ["describe", path, *_LABELS]
    yield ["split", table, "--folds", "3", *_LABELS]
    yield ["select", counts, "-n", "3", "--cut", "0"]
    for measure in ("micro-f", "macro-f", "sample-f"):
        yield ["tune", scores, truth, "--maximize", measure, "--output", thresholds, "--force"]
    for option in ("--shrink", "--fbr"):
        yield ["tune", scores, truth, option, "auto", "--bootstrap", "5"]
    yield ["tune", scores, truth, "--review", "1"]
    yield ["tune", truth, truth, "--output", thresholds, "--force"]
    for more in (["--shrink", "0.5"], ["--shared"]):
        yield ["tune", str(folder / "many_s.npz"), str(folder / "many_y.npz"), *more]
    yield ["adapt", thresholds, truth, "--alpha", "1"]
    yield ["evaluate", truth, "--scores", scores, "--decided", truth]
    model, decided = str(folder / "m.skops"), str(folder / "p.npz")
    for learner in learners.LEARNERS:
        if not learner.is_saved or learner.name in _WITHOUT_KERNELS:
            continue
        options = ["--learner", learner.name, "--output", model, "--force"]
        if learner.class_name == "BagPlugin":
            yield ["fit", table, *options, *_LABELS, "--bags", "bag"]
        elif learner.class_name == "OkapiNeighbors" or learner.is_for_texts:
            yield ["fit", counts, *options]
            yield ["predict", model, counts, "--scores", decided, "--force"]
        else:
            yield ["fit", dense, *options, *_LABELS]
            yield ["predict", model, dense, "--scores", decided, "--force", *_LABELS]


def _write_files(folder: Path) -> None:
    """Write a table with bags, ARFF files of dense and of sparse rows, counts, labels, scores."""
    import numpy as np

    made, _ = data.make_multilabel(60, n_features=5, n_labels=4, random_state=0)
    Y = made.Y.toarray().astype(int)
    rows = [[*x, *y] for x, y in zip(made.X.tolist(), Y.tolist(), strict=True)]
    attributes = [f"@attribute f{j} numeric" for j in range(5)]
    head = ["@relation warm", *attributes, *(f"@attribute {name} {{0,1}}" for name in _NAMES)]
    entries = [[f"{j} {cell}" for j, cell in enumerate(row) if cell] for row in rows]
    scores = Y + np.random.default_rng(0).normal(size=Y.shape)
    files = {
        "d.csv": _lines([["bag", *(f"f{j}" for j in range(5)), *_NAMES]])
        + _lines([[i // 3, *x, *Y[i - i % 3]] for i, x in enumerate(made.X.tolist())]),
        "d.arff": [*head, "@data", *_lines(rows)],
        "e.arff": [*head, "@data", *(f"{{{line}}}" for line in _lines(entries))],
        "y.csv": _lines([_NAMES, *Y.tolist()]),
        "s.csv": _lines([_NAMES, *scores.tolist()]),
    }
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    _write_many_scores(folder)
    data.write_svmlight(replace(made, X=np.maximum(np.round(made.X), 0)), folder / "c.svm")


def _write_many_scores(folder: Path) -> None:
    """Write more than a million sparse scores, for which other kernels are called, and labels."""
    import numpy as np
    from scipy import sparse

    random, n_rows, n_labels, per_row = np.random.default_rng(0), 2**17, 2**13, 9
    starts = np.arange(0, n_rows * per_row + 1, per_row)
    labels, values = random.integers(n_labels, size=starts[-1]), random.random(starts[-1])
    scores = sparse.csr_array((values, labels, starts), shape=(n_rows, n_labels))
    scores.sum_duplicates()
    sparse.save_npz(folder / "many_s.npz", scores)
    scores.data = (scores.data**3 > random.random(scores.nnz)).astype(float)
    sparse.save_npz(folder / "many_y.npz", scores)


def _lines(rows: Sequence[Sequence[object]]) -> list[str]:
    return [",".join(map(str, row)) for row in rows]
