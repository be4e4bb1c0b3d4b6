"""The rules of the house that a program can check."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import labelwise

SOURCE = Path(labelwise.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
STAGES = [module.name for module in pkgutil.iter_modules([str(SOURCE)]) if module.ispkg]
HEAVY = {
    "numba",
    "numpy",
    "scipy",
    "sklearn",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "dask",
    "skops",
}


def imported_by(path):
    """The first words of everything that a file imports, wherever it does."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_decorator_of_kernels_imports_numba_and_nobody_unpickles(path):
    imported = imported_by(path)
    assert ("numba" in imported) == (path == SOURCE / "_jit.py")
    has_kernels = "labelwise._jit" in path.read_text(encoding="utf-8")
    assert has_kernels == path.name.endswith("_kernels.py")
    assert not imported & {"pickle", "shelve", "marshal", "dill", "cloudpickle"}


@pytest.mark.parametrize("stage", STAGES)
def test_every_public_name_exists_and_says_what_it_is(stage):
    module = importlib.import_module(f"labelwise.{stage}")
    assert module.__doc__
    if not stage.startswith("_"):  # shared packages list constants first
        assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert (getattr(module, name).__doc__ or "").strip(), name


@pytest.mark.parametrize("command", [["--help"], ["--version"], ["describe", "--help"]])
def test_nothing_heavy_is_loaded_before_it_is_used(command):
    program = (
        "import sys\n"
        "from labelwise.cli import app\n"
        "try:\n"
        f"    app({command!r})\n"
        "except SystemExit:\n"
        "    pass\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_files_are_named_after_ideas():
    vague = {"utils", "core", "common", "helpers", "misc"}
    assert not {path.stem.strip("_") for path in FILES} & vague
