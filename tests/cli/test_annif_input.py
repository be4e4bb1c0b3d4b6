"""Corpora and suggestions of Annif as inputs of commands."""

import csv

import pytest

from tests.cli.shell import run_program

SEA, WOOD = "http://example.org/sea", "http://example.org/wood"
TEXTS = [("a calm blue sea", [SEA]), ("dark woods", [WOOD]), ("woods by the sea", [SEA, WOOD])] * 8


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "v.tsv").write_text(f"<{SEA}>\tthe sea\n<{WOOD}>\twoods\n")
    lines = [f"{text}\t{' '.join(f'<{uri}>' for uri in of)}\n" for text, of in TEXTS]
    (tmp_path / "train.tsv").write_text("".join(lines))
    for part in ("tuning", "new"):
        place = tmp_path / part
        place.mkdir()
        for i, (text, of) in enumerate(TEXTS):
            (place / f"{i:02d}.txt").write_text(text)
            (place / f"{i:02d}.tsv").write_text("".join(f"<{uri}>\tname\n" for uri in of))
            scores = {uri: 0.75 if uri in of else 0.25 for uri in (SEA, WOOD)}
            (place / f"{i:02d}.annif").write_text(
                "".join(f"<{uri}>\tname\t{score}\n" for uri, score in scores.items())
            )
    return tmp_path


def run(folder, *words, code=0):
    done = run_program(folder, *words)
    assert done.code == code, done.stderr
    return done


def decisions(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["id"]: row for row in csv.DictReader(stream)}


def test_a_model_of_short_texts_decides_a_folder_of_texts(folder):
    done = run(folder, "fit", "train.tsv", "--labels", "v.tsv", "--learner", "br", "-o", "m.skops")
    assert "24 samples, 1 text, 2 labels" in done.stdout
    run(
        folder,
        "predict",
        "m.skops",
        "new",
        "-o",
        "d.csv",
        "--instances",
        "i.csv",
        "--split-sentences",
    )
    found = decisions(folder / "d.csv")
    assert list(found)[:2] == ["00", "01"]
    assert [found["00"][name] for name in ("the sea", "woods")] == ["1", "0"]
    done = run(folder, "evaluate", "new", "--labels", "v.tsv", "--decided", "d.csv")
    assert "Evaluation of 24 samples and 2 labels" in done.stdout
    run(folder, "describe", "new")


def test_thresholds_of_suggestions_decide_other_suggestions(folder):
    # Only one class is suggested in the new folder, so that the other one has no score.
    for path in (folder / "new").glob("*.annif"):
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
    for labels in ((), ("--labels", "v.tsv")):
        run(folder, "tune", "tuning", "tuning", *labels, "-o", "t.json", "--force")
        run(folder, "decide", "t.json", "new", *labels, "-o", "d.csv", "--force")
        sea, wood = ("the sea", "woods") if labels else (SEA, WOOD)
        for name, row in decisions(folder / "d.csv").items():
            assert row[sea] == str(int(SEA in TEXTS[int(name)][1]))
            assert row[wood] == "0"


def test_a_vocabulary_is_refused_for_a_file_of_scores(folder):
    run(folder, "tune", "tuning", "tuning", "-o", "t.json")
    (folder / "s.csv").write_text(f"id,{SEA},{WOOD}\na,0.5,0.5\n")
    done = run(folder, "decide", "t.json", "s.csv", "--labels", "v.tsv", "-o", "d.csv", code=2)
    assert "--labels names the vocabulary of Annif's suggestions" in " ".join(done.stderr.split())
