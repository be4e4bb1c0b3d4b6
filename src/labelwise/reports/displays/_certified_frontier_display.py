"""Figure of a certified frontier: rates on the calibration samples, and bounds for new samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelwise._validation import check_instance
from labelwise.decisions import CertifiedFrontier, certified_frontier
from labelwise.reports.displays._display import ModelDisplay, frame_rates, legend_name


class CertifiedFrontierDisplay(ModelDisplay):
    """Precision and recall along a path, with bounds at all points together.

    The upper line has micro precision and recall on the calibration samples, the lower line their
    certified lower bounds on new samples. Use `from_predictions` or `from_estimator`; the
    constructor takes the frontier that they compute.

    Parameters
    ----------
    frontier : CertifiedFrontier
        The points and bounds, from `labelwise.decisions.certified_frontier`.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.
    line_, bounds_ : matplotlib artists
        The rates on the calibration samples, and the bounds.

    See Also
    --------
    FrontierDisplay : The best trade-offs on the given samples, without bounds for new ones.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from labelwise.reports import CertifiedFrontierDisplay
    >>> random = np.random.default_rng(0)
    >>> Y = random.random((2000, 3)) < 0.3
    >>> scores = Y + random.normal(size=Y.shape)
    >>> display = CertifiedFrontierDisplay.from_predictions(Y, scores, random_state=0)
    >>> display.frontier.level
    0.95
    >>> display.figure_.savefig(getfixture("tmp_path") / "certified.png")
    """

    def __init__(self, frontier: CertifiedFrontier, *, name: str | None = None) -> None:
        check_instance(frontier, CertifiedFrontier, "frontier")
        self.frontier = frontier
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        Y: Any,
        scores: Any,
        *,
        level: Any = 0.95,
        groups: Any = None,
        label_names: Sequence[str] | None = None,
        random_state: Any = None,
        name: str | None = None,
        ax: Any = None,
        **line_options: Any,
    ) -> CertifiedFrontierDisplay:
        """Draw the certified frontier of scores and labels.

        Parameters
        ----------
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        scores : array, sparse matrix or frame of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. In a sparse matrix, an absent score
            is never decided.
        level : float or Certify, default=0.95
            Probability with which all bounds hold on new samples.
        groups : array of shape (n_samples,), default=None
            Group of each sample; samples of a group stay together.
        label_names : sequence of str, default=None
            Names of the labels, in the order of the columns; None takes those of a frame or of
            sets.
        random_state : int, RandomState or None, default=None
            Seed of the random numbers; the same int gives the same result. It splits the samples.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.
        **line_options
            Options of matplotlib's ``plot`` for the line of rates.

        Returns
        -------
        CertifiedFrontierDisplay
            The display, drawn.
        """
        frontier = certified_frontier(
            scores,
            Y,
            level=level,
            groups=groups,
            label_names=label_names,
            random_state=random_state,
        )
        return cls(frontier, name=name).plot(ax, **line_options)

    def plot(self, ax: Any = None, **line_options: Any) -> CertifiedFrontierDisplay:
        """Draw the rates on the calibration samples, and the bounds below them.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.
        **line_options
            Options of matplotlib's ``plot`` for the line of rates.

        Returns
        -------
        CertifiedFrontierDisplay
            The display itself.
        """
        ax, found = self._axes(ax, figsize=(5.5, 5)), self.frontier
        _, whose = legend_name(self.name)
        said = {"label": f"{whose}{found.n_calibration:,} calibration samples"}
        (self.line_,) = ax.plot(found.recall, found.precision, **(said | line_options))
        (self.bounds_,) = ax.plot(
            found.min_recall,
            found.min_precision,
            "o--",
            markersize=3,
            color=self.line_.get_color(),
            label=f"{whose}at least, with probability {found.level:g} together",
        )
        frame_rates(ax, "micro")
        return self
