"""Mutation testing: change the source in one place, and see whether a test fails.

    python -m tests.mutations --sample 300 --seed 0

Each change (a *mutant*) is written into a copy of `src` and tried with the test files of its folder
that execute the changed statement, and with the tests of docstrings, which know defaults; if there
are none, with those of `tests/saving`, which call the checks of loaded models. A mutant is killed
if a test fails or takes too long, else it survives: either a test is missing, or the change has no
effect (tests/equivalent_mutants.txt lists these, with the reason). Results are appended to
`results.jsonl` in the working folder, so that the program can be interrupted and started again;
`--again` tries the recorded survivors once more.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
# Imported once, before the processes of the mutants are forked; labelwise itself is not.
WARM = """
numpy scipy.optimize scipy.sparse scipy.special scipy.stats sklearn.datasets sklearn.linear_model
sklearn.metrics sklearn.model_selection sklearn.multiclass sklearn.multioutput sklearn.pipeline
sklearn.utils.estimator_checks numba pandas pyarrow coverage hypothesis.extra.numpy pytest
"""
# The folders of `tests` with the tests of a package of `src/labelwise`, if not those of its name.
TEST_FOLDERS = {
    "_counts": ("measures",),
    "_measuring": ("measures",),
    "_curves": ("curves", "tuning", "measures", "decisions"),
    "_tuning": ("tuning", "decisions"),
}
FOLDERS = ("measures", "decisions", "splitting", "learners", "data", *TEST_FOLDERS)
# Examples of hypothesis that the lines of a test file are found with.
FEW_EXAMPLES = 3
MOST_MEMORY = 8 * 2**30

OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "is": "is not", "is not": "is", "in": "not in", "not in": "in",
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*",
    "&": "|", "|": "&", "<<": ">>", ">>": "<<", "and": "or", "or": "and",
}  # fmt: skip
NAMES = {
    "min": "max", "minimum": "maximum", "argmin": "argmax", "any": "all", "floor": "ceil",
    "fmin": "fmax",
}  # fmt: skip
NAMES |= {other: name for name, other in NAMES.items()}
SIDES = {"left": "right", "right": "left"}
AUGMENTED = {"+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "<<=", ">>="}
# Keywords that only guard, or that say where a warning comes from.
UNCHANGED_KEYWORDS = {"strict", "stacklevel", "copy", "cache", "nogil"}


class Mutant(NamedTuple):
    """One change: `was` at a place of a file becomes `now`."""

    file: str  # relative to src/labelwise
    line: int
    column: int  # in bytes, as in ast
    was: str
    now: str
    text: str  # the line before the change, which identifies the change when lines move
    first: int  # first and last line of the statement, without its body
    last: int
    nth: int = 1  # among changes of the file that look the same

    @property
    def key(self) -> str:
        """Name of the change that does not depend on the lines above it."""
        nth = f" ({self.nth})" if self.nth > 1 else ""
        was = " ".join(self.was.split())[:60]
        return f"{self.file} | {self.text} | {self.column} | {was} -> {self.now}{nth}"


class _Finder:
    """All changes of one file."""

    def __init__(self, path: Path, file: str) -> None:
        self.source = path.read_bytes()
        self.file = file
        self.lines = self.source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[tuple[int, str, str, ast.stmt]] = []
        for statement in ast.parse(self.source).body:
            self.visit_statement(statement)

    def mutants(self) -> Iterator[Mutant]:
        for place, was, now, statement in self.found:
            line = self.source.count(b"\n", 0, place)
            last = getattr(statement, "body", None)
            yield Mutant(
                self.file,
                line + 1,
                place - self.starts[line],
                was,
                now,
                self.lines[line].decode().strip(),
                statement.lineno,
                max(last[0].lineno - 1, statement.lineno) if last else statement.end_lineno,
            )

    def place(self, node: ast.AST, end: bool = False) -> int:
        if end:
            return self.starts[node.end_lineno - 1] + node.end_col_offset
        return self.starts[node.lineno - 1] + node.col_offset

    def add(self, place: int, was: str, now: str) -> None:
        self.found.append((place, was, now, self.statement))

    def visit_statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id == "__all__":
                return
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        self.statement = node
        for name, value in ast.iter_fields(node):
            if name in ("decorator_list", "annotation", "returns", "bases", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.stmt):
                    self.visit_statement(child)
                elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
                    for inner in child.body:
                        self.visit_statement(inner)
                elif isinstance(child, ast.AST):
                    self.statement = node
                    self.visit(child)
        self.statement = node
        if isinstance(node, ast.AugAssign):
            self.change_operator(node.target, node.value)
        if isinstance(node, ast.Return) and node.value is not None:
            start = self.place(node) + len("return ")
            was = self.source[start : self.place(node, end=True)].decode()
            if was != "None":
                self.add(start, was, "None")

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.JoinedStr):  # a message
            return
        if isinstance(node, ast.arguments):
            for default in (*node.defaults, *filter(None, node.kw_defaults)):
                self.visit(default)
            return
        if isinstance(node, ast.keyword) and node.arg in UNCHANGED_KEYWORDS:
            return
        if isinstance(node, ast.Compare):
            for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                self.change_operator(left, right)
        elif isinstance(node, ast.BinOp):
            self.change_operator(node.left, node.right)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                self.change_operator(left, right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.add(self.place(node), "not ", "")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self.add(self.place(node), "-", "")
        elif isinstance(node, ast.Constant):
            self.change_constant(node)
        elif isinstance(node, ast.Name) and node.id in NAMES and isinstance(node.ctx, ast.Load):
            self.add(self.place(node), node.id, NAMES[node.id])
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            place = self.place(node, end=True) - len(node.attr)
            self.add(place, node.attr, NAMES[node.attr])
        for child in ast.iter_child_nodes(node):
            self.visit(child)

    def change_constant(self, node: ast.Constant) -> None:
        was = self.source[self.place(node) : self.place(node, end=True)].decode()
        if isinstance(node.value, str) and node.value in SIDES:
            self.add(self.place(node), was, f'"{SIDES[node.value]}"')
        elif isinstance(node.value, bool):
            self.add(self.place(node), was, str(not node.value))
        elif isinstance(node.value, (int, float)):
            self.add(self.place(node), was, repr(node.value + 1))
            if node.value == 1:
                self.add(self.place(node), was, repr(node.value - 1))

    def change_operator(self, left: ast.AST, right: ast.AST) -> None:
        start, stop = self.place(left, end=True), self.place(right)
        gap = re.sub(rb"#[^\n]*", lambda match: b" " * len(match[0]), self.source[start:stop])
        match = re.search(rb"is\s+not|not\s+in|is|in|and|or|[-+*/%&|<>=!@^]+", gap)
        if match is None:
            return
        was = match[0].decode()
        plain = " ".join(was.split()).removesuffix("=") if was in AUGMENTED else was
        now = OPERATORS.get(" ".join(plain.split()))
        if now is not None:
            now += "=" if was in AUGMENTED else ""
            self.add(start + match.start(), was, now)


def all_mutants(source: Path, folders: list[str]) -> list[Mutant]:
    """Return every change of every file of some folders, in the order of the files."""
    found: list[Mutant] = []
    for folder in folders:
        for path in sorted((source / "labelwise" / folder).rglob("*.py")):
            file = path.relative_to(source / "labelwise").as_posix()
            seen: Counter[str] = Counter()
            for one in sorted(set(_Finder(path, file).mutants()), key=lambda one: one[1:5]):
                seen[one.key] += 1
                found.append(one._replace(nth=seen[one.key]))
    return found


class Workshop:
    """The copy of the source, the map of test files to lines, and the results."""

    def __init__(self, home: Path) -> None:
        self.home, self.source = home, home / "src"
        self.results = home / "results.jsonl"
        home.mkdir(parents=True, exist_ok=True)
        os.environ["NUMBA_CACHE_DIR"] = str(home / "numba")
        os.environ["PYTHONPATH"] = str(self.source)
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ[name] = "1"

    def copy_source(self) -> None:
        """Bring the copy up to date; unchanged files keep their time, which numba's cache needs."""
        original = ROOT / "src"
        for path in self.source.rglob("*.py"):
            if not (original / path.relative_to(self.source)).exists():
                path.unlink()
        for path in original.rglob("*"):
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            copy = self.source / path.relative_to(original)
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)

    def run(
        self,
        files: list[str],
        limit: float,
        jit: bool,
        lines_to: Path | None = None,
        cache: str = "numba",
    ) -> Any:
        """Run test files in a forked process.

        Return the outcome, the test that failed, the seconds, and the tests that were skipped
        because kernels are plain Python.
        """
        answer, log = self.home / "answer.json", self.home / "last_run.log"
        answer.unlink(missing_ok=True)
        start = time.monotonic()
        child = os.fork()
        if child == 0:
            os.environ["NUMBA_CACHE_DIR"] = str(self.home / cache)
            # Of the processor, so that other programs do not let tests take too long.
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
            try:
                _be_the_child(self, files, jit, lines_to, answer, log)
            finally:
                os._exit(1)
        status = 0
        while time.monotonic() < start + 10 * limit:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.02)
        else:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "timeout", None, time.monotonic() - start, []
        took = time.monotonic() - start
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            return "timeout", None, took, []
        if not answer.exists():
            return "crash", None, took, []
        code, failed, skipped = json.loads(answer.read_text())
        return {0: "survived", 5: "no tests"}.get(code, "killed"), failed, took, skipped

    def test_map(self, folder: str) -> dict[str, Any]:
        """Return the seconds and the executed lines of each test file, from a file if possible."""
        stored = self.home / f"map_{folder}.json"
        known = json.loads(stored.read_text()) if stored.exists() else {}
        place = ROOT / "tests" / folder
        paths = [place] if place.is_file() else sorted(place.rglob("test_*.py"))
        for path in map(str, paths):
            changed = Path(path).stat().st_mtime
            if path in known and known[path]["changed"] == changed:
                continue
            lines_to = self.home / "lines.json"
            lines_to.unlink(missing_ok=True)
            outcome, failed, took, _ = self.run([path], 900, True, lines_to)
            lines = json.loads(lines_to.read_text()) if lines_to.exists() else {}
            known[path] = {"seconds": took, "outcome": outcome, "lines": lines, "changed": changed}
            stored.write_text(json.dumps(known))
            print(f"{took:6.1f} s  {outcome:9} {path} {failed or ''}", flush=True)
        return known

    def try_mutant(self, mutant: Mutant, most_seconds: float) -> dict[str, Any]:
        """Write the change, run the tests that execute it, and write the file back."""
        package, jit = mutant.file.split("/")[0], not mutant.file.endswith("_kernels.py")
        folders = TEST_FOLDERS.get(package, (package,))
        files, seconds = self.files_for(mutant, *folders, "test_docstrings.py")
        if not files:
            files, seconds = self.files_for(mutant, "saving")
        chosen, total = [], 0.0
        for path, one in zip(files, seconds, strict=True):
            if not chosen or total + one <= most_seconds:
                chosen.append(path)
                total += one
        record = {"key": mutant.key, "line": mutant.line, "n_files": len(files)}
        if not chosen:
            return record | {"outcome": "no tests"}
        path = self.source / "labelwise" / mutant.file
        original, times = path.read_bytes(), path.stat()
        place = sum(map(len, original.splitlines(keepends=True)[: mutant.line - 1])) + mutant.column
        assert original[place:].startswith(mutant.was.encode()), mutant
        after = original[place + len(mutant.was.encode()) :]
        try:
            path.write_bytes(original[:place] + mutant.now.encode() + after)
            outcome, failed, took, skipped = self.run(chosen, total + 60, jit)
            if outcome == "survived" and not jit:
                # Tests of much work run only if kernels are compiled: all of them, from nothing.
                shutil.rmtree(self.home / "numba_of_mutant", ignore_errors=True)
                outcome, failed, more, _ = self.run(
                    chosen, total + 240, True, cache="numba_of_mutant"
                )
                took += more
        finally:
            path.write_bytes(original)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        return record | {
            "outcome": outcome,
            "failed": failed,
            "seconds": round(took, 1),
            "n_run": len(chosen),
            "skipped": skipped,
        }

    def files_for(self, mutant: Mutant, *folders: str) -> tuple[list[str], list[float]]:
        """Return the test files that execute the statement, closest first, and their seconds.

        Compiled lines are not seen: for a kernel, these are the files that import its module.
        """
        known = {path: facts for one in folders for path, facts in self.test_map(one).items()}
        stem = Path(mutant.file).stem.strip("_").removesuffix("_kernels")
        span: Any = range(mutant.first, mutant.last + 1)
        caller = mutant.file.replace("_kernels", "")
        if caller != mutant.file:
            span = range(sys.maxsize)

        def distance(path: str) -> Any:
            name = Path(path).stem.removeprefix("test_").strip("_").removesuffix("_kernels")
            n_lines = len(known[path]["lines"].get(caller, ()))
            return (name != stem, known[path]["seconds"] > 20, -n_lines, known[path]["seconds"])

        found = [
            path
            for path, facts in known.items()
            if facts["outcome"] == "survived"
            and any(line in span for line in facts["lines"].get(mutant.file, ()))
        ]
        found.sort(key=distance)
        return found, [known[path]["seconds"] for path in found]


