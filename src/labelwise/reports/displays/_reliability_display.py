"""Figure of the reliability of probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from labelwise.measures import reliability
from labelwise.reports.displays._display import ModelDisplay, legend_name

_LARGEST_DOT, _SMALLEST_DOT = 120.0, 12.0


class ReliabilityDisplay(ModelDisplay):
    """How often labels are present, by the probability given to them.

    Calibrated probabilities are on the diagonal; points below it are too high. The size of a point
    grows with the number of cells in its bin. Use `from_predictions` or `from_estimator`; the
    constructor takes the numbers that they compute.

    Parameters
    ----------
    mean : array of shape (n_bins,)
        Mean probability in each bin; NaN for an empty bin.
    share : array of shape (n_bins,)
        Share of positives in each bin.
    n_cells : array of int of shape (n_bins,)
        Number of pairs of sample and label in each bin.
    error : float
        Expected calibration error.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.
    line_ : matplotlib Line2D
        The curve.

    See Also
    --------
    labelwise.measures.reliability : Compute the numbers.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.reports import ReliabilityDisplay
    >>> proba = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> display = ReliabilityDisplay.from_predictions([[1, 0], [0, 1], [1, 0], [0, 0]], proba)
    >>> round(display.error, 3)
    0.275
    >>> display.figure_.savefig(getfixture("tmp_path") / "reliability.png")
    """

    _method: ClassVar = "predict_proba"

    def __init__(
        self, mean: Any, share: Any, n_cells: Any, error: float, *, name: str | None = None
    ) -> None:
        self.mean = np.asarray(mean, dtype=np.float64)
        self.share = np.asarray(share, dtype=np.float64)
        self.n_cells = np.asarray(n_cells)
        self.error = error
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        Y: Any,
        proba: Any,
        *,
        n_bins: int = 10,
        label_names: Sequence[str] | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> ReliabilityDisplay:
        """Draw the reliability of probabilities.

        Parameters
        ----------
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        proba : array, sparse matrix or frame of shape (n_samples, n_labels)
            Probabilities from 0 to 1; absent entries of a sparse matrix are 0.
        n_bins : int, default=10
            Number of bins of equal width between 0 and 1.
        label_names : sequence of str, default=None
            Names of the labels, in the order of the columns; None takes those of a frame or of
            sets.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        ReliabilityDisplay
            The display, drawn.
        """
        found = reliability(Y, proba, n_bins=n_bins, label_names=label_names)
        return cls(found.mean, found.share, found.n_cells, found.error, name=name).plot(ax)

    def _size(self) -> Any:
        return 5, 5

    def _draw(self, ax: Any) -> None:
        """Draw the curve, and the diagonal if the axes are empty."""
        if not ax.has_data():
            ax.plot([0, 1], [0, 1], color="0.7", linestyle="--", zorder=0)
        filled = self.n_cells > 0
        _, whose = legend_name(self.name)
        (self.line_,) = ax.plot(
            self.mean[filled],
            self.share[filled],
            label=f"{whose}calibration error {self.error:.3f}",
        )
        part = self.n_cells[filled] / max(self.n_cells.max(initial=1), 1)
        sizes = _SMALLEST_DOT + (_LARGEST_DOT - _SMALLEST_DOT) * part
        color = self.line_.get_color()
        ax.scatter(self.mean[filled], self.share[filled], s=sizes, color=color, zorder=3)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.set(xlabel="mean probability", ylabel="share of positives")
        ax.legend(loc="lower right", frameon=False)
