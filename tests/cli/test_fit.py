"""fit, predict and learners, from file to file."""

import json
import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

import labelwise
from labelwise import learners
from labelwise.cli import app
from labelwise.cli._chosen_learner import choose_learner
from labelwise.data import load, make_multilabel, read_scores
from labelwise.decisions import TunedThresholds
from labelwise.learners import LEARNERS, BinaryRelevance, IndependentFPlugin, LabelForest
from labelwise.learners.selection._candidates import default_candidates
from labelwise.learners.selection._costs import Size
from labelwise.measures import count, evaluate, f_measure, micro
from labelwise.splitting import MultilabelStratifiedKFold
from tests.cli.shell import refusal, run, run_program

RUNNER = CliRunner()
LABELS = ["sea", "sky", "sun"]
FEATURES = ["height", "width", "depth", "age"]
SETTINGS = {"random_state": 0, "n_jobs": None, "verbose": 0}
REGISTERED = {one.name: one for one in LEARNERS}
SAVED = [one.name for one in LEARNERS if one.is_saved]


def some_data(seed=0):
    data, _ = make_multilabel(60, n_features=4, n_labels=3, random_state=seed)
    # Okapi weights are for counts, which are not negative.
    return np.round(np.abs(data.X), 3), data.Y.toarray().astype(int)


def table(path, columns, prefix="r"):
    """A csv file of columns by name, with ids."""
    columns = {"id": [f"{prefix}{i}" for i in range(60)]} | columns
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def train(tmp_path):
    X, Y = some_data()
    parts = dict(zip(FEATURES, X.T, strict=True)) | dict(zip(LABELS, Y.T, strict=True))
    return table(tmp_path / "train.csv", parts)


@pytest.fixture
def model(train, tmp_path):
    run("fit", train, "--labels", ",".join(LABELS), "-o", tmp_path / "model.skops")
    return tmp_path / "model.skops"


def new_columns(order=FEATURES):
    X, _ = some_data(seed=1)
    return {name: X[:, FEATURES.index(name)] for name in order}


def test_learners_are_listed_with_a_line_each():
    lines = run("learners").splitlines()
    assert [line.split()[0] for line in lines] == SAVED
    assert {"br", "br-forest", "br-knn", "br-svm", "clr"} <= {line.split()[0] for line in lines}
    assert all(len(line) <= 100 for line in lines)


def test_every_learner_of_the_package_has_a_name_here():
    known = {one.class_name for one in LEARNERS}
    for name in learners.__all__:
        if hasattr(getattr(learners, name), "predict"):
            assert name in known


@pytest.mark.parametrize("name", SAVED)
def test_every_learner_goes_from_file_to_file(name, train, tmp_path):
    file, labels = tmp_path / "model.skops", tmp_path / "labels.csv"
    shown = run("fit", train, "--labels", ",".join(LABELS), "--learner", name, "-o", file)
    assert f"learner: {name}, decides " in shown
    run("predict", file, train, "-o", labels)
    X, _ = some_data()
    again = labelwise.load(file)
    found = read_scores(labels)
    np.testing.assert_array_equal(found.values, again.predict(X))
    assert found.label_names == tuple(LABELS)


def test_predictions_keep_ids_and_names_and_go_by_the_names_of_features(model, tmp_path):
    # Columns in another order, and the labels not there at all.
    new = table(tmp_path / "new.csv", new_columns(FEATURES[::-1]), prefix="n")
    labels, scores = tmp_path / "labels.csv", tmp_path / "scores.csv"
    shown = run("predict", model, new, "-o", labels, "--scores", scores)
    direct = labelwise.load(model)
    X_new = some_data(seed=1)[0]
    found, scored = read_scores(labels), read_scores(scores)
    np.testing.assert_array_equal(found.values, direct.predict(X_new))
    np.testing.assert_array_equal(scored.values, direct.decision_function(X_new))
    for matrix in (found, scored):
        assert matrix.ids == tuple(f"n{i}" for i in range(60))
        assert matrix.id_name == "id"
        assert matrix.label_names == tuple(LABELS)
    assert f"{direct.predict(X_new).sum()} decisions on 60 rows" in shown
    assert f"written to {labels}" in shown


