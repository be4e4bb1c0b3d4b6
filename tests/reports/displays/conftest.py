"""Figures are drawn without a window, and closed after each test."""

import pytest


@pytest.fixture(autouse=True)
def _no_figure_stays():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    yield
    plt.close("all")
