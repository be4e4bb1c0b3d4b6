"""Data are found by name or path, or it is said where they were looked for."""

import gzip
import hashlib
import http.server
import json
import threading

import pytest
from sklearn.datasets import _openml
from sklearn.linear_model import LogisticRegression

import labelwise
from labelwise.data import DataError, DataWarning, load
from labelwise.learners import BinaryRelevance
from tests.writers.arff import arff, label_xml

ATTRIBUTES = [("x", "numeric"), ("p", ["FALSE", "TRUE"]), ("q", ["FALSE", "TRUE"])]
ROWS = [[1.5, "TRUE", "FALSE"], [2.5, "FALSE", "TRUE"], [3.5, "TRUE", "TRUE"]]
FILE = arff(ATTRIBUTES, ROWS)
LABELS = [[True, False], [False, True], [True, True]]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("LABELWISE_DATA", raising=False)


def test_a_validation_part_that_is_not_read_is_named(tmp_path):
    for part in ("train", "test", "dev", "validate-2", "devices"):
        (tmp_path / f"news-{part}.csv").write_text("x,y\n1,0\n2,1\n")
    (tmp_path / "other-dev.csv").write_text("x,y\n1,0\n")
    (tmp_path / "news-dev.txt").write_text("notes")
    unread = "'news-dev.csv', 'news-validate-2.csv' not read, only news-train.csv and news-test.csv"
    with pytest.warns(DataWarning, match=unread):
        data = load("news", data_home=tmp_path, labels="y")
    assert (data.train.tolist(), data.test.tolist()) == ([0, 1], [2, 3])


@pytest.mark.parametrize("name", ["abstracts", "digits", "digit-bags", "mixture", "topics"])
def test_bundled_sets_are_there_without_a_file(name):
    data = load(name)
    assert data.name == name
    assert data.describe().n_labels > 1


def write_set(folder, part=""):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"tiny{part}.arff").write_text(FILE)
    (folder / "tiny.xml").write_text(label_xml(["q", "p"]))


def test_a_set_is_found_in_data_home_in_the_environment_and_in_the_cache(tmp_path, monkeypatch):
    write_set(tmp_path / "home" / "tiny")
    assert load("tiny", data_home=tmp_path / "home").name == "tiny"
    monkeypatch.setenv("LABELWISE_DATA", str(tmp_path / "home"))
    assert load("tiny").Y.toarray().tolist() == LABELS
    monkeypatch.delenv("LABELWISE_DATA")
    write_set(tmp_path / "cache" / "labelwise" / "tiny")
    assert load("tiny").label_names == ("p", "q")


def test_train_and_test_files_come_as_one_set(tmp_path):
    write_set(tmp_path / "tiny", "-train")
    write_set(tmp_path / "tiny", "-test")
    for data in (load(tmp_path / "tiny"), load("tiny", data_home=tmp_path)):
        assert data.train.tolist() == [0, 1, 2]
        assert data.test.tolist() == [3, 4, 5]


def test_files_side_by_side_are_found_by_their_names(tmp_path):
    for name, row in (
        ("one-train", "0,2 1:0.5\n"),
        ("one-test", "1 2:1\n"),
        ("oneself", "5 9:1\n"),
    ):
        (tmp_path / f"{name}.svm").write_text(row)
    data = load("one", data_home=tmp_path)
    assert data.X.shape == (2, 2)
    assert data.n_labels == 3


def test_the_main_file_is_the_one_whose_name_begins_the_others(tmp_path):
    (tmp_path / "Music.arff").write_text(arff(ATTRIBUTES, ROWS, "x: -C -2"))
    (tmp_path / "Music_old.arff").write_text("nothing")
    assert load(tmp_path).n_samples == 3


def test_the_main_file_may_be_called_as_its_folder(tmp_path):
    (tmp_path / "hills").mkdir()
    (tmp_path / "hills" / "hills.arff").write_text(arff(ATTRIBUTES, ROWS, "x: -C -2"))
    (tmp_path / "hills" / "tree.csv").write_text("nothing")
    assert load(tmp_path / "hills").n_samples == 3


def test_a_folder_of_two_sets_is_refused(tmp_path):
    (tmp_path / "a.arff").write_text(FILE)
    (tmp_path / "b.arff").write_text(FILE)
    with pytest.raises(DataError, match=r"must contain one data set.*got a\.arff, b\.arff"):
        load(tmp_path)


def test_a_table_needs_to_know_its_labels(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,p\n0.5,1\n0.25,0\n")
    with pytest.raises(DataError, match="does not say which columns are labels"):
        load(path)
    assert load(path, labels=["p"]).Y.toarray().tolist() == [[True], [False]]


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("digits", "labels"),
        ("digits", "bags"),
        ("rows.svm", "labels"),
        ("rows.svm", "bags"),
        ("news", "labels"),
        ("news", "bags"),
        ("yeast", "bags"),  # refused before the download; its labels can be chosen
    ],
)
def test_arguments_that_a_source_cannot_use_are_refused(tmp_path, monkeypatch, name, argument):
    (tmp_path / "rows.svm").write_text("0,2 1:0.5\n1 2:1\n")
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "reut2-000.sgm").write_text("")
    monkeypatch.chdir(tmp_path)
    problem = rf"^{argument} must be left out for '{name.partition('.')[0]}', .*, got 'sea'\.$"
    with pytest.raises(ValueError, match=problem):
        load(name, **{argument: "sea"})


def test_labels_of_a_table_are_names(tmp_path):
    (tmp_path / "t.csv").write_text("x,p\n0.5,1\n0.25,0\n")
    with pytest.raises(DataError, match=r"a count of labels \(1\) does not say which columns"):
        load(tmp_path / "t.csv", labels=1)