@pytest.mark.parametrize("ending", ["parquet", "npz", "npy"])
def test_scores_and_labels_are_written_in_every_form(model, train, tmp_path, ending):
    labels, scores = tmp_path / f"labels.{ending}", tmp_path / f"scores.{ending}"
    run("predict", model, train, "-o", labels, "--scores", scores)
    X, _ = some_data()
    direct = labelwise.load(model)
    found, scored = read_scores(labels), read_scores(scores)
    dense = found.values.toarray() if ending == "npz" else found.values
    np.testing.assert_array_equal(dense, direct.predict(X))
    np.testing.assert_array_equal(scored.values, direct.decision_function(X))
    if ending != "npy":
        assert scored.label_names == tuple(LABELS)
        assert scored.ids == tuple(f"r{i}" for i in range(60))


def test_a_model_of_emotions_is_evaluated_on_its_test_file(benchmark_home, tmp_path):
    folder = benchmark_home / "emotions"
    train, test = (next(folder.glob(f"*-{part}.arff*")) for part in ("train", "test"))
    file, labels, scores = (tmp_path / name for name in ("m.skops", "l.csv", "s.csv"))
    shown = run("fit", train, "--learner", "br-knn", "--maximize", "micro-f", "-o", file)
    assert "decides at thresholds tuned for micro-f; fitted in " in shown
    assert "micro-f is 0." in shown
    run("predict", file, test, "-o", labels, "--scores", scores)
    told = run("evaluate", test, "--decided", labels, "--scores", scores)
    whole = load("emotions", data_home=benchmark_home)
    part = whole.take(whole.test)
    decided = labelwise.load(file).predict(part.X)
    value = micro(f_measure, count(part.Y, decided))
    line = next(line for line in told.splitlines() if line.startswith("f "))
    assert line.split()[1] == f"{value:.4f}"
    # The same by the name of the set, whose training part is the training file.
    again = tmp_path / "again.skops"
    home = ("--data-home", benchmark_home)
    shown = run(
        "fit", "emotions", *home, "--learner", "br-knn", "--maximize", "micro-f", "-o", again
    )
    assert "391 samples, 72 features, 6 labels, a part of 593" in shown
    np.testing.assert_array_equal(labelwise.load(again).predict(part.X), decided)
    by_name = tmp_path / "by_name.csv"
    run("predict", again, "emotions", *home, "--part", "test", "-o", by_name)
    assert by_name.read_text() == labels.read_text()
    everything = run("predict", again, "emotions", *home, "-o", by_name, "--force")
    assert "391 of the rows are its training part" in everything


@pytest.mark.parametrize(
    ("name", "maximize", "kind", "parameters"),
    [
        ("br", "none", BinaryRelevance, {"rescale": True}),
        ("br", None, TunedThresholds, {"maximize": "micro-f"}),
        ("br", "micro-f", TunedThresholds, {"maximize": "micro-f"}),
        ("br-svm", "macro-jaccard", TunedThresholds, {"maximize": "macro-jaccard"}),
        ("clr", "sample-f", TunedThresholds, {"maximize": "sample-f", "beta": 2.0}),
        ("br-forest", "none", LabelForest, {"estimator__random_state": 0, "joint": False}),
        ("lfp", None, IndependentFPlugin, {}),
    ],
)
def test_what_is_maximised_says_who_decides(name, maximize, kind, parameters):
    options = {"beta": parameters["beta"]} if "beta" in parameters else {}
    model = choose_learner(name, maximize, options, SETTINGS, is_sparse=True).model
    assert type(model) is kind
    assert parameters.items() <= model.get_params().items()


