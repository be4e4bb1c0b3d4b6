"""`labelwise audit` writes a list of cells, and says what its answers prove."""

import csv
import json
import re

import numpy as np
import pytest

from labelwise.decisions import Thresholds, best_thresholds, review_bands
from labelwise.deployment import AuditPlan, audit_report, plan_audit
from tests.cli.shell import refusal, run, run_program

NAMES = ("sea", "sky")


def draw(n_samples, seed):
    random = np.random.default_rng(seed)
    proba = random.beta(0.5, 1.5, size=(n_samples, 2)).round(6)
    return proba, (random.random(proba.shape) < proba).astype(np.int64)


def write_matrix(path, matrix):
    lines = [",".join(("id", *NAMES))]
    lines += [f"r{i}," + ",".join(map(repr, row)) for i, row in enumerate(matrix.tolist())]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path):
    tuned = best_thresholds(*draw(500, 0), label_names=NAMES)
    tuned.save(tmp_path / "t.json")
    scores, Y = draw(400, 1)
    write_matrix(tmp_path / "scores.csv", scores)
    write_matrix(tmp_path / "labels.csv", Y)
    texts = "\n".join(["id,text", *(f"r{i},text {i}" for i in range(400))])
    (tmp_path / "texts.csv").write_text(texts + "\n")
    return tmp_path


def fill(path, Y, n_answers=None):
    """Answer the cells of a list, in another order of rows."""
    with path.open() as stream:
        rows = list(csv.DictReader(stream))
    for row in rows[:n_answers]:
        row["answer"] = str(Y[int(row["id"][1:]), NAMES.index(row["label"])])
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["score"]))
    return rows


def test_a_list_is_drawn_filled_in_and_reported(folder):
    words = ("audit", "t.json", "scores.csv", "--cells", 60, "--texts", "texts.csv")
    done = run_program(folder, *words, "-o", "to_check.csv", "--at-least", "micro-f=0.4")
    assert done.code == 0, done.stderr
    scores, Y = draw(400, 1)
    rule = Thresholds.load(folder / "t.json")
    ids = [f"r{i}" for i in range(400)]
    plan = plan_audit(rule, scores, 60, ids=ids, at_least={"micro-f": 0.4}, random_state=0)
    written = "written to to_check.csv\nwritten to to_check.plan.json\n"
    assert done.stdout == f"{plan!r}\n{written}"
    rows = fill(folder / "to_check.csv", Y)
    assert rows[0]["text"] == f"text {rows[0]['id'][1:]}"
    assert list(rows[0]) == ["cell", "id", "label", "score", "decision", "text", "answer"]
    report = audit_report(plan, folder / "to_check.csv")
    assert report.n_answers == 60
    shown = run_program(folder, "audit", "--answers", "to_check.csv")
    assert (shown.code, shown.stdout) == (0, f"{report!r}\n")
    found = json.loads(run("audit", "--answers", folder / "to_check.csv", "--json"))
    assert found["measures"]["micro-f"]["low"] == report.intervals["micro-f"][0]
    assert found["promises"][0]["promise"] == "micro-f at least 0.4"
    assert [one["label"] for one in found["labels"]] == list(NAMES)


def test_a_list_that_is_filled_in_part_counts_up_to_the_first_gap(folder):
    run("audit", folder / "t.json", folder / "scores.csv", "--cells", 30, "-o", folder / "c.csv")
    fill(folder / "c.csv", draw(400, 1)[1], 12)
    assert "Audit with 12 of 30 answers" in run("audit", "--answers", folder / "c.csv")


