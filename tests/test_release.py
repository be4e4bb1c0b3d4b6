"""What a release consists of: one version everywhere, and packages that install."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from labelwise import __version__

ROOT = Path(__file__).parents[1]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_all_files_name_the_same_version():
    newest = re.search(r"^## (\S+) \((\S+)\)$", read("CHANGELOG.md"), re.MULTILINE)
    cited = re.search(r"^version: (.*)$", read("CITATION.cff"), re.MULTILINE)
    assert newest[1] == cited[1] == __version__
    assert f"date-released: {newest[2]}\n" in read("CITATION.cff")


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The sdist and the wheel of this checkout."""
    pytest.importorskip("hatchling", reason="packages are built by hatchling (locks/build.txt)")
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return folder


def files_in(folder):
    """The files of a folder of the checkout, without what Python writes there."""
    paths = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in paths if "__pycache__" not in path.parts}


def test_the_wheel_has_every_file_of_the_package(packages):
    (wheel,) = packages.glob("*.whl")
    assert wheel.name.startswith(f"labelwise-{__version__}-")
    found = {f"src/{name}" for name in zipfile.ZipFile(wheel).namelist()}
    wanted = files_in("src/labelwise")
    assert any(name.endswith(".css") for name in wanted)
    assert wanted - found == set()


def test_the_sdist_has_everything_that_tests_read(packages):
    (sdist,) = packages.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    names = ("README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "pyproject.toml")
    assert {*names, *files_in("tests"), *files_in("locks")} - found == set()
