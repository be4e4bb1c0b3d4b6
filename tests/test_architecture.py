"""The rules of the house that a program can check."""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
import typing
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


def names_listed_by(package):
    """The names in `__all__`; without it, those that a shared package imports for others."""
    module = importlib.import_module(f"labelwise.{package}")
    tree = ast.parse((SOURCE / package / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    again = [alias.asname for node in imports for alias in node.names if alias.asname]
    return getattr(module, "__all__", again)


@pytest.mark.parametrize("stage", STAGES)
def test_every_public_name_exists_and_says_what_it_is(stage):
    module = importlib.import_module(f"labelwise.{stage}")
    assert module.__doc__
    if not stage.startswith("_"):
        constants_first = sorted(module.__all__, key=lambda name: (not name.isupper(), name))
        assert module.__all__ == constants_first
    assert names_listed_by(stage)
    for name in names_listed_by(stage):
        is_type = typing.get_origin(getattr(module, name)) is not None
        assert is_type or (getattr(module, name).__doc__ or "").strip(), name


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


def test_the_floor_plan_names_every_package_room_and_shared_module():
    """CONTRIBUTING.md lists them under "Where things are"."""
    page = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    plan = page.split("## Where things are")[1].split("Imports go in one direction")[0]
    folders = {path.parent.relative_to(SOURCE) for path in FILES if path.name == "__init__.py"}
    names = {folder.name for folder in folders if 1 <= len(folder.parts) <= 2}
    assert {name for name in names if f"{name}/" not in plan} == set()
    modules = {path.name for path in SOURCE.glob("_*.py")} - {"__init__.py", "__main__.py"}
    assert {name for name in modules if name not in plan} == set()
    known = {path.parent.name for path in FILES} | {"tests", "oracles", "writers", "labelwise"}
    known |= {"benchmarks", "studies", "examples", "docs", "fuzz", "src"}
    assert set(re.findall(r"(\w+)/", plan)) <= known


def test_files_are_named_after_ideas():
    vague = {"utils", "core", "common", "helpers", "misc"}
    assert not {path.stem.strip("_") for path in FILES} & vague


MODULES = [path for path in FILES if path.name != "__init__.py"]


def test_no_two_classes_have_the_same_name_public_or_private():
    owners = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                name = node.name.removeprefix("_")
                owners.setdefault(name, []).append(str(path.relative_to(SOURCE)))
    repeated = {name: paths for name, paths in owners.items() if len(paths) > 1}
    assert repeated == {}


def module_name(path):
    """The name under which a file is imported."""
    parts = ["labelwise", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules_imported_by(path, known):
    """The modules of labelwise that a file imports, also inside functions, except for types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return names & known - {module_name(path)}


def test_no_import_inside_a_function_closes_a_circle():
    known = {module_name(path) for path in MODULES}
    imports = {module_name(path): modules_imported_by(path, known) for path in MODULES}
    while True:
        # A module in a circle imports another one of those that are left, and is imported by one.
        imported = set().union(*imports.values())
        left = {name: used & set(imports) for name, used in imports.items() if name in imported}
        left = {name: used for name, used in left.items() if used}
        if left == imports:
            break
        imports = left
    assert set(imports) == set()


def test_no_function_imports_a_public_name_from_a_private_module():
    """A class has the name of its stage, which model files need, once the stage has returned it."""
    found = []
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        for node in (inner for function in functions for inner in ast.walk(function)):
            if isinstance(node, ast.ImportFrom) and re.match(r"labelwise\.\w+\..*_", node.module):
                public = names_listed_by(node.module.split(".")[1])
                found += [(path.name, one.name) for one in node.names if one.name in public]
    assert not found


@pytest.mark.parametrize("stage", [name for name in STAGES if not name.startswith("_")])
def test_public_classes_and_functions_belong_to_their_stage(stage):
    if stage == "cli":  # its names are a program, not a library
        return
    module = importlib.import_module(f"labelwise.{stage}")
    for name in module.__all__:
        public = getattr(module, name)
        if isinstance(public, type) or callable(public):
            assert public.__module__ == module.__name__, name