def test_answers_of_the_review_queue_are_part_of_the_evidence(folder):
    review_bands(*draw(500, 0), label_names=NAMES, min_precision=0.7, min_recall=0.7).save(
        folder / "b.json"
    )
    paths = [folder / name for name in ("b.json", "scores.csv")]
    run("decide", *paths, "-o", folder / "d.csv", "--queue", folder / "queue.csv")
    rows = fill(folder / "queue.csv", draw(400, 1)[1])
    run("audit", *paths, "-o", folder / "c.csv", "--queue", folder / "queue.csv")
    plan = AuditPlan.load(folder / "c.plan.json")
    assert not (plan.states == 2).any()
    totals = plan.totals
    assert totals.n_unknown.sum() == totals.n_cells.sum() - len(rows) == 800 - len(rows)
    assert totals.guessed[2].sum() == sum(row["answer"] == "1" for row in rows)
    # The words of an answer are those of any list of cells.
    text = (folder / "queue.csv").read_text()
    words = re.sub(r",0$", ",no", re.sub(r",1$", ",Yes", text, flags=re.M), flags=re.M)
    (folder / "queue.csv").write_text(words)
    run("audit", *paths, "-o", folder / "e.csv", "--queue", folder / "queue.csv")
    np.testing.assert_array_equal(AuditPlan.load(folder / "e.plan.json").totals, totals)


def test_an_answer_of_the_queue_that_is_not_one_is_refused(folder, monkeypatch, capsys):
    (folder / "q.csv").write_text("id,label,answer\nr0,sea,maybe\n")
    words = ("audit", folder / "t.json", folder / "scores.csv", "-o", folder / "f.csv")
    said = refusal(monkeypatch, capsys, *words, "--queue", folder / "q.csv")
    end = "q.csv: must have answers 1, 0, ? (not sure) or empty, got 'maybe' in row 1.\n"
    assert said.endswith(end)
    (folder / "q.csv").write_text("id,label,answer\nr0,sea,1\nr9999,sea,0\n")
    said = refusal(monkeypatch, capsys, *words, "--queue", folder / "q.csv")
    assert said.endswith("q.csv: must have rows and labels of the scores, got 'sea' of 'r9999'.\n")
    (folder / "q.csv").write_text("id,label,answer\nr0,sea,1\nr0,sea,0\n")
    said = refusal(monkeypatch, capsys, *words, "--queue", folder / "q.csv")
    assert said.endswith("q.csv: has 'sea' of 'r0' twice, in row 2.\n")
    assert not (folder / "f.csv").exists()


def test_texts_cannot_replace_a_column_of_the_list(folder, monkeypatch, capsys):
    (folder / "texts.csv").write_text("id,label\n" + "".join(f"r{i},x\n" for i in range(400)))
    words = ("audit", folder / "t.json", folder / "scores.csv", "-o", folder / "c.csv")
    said = refusal(monkeypatch, capsys, *words, "--texts", folder / "texts.csv")
    assert said == (
        "labelwise: --texts must have other columns than the list of cells, got 'label'.\n"
    )
    assert not (folder / "c.csv").exists()


def test_a_second_plan_counts_the_answers_of_the_first(folder):
    words = ("audit", folder / "t.json", folder / "scores.csv")
    run(*words, "--cells", 30, "-o", folder / "c.csv")
    fill(folder / "c.csv", draw(400, 1)[1])
    run(*words, "--cells", 800, "--queue", folder / "c.csv", "-o", folder / "more.csv")
    plans = [AuditPlan.load(folder / f"{name}.plan.json") for name in ("c", "more")]
    assert len(plans[1]) == 770
    assert not set(plans[0].cells) & set(plans[1].cells)


def test_wrong_use_is_refused_in_one_sentence(folder, monkeypatch, capsys):
    words = ("audit", folder / "t.json", folder / "scores.csv")
    said = refusal(monkeypatch, capsys, *words)
    assert said == (
        "labelwise: thresholds, scores and --output must be given, or --answers alone.\n"
    )
    said = refusal(monkeypatch, capsys, *words, "-o", folder / "c.csv", "--cells", 0)
    assert said == "labelwise: --cells must be at least 1, got 0.\n"
    said = refusal(monkeypatch, capsys, *words, "-o", folder / "c.csv", "--at-least", "f")
    assert said == ("labelwise: --at-least must be a name and a number as micro-f=0.6, got 'f'.\n")
    run(*words, "--cells", 5, "-o", folder / "c.csv")
    text = (folder / "c.csv").read_text().replace("sea", "sky")
    (folder / "c.csv").write_text(text)
    said = refusal(monkeypatch, capsys, "audit", "--answers", folder / "c.csv")
    assert "must have the cells of the plan, got 'sky' of 'r" in said
