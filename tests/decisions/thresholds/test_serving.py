"""Saved thresholds and bands decide rows in a process that imports little."""

import subprocess
import sys

import numpy as np
import pytest

from labelwise.decisions import best_thresholds, review_bands

PROGRAM = """
import sys
import numpy as np
import {frames} as frames
from labelwise.decisions import Bands, Thresholds

row = frames.DataFrame({{"sea": [0.9], "sky": [0.1]}})
tuned = Thresholds.load("thresholds.json"), Thresholds.load("of_costs.json")
for rule in (*tuned, Bands.load("bands.json")):
    rule.decide(np.array([[0.9, 0.1]]))
    rule.decide(row)
print(sorted({{"joblib", "matplotlib", "numba", "pyarrow", "sklearn"}} & set(sys.modules)))
"""


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_deciding_by_a_saved_rule_imports_neither_numba_nor_scikit_learn(frames, tmp_path):
    random = np.random.default_rng(0)
    scores = random.random((60, 2))
    Y = (scores + random.normal(0, 0.2, scores.shape) > 0.5).astype(int)
    given = {"label_names": ["sea", "sky"]}
    best_thresholds(scores, Y, **given).save(tmp_path / "thresholds.json")
    best_thresholds(scores, Y, cost=(1, 2), **given).save(tmp_path / "of_costs.json")
    review_bands(scores, Y, min_precision=0.7, **given).save(tmp_path / "bands.json")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(frames=frames)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    # pandas imports pyarrow itself if it is installed.
    assert done.stdout.strip() in ("[]", "['pyarrow']" if frames == "pandas" else "[]")
