"""Bags of pictures, with the one that spoke for each label outlined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise.data import Dataset
from labelwise.data._numbers import check_whole
from labelwise.learners import BagPlugin

_RIGHT, _WRONG = "C2", "C3"
# From one bag to the next, in sides of a picture: room for the labels between them.
_STEP = 1.3


class ShownBag(NamedTuple):
    """What the figure shows of one bag."""

    pictures: np.ndarray  # (n_instances, height, width)
    spoken: dict[int, list[tuple[str, bool | None]]]  # instance -> labels, and whether they hold
    missed: list[str]  # labels of the bag that nobody spoke for


class BagDisplay:
    """Each bag as a row of its pictures; what was decided stands above the one that spoke for it.

    Use `from_estimator`; the constructor takes what it computes. A label that the bag has is
    green, one that it has not is red, and those that it has but nobody spoke for stand behind.

    Parameters
    ----------
    bags : sequence of ShownBag
        From top to bottom.

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

        most = max(len(bag.pictures) for bag in self.bags)
        if ax is None:
            size = (most + 2.0, _STEP * len(self.bags) + 0.5)
            _, ax = plt.subplots(figsize=size, layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        for row, bag in enumerate(self.bags):
            for place, picture in enumerate(bag.pictures):
                _draw_picture(ax, picture, place, row, bag.spoken.get(place, []))
            if bag.missed:
                words = f"not found: {', '.join(bag.missed)}"
                ax.text(
                    len(bag.pictures) + 0.05, _STEP * row + 0.5, words, va="center", color=_WRONG
                )
        ax.set(xlim=(-0.05, most + 1.6), ylim=(_STEP * len(self.bags), -0.35), aspect="equal")
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


def _draw_picture(
    ax: Any, picture: np.ndarray, place: int, row: int, labels: list[tuple[str, bool | None]]
) -> None:
    """Draw a picture, dark where its values are high; outlined if it spoke for a label."""
    from matplotlib.patches import Rectangle

    left, top, side = place + 0.06, _STEP * row + 0.08, 0.84
    ax.imshow(picture, cmap="gray_r", extent=(left, left + side, top + side, top), zorder=1)
    if not labels:
        return
    wrong = any(holds is False for _, holds in labels)
    color = _WRONG if wrong else _RIGHT
    ax.add_patch(
        Rectangle((left, top), side, side, fill=False, edgecolor=color, linewidth=2.5, zorder=2)
    )
    words = ", ".join(name for name, _ in labels)
    ax.text(left + side / 2, top - 0.03, words, ha="center", va="bottom", color=color, size="small")
