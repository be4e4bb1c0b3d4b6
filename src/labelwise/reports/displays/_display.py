"""What displays share: axes, bars of quantiles, and the truth and predictions of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from labelwise._estimators import score_matrix
from labelwise._extras import require
from labelwise._text import figure_text
from labelwise._validation import labels_for, with_nan

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Display:
    """Arrays that are drawn by `plot`, on given axes or on those of a new figure."""

    ax_: Any
    figure_: Any
    # Draws on axes; a display whose `plot` takes further options has none.
    _draw: ClassVar[Callable[..., None]]

    def plot(self, ax: Any = None) -> Self:
        """Draw what the class describes.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        Self
            The display itself.
        """
        self._draw(self._axes(ax, figsize=self._size()))
        return self

    def _size(self) -> Any:
        """Return width and height of a new figure in inches; None for the default."""

    def _axes(self, ax: Any, **figure_options: Any) -> Any:
        """Return the axes to draw on, and keep them and their figure."""
        if ax is None:
            require("matplotlib", "a figure")
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(**{"layout": "constrained"} | figure_options)
        self.ax_, self.figure_ = ax, ax.figure
        return ax


class ModelDisplay(Display):
    """A display of the scores of a model, with its name in the legend."""

    # The method of estimators that gives the scores; None means the first that one has.
    _method: ClassVar[str | None] = None

    from_predictions: ClassVar[Callable[..., Any]]  # of Y, scores, name and further options

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, Y: Any, *, name: str | None = None, **options: Any
    ) -> Self:
        """Draw what the scores of a fitted estimator show, as the class describes.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `predict_proba`, or for other than probabilities `decision_function`.
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples that the estimator was not fitted on.
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        name : str, default=None
            Name of the model in the legend; by default its class.
        **options
            Further arguments of `from_predictions`.

        Returns
        -------
        Self
            The display, drawn.
        """
        truth, scores = scored_by(estimator, X, Y, options, cls._method)
        name = type(estimator).__name__ if name is None else name
        display: Self = cls.from_predictions(truth, scores, name=name, **options)
        return display


def legend_name(name: str | None) -> tuple[str | None, str]:
    """Return the name of a model for a legend, and the same as the beginning of a phrase."""
    text = None if name is None else figure_text(name)
    return text, "" if text is None else f"{text}: "


def frame_rates(ax: Any, average: str) -> None:
    """Give axes of recall and precision their range, their names and the legend."""
    ax.set(xlim=(0, 1.01), ylim=(0, 1.01), aspect="equal")
    ax.set(xlabel=f"{average} recall", ylabel=f"{average} precision")
    ax.legend(loc="lower left", frameon=True, framealpha=0.9)


def draw_quantiles(ax: Any, height: float, ends: np.ndarray, color: str, width: float) -> None:
    """Draw a line from 5 to 95 %, a bar from 25 to 75 % and a dot at the median."""
    ax.plot(ends[[0, 4]], [height, height], color=color, linewidth=1.2)
    ax.plot(ends[[1, 3]], [height, height], color=color, linewidth=width, solid_capstyle="butt")
    ax.plot(ends[2], height, "o", color="white", markersize=3, zorder=3)


def scored_by(
    estimator: Any, X: Any, Y: Any, options: dict[str, Any], method: str | None = None
) -> tuple[Any, np.ndarray]:
    """Return the truth, with NaN where it is missing, and the scores of an estimator.

    The names of the labels are added to `options`, the arguments of `from_predictions`.
    """
    truth = truth_of(estimator, Y, options)
    return truth, score_matrix(estimator, X, truth.shape[1], method=method)


def truth_of(estimator: Any, Y: Any, options: dict[str, Any]) -> Any:
    """Return the labels in the columns of an estimator; their names are added to `options`."""
    labels = labels_for(estimator, Y, options.get("label_names"))
    options["label_names"] = labels.names
    return with_nan(labels.matrix, labels.missing)
