"""labelwise report: the page of scores and labels in files, with rows matched by id."""

import json
import re
from base64 import b64decode

import numpy as np
import pytest

from labelwise import load, save
from labelwise.learners import CalibratedLabelRanking
from tests.cli.shell import run_program


def data_of(path):
    """The data of a page."""
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="page-data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.fixture
def folder(small_folder):
    rows = range(11, -1, -1)
    write = {
        "slices.csv": "id,place,year\n" + "".join(f"r{i},p{i % 2},{2000 + i % 3}\n" for i in rows),
        "texts.csv": "id,text\n" + "".join(f"r{i},words {i}\n" for i in rows),
        "other.csv": "id,sky,sea\n" + "".join(f"r{i},{i / 9},{i % 2}\n" for i in rows),
    }
    for name, text in write.items():
        (small_folder / name).write_text(text)
    return small_folder


def test_a_page_is_written_with_everything(folder):
    assert run_program(folder, "tune", "scores.csv", "labels.csv", "-o", "t.json").code == 0
    options = ("--thresholds", "t.json", "--versus", "other.csv", "--slices", "slices.csv")
    words = ("report", "scores.csv", "labels.csv", "-o", "page.html", "--texts", "texts.csv")
    done = run_program(folder, *words, *options, "--title", "My desk")
    assert done.code == 0, done.stderr
    assert done.stdout == "written to page.html\n"
    data = data_of(folder / "page.html")
    assert data["names"] == ["sea", "sky"]
    assert data["points"][0]["name"] == "t.json"
    assert data["start"] == data["points"][0]["key"]
    assert [one["name"] for one in data["slices"]] == ["place", "year"]
    assert data["slices"][0]["rows"] == [6, 6]
    # Rows of the other files are in another order, and are matched by id.
    for row, name in data["rows"]["ids"].items():
        assert name == f"r{row}"
        assert data["rows"]["texts"][row] == f"words {row}"
    assert data["versus"]["frontier"]["decided"][0] == 0
    assert "<bdi>My desk</bdi>" in (folder / "page.html").read_text()


def test_the_column_of_groups_is_not_a_label(folder):
    lines = (folder / "labels.csv").read_text().splitlines()
    grouped = [f"{line},{'patient' if i == 0 else i // 2}" for i, line in enumerate(lines)]
    (folder / "grouped.csv").write_text("\n".join(grouped))
    words = ("report", "scores.csv", "grouped.csv", "-o", "page.html", "--groups", "patient")
    done = run_program(folder, *words)
    assert done.code == 0, done.stderr
    assert data_of(folder / "page.html")["names"] == ["sea", "sky"]


def test_the_page_counts_rows_by_the_column_of_weights(folder):
    lines = (folder / "labels.csv").read_text().splitlines()
    weighted = [f"{line},{'times' if i == 0 else i}" for i, line in enumerate(lines)]
    (folder / "weighted.csv").write_text("\n".join(weighted))
    words = ("report", "scores.csv", "weighted.csv", "-o", "page.html", "--weights", "times")
    done = run_program(folder, *words)
    assert done.code == 0, done.stderr
    page = data_of(folder / "page.html")
    assert page["names"] == ["sea", "sky"]
    assert page["nRows"] == sum(range(1, len(lines)))
    assert f"{len(lines) - 1} samples counted as" in (folder / "page.html").read_text()
    (folder / "weighted.csv").write_text("\n".join(weighted).replace(",2\n", ",0.5\n"))
    told = run_program(folder, *words, "--force").stderr
    assert "--weights of a desk must be whole numbers, because cells" in told


def test_the_page_goes_to_the_standard_output(folder):
    done = run_program(folder, "report", "scores.csv", "labels.csv", "-o", "-")
    assert done.code == 0
    assert done.stdout.startswith("<!DOCTYPE html>")


def test_the_thresholds_of_a_model_come_first_on_the_page(folder):
    fit = ("fit", "data.csv", "--labels", "sea,sky", "--text", "", "--learner", "br")
    assert run_program(folder, *fit, "-o", "m.skops").code == 0
    words = ("report", "scores.csv", "labels.csv", "-o", "page.html", "--thresholds")
    done = run_program(folder, *words, "m.skops")
    assert done.code == 0, done.stderr
    point = data_of(folder / "page.html")["points"][0]
    tuned = load(folder / "m.skops").thresholds_
    assert point["name"] == "m.skops"
    assert np.frombuffer(b64decode(point["thresholds"]["data"])).tolist() == tuned.values.tolist()
    save(CalibratedLabelRanking().fit(np.eye(4), np.eye(4, 2, dtype=int)), folder / "none.skops")
    done = run_program(folder, *words, "none.skops", "--force")
    assert done.code == 1
    assert "none.skops: has no thresholds, because CalibratedLabelRanking does not" in done.stderr


def test_the_thresholds_of_a_model_of_texts_are_those_of_its_last_step(folder):
    texts = "text,sea,sky\n" + "".join(
        f"waves and wind {i},{i % 2},{i // 2 % 2}\n" for i in range(24)
    )
    (folder / "letters.csv").write_text(texts.replace("wind 1", "storm 1"))
    fit = ("fit", "letters.csv", "--labels", "sea,sky", "--text", "text", "--learner", "br")
    assert run_program(folder, *fit, "-o", "texts.skops").code == 0
    words = ("report", "scores.csv", "labels.csv", "-o", "page.html", "--thresholds")
    done = run_program(folder, *words, "texts.skops")
    assert done.code == 0, done.stderr
    point = data_of(folder / "page.html")["points"][0]
    tuned = load(folder / "texts.skops")[-1].thresholds_
    assert np.frombuffer(b64decode(point["thresholds"]["data"])).tolist() == tuned.values.tolist()


def test_missing_labels_count_nowhere(folder):
    (folder / "gaps.csv").write_text(
        (folder / "labels.csv").read_text().replace("r5,1,0", "r5,,0").replace("r7,1,1", "r7,1,")
    )
    done = run_program(folder, "report", "scores.csv", "gaps.csv", "-o", "page.html")
    assert done.code == 0, done.stderr
    assert "2 cells without truth, which count nowhere" in (folder / "page.html").read_text()
    data = data_of(folder / "page.html")
    assert np.frombuffer(b64decode(data["known"]["data"]), "<i4").tolist() == [11, 11]
