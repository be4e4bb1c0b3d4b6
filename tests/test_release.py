"""What a release consists of: one version everywhere, and packages that install."""

import re
from pathlib import Path

from labelwise import __version__

ROOT = Path(__file__).parents[1]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_all_files_name_the_same_version():
    newest = re.search(r"^## (\S+) \((\S+)\)$", read("CHANGELOG.md"), re.MULTILINE)
    cited = re.search(r"^version: (.*)$", read("CITATION.cff"), re.MULTILINE)
    assert newest[1] == cited[1] == __version__
    assert f"date-released: {newest[2]}\n" in read("CITATION.cff")
    assert re.search(r"version = \{(.*)\}", read("README.md"))[1] == __version__
