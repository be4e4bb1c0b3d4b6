"""Figure of the scores of the instances of bags: a heat map of instances by labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._text import figure_text
from labelwise.data import Dataset
from labelwise.learners import BagPlugin
from labelwise.reports.displays._display import Display, first_bags

_INCHES_PER_CELL = 0.3
_LARGEST = (12.0, 40.0)  # inches


class InstanceDisplay(Display):
    """Scores of the instances of bags, drawn as one row for each instance.

    The instances of a bag are together, and lines separate the bags. A circle marks the decisions:
    the instance with the highest score of each label that is decided for its bag. Instances of any
    kind can be drawn; `BagDisplay` draws bags of pictures. Use `from_estimator`; the constructor
    takes what it computes.

    Parameters
    ----------
    scores : array of shape (n_instances, n_labels)
        Scores of the instances, bag after bag.
    starts : array of int of shape (n_bags + 1,)
        Row of the first instance of each bag, and the number of instances.
    label_names : sequence of str
        Names of the labels.
    bag_names : sequence of str
        Names of the bags.
    marked : array of bool of shape (n_instances, n_labels), default=None
        Instances and labels with a circle.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.
    image_ : matplotlib image
        The heat map.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.data import make_digit_bags
    >>> from labelwise.learners import BagPlugin
    >>> from labelwise.reports import InstanceDisplay
    >>> data = make_digit_bags(120, sizes=[1, 2], random_state=0)
    >>> model = BagPlugin(n_iter=1, cv=None, random_state=0).fit(data.take(data.train))
    >>> display = InstanceDisplay.from_estimator(model, data.take(data.test), n_bags=3)
    >>> len(display.bag_names), display.scores.shape[1]
    (3, 10)
    >>> display.figure_.savefig(getfixture("tmp_path") / "instances.png")
    """

    def __init__(
        self,
        scores: Any,
        starts: Any,
        label_names: Sequence[str],
        bag_names: Sequence[str],
        marked: Any = None,
    ) -> None:
        self.scores = np.asarray(scores, dtype=np.float64)
        self.starts = np.asarray(starts)
        self.label_names = tuple(label_names)
        self.bag_names = tuple(bag_names)
        self.marked = np.zeros(self.scores.shape, bool) if marked is None else np.asarray(marked)

    @classmethod
    def from_estimator(
        cls, estimator: BagPlugin, data: Dataset, *, n_bags: int = 8, ax: Any = None
    ) -> InstanceDisplay:
        """Draw the scores of the instances of the first bags of a data set.

        Parameters
        ----------
        estimator : BagPlugin
            Fitted model.
        data : Dataset
            Bags of instances of any kind; the labels may be unknown.
        n_bags : int, default=8
            Number of bags to draw.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        InstanceDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `data` has no bags.
        """
        shown = first_bags(estimator, data, n_bags)
        found = estimator.predict_instances(shown)
        bag, label = np.nonzero(estimator.predict(shown))
        marked = np.zeros(found.scores.shape, dtype=bool)
        marked[found.starts[bag] + found.top_instance[bag, label], label] = True
        names = data.label_names or tuple(map(str, range(found.scores.shape[1])))
        bag_names = next(iter(shown.ids.values()), range(len(shown)))
        return cls(found.scores, found.starts, names, tuple(map(str, bag_names)), marked).plot(ax)

    def _size(self) -> Any:
        n_instances, n_labels = self.scores.shape
        wanted = (2.5 + _INCHES_PER_CELL * n_labels, 1.5 + _INCHES_PER_CELL * n_instances)
        return np.minimum(wanted, _LARGEST)

    def _draw(self, ax: Any) -> None:
        """Draw the heat map, the names of labels and bags, and the circles."""
        self.image_ = ax.imshow(self.scores, cmap="Blues", aspect="auto", interpolation="nearest")
        ax.figure.colorbar(self.image_, ax=ax, label="score")
        for start in self.starts[1:-1]:
            ax.axhline(start - 0.5, color="black", lw=1)
        rows, columns = np.nonzero(self.marked)
        ax.scatter(columns, rows, marker="o", facecolors="none", edgecolors="#d55e00")
        middles = (self.starts[:-1] + self.starts[1:] - 1) / 2
        ax.set_yticks(middles, list(map(figure_text, self.bag_names)))
        names = list(map(figure_text, self.label_names))
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        ax.set(xlabel="label", ylabel="bag")