def test_labels_of_a_set_from_openml_can_be_chosen_at_the_download_and_later(openml):
    for _ in range(2):
        data = load("yeast", labels=["q"])
        assert data.label_names == ("q",)


def test_a_model_is_no_data_set_and_a_data_set_is_no_model(tmp_path):
    data = load("mixture")
    model = BinaryRelevance(LogisticRegression()).fit(data.X, data.Y)
    labelwise.save(model, tmp_path / "model.skops")
    with pytest.raises(DataError, match=r"is a model, not a data set: .* labelwise\.load\.$"):
        load(tmp_path / "model.skops")
    write_set(tmp_path / "tiny")
    for path in ("digits", "yeast", tmp_path / "tiny" / "tiny.arff"):
        with pytest.raises(DataError, match=r"data sets are read by labelwise\.data\.load"):
            labelwise.load(path)


def test_a_model_may_have_the_ending_of_a_data_file(tmp_path):
    data = load("mixture")
    labelwise.save(BinaryRelevance(LogisticRegression()).fit(data.X, data.Y), tmp_path / "m.csv")
    assert labelwise.load(tmp_path / "m.csv").n_features_in_ == data.n_features


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("no/such/file.arff", "no/such/file.arff: does not exist"),
        ("lost.svm", "lost.svm: does not exist"),
        ("nobody", "nobody: is not a file, not a bundled set"),
    ],
)
def test_what_is_nowhere_is_named_with_the_places(name, problem):
    with pytest.raises(DataError) as refusal:
        load(name)
    assert problem in str(refusal.value)


class OpenMLDouble(http.server.BaseHTTPRequestHandler):
    """Answers as OpenML does, or fails in the way that `fault` names."""

    fault = ""

    def do_GET(self):
        if "/features/" in self.path:
            body = json.dumps({"data_features": {"feature": features()}}).encode()
        elif "/qualities/" in self.path:
            quality = [{"name": "NumberOfInstances", "value": "3"}]
            body = json.dumps({"data_qualities": {"quality": quality}}).encode()
        elif "/download/" in self.path:
            body = FILE.encode()
            if self.fault == "wrong content":
                body = body.replace(b"1.5", b"9.5")
        else:
            body = json.dumps({"data_set_description": self.description()}).encode()
        if self.fault == "wrong answer" and "/download/" not in self.path:
            body = b"<html>maintenance</html>"
        self.answer(body)

    def answer(self, body):
        missing = self.fault == "404" and "/download/" in self.path
        self.send_response(404 if missing else 200)
        cut = self.fault == "cut off" and "/download/" in self.path
        packed = gzip.compress(body)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.end_headers()
        self.wfile.write(packed[: len(packed) // 2] if cut else packed)

    def description(self):
        return {
            "id": "40597",
            "name": "yeast",
            "version": "4",
            "status": "active",
            "format": "ARFF",
            "description": "a double",
            "url": f"{self.server.address}/data/v1/download/1/yeast.arff",
            "md5_checksum": hashlib.md5(FILE.encode()).hexdigest(),
        }

    def log_message(self, *_):
        pass


def features():
    kinds = [("x", "numeric", "false"), ("p", "nominal", "true"), ("q", "nominal", "true")]
    return [
        {
            "index": str(number),
            "name": name,
            "data_type": kind,
            "is_target": target,
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for number, (name, kind, target) in enumerate(kinds)
    ]


@pytest.fixture
def openml(monkeypatch):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OpenMLDouble)
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    for constant in ("_DATA_INFO", "_DATA_FEATURES", "_DATA_QUALITIES"):
        url = getattr(_openml, constant).replace("https://www.openml.org", server.address)
        monkeypatch.setattr(_openml, constant, url)
    monkeypatch.setattr(_openml.time, "sleep", lambda _: None)
    monkeypatch.setattr(OpenMLDouble, "fault", "")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_known_set_is_fetched_once_and_then_found_in_the_cache(openml, tmp_path, monkeypatch):
    fetched = load("yeast")
    assert fetched.name == "yeast"
    assert fetched.label_names == ("p", "q")
    assert fetched.X.tolist() == [[1.5], [2.5], [3.5]]
    assert fetched.Y.toarray().tolist() == LABELS
    files = sorted(path.name for path in (tmp_path / "cache" / "labelwise").rglob("*"))
    assert files == ["yeast", "yeast.arff.gz", "yeast.xml"]
    monkeypatch.setattr(OpenMLDouble, "fault", "404")
    assert load("yeast").Y.toarray().tolist() == LABELS


@pytest.mark.parametrize("fault", ["404", "cut off", "wrong content", "wrong answer"])
def test_a_failed_download_leaves_nothing_behind(openml, tmp_path, monkeypatch, fault):
    monkeypatch.setattr(OpenMLDouble, "fault", fault)
    with pytest.raises(DataError, match=r"yeast: is not in .* could not be fetched from OpenML"):
        load("yeast")
    assert list((tmp_path / "cache" / "labelwise").rglob("*")) == []


def test_without_a_network_one_sentence_says_what_to_do(monkeypatch):
    for constant in ("_DATA_INFO", "_DATA_FEATURES", "_DATA_QUALITIES"):
        monkeypatch.setattr(_openml, constant, "http://127.0.0.1:9/{}")
    monkeypatch.setattr(_openml.time, "sleep", lambda _: None)
    with pytest.raises(DataError) as refusal:
        load("scene")
    message = str(refusal.value)
    assert "as number 40595" in message
    assert "LABELWISE_DATA" in message
    assert "\n" not in message


def test_a_path_that_no_system_takes_is_refused_as_a_file_is():
    with pytest.raises(DataError, match=r"cannot be read \(File name too long\)"):
        load("a" * 5000 + ".csv", labels="y")
