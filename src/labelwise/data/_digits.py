"""Generate bags of real handwritten digits, or pictures with several digits side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from labelwise._validation import check_random_state, check_whole
from labelwise.data._dataset import Dataset

_SIDE = 8  # width and height of a digit in pixels


class _Drawn(NamedTuple):
    """The images of all bags, one bag after the other, and the start of each bag."""

    images: np.ndarray
    starts: np.ndarray


def make_digit_bags(
    n_bags: int = 500,
    *,
    sizes: Sequence[int] = range(1, 6),
    pictures: bool = False,
    random_state: Any = None,
) -> Dataset:
    """Generate bags of handwritten digits; the labels of a bag are its digits.

    Parameters
    ----------
    n_bags : int, default=500
        Number of bags.
    sizes : sequence of int, default=range(1, 6)
        Possible numbers of digits in a bag; each entry is equally probable.
    pictures : bool, default=False
        False generates multi-instance data, in which each row of X is one digit. True generates
        plain multi-label data with one row for each bag: one picture with its digits side by side
        from the left, as wide as the largest size, and white in the rest. The same seed gives the
        same digits in both cases.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result.

    Returns
    -------
    Dataset
        Data with the labels "0" to "9" and a fixed split. ``ids["digits"]`` lists the digits of
        each bag in order, and ``ids["images"]`` their numbers in `sklearn.datasets.load_digits`.

    Raises
    ------
    TypeError
        If `n_bags` or a size is not a whole number, or `pictures` is not a boolean.
    ValueError
        If `n_bags` or a size is below 1, or `sizes` is empty.

    Notes
    -----
    The digits are the 1,797 images of scikit-learn, 8 by 8 pixels with values from 0 (white) to
    16; nothing is downloaded. Two thirds of the images of each digit are used for the first two
    thirds of the bags, which are the training part, and the other images for the test part, so
    that no image occurs in both. Within its part each bag draws its images independently.

    Examples
    --------
    >>> from labelwise.data import make_digit_bags
    >>> make_digit_bags(n_bags=100, sizes=[3], random_state=0)
    Dataset 'digit bags': 100 samples in bags, 300 instances, 64 features, 10 labels
    >>> make_digit_bags(n_bags=100, sizes=[3], pictures=True, random_state=0)
    Dataset 'digit pictures': 100 samples, 192 features, 10 labels
    """
    n_bags = check_whole(n_bags, "n_bags")
    sizes = _check_sizes(sizes)
    if not isinstance(pictures, bool | np.bool_):
        raise TypeError(f"pictures must be True or False, got {pictures!r}.")
    rng = check_random_state(random_state)

    pixels, digits = _load_images()
    n_train = round(n_bags * 2 / 3)
    bags = _draw_bags(_split_images(digits, rng), (n_train, n_bags - n_train), sizes, rng)
    if pictures:
        X, pointer = _side_by_side(pixels, bags, max(sizes)), None
    else:
        X, pointer = pixels[bags.images], bags.starts
    return Dataset(
        X,
        _digits_present(digits, bags),
        "digit pictures" if pictures else "digit bags",
        _feature_names(max(sizes) if pictures else None),
        [str(digit) for digit in range(10)],
        train=np.arange(n_train),
        test=np.arange(n_train, n_bags),
        bags=pointer,
        ids={"digits": _per_bag(digits[bags.images], bags), "images": _per_bag(bags.images, bags)},
    )


@cache
def _load_images() -> tuple[np.ndarray, np.ndarray]:
    """Return pixels and digit of each image; cached, since parsing takes longer than drawing."""
    from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    return pixels, digits


def _check_sizes(sizes: Any) -> list[int]:
    if isinstance(sizes, str) or not isinstance(sizes, Sequence | np.ndarray):
        raise TypeError(f"sizes must be a sequence of whole numbers, got {sizes!r}.")
    if len(sizes) == 0:
        raise ValueError("sizes must have at least one entry, got none.")
    return [check_whole(size, f"sizes[{i}]") for i, size in enumerate(sizes)]


def _split_images(digits: np.ndarray, rng: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return two thirds of the images of each digit, and the others."""
    parts = []
    for digit in range(10):
        images = rng.permutation(np.flatnonzero(digits == digit))
        parts.append(np.split(images, [round(images.size * 2 / 3)]))
    train, test = zip(*parts, strict=True)
    return np.concatenate(train), np.concatenate(test)


def _draw_bags(
    pools: Sequence[np.ndarray], n_bags: Sequence[int], sizes: list[int], rng: Any
) -> _Drawn:
    """Fill the given number of bags from each pool of images."""
    drawn = rng.choice(sizes, size=sum(n_bags))
    starts = np.concatenate(([0], np.cumsum(drawn)))
    ends = starts[np.cumsum(n_bags)]
    n_images = np.diff(ends, prepend=0)
    images = [rng.choice(pool, size=n) for pool, n in zip(pools, n_images, strict=True)]
    return _Drawn(np.concatenate(images), starts)


def _digits_present(digits: np.ndarray, bags: _Drawn) -> np.ndarray:
    """Return the label matrix: the digits that occur in each bag."""
    present = np.zeros((bags.starts.size - 1, 10), dtype=bool)
    present[_bag_of_image(bags), digits[bags.images]] = True
    return present


def _side_by_side(pixels: np.ndarray, bags: _Drawn, n_places: int) -> np.ndarray:
    """Return the pixels, row by row, of one picture for each bag, `n_places` digits wide."""
    n_bags = bags.starts.size - 1
    bag = _bag_of_image(bags)
    place = np.arange(bags.images.size) - bags.starts[bag]
    canvas = np.zeros((n_bags, _SIDE, n_places, _SIDE))
    canvas[bag, :, place] = pixels[bags.images].reshape(-1, _SIDE, _SIDE)
    return canvas.reshape(n_bags, -1)


def _bag_of_image(bags: _Drawn) -> np.ndarray:
    sizes = np.diff(bags.starts)
    return np.repeat(np.arange(sizes.size), sizes)


def _feature_names(n_places: int | None) -> list[str]:
    if n_places is None:
        return [f"pixel {row},{column}" for row in range(_SIDE) for column in range(_SIDE)]
    columns = range(_SIDE * n_places)
    return [f"picture row {row}, column {column}" for row in range(_SIDE) for column in columns]


def _per_bag(numbers: np.ndarray, bags: _Drawn) -> list[str]:
    """Return the numbers of each bag as text."""
    return [" ".join(map(str, part)) for part in np.split(numbers, bags.starts[1:-1])]
