"""The how-to pages are true: their files exist, and their code runs."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator
from typer.testing import CliRunner

from labelwise._curves import cuts_of
from labelwise.cli.running._command import PROGRAMS
from labelwise.decisions import TunedThresholds
from tests.model_register import some_data

ROOT = Path(__file__).parents[1]
NAMES = ("command", "decision", "learner", "measure", "reader", "tuning_option")
# Files that a page adds.
NEW_FILES = ("cardinality", "my_learner", "marked_lines")
PAGES = {name: ROOT / "docs" / "how_to" / f"add_a_{name}.md" for name in NAMES}


def code_of_the_page(name, module_name):
    code = PAGES[name].read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    module = {"__name__": module_name}
    exec(compile(code, str(PAGES[name]), "exec"), module)
    return module


@pytest.fixture
def learner_of_the_page():
    return code_of_the_page("learner", "labelwise.learners")["LabelShares"]


def test_the_learner_of_the_page_learns_a_matrix_and_a_vector(learner_of_the_page):
    X, Y = some_data()
    with pytest.raises(NotFittedError):
        learner_of_the_page().predict(X)
    model = learner_of_the_page().fit(X, Y)
    assert np.allclose(model.predict_proba(X), Y.mean(axis=0))
    assert np.array_equal(model.predict(X), model.predict_proba(X) > 0.5)
    vector = learner_of_the_page().fit(X, np.where(Y[:, 0], "yes", "no"))
    assert vector.predict(X).tolist() == [["no", "yes"][int(Y[:, 0].mean() > 0.5)]] * 40
    assert vector.predict_proba(X).shape == (40, 2)


def test_the_learner_of_the_page_passes_the_checks_of_scikit_learn(learner_of_the_page):
    found = check_estimator(learner_of_the_page(), on_fail=None, on_skip=None)
    failed = {one["check_name"] for one in found if one["status"] == "failed"}
    # A class of a page cannot be pickled, and the warning about a constant label is an error here.
    assert failed == {"check_estimators_pickle", "check_classifiers_one_label"}


def test_the_command_of_the_page_has_its_options_and_prints_its_result(tmp_path):
    code_of_the_page("command", "labelwise.cli.commands._cardinality")
    program = PROGRAMS["cardinality"]
    (tmp_path / "data.csv").write_text("x,sea,sky\n1,0,1\n2,1,1\n3,0,0\n")
    words = [str(tmp_path / "data.csv"), "--labels", "sea,sky"]
    assert CliRunner().invoke(program, [*words, "--digits", "2"]).stdout == "1.00\n"
    assert json.loads(CliRunner().invoke(program, [*words, "--json"]).stdout) == {"cardinality": 1}
    assert "Show the mean number of labels" in CliRunner().invoke(program, ["--help"]).stdout


def test_tuned_thresholds_take_the_learner_of_the_page(learner_of_the_page):
    X, Y = some_data()
    assert TunedThresholds(learner_of_the_page(), cv=2).fit(X, Y).predict(X).shape == Y.shape


def test_the_objective_of_the_page_finds_the_best_thresholds():
    rule = code_of_the_page("decision", "labelwise.decisions")["YoudenRule"]()
    rng = np.random.default_rng(0)
    scores, Y = rng.integers(0, 6, (40, 3)) / 4, rng.random((40, 3)) < 0.4
    choice = rule(cuts_of(scores, sparse.csc_array(Y)))

    def index(j, threshold):
        decided = scores[:, j] >= threshold
        return decided[Y[:, j]].mean() - decided[~Y[:, j]].mean()

    for j, threshold in enumerate(choice.thresholds):
        best = max(index(j, cut) for cut in [*np.unique(scores), np.inf])
        assert index(j, threshold) == pytest.approx(best)
    reached = [index(j, threshold) for j, threshold in enumerate(choice.thresholds)]
    assert choice.value == pytest.approx(np.mean(reached))


@pytest.mark.parametrize("name", PAGES)
def test_files_and_objects_of_a_page_exist(name):
    page = PAGES[name].read_text(encoding="utf-8")
    for path, shown in re.findall(r"literalinclude} (\S+)\n.*\n:pyobject: (\S+)", page):
        source = (PAGES[name].parent / path).read_text(encoding="utf-8")
        for part in shown.split("."):
            assert re.search(rf"(def|class) {part}\b", source), shown
    for path in re.findall(r"`((?:src|tests|docs|benchmarks)/[^`]*)`", page):
        assert any(name in path for name in NEW_FILES) or (ROOT / path).exists(), path
