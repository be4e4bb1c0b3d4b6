"""A display of instances shows the score of every row of a bag, whatever the rows are."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from labelwise.data import Bags, Dataset
from labelwise.learners import BagPlugin, BinaryRelevance
from labelwise.reports import InstanceDisplay

NAMES = ("_sea", "s$y$")


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(0)
    bags = Bags(random.normal(size=(60, 5)), np.arange(0, 61, 2))
    Y = np.maximum.reduceat(bags.rows[:, :2] > 0.5, bags.starts[:-1])
    data = Dataset(bags, Y, label_names=NAMES, ids={"place": [f"bay {i}" for i in range(30)]})
    model = BagPlugin(BinaryRelevance(penalty=0.1), n_iter=1, cv=None, random_state=0)
    return model.fit(data), data


def test_scores_of_rows_that_are_no_pictures_are_drawn_by_instance_and_label(fitted):
    model, data = fitted
    display = InstanceDisplay.from_estimator(model, data, n_bags=4)
    found = model.predict_instances(data)
    np.testing.assert_array_equal(display.image_.get_array(), found.scores[:8])
    axes = display.ax_
    assert [t.get_text() for t in axes.get_xticklabels()] == ["\u200b_sea", r"s\$y\$"]
    assert [t.get_text() for t in axes.get_yticklabels()] == [f"bay {i}" for i in range(4)]
    assert axes.get_yticks().tolist() == [0.5, 2.5, 4.5, 6.5]
    assert [line.get_ydata()[0] for line in axes.lines] == [1.5, 3.5, 5.5]  # between two bags
    assert {line.get_linewidth() for line in axes.lines} == {1.0}
    display.figure_.canvas.draw()


def test_circles_mark_the_instance_behind_each_decision(fitted):
    model, data = fitted
    display = InstanceDisplay.from_estimator(model, data, n_bags=30)
    decided, speakers = model.predict(data), model.predict_instances(data).top_instance
    expected = {(2 * i + speakers[i, j], j) for i, j in np.argwhere(decided).tolist()}
    assert set(map(tuple, np.argwhere(display.marked).tolist())) == expected
    assert len(display.ax_.collections[0].get_offsets()) == decided.sum()


def test_an_instance_display_draws_on_given_axes_or_a_new_figure(fitted):
    figure, axes = plt.subplots()
    display = InstanceDisplay.from_estimator(*fitted, n_bags=2, ax=axes)
    assert display.ax_ is axes
    assert display.plot() is display
    assert display.figure_ is not figure


def test_rows_without_bags_are_refused(fitted):
    with pytest.raises(ValueError, match="data must have bags"):
        InstanceDisplay.from_estimator(fitted[0], Dataset(np.zeros((2, 5)), None))
