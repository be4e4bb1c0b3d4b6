"""Print how large the source is, and how many files and calls the main functions need.

    python -m tests.size [--source src] [--no-calls]

The figures describe the tree for a reader: whether files are whole ideas, how much of the code is
imports, and how much of it must be read to follow one call. They are symptoms, not targets.
`--source` takes another tree, for instance an older commit in a worktree, to compare with.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import statistics
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
SHORT = 60
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}


class Module:
    """A file of the package, parsed."""

    def __init__(self, path: Path, source: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        parts = path.relative_to(source).with_suffix("").parts
        self.is_init = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_init else parts)
        self.folder = ".".join(parts[:-1])

    @property
    def nodes(self) -> Iterator[ast.AST]:
        return ast.walk(self.tree)


def read_modules(source: Path) -> dict[str, Module]:
    """Parse every file of the package below `source`."""
    modules = [Module(path, source) for path in sorted((source / "labelwise").rglob("*.py"))]
    return {module.name: module for module in modules}


def lines_of_code(module: Module) -> set[int]:
    """Find the lines with code: no blank lines, comments or docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in LAYOUT and token.type != tokenize.ENDMARKER:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in module.nodes:
        documented = isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        )
        if documented and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines


def lines_of_imports(module: Module) -> set[int]:
    """Find the lines of import statements, and of `if TYPE_CHECKING:`."""
    lines: set[int] = set()
    for node in module.nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines |= set(range(node.lineno, node.end_lineno + 1))
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            lines.add(node.lineno)
    return lines


def imported_from(module: Module, known: dict[str, Module]) -> set[str]:
    """Name the modules of the package that a file imports, wherever it does."""
    found: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & set(known)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            submodules = {f"{node.module}.{alias.name}" for alias in node.names} & set(known)
            found |= submodules or ({node.module} & set(known))
    return found - {module.name}


def own_names(module: Module) -> set[str]:
    """Name what a file defines itself, or imports from the package."""
    names = set()
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("labelwise"):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def only_forwards(function: ast.FunctionDef, ours: set[str], methods: set[str]) -> bool:
    """Check if the body of a function is one call of a function or method of the package.

    `ours` are the names of the package in this file; a method counts if its name is among
    `methods`, whatever object it is called on.
    """
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr):
        return False
    call = body[0].value
    if not isinstance(call, ast.Call):
        return False
    if isinstance(call.func, ast.Name):
        return call.func.id in ours
    return isinstance(call.func, ast.Attribute) and call.func.attr in methods


def is_stage(module: Module) -> bool:
    """Check if a file is the `__init__` of a public package below labelwise."""
    return module.is_init and module.name.count(".") == 1 and "._" not in module.name


def exports(module: Module) -> tuple[set[str], set[str]]:
    """Name the listed and the other names of the package that a stage can be imported from.

    Classes of results, which are imported under their name again, are documented with their
    functions: they are neither.
    """
    listed: set[str] = set()
    importable: set[str] = set()
    results: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = set(ast.literal_eval(node.value))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("labelwise."):
            importable |= {alias.name for alias in node.names}
            results |= {alias.asname for alias in node.names if alias.asname}
    return listed, importable - listed - results - {"publish"}


def mutual_folders(modules: dict[str, Module]) -> list[tuple[str, str]]:
    """List the pairs of folders that import each other; an `__init__` only lists names."""
    uses: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        if not module.is_init:
            imported = {modules[name].folder for name in imported_from(module, modules)}
            uses[module.folder] |= imported - {module.folder, "labelwise"}
    return sorted(
        (one, other) for one in uses for other in uses[one] if one < other and one in uses[other]
    )


def with_single_importer(modules: dict[str, Module]) -> list[str]:
    """List the files of fewer than 60 lines that a single file imports."""
    importers: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        for name in imported_from(module, modules):
            importers[name].add(module.name)
    return [
        module.name
        for module in modules.values()
        if not module.is_init
        and len(module.text.splitlines()) < SHORT
        and len(importers[module.name]) == 1
    ]


