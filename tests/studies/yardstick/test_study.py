"""The yardstick study: what is fitted once, how it is compared, and what was measured."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import make_multilabel
from labelwise.experiments import CellOutcome
from labelwise.learners import BinaryRelevance
from studies.comparison import read_table
from studies.yardstick import limits, plots, study, tables

TITLES = ("BestLearner", "blend", "br", "forest")


def values(shift=0.0):
    """The values of one split, as a cell of the study has them."""
    found = {"seconds": 60.0}
    for number, measure in enumerate(tables.MEASURES):
        for title in TITLES:
            found[f"{measure}/{title}"] = 0.5 + shift
            found[f"{measure}/{title}/corrected"] = 0.5
        found[f"{measure}/chosen"] = float(number % 2)
    return found


@pytest.fixture
def printed(monkeypatch):
    cells = {
        (name, measure): {"A": 0.505, "B": 0.4}
        for name in ("emotions", "birds")
        for measure in tables.MEASURES
    }
    monkeypatch.setattr(tables, "published", lambda: cells)
    return cells


def test_a_mean_within_a_hundredth_of_the_best_of_all_methods_is_no_worse(printed):
    found = {"emotions": [values(0.0), values(0.02)], "birds": [values(-0.02)]}
    table = tables.tables_of(found, {"birds": 130.0})
    verdicts = {cell.where: cell.verdict for cell in table.cells}
    assert verdicts["emotions", "BestLearner", "micro-f"] == "no worse"
    assert verdicts["birds", "BestLearner", "macro-f"] == "worse"
    assert verdicts["birds", "BestLearner", "sample-f"] == ""
    assert "emotions 2, birds 1" in table.words
    assert "more seconds together: birds 130." in table.words


def test_the_best_single_method_is_the_one_of_the_best_mean(printed):
    printed["birds", "micro-f"] = {"A": 0.1, "B": 0.6, "C": 0.9}  # C has no value on emotions
    cells = tables.single_methods({"emotions": [values()], "birds": [values()]}, printed).cells
    by_place = {cell.where: cell for cell in cells}
    assert by_place["BestLearner", "micro-f"].published == "0.5000"
    assert by_place["BestLearner", "micro-f"].verdict == "no worse"
    assert by_place["BestLearner", "hamming-loss"].published == "0.4000"
    assert by_place["BestLearner", "hamming-loss"].verdict == "worse"


def test_the_bias_of_corrected_values_is_their_mean_difference(printed):
    found = {"emotions": [values(0.03)], "birds": [values(-0.02)]}
    bias = {cell.where: cell for cell in tables.bias_table(found).cells}["BestLearner", "micro-f"]
    assert bias.measured == pytest.approx(-0.005)
    assert bias.verdict == "within"
    rows = {cell.where: cell.measured for cell in tables.corrected_table(found).cells}
    assert rows["BestLearner", "micro-f", "emotions", "0", "test"] == 0.53
    assert rows["BestLearner", "micro-f", "emotions", "0", "corrected"] == 0.5


def test_the_plot_has_a_point_for_each_run(tmp_path, monkeypatch):
    found = {"emotions": [values(0.03), values(0.01)], "birds": [values(-0.02)]}
    table = tmp_path / "corrected_measured.csv"
    with table.open("w") as lines:
        tables.corrected_table(found)._write_cells(lines)
    figure = plots.draw_corrected(read_table(table)[1])
    assert figure.axes[0].get_title() == "BestLearner, hamming-loss"
    assert [len(points.get_offsets()) for points in figure.axes[1].collections] == [2, 1]
    monkeypatch.setattr(plots, "TABLE", table)
    plots.draw_all(tmp_path)
    assert (tmp_path / "corrected.svg").read_text().startswith("<?xml")


def test_an_undefined_f_counts_nothing():
    nothing = np.zeros((2, 2), dtype=int)
    assert study.value_of("sample-f", nothing, nothing) == 0
    assert study.value_of("hamming-loss", nothing, nothing) == 0


def test_a_candidate_is_fitted_once_to_the_same_samples(monkeypatch):
    data, _ = make_multilabel(30, random_state=0)
    Y = data.Y.toarray().astype(int)
    monkeypatch.setattr(study, "_FITTED", {})
    tree = BinaryRelevance(DecisionTreeClassifier(max_depth=2, random_state=0))
    one, two = (study.Remembered(tree, "tree").fit(data.X, Y) for _ in range(2))
    other = study.Remembered(tree, "tree").fit(data.X[:20], Y[:20])
    assert one.fitted_ is two.fitted_
    assert other.fitted_ is not one.fitted_
    assert hasattr(one, "predict_proba")
    assert not hasattr(one, "decision_function")


def test_a_candidate_that_scores_folds_is_fitted_once_and_its_scores_are_copied(monkeypatch):
    data, _ = make_multilabel(40, n_labels=3, random_state=0)
    Y = data.Y.toarray().astype(float)
    splits = [(np.arange(20, 40), np.arange(20)), (np.arange(20), np.arange(20, 40))]
    monkeypatch.setattr(study, "_FITTED", {})
    one, two = (study.Remembered(BinaryRelevance(), "br") for _ in range(2))
    scores = one.fit_scoring_folds(data.X, Y, splits)
    expected = BinaryRelevance().fit_scoring_folds(data.X, Y, splits)
    np.testing.assert_array_equal(scores, expected)
    scores[:] = np.nan
    np.testing.assert_array_equal(two.fit_scoring_folds(data.X, Y, splits), expected)
    assert one.fitted_ is two.fitted_
    two.fit_scoring_folds(data.X, Y, splits[::-1])
    assert one.fitted_ is not two.fitted_


def test_a_candidate_that_scores_folds_counts_as_one_fit():
    assert study._n_fits(BinaryRelevance()) == 1
    assert study._n_fits(BinaryRelevance(DecisionTreeClassifier())) == 6


def test_no_thresholds_exceed_the_limits_of_a_learner():
    data, _ = make_multilabel(60, random_state=0)
    model = BinaryRelevance().fit(data.X, data.Y)
    outcome = CellOutcome(model, data, np.arange(60), np.arange(60))
    highest = limits.highest_values(outcome)
    for threshold in np.unique(outcome.scores):
        decided = (np.asarray(outcome.scores) >= threshold).astype(int)
        value = study.value_of("micro-f", data.Y.toarray().astype(int), decided)
        assert value <= highest["micro-f"] + 1e-12


def test_limits_are_shown_beside_the_published_method_of_the_same_kind():
    made = {"date": "2026-11-17", "python": "3", "labelwise": "0", "numpy": "0", "scipy": "0"}
    rows = [
        {"model": model, "measure": "values/micro-f", "value": 0.7, **made, "scikit-learn": "0"}
        for model in limits.models()
    ]
    published = {(limits.NAME, "micro-f"): {"BR": 0.757, "RFDTBR": 0.792}}
    cells = limits.limits_table(rows, published).cells
    assert [(cell.where[1], cell.published) for cell in cells] == [
        ("br", "0.757"),
        ("br-forest", "0.792"),
    ]
    assert all(cell.verdict == "" for cell in cells)
