"""Displays hold what they draw, by scikit-learn's convention."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from labelwise.data import make_multilabel
from labelwise.decisions import (
    TunedThresholds,
    best_thresholds,
    certified_frontier,
    macro_frontier,
    micro_frontier,
)
from labelwise.learners import BinaryRelevance
from labelwise.measures import count, f_measure, precision, recall
from labelwise.reports import (
    BagDisplay,
    CertifiedFrontierDisplay,
    FrontierDisplay,
    MacroFrontierDisplay,
    TermCurveDisplay,
    ThresholdDisplay,
)
from labelwise.reports.displays._bag_display import ShownBag

plt = pytest.importorskip("matplotlib.pyplot")

DATA, POSTERIOR = make_multilabel(n_samples=200, random_state=0)
SCORES = POSTERIOR.marginals
DISPLAYS = (FrontierDisplay, MacroFrontierDisplay, ThresholdDisplay)


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_display_draws_on_given_axes_or_a_new_figure(display):
    figure, axes = plt.subplots()
    drawn = display.from_predictions(DATA.Y, SCORES, ax=axes)
    assert drawn.ax_ is axes
    assert drawn.figure_ is figure
    assert drawn.plot() is drawn
    assert drawn.figure_ is not figure
    drawn.figure_.canvas.draw()


@pytest.mark.parametrize("display", DISPLAYS)
def test_an_estimator_is_drawn_by_its_scores(display):
    model = OneVsRestClassifier(LogisticRegression()).fit(DATA.X, DATA.Y.toarray().astype(int))
    drawn = display.from_estimator(model, DATA.X, DATA.Y)
    same = display.from_predictions(DATA.Y, model.decision_function(DATA.X))
    if display is MacroFrontierDisplay:
        assert np.array_equal(drawn.recall, same.recall)
    elif display is FrontierDisplay:
        assert drawn.name == "OneVsRestClassifier"
        assert np.array_equal(drawn.true_positives, same.true_positives)
    else:
        assert [label.threshold for label in drawn.labels] == [
            label.threshold for label in same.labels
        ]


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_the_marked_point_is_the_highest_f(beta):
    drawn = FrontierDisplay.from_predictions(DATA.Y, SCORES, beta=beta)
    best = best_thresholds(SCORES, DATA.Y, beta=beta)
    assert drawn.best_value == pytest.approx(best.value)
    precision, recall = drawn.best_.get_ydata()[0], drawn.best_.get_xdata()[0]
    weight = beta**2
    value = (1 + weight) * precision * recall / (weight * precision + recall)
    assert value == pytest.approx(best.value)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_f_is_equal_along_each_grey_line(beta):
    drawn = FrontierDisplay.from_predictions(DATA.Y, SCORES, beta=beta)
    lines = [line for line in drawn.ax_.lines if line.get_color() == "0.85"]
    assert len(lines) == 4
    for value, line in zip((0.2, 0.4, 0.6, 0.8), lines, strict=True):
        recall, precision = line.get_xdata(), line.get_ydata()
        f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        assert f == pytest.approx(value)
        assert precision[0] == pytest.approx(1.0)
        assert (precision <= 1 + 1e-12).all()


def test_the_line_passes_through_every_vertex_and_recall_rises():
    drawn = FrontierDisplay.from_predictions(DATA.Y, SCORES, color="C3")
    frontier = micro_frontier(SCORES, DATA.Y)
    recall, precision = drawn.line_.get_xdata(), drawn.line_.get_ydata()
    points = set(zip(recall.tolist(), precision.tolist(), strict=True))
    vertices = zip(frontier.recall[1:].tolist(), frontier.precision[1:].tolist(), strict=True)
    assert points.issuperset(vertices)
    assert (np.diff(recall) >= 0).all()
    assert drawn.line_.get_color() == "C3"


def test_two_models_share_axes_and_one_set_of_grey_lines():
    drawn = FrontierDisplay.from_predictions(DATA.Y, SCORES, name="one")
    FrontierDisplay.from_predictions(DATA.Y, -SCORES, name="two", ax=drawn.ax_)
    assert sum(line.get_color() == "0.85" for line in drawn.ax_.lines) == 4
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert texts[0] == "one"
    assert texts[2] == "two"


def test_without_positives_there_is_no_frontier():
    with pytest.raises(ValueError, match="Y has no positives"):
        FrontierDisplay.from_predictions([[0], [0]], [[0.5], [0.25]])


def test_thresholds_stand_beside_their_labels_by_falling_support():
    drawn = ThresholdDisplay.from_predictions(DATA.Y, SCORES, maximize="macro-f")
    best = best_thresholds(SCORES, DATA.Y, maximize="macro-f")
    f = f_measure(count(DATA.Y, best.decide(SCORES)))
    supports = [label.support for label in drawn.labels]
    assert supports == sorted(best.evidence.support.tolist(), reverse=True)
    for label in drawn.labels:
        j = int(label.name)
        assert label.threshold == best.values[j]
        assert label.f == pytest.approx(f[j])
        inside = SCORES[DATA.Y[:, [j]].toarray().ravel(), j]
        assert label.positives[2] == pytest.approx(np.median(inside))


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_f_is_that_of_the_thresholds_and_the_heading_says_which(beta):
    drawn = ThresholdDisplay.from_predictions(DATA.Y, SCORES, maximize="macro-f", beta=beta)
    best = best_thresholds(SCORES, DATA.Y, maximize="macro-f", beta=beta)
    f = f_measure(count(DATA.Y, best.decide(SCORES)), beta)
    assert {label.name: label.f for label in drawn.labels} == pytest.approx(
        {str(j): value for j, value in enumerate(f)}
    )
    assert f"F{beta:g}" in {text.get_text() for text in drawn.ax_.texts}


def test_a_tuned_estimator_shows_its_own_thresholds_beside_its_scores():
    model = TunedThresholds(OneVsRestClassifier(LogisticRegression()), cv=2, random_state=0)
    model.fit(DATA.X, DATA.Y)
    drawn = ThresholdDisplay.from_estimator(model, DATA.X, DATA.Y)
    f = f_measure(count(DATA.Y, model.predict(DATA.X)))
    for label in drawn.labels:
        assert label.threshold == model.thresholds_.values[int(label.name)]
        assert label.f == pytest.approx(f[int(label.name)])


def test_the_rarest_labels_are_left_out_and_counted():
    drawn = ThresholdDisplay.from_predictions(DATA.Y, SCORES, max_labels=2)
    assert len(drawn.labels) == 2
    assert f"{SCORES.shape[1] - 2} rarer labels not shown" in drawn.ax_.get_xlabel()


def test_labels_decided_never_or_always_are_said_so():
    scores, Y = np.array([[0.5, 0.2], [0.25, 0.1]]), np.array([[1, 0], [1, 1]])
    drawn = ThresholdDisplay.from_predictions(Y, scores, thresholds=[-np.inf, np.inf])
    words = {text.get_text() for text in drawn.ax_.texts}
    assert {"never ▸", "◂ always", "1.00", "0.00"} <= words
    drawn.figure_.canvas.draw()


def test_named_thresholds_find_their_labels():
    names, turned = ["sea", "sky"], [[0.2, 0.9], [0.4, 0.6], [0.1, 0.3]]
    Y = np.array([[0, 1], [1, 0], [0, 1]])
    best = best_thresholds(turned, Y, label_names=names)
    drawn = ThresholdDisplay.from_predictions(
        Y[:, ::-1], np.array(turned)[:, ::-1], thresholds=best, label_names=names[::-1]
    )
    found = {label.name: label.threshold for label in drawn.labels}
    assert found == dict(zip(names, best.values.tolist(), strict=True))


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_labels_of_a_model_are_found_by_name(display):
    names = [f"label {j}" for j in range(DATA.n_labels)]
    frame = pd.DataFrame(DATA.Y.toarray().astype(int), columns=names)
    sets = [{names[j] for j in np.flatnonzero(row)} for row in DATA.Y.toarray()]
    model = BinaryRelevance(penalty=1e-2).fit(DATA.X, frame)
    expected = vars(display.from_estimator(model, DATA.X, frame))
    for truth in (frame[names[::-1]], sets):
        found = vars(display.from_estimator(model, DATA.X, truth))
        for key in ("hits", "decided", "labels"):
            np.testing.assert_equal(found.get(key), expected.get(key))


def test_a_score_that_is_absent_is_a_positive_missed():
    scores = sparse.csr_array(np.array([[0.5, 0.0], [0.0, 0.75], [0.25, 0.0]]))
    Y = np.array([[1, 1], [1, 0], [0, 0]])
    drawn = ThresholdDisplay.from_predictions(Y, scores, thresholds=[0.4, 0.4])
    assert [label.support for label in drawn.labels] == [2, 1]
    assert [label.f for label in drawn.labels] == pytest.approx([2 / 3, 0.0])
    drawn.figure_.canvas.draw()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_labels": 0}, "max_labels must be at least 1, got 0."),
        ({"thresholds": [0.5]}, "thresholds must be one for each of"),
        ({"thresholds": [0.5] * 6, "beta": 2.0}, "beta must not be given beside thresholds"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        ThresholdDisplay.from_predictions(DATA.Y, SCORES, **options)


ODD_NAMES = ["$$", "$x^{", "$a$", "_", "_hidden", "a_b", "x\x1b[2J", r"\frac{", "%", "two\nlines"]


def drawn_texts(display):
    """All texts of a figure that was drawn, without the backslashes that matplotlib takes away."""
    display.figure_.canvas.draw()
    texts = display.figure_.findobj(mpl.text.Text)
    return [t.get_text().replace(r"\$", "$").removeprefix("\u200b") for t in texts]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_every_name_is_drawn_as_it_is_written(name):
    shown = name.replace("\x1b", r"\x1b").replace("\n", r"\n")
    Y, scores = [[1], [0]], [[0.9], [0.1]]
    for beta in (1, 2):
        frontier = FrontierDisplay.from_predictions(Y, scores, name=name, beta=beta)
        assert shown in drawn_texts(frontier)
        assert any(text.startswith(f"{shown}: highest F") for text in drawn_texts(frontier))
    thresholds = ThresholdDisplay.from_predictions(Y, scores, label_names=[name])
    assert f"{shown} (1)" in drawn_texts(thresholds)
    curve = TermCurveDisplay([5, 10], [0.1, 0.2], [0.1, 0.1], name=name, measure=name).plot()
    assert drawn_texts(curve).count(shown) == 2
    bag = ShownBag(np.zeros((1, 8, 8)), {0: [(name, True)]}, [name])
    assert drawn_texts(BagDisplay([bag]).plot()).count(shown) == 2


def test_the_macro_line_is_that_of_the_vertices_and_no_beta_is_above_it():
    drawn = MacroFrontierDisplay.from_predictions(DATA.Y, SCORES, betas=[0.5, 1, 2], name="one")
    found = macro_frontier(SCORES, DATA.Y)
    assert drawn.line_.get_xdata().tolist() == found.recall.tolist()
    assert drawn.line_.get_ydata().tolist() == found.precision.tolist()
    for k, beta in enumerate(drawn.betas):
        tuned = best_thresholds(SCORES, DATA.Y, maximize="macro-f", beta=beta)
        counts = count(DATA.Y, tuned.decide(SCORES))
        expected = recall(counts).mean(), precision(counts).mean()
        point = drawn.points_.get_xdata()[k], drawn.points_.get_ydata()[k]
        assert point == pytest.approx(expected)
    assert (drawn.gap_of_betas >= -1e-12).all()
    assert drawn.gap_of_betas.max() > 0
    words = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert words == ["one", "one: highest macro F, β from 0.5 to 2"]
    alone = MacroFrontierDisplay.from_predictions(DATA.Y, SCORES, betas=())
    assert alone.gap_of_betas.size == 0
    assert len(alone.ax_.lines) == 1


def test_labels_without_positives_or_scored_positives_do_not_move_the_macro_line():
    Y, scores = np.array([[1, 0], [0, 0], [1, 0]]), np.array([[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]])
    drawn = MacroFrontierDisplay.from_predictions(Y, scores)
    alone = MacroFrontierDisplay.from_predictions(Y[:, :1], scores[:, :1])
    assert drawn.precision_of_betas.tolist() == alone.precision_of_betas.tolist()
    assert drawn.recall.tolist() == alone.recall.tolist()


def test_bounds_are_drawn_below_the_rates_of_a_certified_path():
    drawn = CertifiedFrontierDisplay.from_predictions(DATA.Y, SCORES, random_state=0, name="one")
    found = certified_frontier(SCORES, DATA.Y, random_state=0)
    assert drawn.line_.get_ydata().tolist() == found.precision.tolist()
    assert drawn.bounds_.get_xdata().tolist() == found.min_recall.tolist()
    words = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert words[1] == "one: at least, with probability 0.95 together"
    with pytest.raises(TypeError, match="frontier must be a CertifiedFrontier"):
        CertifiedFrontierDisplay(SCORES)
