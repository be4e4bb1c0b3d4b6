"""Try an installed labelwise in an empty environment: python -I tests/release_smoke.py.

It needs nothing but the package and what the package requires, and no file of the checkout.
"""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

import labelwise
from labelwise.data import load
from labelwise.decisions import Thresholds, TunedThresholds
from labelwise.learners import BinaryRelevance
from labelwise.measures import evaluate

PROGRAM = Path(sysconfig.get_path("scripts")) / "labelwise"


def run(folder, *arguments):
    """Run the installed program in a folder, and return what it prints."""
    # Nothing but the installed package: no other sources.
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(PROGRAM), *arguments]
    done = subprocess.run(
        command, cwd=folder, env=variables, check=True, capture_output=True, text=True, timeout=600
    )
    return done.stdout


def try_library(folder):
    """Fit, save, load and predict, and write the scores of test rows for the program."""
    data = load("topics")
    train, test = data.take(slice(0, 600)), data.take(slice(600, 900))
    model = TunedThresholds(BinaryRelevance(penalty=0.01), cv=2).fit(train.X, train.Y)
    labelwise.save(model, folder / "model.skops")
    again = labelwise.load(folder / "model.skops")
    assert np.array_equal(again.predict(test.X), model.predict(test.X))
    assert evaluate(test.Y, decided=model.predict(test.X))["micro-f"] > 0.3
    names = ",".join(["id", *data.label_names])
    for file, table in (("scores", again.decision_function(test.X)), ("labels", test.Y.toarray())):
        rows = [",".join([f"r{i}", *map(str, row)]) for i, row in enumerate(table.astype(float))]
        (folder / f"{file}.csv").write_text("\n".join([names, *rows]) + "\n")


def try_program(folder):
    """Tune, decide, evaluate and report with the program."""
    assert run(folder, "--version") == f"labelwise {labelwise.__version__}\n"
    run(folder, "tune", "scores.csv", "labels.csv", "-o", "thresholds.json")
    assert Thresholds.load(folder / "thresholds.json").value > 0.3
    run(folder, "decide", "thresholds.json", "scores.csv", "-o", "decided.csv")
    measured = run(folder, "evaluate", "labels.csv", "--decided", "decided.csv", "--json")
    assert json.loads(measured)["measures"]["micro-f"]["value"] > 0.3
    run(folder, "report", "scores.csv", "labels.csv", "-o", "report.html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<script" in page
    assert "<style" in page


def main():
    """Try the library and the program in a temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        try_library(Path(name))
        try_program(Path(name))
    where = Path(labelwise.__file__).parent
    sys.stdout.write(f"labelwise {labelwise.__version__} in {where} works.\n")


if __name__ == "__main__":
    main()
