"""What a model reaches with more and more terms, as a figure."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelwise._text import figure_text


class TermCurveDisplay:
    """A measure against the number of terms, with its peak and the smallest set as good.

    Parameters
    ----------
    sizes : array of int of shape (n_sizes,)
        Numbers of terms.
    values, errors : array of shape (n_sizes,)
        The measure at each size, and its standard error.
    measure : str
        What the axis calls the measure.
    name : str, optional
        What the legend calls the way of selection.

    Attributes
    ----------
    peak : int
        The place of the highest value, the smallest size among equals.
    chosen : int
        The place of the smallest size whose value is within one standard error of the peak.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.
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
        """Draw the curve with its errors; options as matplotlib's ``plot`` takes them.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line_options
            For the line.

        Returns
        -------
        TermCurveDisplay
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        order = np.argsort(self.sizes, kind="stable")
        sizes, values, errors = (a[order] for a in (self.sizes, self.values, self.errors))
        name = None if self.name is None else figure_text(self.name)
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
        self.ax_, self.figure_ = ax, ax.figure
        return self
