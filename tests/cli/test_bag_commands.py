"""Bags go from file to file by the commands of all data."""

import csv

import numpy as np
from typer.testing import CliRunner

from labelwise.cli import app
from labelwise.data import make_digit_bags
from labelwise.learners import BagPlugin
from tests.writers.arff import bag_arff

DATA = make_digit_bags(40, sizes=[1, 2], random_state=0)


def run(*arguments):
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def expected():
    return BagPlugin(random_state=0).fit(DATA).predict(DATA)


def read_rows(path):
    with path.open() as lines:
        return list(csv.DictReader(lines))


def test_bags_of_an_arff_file_are_fitted_predicted_and_evaluated(tmp_path):
    bags = zip(map(str, range(len(DATA))), DATA.samples, DATA.Y.toarray().astype(int), strict=True)
    triples = [(name, rows.tolist(), labels.tolist()) for name, rows, labels in bags]
    path, model, decided = (tmp_path / name for name in ("b.arff", "m.skops", "d.csv"))
    labels = [f"digit {j}" for j in range(10)]
    path.write_text(bag_arff([f"x{k}" for k in range(64)], labels, triples))
    columns = ("--labels", ",".join(labels))
    shown = run("fit", path, *columns, "--learner", "bags", "-o", model)
    assert "40 samples in bags" in shown
    assert "decides at thresholds tuned for macro-f on held-out bags: 0." in shown
    run("predict", model, path, *columns, "-o", decided)
    rows = read_rows(decided)
    found = [[int(row[name]) for name in labels] for row in rows]
    np.testing.assert_array_equal(found, expected())
    assert "Evaluation of 40 samples" in run("evaluate", path, *columns, "--decided", decided)


def test_bags_of_a_table_are_told_by_a_column(tmp_path):
    path, model, decided = (tmp_path / name for name in ("b.csv", "m.skops", "d.csv"))
    features = [f"x{k}" for k in range(64)]
    with path.open("w", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(["bag", *features, "topics"])
        for number, rows in enumerate(DATA.samples):
            names = ";".join(f"d{j}" for j in np.flatnonzero(DATA.Y[[number]].toarray()))
            writer.writerows([number, *row, names] for row in rows.tolist())
    options = ("--labels", "topics", "--bags", "bag")
    run("fit", path, *options, "--learner", "bags", "--maximize", "micro-f", "-o", model)
    run("predict", model, path, *options, "-o", decided)
    assert len(read_rows(decided)) == 40
