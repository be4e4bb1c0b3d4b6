"""Figure of the quality of splits, with the labels distribution of all labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from labelwise._text import figure_text
from labelwise._validation import check_instance
from labelwise.reports.displays._display import QUANTILES, Display, draw_quantiles
from labelwise.splitting import SplitComparison, SplitQuality, split_quality


class SplitQualityDisplay(Display):
    """Distance of label odds over labels (LD), for one or several splits.

    A thin line spans 5 to 95 % of the labels, a bar 25 to 75 %, and a dot is the median; the mark
    is the mean, LD. Sizes (ED) and missing labels (FZ, FLZ) are written beside it. Use
    `from_subsets` or `from_comparison`; the constructor takes what they compute.

    Parameters
    ----------
    qualities : mapping of str to SplitQuality
        Quality of each split by its name, as `split_quality` returns it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.data import load
    >>> from labelwise.reports import SplitQualityDisplay
    >>> from labelwise.splitting import compare_splits
    >>> compared = compare_splits(load("digits").Y, 5, random_state=0)
    >>> display = SplitQualityDisplay.from_comparison(compared)
    >>> display.figure_.savefig(getfixture("tmp_path") / "splits.png")
    """

    def __init__(self, qualities: Mapping[str, SplitQuality]) -> None:
        self.qualities = dict(qualities)

    @classmethod
    def from_subsets(
        cls,
        Y: Any,
        subsets: Any,
        proportions: Any = None,
        *,
        name: str = "split",
        ax: Any = None,
    ) -> SplitQualityDisplay:
        """Draw the quality of one split.

        Parameters
        ----------
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Labels of the samples, 0 or 1.
        subsets : array of int of shape (n_samples,)
            Subset of each sample, counted from 0.
        proportions : int or sequence of float, default=None
            Wanted share of each subset; None means equal shares.
        name : str, default="split"
            Name of the split in the figure.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        SplitQualityDisplay
            The display, drawn.
        """
        return cls({name: split_quality(Y, subsets, proportions)}).plot(ax)

    @classmethod
    def from_comparison(cls, compared: SplitComparison, *, ax: Any = None) -> SplitQualityDisplay:
        """Draw the quality of several methods.

        Parameters
        ----------
        compared : SplitComparison
            Result of `labelwise.splitting.compare_splits`.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        SplitQualityDisplay
            The display, drawn.
        """
        check_instance(compared, SplitComparison, "compared")
        return cls(compared.qualities).plot(ax)

    def _size(self) -> Any:
        return 7.5, 1.3 + 0.45 * len(self.qualities)

    def _draw(self, ax: Any) -> None:
        """Draw a row for each split."""
        n = len(self.qualities)
        for row, found in enumerate(self.qualities.values()):
            _draw_labels(ax, row, found)
            beside = f"LD {found.ld:.3g}, ED {found.ed:.3g}, FZ {found.fz}, FLZ {found.flz}"
            ax.annotate(
                beside, (1.02, row), xycoords=("axes fraction", "data"), va="center", size="small"
            )
        ax.set_yticks(range(n), [figure_text(name) for name in self.qualities])
        ax.set(ylim=(n - 0.5, -0.5))
        ax.set_xlim(left=0)
        ax.set_xlabel("distance of label odds (line: 5 to 95 % of labels, bar: 25 to 75 %, | mean)")


def _draw_labels(ax: Any, row: int, found: SplitQuality) -> None:
    """Draw the spread of the labels of one split; infinite distances are left out."""
    values = np.asarray(found.label_ld, dtype=np.float64)
    finite = values[np.isfinite(values)]
    if finite.size:
        draw_quantiles(ax, row, np.quantile(finite, QUANTILES), "C0", 6)
    if np.isfinite(found.ld):
        ax.plot(found.ld, row, "|", color="black", markersize=14, markeredgewidth=1.5, zorder=4)