def test_sample_f_of_probabilities_is_left_to_the_plug_in():
    found = choose_learner("br", "sample-f", {"beta": 2.0}, SETTINGS, is_sparse=True)
    assert type(found.model) is IndependentFPlugin
    assert found.model.beta == 2.0
    assert type(found.model.estimator) is BinaryRelevance
    assert "expected F" in found.rule
    assert type(choose_learner("br-svm", "sample-f", {}, SETTINGS).model) is TunedThresholds
    for maximize in ("sample-f", None):
        plug_in = choose_learner("lfp", maximize, {"beta": 0.5}, SETTINGS, is_sparse=True).model
        assert (plug_in.estimator, plug_in.beta) == (None, 0.5)
        scaled = choose_learner("lfp", maximize, {"beta": 0.5}, SETTINGS).model
        assert [type(step) for _, step in scaled.steps] == [StandardScaler, IndependentFPlugin]
        assert scaled.steps[1][1].beta == 0.5


@pytest.mark.parametrize("name", SAVED)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_name_is_one_model_for_the_command_and_for_the_leaderboard(name, is_sparse):
    settings = {"random_state": 7, "n_jobs": None, "verbose": 0, "budget": None}
    try:
        chosen = choose_learner(name, "none", {}, settings, is_sparse=is_sparse).model
    except ValueError:
        chosen = choose_learner(name, "micro-f", {}, settings, is_sparse=is_sparse).model
    assert repr(chosen) == repr(REGISTERED[name].build(is_sparse, 7))
    defaults, _ = default_candidates(LEARNERS, Size(1000, 50, 8, 50.0, is_sparse, True), 7)
    for one in defaults:
        assert one.name != name or repr(one.estimator) == repr(chosen)


def test_a_guarantee_is_printed_and_kept_in_the_model(tmp_path):
    data, _ = make_multilabel(600, n_features=4, n_labels=3, random_state=0)
    columns = dict(zip([*FEATURES, *LABELS], [*data.X.T, *data.Y.toarray().T], strict=True))
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    asked = ("--min-recall", "0.6", "--guarantee", "0.9", "--tuning-share", "0.4")
    words = ("fit", tmp_path / "rows.csv", "--labels", ",".join(LABELS), *asked)
    told = run(*words, "-o", tmp_path / "m.skops")
    assert "learner: br, decides at thresholds tuned for micro-f on a third of the rows" in told
    assert "guaranteed on new samples with probability 0.9: micro recall at least 0.6" in told
    found = labelwise.load(tmp_path / "m.skops").thresholds_.evidence.guarantee
    assert (found.n_tuning, found.n_calibration) == (80, 120)


