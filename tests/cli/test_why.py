"""predict --why and --queue: the terms behind decided labels, and the queue with its texts."""

import csv
import json
import re

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import labelwise
from labelwise.data import make_multilabel
from labelwise.decisions import review_bands
from labelwise.features import TextTerms, text_representations
from labelwise.learners import BestLearner, BinaryRelevance, LabelForest, explain
from tests.cli.shell import run_program

TEXTS = ["calm blue sea", "sea and ships", "dark woods", "woods of the hills", "sea near hills"] * 8
TOPICS = [["water"], ["water"], ["land"], ["land"], ["water", "land"]] * 8


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def folder(tmp_path):
    """A model of texts, new texts with ids, and bands in which some of their cells lie."""
    with (tmp_path / "train.csv").open("w", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "title", "topics"])
        for i, (text, topics) in enumerate(zip(TEXTS, TOPICS, strict=True)):
            writer.writerow([f"t{i}", text, "; ".join(topics)])
    words = ("fit", "train.csv", "--labels", "topics", "--learner", "br", "--text", "title")
    done = run_program(tmp_path, *words, "-o", "m.skops")
    assert done.code == 0, done.stderr
    (tmp_path / "new.csv").write_text("id,title\na,blue sea\nb,sea and woods\nc,=hills\n")
    scores = run_program(tmp_path, "predict", "m.skops", "new.csv", "--scores", "s.csv")
    assert scores.code == 0, scores.stderr
    names = list(rows_of(tmp_path / "s.csv")[0])[1:]
    values = [[float(row[name]) for name in names] for row in rows_of(tmp_path / "s.csv")]
    noisy = np.repeat(values, 6, axis=0)
    truth = np.tile([[1, 0], [0, 1], [1, 1]], (6, 1))
    bands = review_bands(noisy, truth, min_precision=1, min_recall=1, label_names=names)
    bands.save(tmp_path / "bands.json")
    return tmp_path


def predict(folder, *words, code=0):
    done = run_program(folder, "predict", "m.skops", "new.csv", *words)
    assert done.code == code, done.stderr
    return done


def test_each_decided_label_has_its_score_and_the_terms_that_speak_for_it(folder):
    predict(folder, "-o", "wide.csv", "--scores", "scores.csv")
    predict(folder, "--why", "1", "-o", "why.jsonl")
    wide = {row["id"]: row for row in rows_of(folder / "wide.csv")}
    scores = {row["id"]: row for row in rows_of(folder / "scores.csv")}
    found = [json.loads(line) for line in (folder / "why.jsonl").read_text().splitlines()]
    decided = {
        (i, name) for i, row in wide.items() for name in ("land", "water") if row[name] == "1"
    }
    assert {(row["id"], row["label"]) for row in found} == decided
    for row in found:
        assert row["score"] == float(scores[row["id"]][row["label"]])
        # No term may speak for a label that is decided by its frequency.
        assert all(set(term) == {"term", "contribution"} for term in row["why"])
        assert len(row["why"]) <= 1
    terms = {(row["id"], row["label"]): row["why"][0]["term"] for row in found if row["why"]}
    assert terms["a", "water"] == "sea"
    assert terms["c", "land"] == "hills"


def test_stems_are_shown_as_words_of_the_text(folder):
    words = ("fit", "train.csv", "--labels", "topics", "--learner", "lfp", "--text", "title")
    done = run_program(folder, *words, "-o", "stems.skops")
    assert done.code == 0, done.stderr
    assert (
        run_program(folder, "predict", "stems.skops", "new.csv", "--why", "1", "-o", "w.csv").code
        == 0
    )
    terms = {(row["id"], row["label"]): row["why"] for row in rows_of(folder / "w.csv")}
    # The feature is the stem "hill".
    assert terms["c", "land"].startswith("hills (+")