def _be_the_child(
    workshop: Workshop,
    files: list[str],
    jit: bool,
    lines_to: Path | None,
    answer: Path,
    log: Path,
) -> None:
    """Run pytest on some files, write the answer, and end the process."""
    os.setsid()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    sys.path.insert(0, str(workshop.source))
    os.chdir(ROOT)
    # Compiled files of Python are written for the unchanged source only.
    sys.dont_write_bytecode = lines_to is None
    import numba
    import pytest
    from hypothesis import settings

    if not jit:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    numba.config.reload_config()
    tracer = None
    if lines_to is not None:
        import coverage

        tracer = coverage.Coverage(
            data_file=None, include=[f"{workshop.source}/*"], config_file=False
        )
        tracer.start()
    failed: list[str] = []
    skipped: list[str] = []

    class FirstFailure:
        def pytest_collection(self) -> None:
            if tracer is not None:  # a few examples execute nearly the same lines
                settings.register_profile("few", settings.default, max_examples=FEW_EXAMPLES)
                settings.load_profile("few")

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                failed.append(report.nodeid)
            if report.skipped and "without compiled kernels" in str(report.longrepr):
                skipped.append(report.nodeid)

        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                failed.append(f"collection of {report.nodeid}")

    options = ["-x", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
    # Plugins were imported before the fork.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    if not jit:
        options += ["-o", "xfail_strict=false"]
    code = pytest.main([*options, *files], plugins=[FirstFailure()])
    import labelwise

    assert str(workshop.source) in labelwise.__file__
    if tracer is not None:
        tracer.stop()
        data = tracer.get_data()
        home = workshop.source / "labelwise"
        lines = {
            Path(path).relative_to(home).as_posix(): sorted(data.lines(path) or ())
            for path in data.measured_files()
        }
        lines_to.write_text(json.dumps(lines))
    answer.write_text(json.dumps([int(code), (failed or [None])[0], skipped]))
    os._exit(0)


def known_equivalent() -> set[str]:
    """Return the keys of the changes that are listed as having no effect."""
    if not EQUIVALENT.exists():
        return set()
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {line.rstrip() for line in lines if line and not line.startswith("#")}


def main() -> None:
    """Try a random sample of the changes, and print the score."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folders", nargs="+", default=list(FOLDERS))
    parser.add_argument("--sample", type=int, default=300, help="number of changes to try")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="only changes whose key contains this text, all of them")
    parser.add_argument("--again", action="store_true", help="try recorded survivors again")
    parser.add_argument("--most-seconds", type=float, default=120, help="of test files a change")
    parser.add_argument("--home", type=Path, default=Path("/tmp/labelwise-mutations"))
    options = parser.parse_args()
    workshop = Workshop(options.home.absolute())
    for name in WARM.split():
        __import__(name)
    workshop.copy_source()
    mutants = all_mutants(workshop.source, options.folders)
    print(f"{len(mutants)} changes in {', '.join(options.folders)}", flush=True)
    if options.only:
        mutants = [one for one in mutants if options.only in f"{one.file}:{one.line} {one.key}"]
    else:
        mutants = random.Random(options.seed).sample(mutants, min(options.sample, len(mutants)))
    records: dict[str, Any] = {}
    if workshop.results.exists():
        for line in workshop.results.read_text().splitlines():
            records[json.loads(line)["key"]] = json.loads(line)
    bad, equivalent = ("survived", "no tests"), known_equivalent()
    for done, mutant in enumerate(mutants):
        record = records.get(mutant.key)
        is_left = record is not None and record["outcome"] in bad
        if record is None or (options.again and is_left and mutant.key.rstrip() not in equivalent):
            record = records[mutant.key] = workshop.try_mutant(mutant, options.most_seconds)
            with workshop.results.open("a") as results:
                results.write(json.dumps(record) + "\n")
            print(
                f"{done + 1:4} {record['outcome']:9} {record.get('seconds', 0):6.1f} s  "
                f"{mutant.file}:{mutant.line}: {mutant.was[:9]!r} -> {mutant.now!r}  {mutant.text}",
                flush=True,
            )
    left = [one for one in mutants if records[one.key]["outcome"] in bad]
    excused = [one for one in left if one.key.rstrip() in equivalent]
    n_killed, n_counted = len(mutants) - len(left), len(mutants) - len(excused)
    print(dict(Counter(records[one.key]["outcome"] for one in mutants)))
    print(f"{n_killed} of {n_counted} killed; {len(excused)} more have no effect")
    for one in left:
        if one not in excused:
            print(f"survived: {one.file}:{one.line}\n{one.key}")


if __name__ == "__main__":
    main()