@pytest.mark.parametrize(("typed", "fbr"), [("nested", "nested"), ("nested,0", ("nested", 0))])
def test_a_nested_fbr_is_that_of_python(typed, fbr, tmp_path):
    data, _ = make_multilabel(120, n_features=4, n_labels=3, random_state=3)
    X, Y = np.round(data.X, 3), data.Y.toarray().astype(int)
    Y[:, 0] = np.arange(len(Y)) % 15 == 0  # rare, and hard to tell from the rest
    rows = [[*FEATURES, *LABELS], *np.hstack([X, Y]).tolist()]
    (tmp_path / "train.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    output = tmp_path / "model.skops"
    options = ("--labels", ",".join(LABELS), "--learner", "br", "--fbr", typed)
    run("fit", tmp_path / "train.csv", *options, "-o", output)
    fitted = labelwise.load(output)
    chosen = choose_learner("br", "micro-f", {"fbr": fbr}, SETTINGS | {"budget": 60.0}).model
    expected = chosen.fit(X, Y).thresholds_
    assert expected.evidence.fbr > 0
    np.testing.assert_allclose(fitted.thresholds_.values, expected.values)
    assert fitted.thresholds_.evidence.fbr == expected.evidence.fbr


def test_learners_that_cannot_be_saved_are_refused_before_they_are_fitted(monkeypatch, capsys):
    told = refusal(monkeypatch, capsys, "fit", "none.csv", "--learner", "lightgbm", "-o", "m.skops")
    assert "--learner must be one of auto, br," in told


def test_fit_says_what_it_chose_what_that_is_worth_and_how_long_it_took(train, tmp_path):
    arguments = ("fit", train, "--labels", ",".join(LABELS), "-o", tmp_path / "m.skops")
    done = run_program(tmp_path, *arguments, "--learner", "br-svm")
    fitted = labelwise.load(tmp_path / "m.skops")
    lines = done.stdout.splitlines()
    rule = r"learner: br-svm, decides at thresholds tuned for micro-f; fitted in \d+\.\d seconds"
    assert lines[1] == "columns: 4 numbers, 1 id"
    assert re.fullmatch(rule, lines[2])
    assert lines[3] == (
        f"micro-f is {fitted.value_:.4f} on held-out samples, and {fitted.corrected_value_:.4f} if "
        "no sample is decided by thresholds tuned on it"
    )
    done = run_program(tmp_path, *arguments, "--maximize", "none", "--force")
    assert "learner: br, decides each label at a probability of 0.5; fitted in" in done.stdout
    assert "no value on held-out samples: no measure was named" in done.stdout


def test_fit_measures_rules_that_are_not_tuned_on_held_out_rows(train, tmp_path):
    arguments = ("fit", train, "--labels", ",".join(LABELS), "-o", tmp_path / "m.skops", "--json")
    done = run_program(tmp_path, *arguments, "--learner", "lfp")
    record = json.loads(done.stdout)
    data = load(train, labels=LABELS)
    truth, decided = [], []
    for fit_to, test in MultilabelStratifiedKFold(5).split(data.Y, data.Y):
        model = REGISTERED["lfp"].build(False, 0)
        model.fit(data.X[fit_to], data.Y[fit_to].toarray())
        decided.append(model.predict(data.X[test]))
        truth.append(data.Y[test].toarray())
    wanted = evaluate(np.concatenate(truth), decided=np.concatenate(decided))["sample-f"]
    assert record["value"] == record["corrected_value"] == pytest.approx(wanted)
    few = tmp_path / "few.csv"
    few.write_text("\n".join(train.read_text().splitlines()[:9]) + "\n")
    done = run_program(tmp_path, "fit", few, *arguments[2:-1], "--learner", "lfp", "--force")
    assert "no value on held-out samples: there are too few samples" in done.stdout


def test_scores_are_calibrated_for_rules_that_need_probabilities(train, tmp_path):
    options = ("--labels", ",".join(LABELS), "--learner", "br-svm", "-o", "m.skops")
    wanted = ("--maximize", "sample-f")
    done = run_program(tmp_path, "fit", train, *options, *wanted)
    assert "tuned for sample-f (without probabilities, which --calibrate gives)" in done.stdout
    done = run_program(tmp_path, "fit", train, *options, *wanted, "--calibrate", "--force")
    assert "decides the label set of highest expected F" in done.stdout
    done = run_program(tmp_path, "predict", "m.skops", train, "--scores", "s.csv")
    assert done.code == 0, done.stderr
    scores = read_scores(tmp_path / "s.csv").values
    assert ((scores >= 0) & (scores <= 1)).all()
    found = choose_learner("br-svm", "none", {}, SETTINGS, calibrate=True)
    assert found.rule == "each label at a probability of 0.5"
    done = run_program(tmp_path, "fit", train, *options, "--learner", "lfp", "--calibrate")
    assert "--calibrate is not for lfp, which has its own decision rule" in done.stderr


def test_a_seed_repeats_the_model(train, tmp_path):
    files = [tmp_path / name for name in ("one.skops", "two.skops")]
    for file in files:
        options = ("--learner", "clr", "--seed", "3", "-o", file)
        run("fit", train, "--labels", ",".join(LABELS), *options)
    X, _ = some_data()
    one, two = (labelwise.load(file).decision_function(X) for file in files)
    np.testing.assert_array_equal(one, two)


def test_warnings_become_notes_and_progress_is_printed(tmp_path, capfd):
    X, Y = some_data()
    columns = dict(zip(FEATURES, X.T, strict=True)) | {"sea": Y[:, 0], "sky": [0] * 60}
    path = table(tmp_path / "train.csv", columns)
    done = RUNNER.invoke(
        app,
        ["fit", str(path), "--labels", "sea,sky", "-o", str(tmp_path / "m.skops"), "--verbose"],
    )
    assert done.exit_code == 0
    assert "labelwise: note: Y has one class only for label 'sky'" in done.stderr
    assert labelwise.load(tmp_path / "m.skops").label_names_ == ("sea", "sky")


def test_sparse_files_may_use_fewer_features(tmp_path):
    path, new = tmp_path / "train.svm", tmp_path / "new.svm"
    path.write_text("0 1:1 3:2\n1 1:2\n0,1 2:1 3:1\n0 3:3\n1 2:2\n")
    new.write_text("0 1:1\n1 2:1\n")
    file, labels = tmp_path / "m.skops", tmp_path / "labels.csv"
    run("fit", path, "--learner", "br", "-o", file)
    run("predict", file, new, "-o", labels)
    assert read_scores(labels).values.shape == (2, 2)
    wide = tmp_path / "wide.svm"
    wide.write_text("0 1:1 9:1\n1 2:1\n")
    done = RUNNER.invoke(app, ["predict", str(file), str(wide), "-o", "-"])
    assert "features but the model knows" in str(done.exception)


def test_models_from_python_need_no_names(tmp_path):
    X, Y = some_data()
    labelwise.save(BinaryRelevance(LogisticRegression()).fit(X, Y), tmp_path / "m.skops")
    new = table(tmp_path / "new.csv", new_columns())
    run("predict", tmp_path / "m.skops", new, "-o", tmp_path / "labels.csv")
    assert read_scores(tmp_path / "labels.csv").label_names == ("0", "1", "2")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--learner", "zz"], "--learner must be one of auto, br, br-svm"),
        (["--maximize", "f"], "--maximize must be micro-, macro- or sample-"),
        (["--beta", "2", "--maximize", "none"], "--beta is not for the own rule of br"),
        (["--part", "half"], "--part must be one of train, test, all, got 'half'"),
        (["--part", "test"], "--part test is not in 'train', which has a single part"),
        (["--labels", "nope"], "has no column 'nope'"),
        (
            ["--learner", "knn", "--maximize", "sample-f", "--weights", "age"],
            "--weights is not for IndependentFPlugin, which takes none",
        ),
    ],
)
def test_impossible_options_are_refused(train, tmp_path, monkeypatch, capsys, options, told):
    labels = [] if "--labels" in options else ["--labels", ",".join(LABELS)]
    file = tmp_path / "m.skops"
    assert told in refusal(monkeypatch, capsys, "fit", train, *labels, *options, "-o", file)
    assert not file.exists()


