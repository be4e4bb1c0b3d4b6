"""Stages load their public names when these are used, and the names belong to the stage."""

import subprocess
import sys

import pytest

import labelwise


def output_of(program):
    """What a program prints in a process of its own, where no stage is loaded yet."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_stages_are_attributes_of_the_package_without_importing_them():
    program = "import labelwise; print(labelwise.decisions.Thresholds, labelwise.splitting)"
    shown = " ".join(output_of(program))
    assert "labelwise.decisions.Thresholds" in shown
    assert "labelwise.splitting" in shown
    listed = {name for name in dir(labelwise) if not name.startswith("_")}
    assert {"data", "decisions", "reports", "load", "save"} <= listed
    assert listed.isdisjoint({"Any", "TYPE_CHECKING", "import_module"})
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = labelwise.nothing


def test_a_stage_lists_and_loads_only_its_names():
    assert {"Thresholds", "TunedThresholds"} <= set(dir(labelwise.decisions))
    with pytest.raises(AttributeError, match=r"'labelwise.decisions' has no attribute 'nothing'"):
        _ = labelwise.decisions.nothing


def test_one_name_loads_neither_the_others_nor_scikit_learn():
    program = (
        "import sys\n"
        "from labelwise.decisions import Thresholds\n"
        "print('sklearn' in sys.modules, 'labelwise.decisions._tuned_thresholds' in sys.modules)\n"
        "print('pydantic' in sys.modules)"
    )
    assert output_of(program) == ["False"] * 3


def test_classes_that_a_stage_returns_belong_to_it_though_nobody_imported_them():
    program = (
        "import pickle\n"
        "from labelwise.data import load\n"
        "kind = type(load('mixture'))\n"
        "print(kind.__module__, pickle.loads(pickle.dumps(kind)) is kind)"
    )
    assert output_of(program) == ["labelwise.data", "True"]
