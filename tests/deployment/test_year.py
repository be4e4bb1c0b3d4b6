"""The example of a year with thresholds runs, and shows what it says."""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "plot_7_after_the_decision.py"


@pytest.fixture(scope="module")
def year():
    mpl.use("Agg")
    yield runpy.run_path(str(EXAMPLE))
    plt.close("all")


def test_the_audit_proves_what_was_expected(year):
    assert year["report"].verdicts == {"micro-precision": "proven"}
    low, high = year["report"].intervals["micro-precision"]
    assert low <= year["expected"].values["micro-precision"] <= high


def test_the_drift_is_found_dated_and_confirmed(year):
    assert year["day"] >= 50
    assert abs(int(year["monitor"].changed_at.split()[1]) - 50) <= 3
    assert year["broken"].verdict == "broken"


def test_thresholds_follow_and_are_certified_again(year):
    assert year["adaptation"].moved.tolist() == [True] * 3 + [False] * 3
    before, adapted = year["values"]
    assert adapted > before + 0.02
    assert year["kept"].verdicts[0] == "kept"
