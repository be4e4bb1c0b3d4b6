"""Predicted beside measured seconds of the default candidates of `BestLearner`, on benchmark sets.

Seconds are those of a trial: held-out scores of five folds, a fit to all samples if it comes with
them, and the judgement of the scores. They are measured as those of one core (`process_time`), so
that a busy machine changes little. `BENCH_SETS=yeast,scene` measures some sets, and candidates that
are predicted to take longer than `BENCH_SECONDS` (default 20) are left out.
"""

from __future__ import annotations

import os
import time
import warnings

import numpy as np

from benchmarks.scored_sets import HOME
from benchmarks.texts import PAGE
from labelwise._io import written_whole
from labelwise._text import markdown_table
from labelwise._tuning import Request, Samples
from labelwise.data import load
from labelwise.learners._register import LEARNERS
from labelwise.learners.selection import _race, _trials
from labelwise.learners.selection._candidates import (
    default_candidates,
    size_of,
    sizes_of_parts,
)
from labelwise.splitting import MultilabelStratifiedKFold

TABLE = PAGE.with_name("predicted_seconds.md")
SETS = ("emotions", "birds", "image", "scene", "yeast", "enron", "medical", "bibtex")


def measured(name: str, most: float) -> list[tuple[str, str, str, str, str]]:
    """Return a line for each candidate that is predicted to take at most some seconds."""
    data = load(name, data_home=HOME)
    Y = data.Y.toarray().astype(np.float64)
    varies = (Y == 1).any(axis=0) & (Y == 0).any(axis=0)
    Y = Y[:, varies]
    splits = list(MultilabelStratifiedKFold(5).split(Y, Y))
    samples = Samples(data.X, Y, None, None, {}, None)
    arena = _trials.Arena(samples, splits, Request(shrink="auto"), 0, None)
    size, parts = size_of(data.X, Y.shape[1]), sizes_of_parts(data.X, Y)
    lines = []
    for one in default_candidates(LEARNERS, size, 0, parts)[0]:
        predicted = _race._predicted(one, arena, len(Y))
        if predicted > most:
            continue
        start = time.process_time()
        _trials.run_trial(one, arena)
        took = time.process_time() - start
        line = name, one.name, f"{predicted:.2f}", f"{took:.2f}", f"{predicted / took:.2f}"
        print(*line, flush=True)
        lines.append(line)
    return lines


def main() -> None:
    """Measure the sets, and write the table."""
    chosen = os.environ.get("BENCH_SETS", ",".join(SETS)).split(",")
    most = float(os.environ.get("BENCH_SECONDS", "20"))
    lines = []
    for name in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines += measured(name, most)
    heads = ["set", "candidate", "predicted seconds", "measured seconds", "ratio"]
    with written_whole(TABLE) as stream:
        stream.write((markdown_table(heads, lines, 2) + "\n").encode())


if __name__ == "__main__":
    main()
