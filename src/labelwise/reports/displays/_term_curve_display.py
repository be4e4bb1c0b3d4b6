"""Figure of a measure against the number of selected terms."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._text import figure_text
from labelwise.reports.displays._display import Display, legend_name


class TermCurveDisplay(Display):
    """A measure against the number of terms, with the smallest good number.

    The smallest number of terms whose value is within one standard error of the highest value is
    marked.

    Parameters
    ----------
    sizes : array of int of shape (n_sizes,)
        Numbers of terms.
    values, errors : array of shape (n_sizes,)
        The measure at each size, and its standard error.
    measure : str, default="R-precision"
        Name of the measure at the axis.
    name : str, default=None
        Name of the selection method in the legend.

    Attributes
    ----------
    peak : int
        Index of the highest value; of equal values, that of the smallest size.
    chosen : int
        Index of the smallest size whose value is within one standard error of the peak.
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.
    line_, chosen_ : matplotlib artists
        The curve, and the mark of the chosen size.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.reports import TermCurveDisplay
    >>> display = TermCurveDisplay([50, 250, 1000], [0.4, 0.6, 0.61], [0.02, 0.02, 0.02])
    >>> display.sizes[display.peak], display.sizes[display.chosen]
    (np.int64(1000), np.int64(250))
    >>> display.plot().figure_.savefig(getfixture("tmp_path") / "curve.png")
    """

    def __init__(
        self,
        sizes: Any,
        values: Any,
        errors: Any,
        *,
        measure: str = "R-precision",
        name: str | None = None,
    ) -> None:
        self.sizes = np.asarray(sizes)
        self.values = np.asarray(values, dtype=np.float64)
        self.errors = np.asarray(errors, dtype=np.float64)
        self.measure = measure
        self.name = name
        by_size = np.argsort(self.sizes, kind="stable")
        self.peak = int(by_size[np.argmax(self.values[by_size])])
        is_near = self.values >= self.values[self.peak] - self.errors[self.peak]
        self.chosen = int(by_size[np.argmax(is_near[by_size])])

    def plot(self, ax: Any = None, **line_options: Any) -> TermCurveDisplay:
        """Draw the curve, a band of one standard error, and the chosen size.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.
        **line_options
            Options of matplotlib's ``plot`` for the line.

        Returns
        -------
        TermCurveDisplay
            The display itself.
        """
        ax = self._axes(ax, layout=None)
        order = np.argsort(self.sizes, kind="stable")
        sizes, values, errors = (a[order] for a in (self.sizes, self.values, self.errors))
        name, _ = legend_name(self.name)
        (self.line_,) = ax.plot(sizes, values, **{"marker": ".", "label": name} | line_options)
        color = self.line_.get_color()
        ax.fill_between(sizes, values - errors, values + errors, color=color, alpha=0.2, lw=0)
        (self.chosen_,) = ax.plot(
            self.sizes[self.chosen],
            self.values[self.chosen],
            "o",
            color=color,
            label=f"{self.sizes[self.chosen]:,} terms, within one error of the peak",
        )
        ax.set(xscale="log", xlabel="terms", ylabel=figure_text(self.measure))
        ax.legend()
        return self
