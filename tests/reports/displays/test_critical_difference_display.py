"""A critical-difference diagram shows the order, the groups and the critical difference."""

import matplotlib.pyplot as plt
import numpy as np

from labelwise.experiments import holm_test, nemenyi_test
from labelwise.reports import CriticalDifferenceDisplay

VALUES = {"_a$": [1, 1, 2, 1], "b": [2, 2, 1, 2], "c": [3, 3, 3, 3], "d": [4, 4, 4, 4]}


def test_names_stand_in_the_order_of_ranks_and_groups_are_bars():
    test = nemenyi_test(VALUES, measure="coverage")
    display = CriticalDifferenceDisplay.from_test(test)
    texts = [text.get_text() for text in display.ax_.texts]
    assert texts[-4:] == ["\u200b_a\\$ (1.25)", "b (1.75)", "c (3.00)", "d (4.00)"]
    assert f"critical difference {test.distance:.3g}" in texts
    bars = [line.get_xdata() for line in display.ax_.lines if line.get_linewidth() == 4]
    ranks = dict(zip(display.methods, display.ranks, strict=True))
    expected = [(ranks[group[0]] - 0.05, ranks[group[-1]] + 0.05) for group in test.groups]
    np.testing.assert_allclose(bars, expected)
    display.figure_.canvas.draw()


def test_a_test_without_a_critical_difference_has_no_line_for_it():
    figure, axes = plt.subplots()
    display = CriticalDifferenceDisplay.from_test(holm_test(VALUES, measure="coverage"), ax=axes)
    assert display.figure_ is figure
    assert not any("critical" in text.get_text() for text in axes.texts)
    assert display.plot() is display
    assert display.figure_ is not figure
