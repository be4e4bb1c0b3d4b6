"""Figure of the labels that occur together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._text import figure_text
from labelwise._validation import check_labels
from labelwise.data import Dataset
from labelwise.reports.displays._display import Display

_MOST_NUMBERS = 12  # labels up to which cells have their numbers


class CoOccurrenceDisplay(Display):
    """Share of the samples of each label that also have another label.

    Use `from_labels`; the constructor takes the numbers that it computes.

    Parameters
    ----------
    names : sequence of str
        Names of the labels, the most frequent one first.
    shares : array of shape (n_shown, n_shown)
        Share of the samples of label i (row) that also have label j (column).
    n_hidden : int, default=0
        Number of rarer labels that are not drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.
    image_ : matplotlib AxesImage
        The cells.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.reports import CoOccurrenceDisplay
    >>> display = CoOccurrenceDisplay.from_labels([{"sea"}, {"sea", "sky"}, {"sky", "sea"}])
    >>> display.names, display.shares[1, 0]
    (('sea', 'sky'), np.float64(1.0))
    >>> display.figure_.savefig(getfixture("tmp_path") / "pairs.png")
    """

    def __init__(self, names: Sequence[str], shares: Any, n_hidden: int = 0) -> None:
        self.names = tuple(names)
        self.shares = np.asarray(shares, dtype=np.float64)
        self.n_hidden = n_hidden

    @classmethod
    def from_labels(
        cls,
        Y: Any,
        *,
        label_names: Sequence[str] | None = None,
        max_labels: int = 25,
        ax: Any = None,
    ) -> CoOccurrenceDisplay:
        """Draw the pairs of the most frequent labels.

        Parameters
        ----------
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1.
        label_names : sequence of str, default=None
            Names of the labels, in the order of the columns; None takes those of a frame or of
            sets.
        max_labels : int, default=25
            Number of the most frequent labels to draw.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        CoOccurrenceDisplay
            The display, drawn.
        """
        labels = check_labels(Y, label_names=label_names)
        no_features = np.empty((labels.matrix.shape[0], 0))
        data = Dataset(no_features, labels.matrix, label_names=labels.names)
        found = data.co_occurrence(max_labels)
        return cls(found.label_names, found.shares, found.n_left_out).plot(ax)

    def _size(self) -> Any:
        side = 2.5 + 0.28 * len(self.names)
        return side + 0.8, side

    def _draw(self, ax: Any) -> None:
        """Draw a cell for each pair of labels."""
        n = len(self.names)
        shown = self.shares.copy()
        np.fill_diagonal(shown, np.nan)
        self.image_ = ax.imshow(shown, cmap="Blues", vmin=0, vmax=1)
        texts = list(map(figure_text, self.names))
        ax.set_xticks(range(n), texts, rotation=90)
        ax.set_yticks(range(n), texts)
        if n <= _MOST_NUMBERS:
            self._write_numbers(ax, shown)
        more = f"; {self.n_hidden:,} rarer labels not shown" if self.n_hidden else ""
        ax.set(xlabel=f"also has{more}", ylabel="samples of")
        ax.figure.colorbar(self.image_, ax=ax, label="share of samples", shrink=0.8)

    def _write_numbers(self, ax: Any, shown: np.ndarray) -> None:
        for (i, j), value in np.ndenumerate(shown):
            if np.isfinite(value):
                color = "white" if value > 0.6 else "black"
                ax.text(j, i, f"{value:.2f}", ha="center", va="center", color=color, size="small")
