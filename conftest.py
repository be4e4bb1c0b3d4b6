"""Figures are closed after each test, doctest and page: matplotlib warns of more than 20."""

import sys

import pytest


@pytest.fixture(autouse=True)
def no_figure_stays():
    """Close what a test has drawn, if it has loaded matplotlib."""
    yield
    if (plt := sys.modules.get("matplotlib.pyplot")) is not None:
        plt.close("all")
