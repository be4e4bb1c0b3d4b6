"""Six new users, from their own files to an answer, through the program as a shell starts it.

Each walk has the ids, groups, weights, texts or missing labels that its user has, and asserts the
numbers that Python gives for the same data.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelwise import load
from labelwise.data import load as load_data
from labelwise.decisions import Thresholds, best_thresholds, corrected_value
from labelwise.experiments import read_results
from labelwise.measures import evaluate
from tests.cli.test_report import data_of
from tests.writers.other_programs import r_csv, r_csv2

N = 120
NAMES = ["sea", "sky", "old town"]


def program(folder, *words, code=0):
    """Start the program as a shell does, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "labelwise", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env=dict(os.environ, NO_COLOR="1"),
    )
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def rows():
    """Truth, logits, ids, groups of four and weights of samples."""
    draw = np.random.default_rng(7)
    sites = np.arange(N) // 4
    truth = (draw.random((N, 3)) < [0.25, 0.4, 0.6]).astype(int)
    logits = np.round(2 * truth - 1 + draw.normal(size=truth.shape), 3)
    ids = [f"photo {i}" for i in range(N)]
    return truth, logits, ids, sites, draw.integers(1, 4, N)


def test_a_data_scientist_has_logits_of_patients_in_pandas(tmp_path, rows):
    truth, logits, ids, sites, weights = rows
    index = pd.Index(ids, name="photo")
    pd.DataFrame(logits, index, NAMES).to_parquet(tmp_path / "s.parquet")
    labels = pd.DataFrame(truth, index, NAMES).assign(patient=sites, times=weights)
    labels.sample(frac=1, random_state=0).to_csv(tmp_path / "y.csv")
    beside = ("--groups", "patient", "--weights", "times")
    done = program(tmp_path, "tune", "s.parquet", "y.csv", *beside, "-o", "t.json", "--json")
    tuned = json.loads(done.stdout)
    in_order = labels.sample(frac=1, random_state=0)
    of_rows = {"groups": in_order["patient"], "sample_weight": in_order["times"]}
    shuffled = logits[[ids.index(one) for one in in_order.index]]
    tuning = {"shrink": "auto", "random_state": 0, **of_rows}
    wanted = best_thresholds(shuffled, in_order[NAMES].to_numpy(), **tuning)
    assert tuned["value"] == wanted.value
    unseen = corrected_value(
        wanted, shuffled, in_order[NAMES].to_numpy(), random_state=0, **of_rows
    )
    assert tuned["unseen_value"] == unseen
    program(tmp_path, "decide", "t.json", "s.parquet", "-o", "d.csv")
    decided = pd.read_csv(tmp_path / "d.csv")
    assert decided["photo"].tolist() == ids
    words = ("evaluate", "y.csv", "--decided", "d.csv", *beside, "--bootstrap", "30", "--json")
    found = json.loads(program(tmp_path, *words).stdout)["measures"]["micro-f"]
    assert found["value"] == wanted.value
    alone = evaluate(
        in_order[NAMES].to_numpy(),
        decided=decided.set_index("photo").loc[in_order.index, NAMES].to_numpy(),
        sample_weight=in_order["times"],
        groups=in_order["patient"],
        n_bootstrap=30,
        random_state=0,
    )
    assert (found["low"], found["high"]) == alone.intervals["micro-f"]


def test_a_subject_indexer_takes_texts_to_the_desk_and_its_thresholds_back(tmp_path):
    texts = load_data("abstracts").take(slice(0, 160))
    names = np.array(texts.label_names)
    subjects = [names[row].tolist() for row in texts.Y.toarray().astype(bool)]
    frame = pl.from_arrow(texts.frame).with_columns(
        pl.Series("id", [f"a{i}" for i in range(160)]), pl.Series("subjects", subjects)
    )
    frame[:120].write_ndjson(tmp_path / "train.jsonl")
    frame[120:].write_ndjson(tmp_path / "test.jsonl")
    known = ("--labels", "subjects")
    done = program(tmp_path, "fit", "train.jsonl", *known, "--learner", "br", "-o", "model.skops")
    assert "columns: 2 texts, 1 id" in done.stdout
    program(tmp_path, "report", "--model", "model.skops", "test.jsonl", *known, "-o", "desk.html")
    page = data_of(tmp_path / "desk.html")
    assert page["points"][0]["name"] == "model.skops"
    assert page["rows"]["hasIds"]
    assert page["rows"]["hasTerms"]
    assert "finds " in (tmp_path / "desk.html").read_text()
    # The file of thresholds, as the desk saves it, goes back to the model.
    program(tmp_path, "thresholds", "model.skops", "-o", "own.json")
    content = json.loads((tmp_path / "own.json").read_text())
    content["values"] = ["inf"] * len(names)
    (tmp_path / "desk.json").write_text(json.dumps(content))
    words = ("predict", "model.skops", "test.jsonl", "--thresholds", "desk.json")
    assert "0 decisions on 40 rows" in program(tmp_path, *words, "-o", "p.jsonl").stdout
    first = json.loads((tmp_path / "p.jsonl").read_text().splitlines()[0])
    assert first["id"] == "a120"


