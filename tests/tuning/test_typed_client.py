"""Code of users is typed: mypy --strict knows what `decide`, `load` and `values` return."""

import subprocess
import sys
from pathlib import Path

# Kept between runs: without it, mypy takes nine seconds.
CACHE = Path(__file__).parents[2] / ".mypy_cache" / "client"

CLIENT = """\
from pathlib import Path
from typing import assert_type

import numpy as np
import polars as pl

from labelwise.decisions import Bands, Proportions, Thresholds, TunedThresholds
from labelwise.decisions import best_thresholds, load_rule
from labelwise.deployment import find_label_errors
from labelwise.experiments import read_results
from labelwise.learners import BinaryRelevance, score_held_out
from labelwise.measures import evaluate
from labelwise.reports import Desk, write_report

tuned = best_thresholds([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]])
assert_type(tuned, Thresholds)
assert_type(tuned.values, np.ndarray)
assert_type(tuned.decide(np.zeros((3, 2))), np.ndarray)
assert_type(tuned.decide([[0.1, 0.2]]), np.ndarray)
frame = pl.DataFrame({"sea": [0.1], "sky": [0.2]})
assert_type(tuned.decide(frame), pl.DataFrame)
written = tuned.decide(Path("scores.npy"), "decided.npy")
assert_type(written.n_rows, int)
assert_type(Thresholds.load("t.json"), Thresholds)
assert_type(Bands.load("b.json"), Bands)
assert_type(load_rule("t.json"), Thresholds | Bands | Proportions)
found = evaluate([[1, 0]], decided=[[1, 1]], undefined="defined", groups=[0])
assert_type(found["micro-f"], float)
assert_type(found.measured["macro-recall"].mean_of_defined, float)
assert_type(find_label_errors(frame, frame, ids=False).ids, tuple[str, ...] | None)
model = TunedThresholds(BinaryRelevance()).fit(np.zeros((4, 1)), np.eye(4, 2))
assert_type(score_held_out(model, np.zeros((4, 1)), np.eye(4, 2)).scores, np.ndarray)
write_report(Desk(frame, frame, tuned, ids=["a"]), "desk.html")
assert_type(read_results("study.sqlite").parameters(), list[dict[str, str]])
"""


def test_a_client_file_is_typed_strictly(tmp_path):
    (tmp_path / "client.py").write_text(CLIENT)
    words = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={CACHE}", "client.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    lines = [one for one in done.stdout.splitlines() if one.startswith("client.py")]
    assert lines == [], done.stdout