def test_a_stem_in_a_blend_is_shown_with_the_same_word_of_another_member(tmp_path):
    draw = np.random.default_rng(3)
    words = ["library", "libraries", "source", "sources", "hill", "hills", "ship", "ships"]
    picked = draw.integers(8, size=(40, 3))
    texts = [" ".join(words[i] for i in row) for row in picked]
    Y = np.column_stack([(picked // 2 == label).any(axis=1) for label in range(2)])
    Y = Y.astype(int) ^ (draw.random(Y.shape) < 0.2)
    forms = text_representations(text="title")
    members = [
        (name, make_pipeline(forms[name], BinaryRelevance(penalty=0.1)))
        for name in ("words", "stems")
    ]
    blended = BestLearner(members, cv=2, blend=True, random_state=0)
    model = blended.fit(pa.table({"title": texts}), Y)
    assert model.best_names_ == ("words", "stems")
    labelwise.save(model, tmp_path / "m.skops")
    (tmp_path / "new.csv").write_text("id,title\na,Libraries!\nb,a source\n")
    predict(tmp_path, "--why", "3", "-o", "why.jsonl")
    found = [json.loads(line) for line in (tmp_path / "why.jsonl").read_text().splitlines()]
    shown = {(row["id"], row["label"]): [term["term"] for term in row["why"]] for row in found}
    assert shown["a", "0"] == ["libraries"]
    assert shown["b", "1"] == ["source"]
    # The contributions of the word and of its stem add up.
    new = pa.table({"title": ["Libraries!"]})
    apart = explain(model, new, cells=([0], [0])).of_cell(0)
    assert {term for term, _ in apart} == {"librari", "libraries"}
    row = next(row for row in found if (row["id"], row["label"]) == ("a", "0"))
    assert row["why"][0]["contribution"] == pytest.approx(sum(value for _, value in apart))


def test_terms_in_csv_have_signed_numbers_and_stay_safe(folder):
    done = predict(folder, "--why", "2", "-o", "-")
    head, *lines = done.stdout.splitlines()
    assert head == "id,label,score,why"
    assert any(line.startswith("a,water,") and "sea (+" in line for line in lines)


def test_the_queue_has_texts_terms_and_a_place_for_the_answer(folder):
    predict(folder, "--bands", "bands.json", "--queue", "q.csv", "--why", "3", "--safe-csv")
    rows = rows_of(folder / "q.csv")
    assert list(rows[0]) == [
        "id",
        "title",
        "label",
        "score",
        "lower",
        "upper",
        "probability",
        "why",
        "answer",
    ]
    titles = {"a": "blue sea", "b": "sea and woods", "c": "'=hills"}
    assert all(row["title"] == titles[row["id"]] for row in rows)
    assert any("(+" in row["why"] for row in rows)
    # decide writes the same cells in the same order.
    words = ("decide", "bands.json", "s.csv", "-o", "d.csv", "--queue", "plain.csv")
    assert run_program(folder, *words).code == 0
    plain = rows_of(folder / "plain.csv")
    for one, other in zip(rows, plain, strict=True):
        assert {name: one[name] for name in other} == other


def test_a_model_of_a_list_of_texts_and_one_of_numbers_have_their_queues(tmp_path):
    Y = np.array([[int("water" in one), int("land" in one)] for one in TOPICS])
    model = make_pipeline(TextTerms(), BinaryRelevance(penalty=0.1)).fit(TEXTS, Y)
    labelwise.save(model, tmp_path / "m.skops")
    (tmp_path / "new.csv").write_text("id,title\na,blue sea\nb,sea and woods\n")
    predict(tmp_path, "--text", "title", "--why", "1", "-o", "why.csv")
    assert rows_of(tmp_path / "why.csv")[0]["why"].startswith("sea (+")
    data = make_multilabel(40, n_features=3, n_labels=2, random_state=0)[0]
    numbers = BinaryRelevance(LogisticRegression()).fit(data.X, data.Y.toarray())
    labelwise.save(numbers, tmp_path / "n.skops")
    np.savetxt(tmp_path / "x.csv", data.X, delimiter=",", header="0,1,2", comments="")
    bands = review_bands(numbers.decision_function(data.X), data.Y, max_review=5, min_recall=0.9)
    bands.save(tmp_path / "b.json")
    words = ("predict", "n.skops", "x.csv", "--bands", "b.json", "--queue", "q.csv", "--why", "1")
    done = run_program(tmp_path, *words)
    assert done.code == 0, done.stderr
    first = rows_of(tmp_path / "q.csv")[0]
    cells = ([int(first["row"])], [int(first["label"])])
    terms = explain(numbers, data.X.round(18), top=1, cells=cells).of_cell(0)
    assert first["why"] == "; ".join(f"{term} ({value:+.3g})" for term, value in terms)


def test_the_sentence_behind_each_decided_label_is_named(folder):
    (folder / "new.csv").write_text(
        'id,title\na,"Nothing here. The sea is calm. Unknown."\nb,"Dark woods. The blue sea!"\n'
    )
    predict(folder, "-o", "wide.csv", "--instances", "i.csv", "--split-sentences")
    found = {(row["id"], row["label"]): row for row in rows_of(folder / "i.csv")}
    decided = {
        (row["id"], name)
        for row in rows_of(folder / "wide.csv")
        for name in ("land", "water")
        if row[name] == "1"
    }
    assert set(found) == decided
    assert found["a", "water"]["sentence"] == "The sea is calm."
    assert found["a", "water"]["sentence_number"] == "2"
    assert found["b", "land"]["sentence"] == "Dark woods."
    # The score of a sentence is that of the sentence as a text.
    (folder / "new.csv").write_text("id,title\na,The sea is calm.\n")
    predict(folder, "--scores", "alone.csv")
    alone = float(rows_of(folder / "alone.csv")[0]["water"])
    assert float(found["a", "water"]["sentence_score"]) == pytest.approx(alone)


def test_sentences_of_json_lines_are_those_that_are_given(tmp_path):
    rows = [
        {"id": i, "parts": [text, "and more"], "topics": topics}
        for i, (text, topics) in enumerate(zip(TEXTS, TOPICS, strict=True))
    ]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("fit", "train.jsonl", "--labels", "topics", "--text", "parts", "--ids", "id")
    done = run_program(tmp_path, *words, "--learner", "br", "-o", "m.skops")
    assert done.code == 0, done.stderr
    (tmp_path / "n.jsonl").write_text('{"id": "z", "parts": ["no words here", "the calm sea"]}\n')
    words = ("predict", "m.skops", "n.jsonl", "--instances", "i.jsonl", "--split-sentences")
    done = run_program(tmp_path, *words)
    assert done.code == 0, done.stderr
    (line,) = map(json.loads, (tmp_path / "i.jsonl").read_text().splitlines())
    assert (line["id"], line["label"]) == ("z", "water")
    assert (line["sentence"], line["sentence_number"]) == ("the calm sea", 2)


@pytest.mark.parametrize(("learner", "named"), [((), "bag-sums"), (("--learner", "bags"), "bags")])
def test_texts_become_bags_of_sentences_in_fit_and_in_predict(folder, learner, named):
    words = ("fit", "train.csv", "--labels", "topics", "--text", "title", "--split-sentences")
    done = run_program(folder, *words, *learner, "-o", "m.skops", "--force")
    assert done.code == 0, done.stderr
    assert f"learner: {named}, decides at thresholds" in " ".join(done.stdout.split())
    (folder / "new.csv").write_text(
        'id,title\na,"Nothing here. The sea is calm. Unknown."\nb,"Dark woods. The blue sea!"\n'
    )
    predict(folder, "-o", "wide.csv", "--scores", "s.csv", "--instances", "i.csv", "--force")
    scores = {row["id"]: row for row in rows_of(folder / "s.csv")}
    found = {(row["id"], row["label"]): row for row in rows_of(folder / "i.csv")}
    assert found["a", "water"]["sentence"] == "The sea is calm."
    assert found["b", "land"]["sentence"] == "Dark woods."
    # A text has the score of its highest sentence.
    for (name, label), row in found.items():
        assert row["score"] == row["sentence_score"] == scores[name][label]
    if not learner:
        predict(folder, "-o", "why.jsonl", "--why", "2")
        lines = list(map(json.loads, (folder / "why.jsonl").read_text().splitlines()))
        terms = {(one["id"], one["label"]): one["why"] for one in lines}
        assert {term["term"] for term in terms["b", "land"]} <= {"dark", "woods"}


def test_sentences_are_for_learners_of_bags_and_for_texts(folder):
    words = ("fit", "train.csv", "--labels", "topics", "--split-sentences", "-o", "x.skops")
    done = run_program(folder, *words, "--learner", "br")
    assert done.code == 2
    assert "--split-sentences is for the learners bag-sums and bags, got br" in " ".join(
        done.stderr.split()
    )
    (folder / "n.csv").write_text("a,b,y\n" + "1.5,2.5,0\n2.5,1.0,1\n" * 8)
    done = run_program(
        folder, "fit", "n.csv", "--labels", "y", "--split-sentences", "-o", "x.skops"
    )
    assert done.code == 2
    assert "--split-sentences needs a column of text" in " ".join(done.stderr.split())


def test_sentences_of_several_columns_keep_the_other_features(tmp_path):
    with (tmp_path / "train.csv").open("w", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["title", "body", "size", "topics"])
        for i, (text, topics) in enumerate(zip(TEXTS, TOPICS, strict=True)):
            writer.writerow([text, f"{text} again and again", i % 3, "; ".join(topics)])
    words = ("fit", "train.csv", "--labels", "topics", "--learner", "br", "--text", "title,body")
    assert run_program(tmp_path, *words, "-o", "m.skops").code == 0
    (tmp_path / "new.csv").write_text("title,body,size\nDark woods,A sea. Nothing.,1\n")
    predict(tmp_path, "--instances", "i.jsonl", "--split-sentences")
    lines = map(json.loads, (tmp_path / "i.jsonl").read_text().splitlines())
    assert {one["label"]: one["sentence"] for one in lines}["land"] == "Dark woods"


def test_the_desk_shows_the_terms_of_a_model_by_the_ids_of_its_texts(folder):
    run_program(folder, "predict", "m.skops", "train.csv", "--scores", "ts.csv")
    lines = (folder / "train.csv").read_text().splitlines()
    (folder / "texts.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    words = ("report", "ts.csv", "train.csv", "--labels", "topics", "-o", "page.html")
    done = run_program(folder, *words, "--texts", "texts.csv", "--model", "m.skops")
    assert done.code == 0, done.stderr
    page = (folder / "page.html").read_text()
    found = json.loads(
        re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", page).group(1)
    )
    rows = found["rows"]
    titles = {f"t{i}": text for i, text in enumerate(TEXTS)}
    assert all(rows["texts"][row] == titles[name] for row, name in rows["ids"].items())
    shown = [cell for cells in rows["nearest"].values() for cell in cells]
    assert any(cell[-2] for cell in shown)
    assert not rows["hasSentences"] or all(cell[-1] for cell in shown)
    for row, *_, terms, sentence in shown:
        assert sentence == titles[rows["ids"][str(row)]]
        words = titles[rows["ids"][str(row)]]
        assert all(term.removeprefix("title:") in words for term in filter(None, terms.split(", ")))
    done = run_program(
        folder,
        "report",
        "ts.csv",
        "train.csv",
        "-o",
        "p.html",
        "--labels",
        "topics",
        "--model",
        "m.skops",
    )
    assert "--model reads the table of --texts" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--split-sentences", "-o", "w.csv"), "--split-sentences is for --instances"),
        (("--split-sentences", "--instances", "i.npy"), "i.npy must end in .csv or .jsonl"),
        (("--why", "0", "-o", "w.csv"), "--why must be at least 1, got 0."),
        (("--why", "1", "--scores", "x.csv"), "--why is for --output or --queue"),
        (("--why", "1", "-o", "w.csv", "--format", "names"), "leave out --format names"),
        (("--why", "1", "-o", "w.parquet"), "w.parquet must end in .csv or .jsonl"),
        (("--queue", "q.csv"), "--queue and --bands must be given together"),
        (("--queue", "q.parquet", "--bands", "b.json"), "q.parquet must end in .csv or .jsonl"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(tmp_path, words, message):
    done = run_program(tmp_path, "predict", "m.skops", "new.csv", *words)
    assert done.code == 2 or "No such file" in done.stderr
    assert message in " ".join(done.stderr.split())


def test_a_model_that_cannot_be_explained_is_refused_in_one_sentence(tmp_path):
    data = make_multilabel(40, n_features=3, n_labels=2, random_state=0)[0]
    labelwise.save(LabelForest().fit(data.X, data.Y.toarray().astype(int)), tmp_path / "m.skops")
    np.savetxt(tmp_path / "new.csv", data.X, delimiter=",", header="0,1,2", comments="")
    done = predict(tmp_path, "--why", "1", "-o", "w.csv", code=2)
    assert "needs a linear model or Okapi neighbours" in " ".join(done.stderr.split())
    assert not (tmp_path / "w.csv").exists()
