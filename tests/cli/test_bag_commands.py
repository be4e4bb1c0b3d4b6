"""Bags go from file to file by the commands of all data."""

import csv

import numpy as np

from labelwise.data import make_digit_bags
from labelwise.learners import BagPlugin
from labelwise.measures import count, f_measure, micro
from tests.cli.shell import refusal, run, run_program
from tests.writers.arff import bag_arff

DATA = make_digit_bags(40, sizes=[1, 2], random_state=0)


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
    assert "decides at thresholds tuned for macro-f on held-out bags; fitted in " in shown
    assert "macro-f is 0." in shown
    run("predict", model, path, *columns, "-o", decided)
    rows = read_rows(decided)
    found = [[int(row[name]) for name in labels] for row in rows]
    np.testing.assert_array_equal(found, expected())
    assert "Evaluation of 40 samples" in run("evaluate", path, *columns, "--decided", decided)


def bag_table(path):
    """Write the bags as a table, the rows of a bag apart from each other."""
    rows = [
        [f"bag {number}", *row, ";".join(f"d{j}" for j in np.flatnonzero(labels))]
        for number, (bag, labels) in enumerate(zip(DATA.samples, DATA.Y.toarray(), strict=True))
        for row in bag.tolist()
    ]
    with path.open("w", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(["bag", *(f"x{k}" for k in range(64)), "topics"])
        writer.writerows(rows[::2] + rows[1::2])
    return path


def test_a_column_of_a_table_names_the_bags(tmp_path):
    path = bag_table(tmp_path / "b.csv")
    model, scores, decided, tuned = (
        tmp_path / name for name in ("m.skops", "s.csv", "d.csv", "t.json")
    )
    options = ("--labels", "topics", "--bags", "bag")
    run("fit", path, *options, "--learner", "bags", "--maximize", "micro-f", "-o", model)
    instances = tmp_path / "i.csv"
    files = ("-o", decided, "--scores", scores, "--instances", instances)
    run("predict", model, path, *options, *files)
    by_instance = read_rows(instances)
    assert len(by_instance) == len(DATA.X)
    for row in read_rows(scores):
        rows_of_bag = [r for r in by_instance if r["instance"].rpartition("/")[0] == row["bag"]]
        assert [r["instance"].rpartition("/")[2] for r in rows_of_bag] == [
            str(number) for number in range(len(rows_of_bag))
        ]
        assert float(row["d3"]) == max(float(r["d3"]) for r in rows_of_bag)
    rows = {row["bag"]: row for row in read_rows(decided)}
    assert len(rows) == 40
    shown = run("evaluate", path, *options, "--decided", decided, "--scores", scores)
    names = [f"d{j}" for j in range(10)]
    found = [[int(rows[f"bag {number}"][name]) for name in names] for number in range(40)]
    value = micro(f_measure, count(DATA.Y, np.array(found)))
    assert "Evaluation of 40 samples" in shown
    assert f"{value:.4f}" in shown
    assert "40 samples in bags" in run("describe", path, *options)
    assert "40 samples in bags" in run("split", path, *options, "--folds", "2")
    assert "written to" in run("tune", scores, path, *options, "-o", tuned)


def test_the_learner_of_bags_need_not_be_asked_for(tmp_path):
    model = tmp_path / "m.skops"
    options = ("--labels", "topics", "-o", model, "--force")
    path = bag_table(tmp_path / "b.csv")
    assert "learner: bags, decides" in run("fit", path, *options, "--bags", "bag")
    plain = tmp_path / "rows.csv"
    plain.write_text("x,topics\n1,a\n2,b\n3,a\n4,b\n1,a\n2,b\n3,a\n4,b\n")
    assert "learner: auto, decides" in run("fit", plain, *options)


def test_scores_of_instances_need_bags(tmp_path, monkeypatch, capsys):
    plain, model = tmp_path / "rows.csv", tmp_path / "m.skops"
    plain.write_text("x,topics\n1,a\n2,b\n3,a\n4,b\n1,a\n2,b\n3,a\n4,b\n")
    run("fit", plain, "--labels", "topics", "--learner", "br", "-o", model)
    files = ("--labels", "topics", "--instances", tmp_path / "i.csv")
    told = refusal(monkeypatch, capsys, "predict", model, plain, *files)
    assert told.startswith("labelwise: --instances needs bags of rows (--bags names the column")


def test_rows_are_not_taken_as_bags_in_silence(tmp_path):
    bag_table(tmp_path / "b.csv")
    words = ("--labels", "topics", "--bags", "bag", "-o", "m.skops")
    assert run_program(tmp_path, "fit", "b.csv", *words).code == 0
    words = ("predict", "m.skops", "b.csv", "--labels", "topics", "-o")
    alone = run_program(tmp_path, *words, "alone.csv")
    assert "each row is taken as a bag of its own (--bags names the column" in alone.stderr
    assert "--bags" not in run_program(tmp_path, *words, "bags.csv", "--bags", "bag").stderr


def test_only_columns_that_the_user_did_not_name_are_noted(tmp_path):
    rows = [f"{i // 2},{i / 8},{i // 2 % 2}" for i in range(8)]
    (tmp_path / "bags.csv").write_text("\n".join(["bag,x,sea", *rows]) + "\n")
    words = ("describe", "bags.csv", "--labels", "sea", "--bags", "bag")
    done = run_program(tmp_path, *words)
    assert (done.code, done.stderr) == (0, "")
