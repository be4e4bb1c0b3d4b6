"""Figure of the frontier of macro precision and macro recall, and of the thresholds of macro F."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise.decisions import best_thresholds, macro_frontier
from labelwise.measures import Counts, precision, recall
from labelwise.reports.displays._display import ModelDisplay, frame_rates, legend_name

BETAS = tuple(2.0 ** (step / 4) for step in range(-16, 17))


class MacroFrontierDisplay(ModelDisplay):
    """Frontier of macro precision and macro recall over all thresholds.

    No thresholds are above the line, and thresholds reach each of its vertices. Below it are the
    thresholds with the highest macro F for several beta, a way to draw such curves that Pillai et
    al. propose. Use `from_predictions` or `from_estimator`; the constructor takes the numbers that
    they compute.

    Parameters
    ----------
    precision, recall : array of shape (n_vertices,)
        Macro precision and macro recall of the vertices, as in
        `labelwise.decisions.MacroFrontier`.
    betas : sequence of float
        Weights of recall for which macro F was maximised.
    precision_of_betas, recall_of_betas : array of shape (n_betas,)
        Macro precision and macro recall of these thresholds.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    gap_of_betas : ndarray of shape (n_betas,)
        Height of the line above the point of each beta: the macro precision that the thresholds
        with the highest macro F lack at the same macro recall.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.
    line_, points_ : matplotlib artists
        The frontier, and the points of the betas; no points without betas.

    References
    ----------
    I. Pillai, G. Fumera, F. Roli, "F-Measure Optimisation in Multi-label Classifiers", ICPR 2012
    (pillai2012), section 5.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.reports import MacroFrontierDisplay
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> display = MacroFrontierDisplay.from_predictions([[1, 0], [0, 1], [1, 0], [0, 0]], scores)
    >>> bool((display.gap_of_betas >= 0).all())
    True
    >>> display.figure_.savefig(getfixture("tmp_path") / "macro.png")
    """

    def __init__(
        self,
        precision: Any,
        recall: Any,
        *,
        betas: Sequence[float],
        precision_of_betas: Any,
        recall_of_betas: Any,
        name: str | None = None,
    ) -> None:
        self.precision, self.recall = np.asarray(precision), np.asarray(recall)
        self.betas = tuple(betas)
        self.precision_of_betas = np.asarray(precision_of_betas, dtype=np.float64)
        self.recall_of_betas = np.asarray(recall_of_betas, dtype=np.float64)
        self.name = name
        highest = np.interp(self.recall_of_betas, self.recall, self.precision)
        self.gap_of_betas = highest - self.precision_of_betas

    @classmethod
    def from_predictions(
        cls,
        Y: Any,
        scores: Any,
        *,
        betas: Sequence[float] = BETAS,
        label_names: Sequence[str] | None = None,
        name: str | None = None,
        ax: Any = None,
        **line_options: Any,
    ) -> MacroFrontierDisplay:
        """Draw the frontier of scores and labels.

        Parameters
        ----------
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        scores : array, sparse matrix or frame of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. In a sparse matrix, an absent score
            is never decided.
        betas : sequence of float, default=1/16 to 16 in 33 steps
            Weights of recall for which macro F is maximised; () draws the frontier alone.
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
        MacroFrontierDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `Y` has no positives, so that recall is undefined, or if a beta is not positive.
        """
        frontier = macro_frontier(scores, Y, label_names=label_names)
        rates = [_rates_of_beta(scores, Y, beta, label_names) for beta in betas]
        found = np.array(rates, dtype=np.float64).reshape(-1, 2)
        display = cls(
            frontier.precision,
            frontier.recall,
            betas=betas,
            precision_of_betas=found[:, 0],
            recall_of_betas=found[:, 1],
            name=name,
        )
        return display.plot(ax, **line_options)

    def plot(self, ax: Any = None, **line_options: Any) -> MacroFrontierDisplay:
        """Draw the frontier, and the points of the betas.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.
        **line_options
            Options of matplotlib's ``plot`` for the line.

        Returns
        -------
        MacroFrontierDisplay
            The display itself.
        """
        ax = self._axes(ax, figsize=(5.5, 5))
        name, whose = legend_name(self.name)
        options = {"label": name or "frontier", "marker": "."} | line_options
        (self.line_,) = ax.plot(self.recall, self.precision, **options)
        if self.betas:
            (self.points_,) = ax.plot(
                self.recall_of_betas,
                self.precision_of_betas,
                "o",
                color=self.line_.get_color(),
                markerfacecolor="white",
                markersize=5,
                label=f"{whose}highest macro F, β from {self.betas[0]:g} to {self.betas[-1]:g}",
            )
        frame_rates(ax, "macro")
        return self


def _rates_of_beta(
    scores: Any, Y: Any, beta: float, label_names: Sequence[str] | None
) -> tuple[float, float]:
    """Return macro precision and recall at the highest macro F, over the labels with positives."""
    with warnings.catch_warnings():
        # Labels without positives have no recall, and are not counted.
        warnings.filterwarnings("ignore", "Y has no positives")
        tuned = best_thresholds(scores, Y, maximize="macro-f", beta=beta, label_names=label_names)
    counts: Any = tuned.evidence.counts
    counted = counts.tp + counts.fn > 0
    own = Counts(*(cells[counted] for cells in counts))
    # A label whose positives have no score decides nothing: its precision is 0 on the frontier.
    return float(np.nan_to_num(precision(own)).mean()), float(recall(own).mean())