def test_data_that_cannot_be_learned_from_are_refused(tmp_path, monkeypatch, capsys):
    X, Y = some_data()
    gaps = table(tmp_path / "gaps.csv", new_columns() | {"sea": Y[:, 0], "gap": ["", *X[1:, 0]]})
    output = ("-o", tmp_path / "m.skops", "--force")
    told = refusal(monkeypatch, capsys, "fit", gaps, "--labels", "sea", *output)
    assert "1 missing or infinite values, first in row 0" in told
    run("fit", gaps, "--labels", "sea", "--learner", "br-forest", *output)
    unknown = table(tmp_path / "unknown.csv", new_columns() | {"sea": [""] * 60})
    told = refusal(monkeypatch, capsys, "fit", unknown, "--labels", "sea", *output)
    assert "a model learns from labels" in told
    nothing = table(tmp_path / "nothing.csv", {"id": [f"r{i}" for i in range(60)], "sea": Y[:, 0]})
    told = refusal(monkeypatch, capsys, "fit", nothing, "--labels", "sea", *output)
    assert "'nothing' must have a column that is a feature, got none" in told
    plain = ("digit-bags", "--learner", "br", *output)
    assert "has bags of rows" in refusal(monkeypatch, capsys, "fit", *plain)


def test_outputs_never_overwrite_inputs(model, train, monkeypatch, capsys):
    before = train.read_bytes(), model.read_bytes()
    for arguments in (
        ("predict", model, train, "-o", train),
        ("predict", model, train, "--scores", train),
    ):
        assert "cannot be written: this command reads it" in refusal(
            monkeypatch, capsys, *arguments
        )
    twice = ("predict", model, train, "-o", "x.csv", "--scores", "x.csv")
    assert "x.csv cannot be the file of two outputs" in refusal(monkeypatch, capsys, *twice)
    assert (train.read_bytes(), model.read_bytes()) == before


