"""Digits put side by side, one after the other."""

import numpy as np


def side_by_side(digits, n_places):
    """The pixels, row by row, of one picture: 8 by 8 digits from the left, then white."""
    white = [np.zeros((8, 8))] * (n_places - len(digits))
    return np.hstack([*(digit.reshape(8, 8) for digit in digits), *white]).ravel()
