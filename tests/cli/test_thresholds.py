"""From a model to the desk and back: labelwise thresholds, report --model, predict --thresholds."""

import json

import numpy as np
import pandas as pd
import pytest

from labelwise import load
from labelwise.data import make_multilabel
from labelwise.decisions import Thresholds
from labelwise.measures import evaluate
from tests.cli.shell import run_program
from tests.cli.test_report import data_of
from tests.reports.desk.test_weighted_desk import numbers

LABELS = ["sea", "sky", "old town"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Training and test samples, models of thresholds and of expected F."""
    path = tmp_path_factory.mktemp("model")
    data, _ = make_multilabel(260, n_labels=3, random_state=0)
    features = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    table = pd.DataFrame(features, columns=[f"x{j}" for j in range(features.shape[1])])
    table[LABELS] = data.Y.toarray().astype(int)
    table.insert(0, "id", [f"r{i}" for i in range(260)])
    table["site"] = np.arange(260) // 4
    table[:200].to_csv(path / "train.csv", index=False)
    # Rows and columns of other files may have another order.
    table[200:].iloc[::-1, ::-1].to_csv(path / "test.csv", index=False)
    words = ("fit", "train.csv", "--labels", ",".join(LABELS), "--groups", "site", "--learner")
    for name, learner in (("m", "br"), ("lfp", "lfp")):
        assert run_program(path, *words, learner, "-o", f"{name}.skops").code == 0
    return path


def works(folder, *words):
    done = run_program(folder, *words, "--force")
    assert done.code == 0, done.stderr
    return done


def test_thresholds_of_a_model_decide_as_the_model(folder):
    done = works(folder, "thresholds", "m.skops", "-o", "t.json", "--json")
    tuned = Thresholds.load(folder / "t.json")
    assert tuned.label_names == tuple(LABELS)
    assert json.loads(done.stdout)["values"] == tuned.values.tolist()
    works(folder, "predict", "m.skops", "test.csv", "-o", "own.csv", "--scores", "s.csv")
    works(folder, "predict", "m.skops", "test.csv", "-o", "same.csv", "--thresholds", "t.json")
    works(folder, "decide", "t.json", "s.csv", "-o", "decided.csv")
    own = (folder / "own.csv").read_text()
    assert own == (folder / "same.csv").read_text() == (folder / "decided.csv").read_text()


def test_other_thresholds_decide_instead_of_the_model(folder):
    """Names of labels count, not their order; a rule without thresholds is replaced, too."""
    works(folder, "thresholds", "m.skops", "-o", "t.json")
    content = json.loads((folder / "t.json").read_text())
    content["values"], content["label_names"] = ["inf", "-inf", "inf"], ["old town", "sky", "sea"]
    (folder / "sky.json").write_text(json.dumps(content))
    for model in ("m.skops", "lfp.skops"):
        works(folder, "predict", model, "test.csv", "-o", "sky.csv", "--thresholds", "sky.json")
        found = pd.read_csv(folder / "sky.csv")
        assert found[LABELS].sum().tolist() == [0, 60, 0]
    content["label_names"] = None
    (folder / "sky.json").write_text(json.dumps(content))
    words = ("predict", "m.skops", "test.csv", "-o", "sky.csv", "--thresholds", "sky.json")
    told = works(folder, *words).stderr
    assert "note: labels of sky.json are matched with those of m.skops by position." in told


def test_the_page_of_a_model_opens_at_its_own_decisions_of_new_rows(folder):
    works(folder, "report", "--model", "m.skops", "test.csv", "-o", "new.html")
    works(folder, "predict", "m.skops", "test.csv", "-o", "own.csv")
    truth, decided = (pd.read_csv(folder / name)[LABELS] for name in ("test.csv", "own.csv"))
    wanted = evaluate(truth.to_numpy(), decided=decided.to_numpy())["micro-f"]
    data, page = data_of(folder / "new.html"), (folder / "new.html").read_text()
    assert data["names"] == LABELS
    assert data["start"] == data["points"][0]["key"]
    assert f"Micro F is {wanted:.3f}. The best thresholds" in page
    assert "On these samples (m.skops): finds " in page
    assert not data["points"][0]["isHeldOut"]
    assert data["rows"]["hasIds"]


def test_training_rows_are_scored_by_models_of_other_rows(folder):
    words = ("report", "train.csv", "--groups", "site", "-o", "known.html", "--model")
    done = works(folder, *words, "m.skops")
    assert "the model was fitted to train.csv: rows are scored by models of others" in done.stderr
    data = data_of(folder / "known.html")
    tuned = load(folder / "m.skops").thresholds_
    counts = data["points"][0]["known"]
    assert counts["value"] == tuned.value
    assert data["points"][0]["isHeldOut"]
    works(folder, *words, "lfp.skops")
    page = (folder / "known.html").read_text()
    assert "On these samples (given): finds " in page


def test_the_page_of_a_model_takes_the_groups_of_its_fit(folder):
    words = ("report", "--model", "m.skops", "train.csv", "-o")
    done = works(folder, *words, "by_itself.html")
    assert "note: groups by 'site', as in labelwise fit (--groups '' for none)." in done.stderr
    assert "does not use" not in done.stderr
    works(folder, *words, "named.html", "--groups", "site")
    by_itself, named = (data_of(folder / f"{name}.html") for name in ("by_itself", "named"))
    assert by_itself["points"] == named["points"]
    done = works(folder, *words, "without.html", "--groups", "")
    assert "groups by" not in done.stderr
    point = data_of(folder / "without.html")["points"][0]
    assert point["note"] == "The given thresholds, tuned on these samples."
    pd.read_csv(folder / "test.csv").drop(columns="site").to_csv(folder / "alone.csv", index=False)
    done = works(folder, "report", "--model", "m.skops", "alone.csv", "-o", "alone.html")
    assert "alone.csv has no column 'site', which --groups of labelwise fit named." in done.stderr
    done = works(folder, "predict", "m.skops", "test.csv", "-o", "own.csv")
    assert "does not use" not in done.stderr


def test_training_rows_in_another_order_are_recognised(folder):
    train = pd.read_csv(folder / "train.csv")
    train.sample(frac=1, random_state=0).iloc[:, ::-1].to_csv(folder / "mixed.csv", index=False)
    done = works(folder, "report", "--model", "m.skops", "mixed.csv", "-o", "mixed.html")
    assert "the model was fitted to mixed.csv: rows are scored by models of others" in done.stderr
    point = data_of(folder / "mixed.html")["points"][0]
    assert point["note"] == "The given thresholds, tuned on these samples."
    assert point["isHeldOut"]
    train.assign(sea=1 - train["sea"]).to_csv(folder / "others.csv", index=False)
    done = works(folder, "report", "--model", "m.skops", "others.csv", "-o", "others.html")
    assert "was fitted to" not in done.stderr


@pytest.mark.parametrize("unit", [1, 0.5])
def test_the_page_of_a_model_takes_the_weights_of_its_fit(folder, unit):
    train = pd.read_csv(folder / "train.csv").assign(times=np.arange(200) % 3 * unit)
    train.to_csv(folder / "weighted.csv", index=False)
    of_fit = ("--labels", ",".join(LABELS), "--weights", "times", "--learner", "br")
    works(folder, "fit", "weighted.csv", *of_fit, "-o", "weighted.skops")
    words = ("report", "--model", "weighted.skops", "weighted.csv", "-o", "weighted.html")
    done = works(folder, *words)
    assert "note: weights by 'times', as in labelwise fit" in done.stderr
    data = data_of(folder / "weighted.html")
    point = data["points"][0]
    assert point["note"] == "The given thresholds, tuned on these samples."
    if unit == 1:
        assert data["nRows"] == train["times"].sum()
        value = load(folder / "weighted.skops").thresholds_.value
        n_decided, n_right = (numbers(point[name]).sum() for name in ("decided", "hits"))
        assert 2 * n_right / (n_decided + numbers(data["support"]).sum()) == pytest.approx(value)
    else:
        assert "counts each row once: its weights are not whole numbers" in done.stderr
        assert data["nRows"] == np.count_nonzero(train["times"])


def test_a_model_is_compared_with_other_scores_and_slices(folder):
    works(folder, "predict", "lfp.skops", "test.csv", "--scores", "other.csv")
    test = pd.read_csv(folder / "test.csv")
    test[["id", "site"]].sample(frac=1, random_state=0).to_csv(folder / "sites.csv", index=False)
    words = ("report", "--model", "m.skops", "test.csv", "-o", "both.html")
    works(folder, *words, "--versus", "other.csv", "--slices", "sites.csv")
    data = data_of(folder / "both.html")
    assert data["versus"] is not None
    assert [one["name"] for one in data["slices"]] == ["site"]


def test_texts_of_a_model_are_shown_with_terms(folder):
    rows = [f"t{i},waves and wind {i},{i % 2},{i // 2 % 2}" for i in range(24)]
    text = "\n".join(["id,text,sea,sky", *rows])
    (folder / "letters.csv").write_text(text.replace("wind 1", "storm 1"))
    (folder / "more.csv").write_text(text.replace("t1", "u1"))
    words = ("fit", "letters.csv", "--labels", "sea,sky", "--text", "text", "--learner", "br")
    works(folder, *words, "-o", "texts.skops")
    works(folder, "report", "--model", "texts.skops", "more.csv", "-o", "texts.html")
    assert data_of(folder / "texts.html")["rows"]["texts"]


def test_a_data_set_without_the_labels_is_refused(folder):
    pd.read_csv(folder / "test.csv").drop(columns=LABELS).to_csv(folder / "new.csv", index=False)
    done = run_program(folder, "report", "--model", "m.skops", "new.csv", "-o", "no.html")
    assert done.code == 1
    assert "has no column 'sea', 'sky', 'old town' of the model: --labels names" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("thresholds", "lfp.skops"),
        ("report", "s.csv", "y.csv", "-o", "x.html", "--thresholds", "lfp.skops"),
    ],
)
def test_a_model_without_thresholds_is_named(folder, words):
    table = pd.read_csv(folder / "train.csv")[["id", *LABELS]]
    for name in ("s.csv", "y.csv"):
        table.to_csv(folder / name, index=False)
    done = run_program(folder, *words)
    assert done.code == 1
    assert "lfp.skops: has no thresholds, because IndependentFPlugin does not" in done.stderr


def test_a_saved_race_can_be_fitted_again(folder):
    words = ("fit", "train.csv", "--labels", ",".join(LABELS), "--time", "2", "-o", "auto.skops")
    works(folder, *words)
    works(folder, "report", "--model", "auto.skops", "train.csv", "-o", "auto.html")
