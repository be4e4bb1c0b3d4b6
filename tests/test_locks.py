"""The lock files: everything that make installs is pinned and has a hash."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, GROUPS = SETTINGS["project"], SETTINGS["dependency-groups"]
EXTRAS = PROJECT["optional-dependencies"]
TOGETHER = ["run", "test", "bench", "docs", "fuzz", *GROUPS]
MADE = [*TOGETHER, "recipes", "annif"]


def requirements(name):
    """The requirements of a lock file: one text each, with its hashes."""
    text = (ROOT / "locks" / f"{name}.txt").read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if not line.startswith("#")]


def versions(name):
    return dict(line.split(" ")[0].split("==") for line in requirements(name))


def plain(requirement):
    """The name of a requirement as lock files write it."""
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


def named(extra):
    """Names that pyproject.toml lists for an extra, also through other extras of our own."""
    for requirement in EXTRAS[extra]:
        own = re.fullmatch(r"labelwise\[([\w,]+)\]", requirement)
        if own is None:
            yield plain(requirement)
        for other in own[1].split(",") if own else ():
            yield from named(other)


@pytest.mark.parametrize("name", MADE)
def test_every_requirement_is_pinned_and_has_a_hash(name):
    pinned = re.compile(r"[a-z0-9.-]+==[\w.!+]+ ( *; .+?)?( *--hash=sha256:[0-9a-f]{64})+")
    wrong = [line for line in requirements(name) if not pinned.fullmatch(line)]
    assert wrong == []
    assert requirements(name)


def test_locks_agree_on_versions():
    found = {}
    for name in TOGETHER:
        for package, version in versions(name).items():
            assert found.setdefault(package, version) == version, (name, package)


def test_locks_list_every_dependency_of_the_project():
    run = {plain(requirement) for requirement in PROJECT["dependencies"]}
    for extra in ("test", "bench", "docs", "fuzz", "recipes"):
        assert {*run, *named(extra)} <= set(versions(extra))
    program = {name for extra in ("cli", "reports", "save") for name in named(extra)}
    assert run | program <= set(versions("run"))
    for group, wanted in GROUPS.items():
        assert set(map(plain, wanted)) <= set(versions(group))


def test_there_is_no_lock_that_nothing_uses():
    assert {path.name for path in (ROOT / "locks").iterdir()} == {f"{name}.txt" for name in MADE}


def test_make_installs_locks_without_resolving_dependencies():
    # For coverage[toml], pip would choose the newest version, which no lock has a hash of.
    lines = (ROOT / "Makefile").read_text().splitlines()
    hashed = [line for line in lines if "--require-hashes" in line]
    assert hashed
    assert all("--no-deps --require-hashes" in line for line in hashed)
