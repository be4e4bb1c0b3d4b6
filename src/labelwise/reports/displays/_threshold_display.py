"""Figure of the threshold of each label beside the distribution of its scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import figure_text
from labelwise._validation import check_outcome, check_whole, columns_in_order
from labelwise.decisions import Thresholds, best_thresholds
from labelwise.measures import Counts, f_measure
from labelwise.reports.displays._display import QUANTILES, Display, draw_quantiles, scored_by

_NEGATIVE, _POSITIVE, _CUT = "0.6", "C0", "C3"


class LabelScores(NamedTuple):
    """Threshold, F-measure and quantiles of the scores of one label."""

    name: str
    support: int
    threshold: float
    f: float
    positives: np.ndarray  # five quantiles of the scores of positives, NaN without positives
    negatives: np.ndarray


class ThresholdDisplay(Display):
    """Threshold of each label beside the scores of positives and negatives.

    Use `from_predictions` or `from_estimator`; the constructor takes the numbers that they
    compute.

    Parameters
    ----------
    labels : sequence of LabelScores
        From top to bottom: name, support, threshold, F, and for samples with and without the label
        the 5, 25, 50, 75 and 95 % quantiles of the scores.
    n_hidden : int, default=0
        Number of labels that are not shown.
    beta : float, default=1.0
        Weight of recall in the F-measure: recall counts beta² as much as precision.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.reports import ThresholdDisplay
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> display = ThresholdDisplay.from_predictions([[1, 0], [0, 1], [1, 0], [0, 0]], scores)
    >>> [(label.name, label.threshold) for label in display.labels]
    [('0', 0.25), ('1', 0.35)]
    >>> display.figure_.savefig(getfixture("tmp_path") / "thresholds.png")
    """

    def __init__(self, labels: Sequence[LabelScores], n_hidden: int = 0, beta: float = 1.0) -> None:
        self.labels = labels
        self.n_hidden = n_hidden
        self.beta = beta

    @classmethod
    def from_predictions(
        cls,
        Y: Any,
        scores: Any,
        *,
        thresholds: Any = None,
        label_names: Sequence[str] | None = None,
        max_labels: int = 25,
        ax: Any = None,
        **tuning: Any,
    ) -> ThresholdDisplay:
        """Draw the thresholds of the most frequent labels.

        Parameters
        ----------
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        scores : array, sparse matrix or frame of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. In a sparse matrix, an absent score
            is never decided.
        thresholds : Thresholds or array of shape (n_labels,), default=None
            Thresholds to show; by default those that `best_thresholds` finds.
        label_names : sequence of str, default=None
            Names of the labels, in the order of the columns; None takes those of a frame or of
            sets.
        max_labels : int, default=25
            Largest number of labels to draw, the most frequent ones first.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.
        **tuning
            Further arguments of `best_thresholds`; only without `thresholds`.

        Returns
        -------
        ThresholdDisplay
            The display, drawn. F is that of the thresholds' beta, and F1 for an array.

        Raises
        ------
        ValueError
            If `max_labels` is below 1, if both `thresholds` and arguments of `best_thresholds` are
            given, or if the number of thresholds is not that of labels.
        """
        max_labels = check_whole(max_labels, "max_labels")
        if thresholds is not None and tuning:
            raise ValueError(f"{next(iter(tuning))} must not be given beside thresholds.")
        outcome = check_outcome(Y, scores=scores, label_names=label_names, labels_of="scores")
        if thresholds is None:
            thresholds = best_thresholds(
                outcome.scores, outcome.Y, label_names=outcome.names, **tuning
            )
        values = _values(thresholds, outcome.names, outcome.Y.shape[1])
        names = outcome.names or tuple(map(str, range(outcome.Y.shape[1])))
        support = np.diff(outcome.Y.indptr)
        shown = np.argsort(-support, kind="stable")[:max_labels]
        columns = sparse.csc_array(outcome.scores) if sparse.issparse(outcome.scores) else None
        beta = thresholds.evidence.beta if isinstance(thresholds, Thresholds) else 1.0
        labels = [
            _label(names[j], values[j], beta, *_column(outcome.scores, columns, outcome.Y, j))
            for j in shown
        ]
        return cls(labels, support.size - shown.size, beta).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, Y: Any, **options: Any) -> ThresholdDisplay:
        """Draw the thresholds of the scores that a fitted estimator gives.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `predict_proba` or `decision_function`. If it has `thresholds_`, these are
            shown.
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples that the estimator was not fitted on.
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        **options
            Further arguments of `from_predictions`.

        Returns
        -------
        ThresholdDisplay
            The display, drawn.
        """
        truth, scores = scored_by(estimator, X, Y, options)
        own = getattr(estimator, "thresholds_", None)
        if own is not None:
            options = {"thresholds": own} | options
        return cls.from_predictions(truth, scores, **options)

    def _size(self) -> Any:
        return 7, 1.6 + 0.34 * len(self.labels)

    def _draw(self, ax: Any) -> None:
        """Draw a row for each label: quantiles of its scores, threshold and F."""
        for row, label in enumerate(self.labels):
            for height, ends, color in (
                (row + 0.17, label.negatives, _NEGATIVE),
                (row - 0.17, label.positives, _POSITIVE),
            ):
                if not np.isnan(ends).any():
                    draw_quantiles(ax, height, ends, color, 5)
        low, high = self._range()
        for row, label in enumerate(self.labels):
            _draw_threshold(ax, row, label.threshold, low, high)
            words = f"{label.f:.2f}" if label.support else "–"
            ax.annotate(words, (1.01, row), xycoords=("axes fraction", "data"), va="center")
        heading = "F" if self.beta == 1 else f"F{self.beta:g}"
        ax.annotate(heading, (1.01, 1.01), xycoords="axes fraction", weight="bold")
        ax.set(xlim=(low, high), ylim=(len(self.labels) - 0.5, -0.5))
        names = [f"{figure_text(label.name)} ({label.support:,})" for label in self.labels]
        ax.set_yticks(range(len(self.labels)), names)
        more = f"; {self.n_hidden:,} rarer labels not shown" if self.n_hidden else ""
        ax.set_xlabel(f"score (line: 5 to 95 %, bar: 25 to 75 %, dot: median){more}")
        self._draw_legend(ax)

    def _range(self) -> tuple[float, float]:
        """Return the limits of the axis: all quantiles and finite thresholds, with a margin."""
        seen = [label.positives for label in self.labels] + [
            label.negatives for label in self.labels
        ]
        cuts = [label.threshold for label in self.labels if np.isfinite(label.threshold)]
        every = np.concatenate([*seen, cuts])
        low, high = float(np.nanmin(every)), float(np.nanmax(every))
        room = 0.05 * (high - low) or 0.5
        return low - room, high + room

    def _draw_legend(self, ax: Any) -> None:
        from matplotlib.lines import Line2D

        ax.legend(
            handles=[
                Line2D([], [], color=_POSITIVE, linewidth=5, label="samples with the label"),
                Line2D([], [], color=_NEGATIVE, linewidth=5, label="samples without it"),
                Line2D([], [], color=_CUT, linewidth=2, label="threshold"),
            ],
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=3,
            frameon=False,
        )


def _values(thresholds: Any, names: tuple[str, ...] | None, n_labels: int) -> np.ndarray:
    """Return a threshold for each label in the order of the scores."""
    if isinstance(thresholds, Thresholds):
        thresholds._refuse_slices("a display")
    if not isinstance(thresholds, Thresholds):
        values = np.asarray(thresholds, dtype=np.float64)
    elif names is not None and thresholds.label_names is not None:
        order = columns_in_order(names, thresholds.label_names, "thresholds")
        values = thresholds.values[order]
    else:
        values = thresholds.values
    if values.shape != (n_labels,):
        raise ValueError(f"thresholds must be one for each of {n_labels} labels.")
    return values


def _column(scores: Any, columns: Any, Y: sparse.csc_array, j: int) -> tuple[Any, Any, int]:
    """Return the scores of a label, which of them are positives, and positives without score."""
    positives = Y.indices[Y.indptr[j] : Y.indptr[j + 1]]
    relevant = np.zeros(Y.shape[0], dtype=bool)
    relevant[positives] = True
    if columns is None:
        return scores[:, j], relevant, 0
    stored = slice(columns.indptr[j], columns.indptr[j + 1])
    kept = relevant[columns.indices[stored]]
    return columns.data[stored], kept, int(positives.size - kept.sum())


def _label(
    name: str,
    threshold: float,
    beta: float,
    scores: np.ndarray,
    relevant: np.ndarray,
    n_absent: int,
) -> LabelScores:
    reached = scores >= threshold
    tp = int(np.count_nonzero(reached & relevant))
    support = int(relevant.sum()) + n_absent
    counts = Counts(tp, int(reached.sum()) - tp, support - tp, 0)
    with_it, without = _quantiles(scores[relevant]), _quantiles(scores[~relevant])
    value = float(f_measure(counts, beta))
    return LabelScores(str(name), support, float(threshold), value, with_it, without)


def _quantiles(scores: np.ndarray) -> np.ndarray:
    if scores.size == 0:
        return np.full(len(QUANTILES), np.nan)
    return np.asarray(np.quantile(scores, QUANTILES))


def _draw_threshold(ax: Any, row: int, threshold: float, low: float, high: float) -> None:
    """Draw the threshold; an infinite one as the word never or always at the end of the axis."""
    if np.isfinite(threshold):
        ax.plot([threshold, threshold], [row - 0.4, row + 0.4], color=_CUT, linewidth=2, zorder=4)
        return
    at_end, word = (high, "never ▸") if threshold > 0 else (low, "◂ always")
    side = "right" if threshold > 0 else "left"
    ax.annotate(word, (at_end, row), ha=side, va="center", color=_CUT, size="small")
