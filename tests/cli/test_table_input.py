"""A csv of texts goes in as it is, and new texts are labelled by the saved model."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import labelwise
from labelwise.features import TextTerms
from tests.cli.shell import run_program

WORDS = {
    "sea": ["ship", "harbour", "sail", "wave", "tide", "captain"],
    "war": ["army", "battle", "soldier", "general", "siege", "enemy"],
    "sky": ["star", "planet", "cloud", "orbit", "comet", "moon"],
}
COMMON = ["the", "of", "and", "story", "history", "people", "time"]


def write_texts(path, n_rows, seed, columns):
    """Write a csv of titles, abstracts and categories, with the labels that they are about."""
    draw = np.random.default_rng(seed)
    about = [[label for label in WORDS if draw.random() < 0.4] for _ in range(n_rows)]

    def text(labels, n_words):
        pool = [*COMMON, *(word for label in labels for word in WORDS[label] * 2)]
        return " ".join(draw.choice(pool, n_words))

    rows = {
        "id": [f"{7 * i % n_rows + 100}" for i in range(n_rows)],
        "title": [text(labels, 4) for labels in about],
        "abstract": [text(labels, 20) for labels in about],
        "kind": draw.choice(["book", "map", "film"], n_rows).tolist(),
        "subjects": ["; ".join(labels) for labels in about],
    }
    with path.open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream)
        lines.writerow(columns)
        lines.writerows(zip(*(rows[name] for name in columns), strict=True))
    return rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    write_texts(folder / "texts.csv", 200, 0, ["id", "title", "abstract", "kind", "subjects"])
    done = run(
        folder, "fit", "texts.csv", "--labels", "subjects", "--learner", "br", "-o", "m.skops"
    )
    assert "200 samples, 3 features, 2 texts, 3 labels" in done.stdout
    assert "'title', 'abstract' taken as text (--text names the columns of text)" in done.stderr
    assert "'id' taken as identifiers" in done.stderr
    return folder


def run(folder, *arguments, code=0):
    done = run_program(folder, *arguments)
    assert done.code == code, done.stderr
    return done


def test_new_texts_get_the_labels_that_they_are_about(folder):
    expected = write_texts(folder / "new.csv", 60, 1, ["kind", "abstract", "id", "title"])
    run(folder, "predict", "m.skops", "new.csv", "-o", "out.csv")
    decided = pd.read_csv(folder / "out.csv", index_col="id")
    assert decided.index.astype(str).tolist() == expected["id"]
    truth = pd.Series(expected["subjects"]).str.get_dummies("; ")[decided.columns]
    assert (truth.to_numpy() == decided.to_numpy()).mean() > 0.95


def test_a_single_row_of_unseen_values_is_labelled_with_a_note(folder):
    (folder / "one.csv").write_text(
        "title,abstract,kind\nthe ships of the harbour,a captain and a wave of the tide,song\n"
    )
    done = run(folder, "predict", "m.skops", "one.csv", "-o", "-")
    assert done.stdout.splitlines() == ['"sea","sky","war"', "1,0,0"]
    assert "'kind' has 'song'" in done.stderr


def test_missing_and_unknown_columns_are_named(folder):
    (folder / "bad.csv").write_text("title,kind\nships,map\n")
    done = run(folder, "predict", "m.skops", "bad.csv", "-o", "-", code=1)
    assert "bad.csv: lacks the column 'abstract', which the model needs." in done.stderr
    done = run(folder, "predict", "m.skops", "texts.csv", "-o", "-")
    assert "the model does not use the column 'subjects' of texts.csv" in done.stderr


def test_the_columns_of_text_can_be_named(folder):
    arguments = ["texts.csv", "--labels", "subjects", "--text", "title", "--ids", "id,abstract"]
    assert "200 samples, 3 features, 1 text, 3 labels" in run(folder, "describe", *arguments).stdout


def test_a_text_that_is_not_named_is_left_out_and_no_identifier(folder):
    arguments = ["texts.csv", "--labels", "subjects", "--text", "title"]
    done = run(folder, "fit", *arguments, "--learner", "br", "-o", "title.skops")
    assert "'abstract' left out: it reads like text, and text (--text) does not" in done.stderr
    assert "'id' taken as identifiers" in done.stderr
    done = run(folder, "predict", "title.skops", "texts.csv", "-o", "-")
    assert done.stdout.startswith('"id","sea"')
    assert "does not use the columns 'abstract', 'subjects' of" in done.stderr
    done = run(folder, "describe", *arguments[:3], "--text", "kind")
    assert "'title', 'abstract' left out: they read like text" in done.stderr


def test_terms_are_selected_from_raw_text(folder):
    done = run(folder, "select", "texts.csv", "--labels", "subjects", "-n", "5", "-o", "t.svm")
    assert "abstract:" in done.stdout
    assert (folder / "t-columns.csv").read_text().count("\nterm,") == 5
    done = run(folder, "select", "texts.csv", "--labels", "subjects", "--curve")
    assert "terms are the smallest set within one standard error" in done.stdout


@pytest.mark.parametrize("first", ["scikit-learn", "labelwise"])
def test_a_pipeline_of_a_list_of_texts_predicts_from_a_file(folder, first):
    rows = pd.read_csv(folder / "texts.csv", keep_default_na=False)
    step = TfidfVectorizer() if first == "scikit-learn" else TextTerms()
    model = make_pipeline(step, OneVsRestClassifier(LogisticRegression()))
    model.fit(rows["abstract"].tolist(), rows["subjects"].str.get_dummies("; ").to_numpy())
    labelwise.save(model, folder / "pipe.skops")
    done = run(folder, "predict", "pipe.skops", "texts.csv", "-o", "-", code=1)
    assert "must have one column of text, named by --text, got 'title', 'abstract'" in done.stderr
    done = run(
        folder, "predict", "pipe.skops", "texts.csv", "--text", "abstract", "-o", "p.csv", "--force"
    )
    found = pd.read_csv(folder / "p.csv", index_col="id").to_numpy()
    np.testing.assert_array_equal(found, model.predict(rows["abstract"].tolist()))


def test_json_lines_give_the_predictions_of_the_same_csv(folder, tmp_path):
    rows = write_texts(tmp_path / "texts.csv", 60, 3, ["id", "title", "abstract", "kind"])
    with (tmp_path / "texts.jsonl").open("w", encoding="utf-8") as stream:
        for row in zip(*rows.values(), strict=True):
            record = dict(zip(rows, row, strict=True))
            record["subjects"] = [name for name in record["subjects"].split("; ") if name]
            stream.write(json.dumps(record) + "\n")
    for name in ("csv", "jsonl"):
        words = (folder / "m.skops", f"texts.{name}", "-o", f"{name}.csv")
        assert run(tmp_path, "predict", *words).code == 0
    assert (tmp_path / "jsonl.csv").read_text() == (tmp_path / "csv.csv").read_text()
    learning = ("--labels", "subjects", "--learner", "br", "-o", "m.skops")
    done = run(tmp_path, "fit", "texts.jsonl", *learning)
    assert "60 samples, 3 features, 2 texts, 3 labels" in done.stdout