@pytest.mark.parametrize(
    "learner",
    [BinaryRelevance(penalty=0.1), TunedThresholds(LogisticRegression()), LogisticRegression()],
    ids=lambda learner: type(learner).__name__,
)
def test_a_model_of_a_vector_decides_its_second_class_as_a_label(learner, tmp_path):
    X, Y = some_data()
    fitted = learner.fit(X, np.where(Y[:, 0], "sea", "land"))
    labelwise.save(fitted, tmp_path / "model.skops")
    new = table(tmp_path / "new.csv", new_columns())
    labels, scores = tmp_path / "labels.csv", tmp_path / "scores.csv"
    run("predict", tmp_path / "model.skops", new, "-o", labels)
    run("predict", tmp_path / "model.skops", new, "--scores", scores)
    X_new, _ = some_data(seed=1)
    found, scored = read_scores(labels), read_scores(scores)
    assert found.label_names == scored.label_names == ("sea",)
    np.testing.assert_array_equal(found.values[:, 0], fitted.predict(X_new) == "sea")
    np.testing.assert_array_equal(scored.values[:, 0], fitted.decision_function(X_new))


def test_a_model_of_three_classes_is_refused(tmp_path, monkeypatch, capsys):
    X, _ = some_data()
    labelwise.save(LogisticRegression().fit(X, np.arange(60) % 3), tmp_path / "model.skops")
    new = table(tmp_path / "new.csv", new_columns())
    for option in ("-o", "--scores"):
        arguments = ("predict", tmp_path / "model.skops", new, option, tmp_path / "labels.csv")
        shown = refusal(monkeypatch, capsys, *arguments)
        assert "was fitted to a vector of 3 classes: two classes are needed" in shown


def test_predictions_that_cannot_be_made_are_refused(model, tmp_path, monkeypatch, capsys):
    new = table(tmp_path / "new.csv", new_columns())
    output = tmp_path / "labels.csv"

    def told(*arguments):
        return refusal(monkeypatch, capsys, "predict", *arguments)

    assert "--output, --scores, --instances or --queue must be given" in told(model, new)
    assert "must end in .csv, .parquet" in told(model, new, "-o", tmp_path / "labels.txt")
    assert "is a data set, not a model" in told(new, new, "-o", output)
    less = table(tmp_path / "less.csv", new_columns(FEATURES[:2]))
    assert "lacks the columns 'depth', 'age', which the model needs" in told(
        model, less, "-o", output
    )
    labelwise.save(BinaryRelevance(), tmp_path / "raw.skops")
    assert "no fitted model of labels" in told(tmp_path / "raw.skops", new, "-o", output)
    assert not output.exists()


def test_auto_shows_what_it_tried_and_decides_as_the_best(train, tmp_path):
    arguments = ("fit", train, "--labels", ",".join(LABELS), "-o", tmp_path / "m.skops")
    done = run_program(tmp_path, *arguments, "--time", "20", "--verbose")
    fitted = labelwise.load(tmp_path / "m.skops")
    assert str(fitted.leaderboard_) in done.stdout
    assert f"{fitted.corrected_value_:.4f} if no sample is decided" in done.stdout
    assert "1 of 4, " in done.stderr
    assert (fitted.budget, fitted.maximize, fitted.verbose) == (20.0, "micro-f", 0)
    for option in (("--maximize", "none"), ("--calibrate",)):
        done = run_program(tmp_path, *arguments, "--learner", "auto", *option, "--force")
        assert done.code == 2
    assert "--calibrate is not for auto" in done.stderr


