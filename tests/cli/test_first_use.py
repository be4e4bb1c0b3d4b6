"""First use: files as people have them, through the program as they start it."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelwise.data import load
from tests.cli.shell import run_program
from tests.writers.other_programs import excel_csv, excel_unicode_text, r_csv, r_csv2

N_ROWS = 60
NAMES = ["sea", "sky", "old town"]
IDS = [f"photo {i}" for i in range(N_ROWS)]


def scored():
    """Scores and labels with ids as pandas has them, the labels in another order of rows."""
    random = np.random.default_rng(0)
    Y = (random.random((N_ROWS, len(NAMES))) < 0.4).astype(int)
    scores = np.round(Y + random.normal(size=Y.shape), 3)
    frames = [pd.DataFrame(values, pd.Index(IDS, name="id"), NAMES) for values in (scores, Y)]
    return frames[0], frames[1].sample(frac=1, random_state=0)


def columns(frame, *, of=None):
    """The id and the cells of a frame, which `of` converts."""
    cells = {"id": list(frame.index)}
    return cells | {
        name: [value if of is None else of(value) for value in frame[name].tolist()]
        for name in NAMES
    }


def from_pandas(folder, scores, truth):
    scores.to_parquet(folder / "s.parquet")
    truth.astype(bool).to_csv(folder / "y.csv")
    return "s.parquet", "y.csv"


def from_polars(folder, scores, truth):
    pl.from_pandas(scores.reset_index()).write_ndjson(folder / "s.jsonl")
    pl.from_pandas(truth.astype(bool).reset_index()).write_parquet(folder / "y.parquet")
    return "s.jsonl", "y.parquet"


def from_excel(folder, scores, truth):
    (folder / "s.csv").write_bytes(excel_csv(columns(scores)))
    yes_no = columns(truth, of=lambda value: "Yes" if value else "No")
    (folder / "y.csv").write_bytes(excel_unicode_text(yes_no))
    return "s.csv", "y.csv"


def from_r(folder, scores, truth):
    (folder / "s.csv").write_bytes(r_csv2(columns(scores)))
    (folder / "y.csv").write_bytes(r_csv(columns(truth, of=bool)))
    return "s.csv", "y.csv"


def with_names(folder, scores, truth):
    scores.to_csv(folder / "s.csv")
    cells = ["; ".join(truth.columns[row == 1]) for row in truth.to_numpy()]
    pd.DataFrame({"id": truth.index, "shows": cells}).to_csv(folder / "y.csv", index=False)
    return "s.csv", "y.csv", "--labels", "shows"


def from_numpy(folder, scores, truth):
    np.save(folder / "s.npy", scores.to_numpy())
    np.savez(folder / "y.npz", truth.loc[scores.index].to_numpy())
    return "s.npy", "y.npz"


@pytest.mark.parametrize(
    "written", [from_pandas, from_polars, from_excel, from_r, with_names, from_numpy]
)
def test_scores_and_labels_of_any_program_give_the_same_thresholds(tmp_path, written):
    scores, truth = scored()
    scores.to_csv(tmp_path / "plain_s.csv")
    truth.to_csv(tmp_path / "plain_y.csv")
    plain = json.loads(run_program(tmp_path, "tune", "plain_s.csv", "plain_y.csv", "--json").stdout)
    done = run_program(tmp_path, "tune", *written(tmp_path, scores, truth), "--json")
    assert done.code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["value"] == plain["value"]
    thresholds = [{one["threshold"] for one in record["labels"]} for record in (plain, found)]
    assert thresholds[0] == thresholds[1]


def test_labels_of_yes_and_no_need_no_ids(tmp_path):
    scores, truth = scored()
    np.save(tmp_path / "s.npy", scores.to_numpy())
    truth = truth.loc[scores.index].replace({0: "no", 1: "yes"})
    truth.to_csv(tmp_path / "y.csv", index=False)
    done = run_program(tmp_path, "tune", "s.npy", "y.csv", "--by-position", "--json")
    assert [one["label"] for one in json.loads(done.stdout)["labels"]] == NAMES


def program(folder, *arguments):
    """Start the program as a shell does, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "labelwise", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=dict(os.environ, NO_COLOR="1"),
    )
    assert done.returncode == 0, done.stderr
    return done


def test_raw_texts_go_in_and_names_of_subjects_come_out(tmp_path):
    texts = load("abstracts").take(slice(0, 200))
    names = np.array(texts.label_names)
    frame = pl.from_arrow(texts.frame).to_pandas().assign(id=[f"a{i}" for i in range(200)])
    rows = texts.Y.toarray().astype(bool)
    subjects = ["; ".join(names[row]) for row in rows]
    train, new = frame.iloc[:150], frame.iloc[150:].iloc[::-1]
    # The index of pandas becomes a column without a name, beside the ids.
    train.assign(subjects=subjects[:150]).to_csv(tmp_path / "texts.csv")
    new.to_csv(tmp_path / "new.csv")
    options = ("--labels", "subjects", "--learner", "br", "-o", "model.skops")
    fitted = program(tmp_path, "fit", "texts.csv", *options)
    assert "'title', 'abstract' taken as text" in fitted.stderr
    assert "learner: br, decides at thresholds tuned for micro-f" in fitted.stdout
    program(tmp_path, "predict", "model.skops", "new.csv", "--format", "names", "-o", "found.csv")
    found = pd.read_csv(tmp_path / "found.csv", keep_default_na=False)
    assert found["id"].tolist() == new["id"].tolist()
    is_same = [given == subjects[i] for given, i in zip(found["labels"], new.index, strict=True)]
    assert np.mean(is_same) > 0.6
