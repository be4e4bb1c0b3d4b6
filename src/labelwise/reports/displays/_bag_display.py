"""Figures of bags: pictures with the labels behind which they are, and scores of any instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._text import figure_text
from labelwise._validation import check_instance, check_whole
from labelwise.data import Dataset
from labelwise.learners import BagPlugin
from labelwise.reports.displays._display import Display

# Distinct for colour-blind readers and in grey.
_RIGHT, _WRONG, _UNKNOWN, _CARD = "#009e73", "#d55e00", "#0072b2", "#f3f4f6"
# In units of a picture with its margin: the height of a bag with its labels, the distance from one
# bag to the next below it, and the gap to the next on its right.
_HEIGHT, _DOWN, _RIGHTWARDS = 1.3, 1.45, 0.3
# More bags than this are drawn in two columns.
_ONE_COLUMN = 4


class ShownBag(NamedTuple):
    """Pictures of one bag, and its decided and missed labels."""

    pictures: np.ndarray  # (n_instances, height, width)
    spoken: dict[int, list[tuple[str, bool | None]]]  # instance -> labels; are they true?
    missed: list[str]  # true labels of the bag that were not decided


class BagDisplay(Display):
    """Bags of pictures, with each decided label above the picture behind it.

    The picture behind a label is the instance with the highest score for it. Decided labels that
    the bag has are green, decided labels that it does not have are orange, and labels that it has
    but that were not decided are listed in a dashed frame. If the labels of the bags are unknown,
    all decided labels are blue. Use `from_estimator`; the constructor takes what it computes.
    `InstanceDisplay` draws bags of instances that are not pictures.

    Parameters
    ----------
    bags : sequence of ShownBag
        Pictures and labels of each bag, in the order of drawing.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.data import make_digit_bags
    >>> from labelwise.learners import BagPlugin
    >>> from labelwise.reports import BagDisplay
    >>> data = make_digit_bags(120, sizes=[1, 2], random_state=0)
    >>> model = BagPlugin(n_iter=1, cv=None, random_state=0).fit(data.take(data.train))
    >>> display = BagDisplay.from_estimator(model, data.take(data.test), n_bags=3)
    >>> len(display.bags)
    3
    >>> display.figure_.savefig(getfixture("tmp_path") / "bags.png")
    """

    def __init__(self, bags: Sequence[ShownBag]) -> None:
        self.bags = bags

    @classmethod
    def from_estimator(
        cls,
        estimator: BagPlugin,
        data: Dataset,
        *,
        n_bags: int = 8,
        shape: tuple[int, int] | None = None,
        ax: Any = None,
    ) -> BagDisplay:
        """Draw the first bags of a data set.

        Parameters
        ----------
        estimator : BagPlugin
            Fitted model.
        data : Dataset
            Bags of pictures, one instance a picture; the labels may be unknown.
        n_bags : int, default=8
            Number of bags to draw.
        shape : pair of int, default=None
            Height and width of a picture; by default pictures are square.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        BagDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `data` has no bags, or if `shape` does not fit the number of features.
        """
        shown = first_bags(estimator, data, n_bags)
        height, width = _check_shape(shape, data.n_features)
        decided = estimator.predict(shown)
        top_instance = estimator.predict_instances(shown).top_instance
        names = data.label_names or tuple(map(str, range(decided.shape[1])))
        truth = None if shown.Y is None else shown.Y.toarray() == 1
        bags = []
        for i, rows in enumerate(shown.samples):
            pictures = np.asarray(rows).reshape(-1, height, width)
            has = None if truth is None else truth[i]
            bags.append(_shown(pictures, names, decided[i], top_instance[i], has))
        return cls(bags).plot(ax)

    def _grid(self) -> tuple[int, int, float, float]:
        """Return the width of a bag, the number of columns, and the right and bottom end."""
        width = max(len(bag.pictures) + bool(bag.missed) for bag in self.bags)
        n_columns = 1 if len(self.bags) <= _ONE_COLUMN else 2
        n_rows = -(-len(self.bags) // n_columns)
        return width, n_columns, n_columns * (width + _RIGHTWARDS), n_rows * _DOWN + 0.3

    def _size(self) -> Any:
        *_, right, bottom = self._grid()
        return 0.8 * right, 0.8 * bottom

    def _draw(self, ax: Any) -> None:
        """Draw a card for each bag, and a legend of the colours."""
        width, n_columns, right, bottom = self._grid()
        for number, bag in enumerate(self.bags):
            row, column = divmod(number, n_columns)
            _draw_bag(ax, bag, column * (width + _RIGHTWARDS), row * _DOWN)
        _draw_legend(ax, self.bags)
        ax.set(xlim=(-0.1, right - 0.1), ylim=(bottom, -0.1), aspect="equal")
        ax.set_axis_off()


def _check_shape(shape: tuple[int, int] | None, n_features: int) -> tuple[int, int]:
    side = round(n_features**0.5)
    height, width = (side, side) if shape is None else shape
    if height * width != n_features:
        wanted = "be given, since they are not square" if shape is None else "contain all features"
        raise ValueError(
            f"shape must {wanted}: a picture has {n_features}, got {shape}; InstanceDisplay draws "
            "instances that are not pictures."
        )
    return int(height), int(width)


def _shown(
    pictures: np.ndarray,
    names: Sequence[str],
    decided: np.ndarray,
    top_instance: np.ndarray,
    truth: np.ndarray | None,
) -> ShownBag:
    spoken: dict[int, list[tuple[str, bool | None]]] = {}
    for j in np.flatnonzero(decided).tolist():
        is_true = None if truth is None else bool(truth[j])
        spoken.setdefault(int(top_instance[j]), []).append((str(names[j]), is_true))
    lacking = np.zeros_like(decided) if truth is None else truth & (decided == 0)
    return ShownBag(pictures, spoken, [str(names[j]) for j in np.flatnonzero(lacking).tolist()])


def _draw_bag(ax: Any, bag: ShownBag, left: float, top: float) -> None:
    """Draw a card with the pictures of a bag, and its missed labels at the right."""
    from matplotlib.patches import FancyBboxPatch

    width = len(bag.pictures) + bool(bag.missed)
    round_corners = "round,pad=0,rounding_size=0.12"
    card = (left, top), width, _HEIGHT
    ax.add_patch(FancyBboxPatch(*card, boxstyle=round_corners, fc=_CARD, ec="none", zorder=0))
    for place, picture in enumerate(bag.pictures):
        _draw_picture(ax, picture, left + place, top, bag.spoken.get(place, []))
    if bag.missed:
        corner = left + len(bag.pictures)
        _draw_frame(ax, corner, top, _WRONG, linestyle=(0, (3, 2)), linewidth=1.2)
        words = "\n".join(map(figure_text, bag.missed))
        ax.text(corner + 0.5, top + 0.8, words, ha="center", va="center", color=_WRONG)


def _draw_picture(
    ax: Any, picture: np.ndarray, left: float, top: float, labels: list[tuple[str, bool | None]]
) -> None:
    """Draw a picture, dark where its values are high; outlined if a label comes from it."""
    edges = (left + 0.08, left + 0.92, top + 1.22, top + 0.38)
    ax.imshow(picture, cmap="gray_r", extent=edges, zorder=1)
    if not labels:
        return
    colors = [_color(is_true) for _, is_true in labels]
    _draw_frame(ax, left, top, _RIGHT if _RIGHT in colors else colors[0], linewidth=2.5)
    for k, ((name, _), color) in enumerate(zip(labels, colors, strict=True)):
        place = left + 0.08 + 0.84 * (k + 0.5) / len(labels)
        ax.text(
            place,
            top + 0.2,
            figure_text(name),
            color="white",
            size="small",
            weight="bold",
            ha="center",
            va="center",
            bbox={"boxstyle": "round,pad=0.25", "facecolor": color, "edgecolor": "none"},
        )


def _draw_frame(ax: Any, left: float, top: float, color: str, **line: Any) -> None:
    from matplotlib.patches import Rectangle

    corner = (left + 0.08, top + 0.38)
    ax.add_patch(Rectangle(corner, 0.84, 0.84, fill=False, ec=color, zorder=2, **line))


def _draw_legend(ax: Any, bags: Sequence[ShownBag]) -> None:
    """Draw a legend of the colours that occur."""
    from matplotlib.patches import Patch

    shown = {is_true for bag in bags for labels in bag.spoken.values() for _, is_true in labels}
    words = {True: "right", False: "wrong", None: "decided"}
    marks = [
        Patch(color=_color(is_true), label=words[is_true]) for is_true in words if is_true in shown
    ]
    if any(bag.missed for bag in bags):
        marks.append(Patch(fill=False, ec=_WRONG, ls=(0, (2, 1)), label="missed"))
    ax.legend(
        handles=marks,
        loc="lower center",
        ncols=max(1, len(marks)),
        frameon=False,
        fontsize="small",
        bbox_to_anchor=(0.5, 0.0),
        borderaxespad=0,
    )


def _color(is_true: bool | None) -> str:
    return _UNKNOWN if is_true is None else _RIGHT if is_true else _WRONG


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


def first_bags(estimator: Any, data: Any, n_bags: int) -> Dataset:
    """Check a bag model and a data set of bags, and return its first bags."""
    check_instance(estimator, BagPlugin, "estimator")
    check_instance(data, Dataset, "data")
    if data.bags is None:
        raise ValueError(f"data must have bags, but {data.name!r} has a row for each sample.")
    shown: Dataset = data.take(np.arange(min(check_whole(n_bags, "n_bags"), len(data))))
    return shown
