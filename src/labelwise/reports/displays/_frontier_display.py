"""Figure of the frontier of micro precision and micro recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise.decisions import micro_frontier
from labelwise.measures import Counts, f_measure
from labelwise.reports.displays._display import ModelDisplay, frame_rates, legend_name

_N_POINTS = 500
_CONTOURS, _WORDS_AT = (0.2, 0.4, 0.6, 0.8), 0.93


class FrontierDisplay(ModelDisplay):
    """Frontier of micro precision and micro recall over all thresholds.

    Every point of the curve is the highest precision that thresholds reach at that recall, and the
    point with the highest F-measure is marked. Use `from_predictions` or `from_estimator`; the
    constructor takes the numbers that they compute.

    Parameters
    ----------
    decided, true_positives : array of int of shape (n_vertices,)
        Decisions and true positives of the vertices, as in `labelwise.decisions.Frontier`.
    n_positive : int
        Number of positives of all labels.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision. The highest
        point of this measure is marked.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    precision, recall : ndarray of shape (n_vertices,)
        Precision and recall of each vertex. At the first vertex nothing is decided, and precision
        is that of the second vertex.
    best : int
        Index of the vertex with the highest F.
    best_value : float
        The highest F.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.
    line_, best_ : matplotlib artists
        The frontier and the mark of the highest F.

    Notes
    -----
    Between two vertices, the curve follows the straight line of (decisions, true positives)
    through them. No thresholds are above that line.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.reports import FrontierDisplay
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> display = FrontierDisplay.from_predictions([[1, 0], [0, 1], [1, 0], [0, 0]], scores)
    >>> round(display.best_value, 4)
    0.8571
    >>> display.figure_.savefig(getfixture("tmp_path") / "frontier.png")
    """

    def __init__(
        self,
        decided: Any,
        true_positives: Any,
        n_positive: int,
        *,
        beta: float = 1.0,
        name: str | None = None,
    ) -> None:
        self.decided = np.asarray(decided)
        self.true_positives = np.asarray(true_positives)
        self.n_positive = n_positive
        self.beta = beta
        self.name = name
        self.recall, self.precision = self._rates(self.decided, self.true_positives)
        reached = f_measure(self._counts(), beta)
        self.best = int(np.argmax(reached))
        self.best_value = float(reached[self.best])

    @classmethod
    def from_predictions(
        cls,
        Y: Any,
        scores: Any,
        *,
        beta: float = 1.0,
        label_names: Sequence[str] | None = None,
        name: str | None = None,
        ax: Any = None,
        **line_options: Any,
    ) -> FrontierDisplay:
        """Draw the frontier of scores and labels.

        Parameters
        ----------
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        scores : array, sparse matrix or frame of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. In a sparse matrix, an absent score
            is never decided.
        beta : float, default=1.0
            Weight of recall in the F-measure: recall counts beta² as much as precision. The highest
            point of this measure is marked.
        label_names : sequence of str, default=None
            Names of the labels, in the order of the columns; None takes those of a frame or of
            sets.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.
        **line_options
            Options of matplotlib's ``plot`` for the line.

        Returns
        -------
        FrontierDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `Y` has no positives, so that recall is undefined.
        """
        frontier = micro_frontier(scores, Y, label_names=label_names)
        counts = frontier.counts
        n_positive = int(counts.tp[0] + counts.fn[0])
        if n_positive == 0:
            raise ValueError("Y has no positives: there is no recall to show.")
        display = cls(frontier.decided, frontier.hits, n_positive, beta=beta, name=name)
        return display.plot(ax, **line_options)

    def plot(self, ax: Any = None, **line_options: Any) -> FrontierDisplay:
        """Draw the frontier, and lines of equal F if the axes are empty.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.
        **line_options
            Options of matplotlib's ``plot`` for the line.

        Returns
        -------
        FrontierDisplay
            The display itself.
        """
        ax = self._axes(ax, figsize=(5.5, 5))
        if not ax.has_data():
            self._draw_contours(ax)
        name, whose = legend_name(self.name)
        (self.line_,) = ax.plot(*self._curve(), **({"label": name} | line_options))
        recall, precision = self.recall[self.best], self.precision[self.best]
        (self.best_,) = ax.plot(
            recall,
            precision,
            "o",
            color=self.line_.get_color(),
            markeredgecolor="white",
            markersize=9,
            zorder=3,
            label=f"{whose}highest {self._letter} {self.best_value:.3f}",
        )
        frame_rates(ax, "micro")
        return self

    @property
    def _letter(self) -> str:
        return "F" if self.beta == 1 else f"F$_{{{self.beta:g}}}$"

    def _counts(self) -> Counts:
        fn = self.n_positive - self.true_positives
        return Counts(
            self.true_positives, self.decided - self.true_positives, fn, np.zeros_like(fn)
        )

    def _rates(
        self, decided: np.ndarray, true_positives: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return recall and precision; without decisions, precision is that of the next point."""
        nothing = decided == 0
        precision = np.where(nothing, 1.0, true_positives / np.where(nothing, 1, decided))
        if decided.size > 1 and nothing[0]:
            precision[0] = precision[1]
        return true_positives / self.n_positive, precision

    def _curve(self) -> tuple[np.ndarray, np.ndarray]:
        """Return points on the frontier, dense enough to draw a smooth curve."""
        between = np.linspace(0, self.decided[-1], _N_POINTS)
        decided = np.union1d(self.decided, between)
        return self._rates(decided, np.interp(decided, self.decided, self.true_positives))

    def _draw_contours(self, ax: Any) -> None:
        """Draw lines of equal F, each with its value at the right."""
        weight = self.beta**2
        for value in _CONTOURS:
            # F = v where precision = v r / ((1 + beta²) r - beta² v).
            lowest = weight * value / (1 + weight - value)
            recall = np.linspace(lowest, 1, 100)
            precision = value * recall / ((1 + weight) * recall - weight * value)
            ax.plot(recall, precision, color="0.85", linewidth=1, zorder=0)
            ax.annotate(
                f"{self._letter} = {value}",
                (_WORDS_AT, np.interp(_WORDS_AT, recall, precision)),
                ha="center",
                va="center",
                color="0.5",
                size="small",
                zorder=1,
                bbox={"color": "white", "pad": 1},
            )
