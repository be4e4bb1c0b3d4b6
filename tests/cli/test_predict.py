"""What predict writes for tables of numbers: ids, columns, and label names in every format."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

import labelwise
from labelwise.data import make_multilabel
from labelwise.learners import BinaryRelevance
from tests.cli.shell import run_program

DATA = make_multilabel(40, n_features=3, n_labels=3, random_state=0)[0]
LABELS = ["=sea", "sky", "sun"]
FRAME = pd.DataFrame(np.round(DATA.X, 3), columns=["height", "width", "depth"])
TRUTH = pd.DataFrame(DATA.Y.toarray().astype(int), columns=LABELS)
IDS = [5, 3, 8, 1]
NEW = FRAME.iloc[:4].set_axis(pd.Index(IDS, name="id"))


@pytest.fixture
def model(tmp_path):
    fitted = BinaryRelevance(LogisticRegression()).fit(FRAME, TRUTH)
    labelwise.save(fitted, tmp_path / "m.skops")
    return fitted


def predict(folder, data, *options, code=0):
    done = run_program(folder, "predict", "m.skops", data, *options)
    assert done.code == code, done.stderr
    return done


def test_labels_are_written_by_name(model, tmp_path):
    NEW.to_csv(tmp_path / "new.csv")
    sets = [
        [name for name, on in zip(LABELS, row, strict=True) if on] for row in model.predict(NEW)
    ]
    predict(tmp_path, "new.csv", "--format", "names", "-o", "names.csv")
    found = pd.read_csv(tmp_path / "names.csv", keep_default_na=False)
    assert found.columns.tolist() == ["id", "labels"]
    assert found["id"].tolist() == IDS
    assert found["labels"].tolist() == ["; ".join(names) for names in sets]
    predict(tmp_path, "new.csv", "--format", "names", "-o", "names.parquet")
    assert pd.read_parquet(tmp_path / "names.parquet")["labels"].tolist() == list(found["labels"])
    done = predict(tmp_path, "new.csv", "--format", "json", "-o", "-")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines == [{"id": str(i), "labels": s} for i, s in zip(IDS, sets, strict=True)]
    assert any(names[:1] == ["=sea"] for names in sets)
    done = predict(tmp_path, "new.csv", "--format", "names", "-o", "-", "--safe-csv")
    assert "'=sea" in done.stdout


@pytest.mark.parametrize("written", ["names.csv", "names.parquet", "json.jsonl"])
def test_evaluate_reads_back_what_predict_writes(model, tmp_path, written):
    NEW.to_csv(tmp_path / "new.csv")
    # A label that no row has, which files of label names do not mention.
    truth = pd.DataFrame(model.predict(NEW), columns=LABELS, index=NEW.index).assign(never=0)
    truth.iloc[0, 0] = 1 - truth.iloc[0, 0]
    truth.to_csv(tmp_path / "truth.csv")
    predict(tmp_path, "new.csv", "--format", written.partition(".")[0], "-o", written)
    done = run_program(tmp_path, "evaluate", "truth.csv", "--decided", written, "--json")
    assert done.code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["n_labels"] == len(LABELS) + 1
    assert found["measures"]["hamming-loss"]["value"] == 1 / truth.size


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--format", "long", "-o", "x.csv"], "--format must be one of wide, names, json"),
        (["--format", "json", "-o", "x.csv"], "x.csv must end in .jsonl with --format json"),
        (["--format", "names", "-o", "x.npy"], "x.npy must end in .csv or .parquet"),
        (["--format", "names", "--scores", "x.csv"], "--format names is for --output"),
    ],
)
def test_formats_that_cannot_be_written_are_refused(model, tmp_path, options, told):
    NEW.to_csv(tmp_path / "new.csv")
    assert told in predict(tmp_path, "new.csv", *options, code=2).stderr
    assert not list(tmp_path.glob("x.*"))


def test_names_that_could_not_be_separated_are_refused(tmp_path):
    fitted = BinaryRelevance(LogisticRegression()).fit(
        FRAME, TRUTH.set_axis([*"ab", "c; d"], axis=1)
    )
    labelwise.save(fitted, tmp_path / "m.skops")
    NEW.to_csv(tmp_path / "new.csv")
    done = predict(tmp_path, "new.csv", "--format", "names", "-o", "x.csv", code=2)
    assert "joins labels by ';', which 'c; d' has: use json" in done.stderr


WRITERS = {
    "pandas-index.csv": lambda path: NEW.rename_axis(None).to_csv(path),
    "pandas-named-index.csv": NEW.to_csv,
    "pandas-column.csv": lambda path: NEW.reset_index().to_csv(path, index=False),
    "pandas-index.parquet": NEW.to_parquet,
    "polars.csv": lambda path: pl.from_pandas(NEW.reset_index()).write_csv(path),
    "polars.parquet": lambda path: pl.from_pandas(NEW.reset_index()).write_parquet(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_numeric_ids_of_data_frames_are_kept_in_order(model, tmp_path, name):
    WRITERS[name](tmp_path / name)
    predict(tmp_path, name, "-o", "out.csv")
    found = pd.read_csv(tmp_path / "out.csv", index_col=0)
    assert found.index.tolist() == IDS
    assert found.columns.tolist() == LABELS
    np.testing.assert_array_equal(found.to_numpy(), model.predict(NEW))


def test_a_table_without_ids_keeps_the_order_of_its_rows(model, tmp_path):
    NEW.to_csv(tmp_path / "new.csv", index=False)
    predict(tmp_path, "new.csv", "-o", "out.csv")
    found = pd.read_csv(tmp_path / "out.csv")
    np.testing.assert_array_equal(found.to_numpy(), model.predict(NEW))


def test_columns_that_the_model_does_not_use_are_named_and_missing_ones_refused(model, tmp_path):
    NEW.assign(colour=0.5, shape=1.5).to_csv(tmp_path / "more.csv")
    done = predict(tmp_path, "more.csv", "-o", "out.csv")
    assert "the model does not use the columns 'colour', 'shape' of more.csv." in done.stderr
    found = pd.read_csv(tmp_path / "out.csv", index_col="id")
    np.testing.assert_array_equal(found.to_numpy(), model.predict(NEW))
    NEW[["width"]].to_csv(tmp_path / "less.csv")
    done = predict(tmp_path, "less.csv", "-o", "less-out.csv", code=1)
    assert "lacks the columns 'height', 'depth', which the model needs." in done.stderr