def grouped_table(path, n_groups=30):
    """Rows of small groups that share their labels; the other features say nothing."""
    rng = np.random.default_rng(0)
    labels = rng.random((n_groups, 3)) < 0.5
    lines = ["id,family,a,b,sea,sky,sun"]
    for i in range(6 * n_groups):
        cells = [*rng.normal(size=2).round(3), *labels[i // 6].astype(int)]
        lines.append(",".join(map(str, [f"r{i}", f"f{i // 6}", *cells])))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    "options",
    [
        ["--learner", "br"],
        ["--learner", "br-svm", "--calibrate"],
        ["--learner", "lfp"],
        ["--learner", "auto", "--time", "0"],
    ],
    ids=["br", "calibrated", "lfp", "auto"],
)
def test_groups_are_no_feature_and_stay_together_in_folds(options, tmp_path):
    data, file = grouped_table(tmp_path / "data.csv"), tmp_path / "m.skops"
    arguments = ("fit", data, "--labels", ",".join(LABELS), *options, "-o", file, "--force")
    loose = json.loads(run(*arguments, "--json"))
    assert loose["columns"]["categories"] == {"family": 30}
    assert "30 categories of 'family'" in run(*arguments)
    assert loose["corrected_value"] > 0.9
    kept = json.loads(run(*arguments, "--groups", "family", "--json"))
    assert kept["columns"] == {
        "numbers": 2,
        "texts": [],
        "ids": ["id"],
        "categories": {},
        "groups": "family",
        "weights": None,
    }
    # Features say nothing, so that the honest value is that of deciding by frequency alone.
    assert kept["corrected_value"] < 0.75
    fitted = labelwise.load(file)
    assert list(fitted.feature_names_) == ["a", "b"]
    assert fitted.id_names_ == ("id",)
    assert run("predict", file, data, "-o", "-").splitlines()[1].startswith('"r0",')


def test_groups_of_an_arff_file_are_no_feature(tmp_path):
    lines = ["@relation r", "@attribute a numeric", "@attribute kind {x,y,z,u,v,w}"]
    lines += ["@attribute sea {0,1}", "@attribute sky {0,1}", "@data"]
    rng = np.random.default_rng(0)
    for i in range(60):
        lines.append(f"{rng.normal():.3f},{'xyzuvw'[i % 6]},{rng.integers(2)},{rng.integers(2)}")
    (tmp_path / "d.arff").write_text("\n".join(lines) + "\n")
    arguments = ("fit", tmp_path / "d.arff", "--labels", "-2", "--learner", "br", "-o")
    shown = run(*arguments, tmp_path / "m.skops", "--groups", "kind")
    assert "columns: 1 number, groups by 'kind'" in shown
    assert "columns: 1 number, 6 categories of 'kind'" in run(*arguments, tmp_path / "n.skops")


def test_groups_that_are_not_there_are_refused(train, tmp_path, monkeypatch, capsys):
    arguments = ("fit", train, "--labels", ",".join(LABELS), "-o", tmp_path / "m.skops")
    told = refusal(monkeypatch, capsys, *arguments, "--groups", "nope")
    assert "nope" in told


@pytest.mark.parametrize("learner", ["knn", "br-knn"])
def test_too_few_rows_for_neighbours_are_refused_before_the_fit(
    learner, tmp_path, monkeypatch, capsys
):
    lines = [f"{k},{k % 2}" for k in range(12)]
    (tmp_path / "few.csv").write_text("\n".join(["x,y", *lines]))
    arguments = ["fit", tmp_path / "few.csv", "--labels", "y", "--learner", learner]
    told = refusal(monkeypatch, capsys, *arguments, "-o", tmp_path / "model.skops")
    assert f"--learner {learner} must have at least 13 rows, got 12." in told
