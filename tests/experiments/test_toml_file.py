"""Study files of strangers: bounded before the parser sees them, refused in one sentence."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from labelwise.data import DataError
from labelwise.experiments import Study
from labelwise.experiments._study_file import MAX_BYTES, MAX_DEPTH, check_depth

DEEP = 50_000
HOSTILE = {
    "dotted key": (".".join(["a"] * DEEP) + " = 1", "line 1 has a key of more than 16 parts"),
    "spaced key": (" . ".join(["a"] * DEEP) + " = 1", "has a key of more than 16 parts"),
    "quoted key": (".".join(["'a'", '"b#."'] * DEEP) + " = 1", "has a key of more than 16 parts"),
    "table": ("\n[" + ".".join(["a"] * DEEP) + "]", "line 2 has a key of more than 16 parts"),
    "keys": ((".".join(["a"] * 90) + " = 1\n") * 1000, "has a key of more than 16 parts"),
    "inline key": ("a = {" + ".".join(["a"] * DEEP) + " = 1}", "a key of more than 16 parts"),
    "arrays": ("a = " + "[" * DEEP, "line 1 has more than 16 nested brackets"),
    "lines": ("a = " + "[\n" * DEEP, "line 17 has more than 16 nested brackets"),
    "tables": ("a = " + "{a = " * DEEP, "has more than 16 nested brackets"),
    "after text": ('b = """\n[#"""\na = ' + "[" * DEEP, "line 3 has more than 16 nested brackets"),
    "after comment": ('# """\na = ' + "[" * DEEP, "line 2 has more than 16 nested brackets"),
    "number": ("a = " + "9" * 100_000, "is not a TOML file"),
    "size": ("#" * (MAX_BYTES + 1), "must have at most 1,048,576 bytes"),
    "not utf-8": (b"a = \xff", "is not a TOML file"),
}


def written(folder):
    for name, (content, _) in HOSTILE.items():
        path = folder / f"{name}.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        yield path


def test_a_hostile_file_is_refused_in_a_sentence_that_names_it(tmp_path):
    for path in written(tmp_path):
        with pytest.raises(DataError) as refused:
            Study.read(path)
        assert str(refused.value).startswith(f"{path}: ")
        assert HOSTILE[path.stem][1] in str(refused.value)
        assert len(str(refused.value)) < len(str(path)) + 200


def test_what_is_no_regular_file_is_refused_unopened(tmp_path):
    pipe, zeros = tmp_path / "pipe.toml", tmp_path / "zeros.toml"
    os.mkfifo(pipe)
    zeros.symlink_to("/dev/zero")
    for path in (pipe, zeros, tmp_path):
        with pytest.raises(DataError, match="must be a regular file"):
            Study.read(path)


READ_ALL = """
import resource, sys
from pathlib import Path
from labelwise.experiments._study_file import read_toml
resource.setrlimit(resource.RLIMIT_AS, (6_000_000 * 1024,) * 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name in sys.argv[1:]:
    try:
        read_toml(Path(name))
    except ValueError:
        continue
    sys.exit(name)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_hostile_files_take_little_memory(tmp_path):
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, *map(str, written(tmp_path))],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 100_000  # kB; each file has at most 1 MB


PARTS = st.sampled_from(
    ["[", "]", "{", "}", '"', "'", '"""', "'''", "#", "\n", "\\", ".", "a", "=", " ", ",", "1"]
)


def depth(value):
    """The number of nested tables and arrays."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth, inner), default=0)
    return 0


@given(text=st.lists(PARTS, max_size=60).map("".join), n=st.integers(MAX_DEPTH + 1, 40))
def test_no_text_before_it_hides_a_nest_from_the_scan(text, n):
    try:
        tomllib.loads(f"{text}\nz = 1")
    except ValueError:
        return
    for deep in ("z = " + "[" * n + "]" * n, ".".join("z" * n) + " = 1"):
        with pytest.raises(ValueError, match="has"):
            check_depth(f"{text}\n{deep}")


@pytest.mark.parametrize(
    "text",
    [
        "a = [0.5, 0.25, " + "0.125, " * 1000 + "1.0]",
        'a = "' + "[{." * 100 + '" # ' + "[{" * 100,
        "a = '''\n" + "[\n" * 100 + "'''",
        'a = """\n' + "x.y." * 100 + '\\""" """',
        ".".join(["a"] * MAX_DEPTH) + " = " + "[" * MAX_DEPTH + "]" * MAX_DEPTH,
        "a = [[1], [2]]\n" * 100,
    ],
)
def test_numbers_texts_and_modest_depth_pass(text):
    check_depth(text)


def test_the_study_file_of_the_documentation_can_be_read(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "stages" / "experiments.md"
    (example,) = [part.split("```")[0] for part in page.read_text().split("```toml\n")[1:]]
    path = tmp_path / "study.toml"
    path.write_text(example)
    assert len(Study.read(path).models) == 2
