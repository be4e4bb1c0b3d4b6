"""Displays of labels, pairs of labels, splits and reliability hold what they draw."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from labelwise.data import make_multilabel
from labelwise.measures import evaluate, reliability
from labelwise.reports import (
    CoOccurrenceDisplay,
    LabelMeasuresDisplay,
    ReliabilityDisplay,
    SplitQualityDisplay,
)
from labelwise.splitting import compare_splits

plt = pytest.importorskip("matplotlib.pyplot")

DATA, POSTERIOR = make_multilabel(n_samples=150, random_state=0)
PROBA = POSTERIOR.marginals
DECIDED = (PROBA >= 0.4).astype(int)
COMPARED = compare_splits(DATA.Y, 5, random_state=0)
DRAWN = {
    "labels": lambda **ax: LabelMeasuresDisplay.from_predictions(DATA.Y, DECIDED, **ax),
    "pairs": lambda **ax: CoOccurrenceDisplay.from_labels(DATA.Y, **ax),
    "splits": lambda **ax: SplitQualityDisplay.from_comparison(COMPARED, **ax),
    "split": lambda **ax: SplitQualityDisplay.from_subsets(DATA.Y, COMPARED.subsets, **ax),
    "reliability": lambda **ax: ReliabilityDisplay.from_predictions(DATA.Y, PROBA, **ax),
}
ODD_NAMES = ["$x^{", "_hidden", "x\x1b[2J"]


@pytest.mark.parametrize("name", DRAWN)
def test_a_display_draws_on_given_axes_or_a_new_figure(name):
    figure, axes = plt.subplots()
    drawn = DRAWN[name](ax=axes)
    assert drawn.ax_ is axes
    assert drawn.figure_ is figure
    assert drawn.plot() is drawn
    assert drawn.figure_ is not figure
    drawn.figure_.canvas.draw()


def test_labels_are_drawn_with_the_lowest_f_first():
    found = evaluate(DATA.Y, decided=DECIDED)
    drawn = LabelMeasuresDisplay.from_evaluation(found, max_labels=3)
    order = np.argsort(found.per_label["f"], kind="stable")[:3]
    assert drawn.names == tuple(found.label_names[j] for j in order)
    for name in ("precision", "recall", "f"):
        np.testing.assert_array_equal(drawn.values[name], found.per_label[name][order])
    assert f"{DATA.n_labels - 3} better labels not shown" in drawn.ax_.get_xlabel()
    assert {line.get_label() for line in drawn.ax_.lines} == {"precision", "recall", "f"}


def test_scores_alone_are_drawn_by_average_precision():
    drawn = LabelMeasuresDisplay.from_evaluation(evaluate(DATA.Y, scores=PROBA))
    assert list(drawn.values) == ["auc", "average-precision"]


def test_an_estimator_is_drawn_by_its_decisions_and_probabilities():
    model = OneVsRestClassifier(LogisticRegression()).fit(DATA.X, DATA.Y.toarray().astype(int))
    drawn = LabelMeasuresDisplay.from_estimator(model, DATA.X, DATA.Y)
    same = LabelMeasuresDisplay.from_predictions(DATA.Y, model.predict(DATA.X))
    assert drawn.names == same.names
    curve = ReliabilityDisplay.from_estimator(model, DATA.X, DATA.Y, n_bins=5)
    found = reliability(DATA.Y, model.predict_proba(DATA.X), n_bins=5)
    assert curve.name == "OneVsRestClassifier"
    np.testing.assert_array_equal(curve.share, found.share)


def test_missing_labels_of_an_estimator_are_not_negatives():
    model = OneVsRestClassifier(LogisticRegression()).fit(DATA.X, DATA.Y.toarray().astype(int))
    Y = DATA.Y.toarray().astype(float)
    Y[::3, 1] = np.nan
    drawn = LabelMeasuresDisplay.from_estimator(model, DATA.X, Y)
    expected = evaluate(Y, decided=model.predict(DATA.X)).per_label["f"]
    np.testing.assert_array_equal(drawn.values["f"], np.sort(expected))
    with pytest.raises(ValueError, match="Y must"):
        ReliabilityDisplay.from_estimator(model, DATA.X, Y)


def test_cells_are_the_shares_of_samples_without_the_diagonal():
    drawn = CoOccurrenceDisplay.from_labels(DATA.Y, max_labels=4)
    found = DATA.co_occurrence(max_labels=4)
    np.testing.assert_array_equal(drawn.shares, found.shares)
    shown = drawn.image_.get_array()
    assert np.ma.getmaskarray(shown).diagonal().all()
    assert shown[0, 1] == found.shares[0, 1]
    assert f"{DATA.n_labels - 4} rarer labels" in drawn.ax_.get_xlabel()


def test_the_mark_of_a_split_is_its_ld():
    drawn = SplitQualityDisplay.from_comparison(COMPARED)
    marks = [line.get_xdata()[0] for line in drawn.ax_.lines if line.get_marker() == "|"]
    assert marks == [one.ld for one in COMPARED.qualities.values()]
    assert [text.get_text() for text in drawn.ax_.get_yticklabels()] == list(COMPARED.qualities)


def test_an_infinite_distance_is_not_drawn():
    drawn = SplitQualityDisplay.from_subsets([[1], [1], [0], [0]], [0, 0, 1, 1])
    assert not [line for line in drawn.ax_.lines if line.get_marker() == "|"]
    drawn.figure_.canvas.draw()


def test_the_curve_of_reliability_leaves_out_empty_bins():
    drawn = ReliabilityDisplay.from_predictions([[0], [1], [0]], [[0.05], [0.95], [0.97]])
    assert drawn.line_.get_xdata().tolist() == pytest.approx([0.05, 0.96])
    assert drawn.line_.get_ydata().tolist() == pytest.approx([0.0, 0.5])
    again = ReliabilityDisplay.from_predictions([[0]], [[0.05]], name="two", ax=drawn.ax_)
    assert sum(line.get_linestyle() == "--" for line in again.ax_.lines) == 1


@pytest.mark.parametrize("name", ODD_NAMES)
def test_every_name_is_drawn_as_it_is_written(name):
    shown = name.replace("\x1b", r"\x1b")
    displays = [
        LabelMeasuresDisplay.from_predictions([[1], [0]], [[1], [0]], label_names=[name]),
        CoOccurrenceDisplay.from_labels([[1], [0]], label_names=[name]),
        SplitQualityDisplay.from_subsets([[1], [0]], [0, 1], name=name),
        ReliabilityDisplay.from_predictions([[1], [0]], [[0.9], [0.1]], name=name),
    ]
    for display in displays:
        display.figure_.canvas.draw()
        texts = [text.get_text() for text in display.figure_.findobj(mpl.text.Text)]
        plain = [text.replace(r"\$", "$").removeprefix("\u200b") for text in texts]
        assert any(text.startswith(shown) for text in plain), plain
