"""Figures are drawn without a window."""

import pytest


@pytest.fixture(autouse=True)
def _no_window():
    pytest.importorskip("matplotlib.pyplot").switch_backend("Agg")