def print_size(source: Path, verbose: bool) -> None:
    """Print the figures that the files show."""
    modules = read_modules(source)
    code = {module.name: lines_of_code(module) for module in modules.values()}
    n_code = sum(map(len, code.values()))
    n_import = sum(len(lines_of_imports(m) & code[m.name]) for m in modules.values())
    functions = classes = tuples = forwards = 0
    forwarding = []
    methods = {
        node.name
        for module in modules.values()
        for owner in module.nodes
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.FunctionDef)
    }
    for module in modules.values():
        ours = own_names(module)
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions += 1
                if only_forwards(node, ours, methods):
                    forwards += 1
                    forwarding.append(f"{module.name}.{node.name}")
            elif isinstance(node, ast.ClassDef):
                is_tuple = "NamedTuple" in map(ast.unparse, node.bases)
                tuples += is_tuple
                classes += not is_tuple
    stages = {m.name.split(".")[1]: exports(m) for m in modules.values() if is_stage(m)}
    mutual = mutual_folders(modules)
    short = with_single_importer(modules)
    show = print_row
    show("files", len(modules))
    show("code lines", n_code)
    show("import lines", n_import, f"{n_import / n_code:.1%} of the code")
    show("functions", functions)
    show("  that only forward", forwards)
    show("classes", classes, f"and {tuples} NamedTuples")
    for title, which in [("listed exports", 0), ("unlisted exports", 1)]:
        counts = {stage: len(names[which]) for stage, names in stages.items() if names[which]}
        show(title, sum(counts.values()), ", ".join(f"{k} {v}" for k, v in counts.items()))
    show("pairs of folders importing each other", len(mutual))
    show(
        "median lines of a file",
        statistics.median(len(m.text.splitlines()) for m in modules.values()),
    )
    show("files under 60 lines, one importer", len(short))
    if verbose:
        for title, names in [
            ("only forward", forwarding),
            (
                "unlisted",
                [f"{s}.{n}" for s, (_, unlisted) in stages.items() for n in sorted(unlisted)],
            ),
            ("mutual", [" <-> ".join(pair) for pair in mutual]),
            ("short", short),
        ]:
            print(f"\n{title}:", *names, sep="\n  ")


def print_row(title: str, value: object, note: str = "") -> None:
    print(f"{title:<40}{value:>8}  {note}".rstrip())


# Each call is made twice in a process of its own: once to import and compile, once to be counted.
PREPARE = """
import io, contextlib, sys, tempfile, threading, warnings
from pathlib import Path
import numpy as np
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
Y = rng.random((60, 4)) < 0.4
scores = Y + rng.normal(size=Y.shape)
X = np.hstack([Y + rng.normal(size=Y.shape), rng.normal(size=(60, 3))])
home = Path(tempfile.mkdtemp())
names = [f"topic_{j}" for j in range(4)]
def write(path, columns, values):
    rows = [",".join(columns)] + [",".join(str(v) for v in row) for row in values]
    (home / path).write_text("\\n".join(rows) + "\\n")
write("scores.csv", names, scores)
write("labels.csv", names, Y.astype(int))
write("data.csv", [f"x{f}" for f in range(7)] + names, np.hstack([X, Y.astype(int)]))
def command(*words):
    from labelwise.cli import app
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            app([str(word) for word in words])
        except SystemExit as end:
            assert not end.code, end.code
"""
CALLS = {
    "best_thresholds": """
from labelwise.decisions import best_thresholds
def run():
    best_thresholds(scores, Y)
""",
    "TunedThresholds.fit": """
from labelwise.decisions import TunedThresholds
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
def run():
    model = OneVsRestClassifier(LogisticRegression())
    TunedThresholds(model, random_state=0).fit(X, Y.astype(int))
""",
    "labelwise tune": """
def run():
    command("tune", home / "scores.csv", home / "labels.csv", "--json")
""",
    "labelwise fit --learner br": """
def run():
    command("fit", home / "data.csv", "--labels", "topic_*", "--learner", "br", "--force",
            "--json", "-o", home / "model.skops")
""",
    "Study.run": """
from labelwise.data import Dataset
from labelwise.experiments import Study
from labelwise.splitting import MultilabelStratifiedKFold
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
data = Dataset(X, Y, "made")
def run():
    Study([data], {"logistic": OneVsRestClassifier(LogisticRegression())},
          {"folds": MultilabelStratifiedKFold(2)}, ["micro-f", "macro-f"],
          ).run(home / f"{len(list(home.iterdir()))}.sqlite")
""",
}
COUNT = """
run()
import labelwise
package = str(Path(labelwise.__file__).parent)
files, calls = set(), 0
def note(frame, event, argument):
    global calls
    if event == "call":
        path = frame.f_code.co_filename
        if path.startswith(package):
            calls += 1
            files.add(path)
threading.setprofile(note)
sys.setprofile(note)
run()
sys.setprofile(None)
threading.setprofile(None)
import shutil
shutil.rmtree(home)
print(len(files), calls)
"""


def print_calls(source: Path) -> None:
    """Print the distinct files of the package that a call enters, and the calls of functions."""
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "80"}
    print(f"\n{'':<40}{'files':>8}{'calls':>8}")
    for title, call in CALLS.items():
        program = PREPARE + call + COUNT
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True
        )
        found = done.stdout.split() if not done.returncode else ["-", "-"]
        print(f"{title:<40}{found[0]:>8}{found[1]:>8}", flush=True)
        if done.returncode:
            print(done.stderr, file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=SOURCE, help="folder that has labelwise/")
    parser.add_argument("--no-calls", action="store_true", help="only what the files show")
    parser.add_argument("--verbose", action="store_true", help="name what is counted")
    options = parser.parse_args()
    source = options.source.resolve()
    print_size(source, options.verbose)
    if not options.no_calls:
        print_calls(source)


if __name__ == "__main__":
    main()
