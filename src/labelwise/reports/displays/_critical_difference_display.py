"""Figure of average ranks, with a bar over methods that do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._text import figure_text
from labelwise._validation import check_instance
from labelwise.experiments import RankPairs
from labelwise.reports.displays._display import Display

# Vertical distances in units of a line of text; the axis of ranks is at 0.
_FIRST_BAR, _BAR_STEP, _LINE_STEP = 0.5, 0.35, 1.0
_BAR_MARGIN = 0.05  # in ranks


class CriticalDifferenceDisplay(Display):
    """Critical-difference diagram: average ranks, the best at the left.

    A thick bar connects methods whose ranks do not differ significantly. The length of the line
    above the axis is the critical difference, if the test has one.

    Parameters
    ----------
    methods : sequence of str
        Names of the methods.
    ranks : array of shape (n_methods,)
        Average rank of each method, 1 for the best.
    groups : sequence of sequence of str, default=()
        Groups of methods without a significant difference.
    distance : float or None, default=None
        Critical difference of two average ranks.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006, section 3.2.4.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.experiments import nemenyi_test
    >>> from labelwise.reports import CriticalDifferenceDisplay
    >>> test = nemenyi_test({"a": [1, 1, 2], "b": [2, 2, 1], "c": [3, 3, 3]}, measure="coverage")
    >>> display = CriticalDifferenceDisplay.from_test(test)
    >>> display.figure_.savefig(getfixture("tmp_path") / "ranks.svg")
    """

    def __init__(
        self,
        methods: Sequence[str],
        ranks: Any,
        groups: Sequence[Sequence[str]] = (),
        distance: float | None = None,
    ) -> None:
        self.methods = tuple(methods)
        self.ranks = np.asarray(ranks, dtype=np.float64)
        self.groups = tuple(map(tuple, groups))
        self.distance = distance

    @classmethod
    def from_test(cls, test: RankPairs, *, ax: Any = None) -> CriticalDifferenceDisplay:
        """Draw the ranks and groups of a post-hoc test.

        Parameters
        ----------
        test : RankPairs
            Result of `nemenyi_test` or `holm_test`.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        CriticalDifferenceDisplay
            The display, drawn.
        """
        check_instance(test, RankPairs, "test")
        found = test.ranks
        return cls(found.methods, found.ranks, test.groups, test.distance).plot(ax)

    @property
    def _n_lines(self) -> int:
        return -(-len(self.methods) // 2)

    @property
    def _bottom(self) -> float:
        return _FIRST_BAR + _BAR_STEP * len(self.groups) + _LINE_STEP * self._n_lines

    def _size(self) -> Any:
        return 7, 1.2 + 0.3 * self._bottom

    def _draw(self, ax: Any) -> None:
        """Draw the axis of ranks, names of methods, and bars of groups."""
        # A critical difference longer than the axis is drawn whole.
        last = max(len(self.methods), 2, 1 + (self.distance or 0))
        ax.set(xlim=(0.8, last + 0.2), ylim=(self._bottom, -2.2))
        ax.set_axis_off()
        self._draw_axis(ax)
        for number, group in enumerate(self.groups):
            places = [self.ranks[self.methods.index(name)] for name in group]
            ends = (min(places) - _BAR_MARGIN, max(places) + _BAR_MARGIN)
            ax.plot(ends, [_FIRST_BAR + _BAR_STEP * number] * 2, color="black", lw=4)
        self._draw_names(ax, last)

    def _draw_axis(self, ax: Any) -> None:
        """Draw the axis with its numbers, and the critical difference above it."""
        n = max(len(self.methods), 2)
        ax.plot([1, n], [0, 0], color="black", lw=1)
        for rank in range(1, n + 1):
            ax.plot([rank, rank], [0, -0.2], color="black", lw=1)
            ax.text(rank, -0.3, f"{rank}", ha="center", va="bottom")
        if self.distance is not None:
            ends = (1, 1 + self.distance)
            ax.plot(ends, [-1.4, -1.4], color="black", lw=1.5, marker="|")
            text = f"critical difference {self.distance:.3g}"
            ax.text(sum(ends) / 2, -1.5, text, ha="center", va="bottom")

    def _draw_names(self, ax: Any, last: float) -> None:
        """Write the better half of the methods at the left, the others at the right."""
        order = np.argsort(self.ranks, kind="stable")
        first_line = _FIRST_BAR + _BAR_STEP * len(self.groups)
        for place, j in enumerate(order.tolist()):
            is_left = place < self._n_lines
            # The outermost methods have the highest lines, so that no two lines cross.
            line = place if is_left else len(order) - 1 - place
            height = first_line + _LINE_STEP * (line + 0.5)
            side = 0.9 if is_left else last + 0.1
            rank = self.ranks[j]
            ax.plot([rank, rank, side], [0, height, height], color="black", lw=0.8)
            text = f"{figure_text(self.methods[j])} ({rank:.2f})"
            ax.annotate(
                text,
                (side, height),
                (-3 if is_left else 3, 0),
                textcoords="offset points",
                ha="right" if is_left else "left",
                va="center",
                annotation_clip=False,
            )