def test_a_researcher_finds_parameters_and_directions_beside_the_results(tmp_path):
    (tmp_path / "study.toml").write_text(
        """datasets = ["digits"]
measures = ["micro-f", "macro-recall"]
lower_is_better = []
[models.near]
class = "sklearn.neighbors.KNeighborsClassifier"
params = { n_neighbors = 7 }
[splits.cv]
class = "labelwise.splitting.MultilabelStratifiedKFold"
params = { n_splits = 2 }
"""
    )
    program(tmp_path, "compare", "study.toml")
    program(tmp_path, "report", "study.sqlite", "-o", "study.html")
    found = read_results(tmp_path / "study.sqlite")
    assert "n_neighbors=7" in found.parameters()[0]["parameters"]
    assert found.higher_is_better("macro-recall")
    assert "n_neighbors=7" in (tmp_path / "study.html").read_text()


def test_a_biologist_has_missing_labels_in_files_of_r(tmp_path, rows):
    truth, logits, ids, sites, _ = rows
    gaps = np.where(np.arange(N)[:, None] % [5, 7, 9] == 0, None, truth)
    gaps[0, 0] = truth[0, 0]
    cells = {
        name: [None if v is None else bool(v) for v in gaps[:, j]] for j, name in enumerate(NAMES)
    }
    columns = {"id": ids, "plate": [f"p{i}" for i in sites], **cells}
    (tmp_path / "y.csv").write_bytes(r_csv(columns))
    scores = {name: logits[:, j].tolist() for j, name in enumerate(NAMES)}
    (tmp_path / "s.csv").write_bytes(r_csv2({"id": ids, **scores}))
    known = ("--ids", "id", "--groups", "plate")
    done = program(tmp_path, "evaluate", "y.csv", "--scores", "s.csv", *known, "--json")
    Y = np.where(gaps == None, np.nan, truth)  # noqa: E711
    wanted = evaluate(Y.astype(float), scores=logits)
    assert json.loads(done.stdout)["measures"]["macro-auc"]["value"] == wanted["macro-auc"]
    program(tmp_path, "report", "s.csv", "y.csv", *known, "-o", "desk.html")
    page = data_of(tmp_path / "desk.html")
    exact = next(point for point in page["points"] if point["key"] == "exact")
    assert exact["known"]["value"] == best_thresholds(logits, Y.astype(float)).value
    assert "cells without truth, which count nowhere" in (tmp_path / "desk.html").read_text()
    words = ("split", "y.csv", "--labels", ",".join(NAMES), *known, "--folds", "3", "-o", "f.csv")
    program(tmp_path, *words)
    folds = pd.read_csv(tmp_path / "f.csv")
    assert folds["id"].tolist() == ids
    assert (folds.groupby("plate")["subset"].nunique() == 1).all()


def test_a_competitor_weighs_rows_and_sees_what_became_of_columns(tmp_path, rows):
    truth, logits, ids, sites, weights = rows
    table = pd.DataFrame(logits, columns=["x", "y", "z"])
    table[NAMES] = truth
    table = table.assign(id=ids, times=weights, site=[f"site {i}" for i in sites])
    table.to_csv(tmp_path / "train.csv", index=False)
    known = ("--labels", ",".join(NAMES))
    shown = program(tmp_path, "describe", "train.csv", *known).stdout
    assert "columns: 4 numbers, 1 id, 30 categories of 'site'" in shown
    fit = ("fit", "train.csv", *known, "--weights", "times", "--learner", "br", "-o", "m.skops")
    done = program(tmp_path, *fit)
    assert "'site' (30 values) repeats in blocks of rows" in done.stderr
    assert "weights by 'times'" in done.stdout
    fitted = load(tmp_path / "m.skops")
    tuned = (fitted[-1] if hasattr(fitted, "steps") else fitted).thresholds_
    assert tuned.evidence.support.tolist() == (weights @ truth).tolist()
    done = program(tmp_path, *fit, "--groups", "site", "--force")
    assert "repeats in blocks" not in done.stderr
    assert "columns: 3 numbers, 1 id, groups by 'site', weights by 'times'" in done.stdout
    table[NAMES] = 0
    table.drop(columns=NAMES).to_csv(tmp_path / "test.csv", index=False)
    program(tmp_path, "predict", "m.skops", "test.csv", "-o", "sent.csv")
    sent = pd.read_csv(tmp_path / "sent.csv")
    assert sent["id"].tolist() == ids
    table[["id", *NAMES]].to_csv(tmp_path / "none.csv", index=False)
    shown = program(tmp_path, "evaluate", "none.csv", "--decided", "sent.csv").stdout
    assert "macro-recall" not in shown
    assert "nan" not in shown.split("recall")[0]


def test_an_engineer_serves_the_thresholds_of_a_model(tmp_path, rows):
    truth, logits, ids, _, _ = rows
    table = pd.DataFrame(logits, columns=["x", "y", "z"]).assign(id=ids)
    table[NAMES] = truth
    table.to_parquet(tmp_path / "train.parquet")
    words = ("fit", "train.parquet", "--labels", ",".join(NAMES), "--learner", "br")
    program(tmp_path, *words, "-o", "m.skops")
    shown = json.loads(program(tmp_path, "thresholds", "m.skops", "-o", "t.json", "--json").stdout)
    rule, model = Thresholds.load(tmp_path / "t.json"), load(tmp_path / "m.skops")
    assert shown == json.loads((tmp_path / "t.json").read_text())
    one = model.decision_function(logits[:1])
    frame = pl.DataFrame(dict(zip(NAMES, one[0].tolist(), strict=True)))
    assert rule.decide(frame).row(0) == tuple(model.predict(logits[:1])[0].tolist())
    refused = program(tmp_path, "decide", "m.skops", "train.parquet", "-o", "x.csv", code=1)
    assert "is a model, not thresholds" in refused.stderr
