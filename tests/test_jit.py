"""Kernels are compiled whether or not numba can store what it compiles."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import labelwise
from labelwise._jit import _LOADABLE, njit

PROGRAM = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np
    import labelwise
    from labelwise.decisions import best_thresholds
    from labelwise.splitting import assign
    from labelwise._curves._cuts_kernels import find_hulls
    print(labelwise.__file__)
    places, starts = np.empty(3, int), np.zeros(2, int)
    find_hulls(np.array([0, 3]), np.arange(3), np.array([0, 1, 2]), places, starts)
    print(places[:2].tolist() == [0, 2])
print(sum("NUMBA_CACHE_DIR" in str(one.message) for one in caught))
"""


@pytest.fixture
def unwritable(tmp_path):
    """A copy of the package, none of whose folders can hold a cache, whoever runs it."""
    copy = tmp_path / "labelwise"
    shutil.copytree(
        Path(labelwise.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    for folder in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    return copy


def run_python(package, *arguments, cache_dir=None, user_cache=os.devnull):
    """Run Python on a copy of the package, without a home folder."""
    nowhere = {"HOME": os.devnull, "XDG_CACHE_HOME": str(user_cache)}
    nowhere["PYTHONPATH"] = str(package.parent)
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | nowhere
    if cache_dir is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache_dir)
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def run(package, cache_dir=None, user_cache=os.devnull):
    """Run the program on a copy of the package; return what it prints."""
    done = run_python(package, "-c", PROGRAM, cache_dir=cache_dir, user_cache=user_cache)
    assert done.returncode == 0, done.stderr
    path, *rest = done.stdout.split()
    assert Path(path).parent == package
    return rest


@pytest.mark.skipif(sys.platform != "linux", reason="takes the home folder away as on Linux")
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiles nothing")
def test_the_command_line_prints_the_warning_as_a_note(unwritable, tmp_path):
    (tmp_path / "scores.csv").write_text("a,b\n" + "0.9,0.1\n0.2,0.8\n0.7,0.6\n" * 4)
    (tmp_path / "truth.csv").write_text("a,b\n" + "1,0\n0,1\n1,0\n" * 4)
    done = run_python(unwritable, "-m", "labelwise", "tune", "scores.csv", "truth.csv")
    notes = [line for line in done.stderr.splitlines() if "numba" in line]
    start = "labelwise: note: numba finds no writable folder for compiled code"
    assert [note.startswith(start) for note in notes] == [True]


@pytest.mark.skipif(sys.platform != "linux", reason="takes the home folder away as on Linux")
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiles nothing")
def test_without_a_writable_folder_kernels_work_and_one_warning_says_what_to_set(unwritable):
    assert run(unwritable) == ["True", "1"]


@pytest.mark.skipif(sys.platform != "linux", reason="names the user's folder as on Linux")
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiles nothing")
def test_a_package_that_is_read_only_has_its_cache_in_the_users_folder(unwritable, tmp_path):
    assert run(unwritable, user_cache=tmp_path / "user") == ["True", "0"]
    assert list((tmp_path / "user").rglob("*.nbi"))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiles nothing")
def test_the_cache_is_in_the_folder_that_the_warning_asks_for(unwritable, tmp_path):
    assert run(unwritable, tmp_path / "cache") == ["True", "0"]
    assert list((tmp_path / "cache").rglob("*.nbi"))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiles nothing")
def test_errors_other_than_those_of_the_cache_are_not_hidden(monkeypatch):
    def fail(**_):
        raise RuntimeError("no compiler")

    monkeypatch.setattr(numba, "njit", fail)
    with pytest.raises(RuntimeError, match="no compiler"):
        njit(nogil=True)(len)


LOADING = """
import sys
import numpy as np
from labelwise import _jit
from labelwise._curves._cuts_kernels import find_hulls
from labelwise.splitting._iterative_kernels import assign_rarest_first
from labelwise.splitting import assign
_jit.FEW_STEPS = 0
folds = assign(np.eye(40, 4, dtype=int), [0.5, 0.5], method="iterative", random_state=0)
print(sum(assign_rarest_first.__wrapped__.stats.cache_hits.values()))
print("numba.np.linalg" in sys.modules)
print(int(folds @ np.arange(40)))
size = find_hulls(
    np.array([0, 3]), np.arange(3), np.array([0, 1, 2]), np.empty(3, int), np.zeros(2, int)
)
print(size)
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiles nothing")
@pytest.mark.skipif(not numba.__version__.startswith(_LOADABLE), reason="loads as numba does")
def test_compiled_code_is_loaded_without_preparing_to_compile(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, again = (
        subprocess.run(
            [sys.executable, "-c", LOADING],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    )
    assert (first[:2], again[:2]) == (["0", "True"], ["1", "False"])
    assert first[2:] == again[2:]
    assert again[3] == "2"


NUMBA_ALONE = """
import sys
import numba


@numba.njit(cache=True)
def twice(number):
    return 2 * number


twice(3)
print(sum(twice.stats.cache_hits.values()), "numba.np.linalg" in sys.modules)
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="compiles nothing")
def test_numba_itself_still_prepares_to_compile_before_it_loads(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(NUMBA_ALONE)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    _, again = (
        subprocess.run(
            [sys.executable, program], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    )
    # If the second word is False, `KernelCache` of `labelwise._jit` can go.
    assert again == ["1", "True"]
