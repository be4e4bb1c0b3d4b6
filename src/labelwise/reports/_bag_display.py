"""Bags of pictures, with the one that spoke for each label outlined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._text import figure_text
from labelwise._validation import check_whole
from labelwise.data import Dataset
from labelwise.learners import BagPlugin

# Told apart by everyone, also in grey.
_RIGHT, _WRONG, _UNKNOWN, _CARD = "#009e73", "#d55e00", "#0072b2", "#f3f4f6"
# In sides of a picture, with its margin: the height of a bag with room for its labels, and from
# one bag to the next, down and to the right.
_HEIGHT, _DOWN, _RIGHTWARDS = 1.3, 1.45, 0.3
# More bags than these stand in two columns.
_ONE_COLUMN = 4


class ShownBag(NamedTuple):
    """What the figure shows of one bag."""

    pictures: np.ndarray  # (n_instances, height, width)
    spoken: dict[int, list[tuple[str, bool | None]]]  # instance -> labels, and whether they hold
    missed: list[str]  # labels of the bag that nobody spoke for


class BagDisplay:
    """Each bag as a row of its pictures; what was decided stands above the one that spoke for it.

    Use `from_estimator`; the constructor takes what it computes. A label that the bag has is
    green, one that it has not is orange, and those that it has but nobody spoke for stand in a
    dashed frame behind. Where the labels of bags are unknown, all are blue.

    Parameters
    ----------
    bags : sequence of ShownBag
        In the order of reading.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

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
            Fitted.
        data : Dataset
            With bags of pictures, row by row; its labels may be unknown.
        n_bags : int
            So many bags are drawn.
        shape : pair of int, optional
            Height and width of a picture; by default it is square.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        BagDisplay
        """
        if data.bags is None:
            raise ValueError(f"data must have bags, but {data.name!r} has a row for each sample.")
        height, width = _check_shape(shape, data.n_features)
        shown = data.take(np.arange(min(check_whole(n_bags, "n_bags"), len(data))))
        decided = estimator.predict(shown)
        speakers = estimator.predict_instances(shown).speakers
        truth = None if shown.Y is None else shown.Y.toarray()
        names = data.label_names or tuple(map(str, range(decided.shape[1])))
        bags = []
        for i, rows in enumerate(shown.samples):
            pictures = np.asarray(rows).reshape(-1, height, width)
            has = None if truth is None else truth[i]
            bags.append(_shown(pictures, names, decided[i], speakers[i], has))
        return cls(bags).plot(ax)

    def plot(self, ax: Any = None) -> BagDisplay:
        """Draw on the given axes or on a new figure, and return the display."""
        import matplotlib.pyplot as plt

        width = max(len(bag.pictures) + bool(bag.missed) for bag in self.bags)
        n_columns = 1 if len(self.bags) <= _ONE_COLUMN else 2
        n_rows = -(-len(self.bags) // n_columns)
        right, bottom = n_columns * (width + _RIGHTWARDS), n_rows * _DOWN + 0.3
        if ax is None:
            _, ax = plt.subplots(figsize=(0.8 * right, 0.8 * bottom), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        for number, bag in enumerate(self.bags):
            row, column = divmod(number, n_columns)
            _draw_bag(ax, bag, column * (width + _RIGHTWARDS), row * _DOWN)
        _draw_legend(ax, self.bags)
        ax.set(xlim=(-0.1, right - 0.1), ylim=(bottom, -0.1), aspect="equal")
        ax.set_axis_off()
        return self


def _check_shape(shape: tuple[int, int] | None, n_features: int) -> tuple[int, int]:
    side = round(n_features**0.5)
    height, width = (side, side) if shape is None else shape
    if height * width != n_features:
        wanted = "be given, since they are not square" if shape is None else "hold all features"
        raise ValueError(f"shape must {wanted}: a picture has {n_features}, got {shape}.")
    return int(height), int(width)


def _shown(
    pictures: np.ndarray,
    names: Sequence[str],
    decided: np.ndarray,
    speakers: np.ndarray,
    truth: np.ndarray | None,
) -> ShownBag:
    spoken: dict[int, list[tuple[str, bool | None]]] = {}
    for j in np.flatnonzero(decided).tolist():
        holds = None if truth is None else bool(truth[j])
        spoken.setdefault(int(speakers[j]), []).append((str(names[j]), holds))
    lacking = np.zeros_like(decided) if truth is None else truth & (decided == 0)
    return ShownBag(pictures, spoken, [str(names[j]) for j in np.flatnonzero(lacking).tolist()])


def _draw_bag(ax: Any, bag: ShownBag, left: float, top: float) -> None:
    """Draw a card with the pictures of a bag, and what was missed behind them."""
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
    """Draw a picture, dark where its values are high; outlined if it spoke for a label."""
    edges = (left + 0.08, left + 0.92, top + 1.22, top + 0.38)
    ax.imshow(picture, cmap="gray_r", extent=edges, zorder=1)
    if not labels:
        return
    colors = [_color(holds) for _, holds in labels]
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
    """Say below what the colours mean that are there."""
    from matplotlib.patches import Patch

    told = {holds for bag in bags for labels in bag.spoken.values() for _, holds in labels}
    words = {True: "the bag has it", False: "it has not", None: "decided"}
    marks = [Patch(color=_color(holds), label=words[holds]) for holds in words if holds in told]
    if any(bag.missed for bag in bags):
        marks.append(Patch(fill=False, ec=_WRONG, ls=(0, (2, 1)), label="not found"))
    ax.legend(
        handles=marks,
        loc="lower center",
        ncols=max(1, len(marks)),
        frameon=False,
        fontsize="small",
        bbox_to_anchor=(0.5, 0.0),
        borderaxespad=0,
    )


def _color(holds: bool | None) -> str:
    return _UNKNOWN if holds is None else _RIGHT if holds else _WRONG
