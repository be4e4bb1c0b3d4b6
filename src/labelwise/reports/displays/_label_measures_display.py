"""Figure of the measures of each label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labelwise._estimators import scoring_method
from labelwise._text import figure_text
from labelwise._validation import check_instance, check_readable, check_whole
from labelwise.measures import Evaluation, evaluate
from labelwise.reports.displays._display import Display, truth_of

_OF_DECISIONS, _OF_SCORES = ("precision", "recall", "f"), ("auc", "average-precision")


class LabelMeasuresDisplay(Display):
    """Precision, recall and F of each label, the lowest F at the top.

    For an evaluation of scores alone, average precision and the area under the ROC curve are drawn
    instead, by average precision. Use `from_predictions`, `from_estimator` or `from_evaluation`;
    the constructor takes the numbers that they compute.

    Parameters
    ----------
    names : sequence of str
        Names of the labels that are drawn, from top to bottom.
    positives : array of int of shape (n_shown,)
        Number of positives of each label.
    values : mapping of str to array of shape (n_shown,)
        Values of each measure.
    n_hidden : int, default=0
        Number of labels that are not drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.reports import LabelMeasuresDisplay
    >>> Y, decided = [[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 0], [1, 1]]
    >>> display = LabelMeasuresDisplay.from_predictions(Y, decided, label_names=["sea", "sky"])
    >>> display.names
    ('sky', 'sea')
    >>> display.figure_.savefig(getfixture("tmp_path") / "labels.png")
    """

    def __init__(
        self,
        names: Sequence[str],
        positives: Any,
        values: Mapping[str, Any],
        n_hidden: int = 0,
    ) -> None:
        self.names = tuple(names)
        self.positives = np.asarray(positives)
        self.values = {name: np.asarray(column) for name, column in values.items()}
        self.n_hidden = n_hidden

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation, *, max_labels: int = 25, ax: Any = None
    ) -> LabelMeasuresDisplay:
        """Draw the labels of an evaluation.

        Parameters
        ----------
        evaluation : Evaluation
            Result of `labelwise.measures.evaluate`.
        max_labels : int, default=25
            Number of labels to draw, those with the lowest values.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        LabelMeasuresDisplay
            The display, drawn.
        """
        check_instance(evaluation, Evaluation, "evaluation")
        most = check_whole(max_labels, "max_labels", least=1)
        columns = evaluation.per_label
        shown = _OF_DECISIONS if "f" in columns else _OF_SCORES
        # Labels without a value are last.
        order = np.argsort(columns[shown[-1]], kind="stable")[:most]
        display = cls(
            [evaluation.label_names[j] for j in order],
            columns["positives"][order],
            {name: columns[name][order] for name in shown},
            len(evaluation.label_names) - order.size,
        )
        return display.plot(ax)

    @classmethod
    def from_predictions(
        cls,
        Y: Any,
        decided: Any,
        *,
        beta: float = 1.0,
        label_names: Sequence[str] | None = None,
        max_labels: int = 25,
        ax: Any = None,
    ) -> LabelMeasuresDisplay:
        """Draw the labels of decisions.

        Parameters
        ----------
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        decided : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            Decisions, 0 or 1.
        beta : float, default=1.0
            Weight of recall in the F-measure: recall counts beta² as much as precision.
        label_names : sequence of str, default=None
            Names of the labels, in the order of the columns; None takes those of a frame or of
            sets.
        max_labels : int, default=25
            Number of labels to draw, those with the lowest F.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        LabelMeasuresDisplay
            The display, drawn.
        """
        evaluation = evaluate(Y, decided=decided, beta=beta, label_names=label_names)
        return cls.from_evaluation(evaluation, max_labels=max_labels, ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, Y: Any, **options: Any) -> LabelMeasuresDisplay:
        """Draw the labels of the decisions that a fitted estimator predicts.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `predict`.
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples that the estimator was not fitted on.
        Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            True labels, 0 or 1.
        **options
            Further arguments of `from_predictions`.

        Returns
        -------
        LabelMeasuresDisplay
            The display, drawn.
        """
        check_readable(X, "X")
        scoring_method(estimator, ("predict",))
        truth = truth_of(estimator, Y, options)
        return cls.from_predictions(truth, estimator.predict(X), **options)

    def _size(self) -> Any:
        return 7, 1.6 + 0.3 * len(self.names)

    def _draw(self, ax: Any) -> None:
        """Draw a row for each label, with a dot for each measure."""
        n_shown = len(self.names)
        for name, values in self.values.items():
            ax.plot(values, np.arange(n_shown), "o", label=name)
        ticks = [
            f"{figure_text(name)} ({count:,})"
            for name, count in zip(self.names, self.positives.tolist(), strict=True)
        ]
        ax.set_yticks(range(n_shown), ticks)
        more = f"; {self.n_hidden:,} better labels not shown" if self.n_hidden else ""
        ax.set_xlabel(f"value{more}")
        ax.set(xlim=(-0.02, 1.02), ylim=(n_shown - 0.5, -0.5))
        ax.grid(axis="y", color="0.9")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
