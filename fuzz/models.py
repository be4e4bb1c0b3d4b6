"""Change saved models in one to three places: each is refused, or predicts without a crash.

Run by ``make fuzz``. libFuzzer chooses the model and the changes by the bytes that it makes up; its
arguments are libFuzzer's. ``python -m fuzz.models --files 60`` needs no atheris: it changes fields
and arrays of models of every type that a file may contain, makes 60 files of each model, tries each
file in a process with limits, and counts the outcomes.
"""

import argparse
import sys
import tempfile
from collections import Counter
from inspect import isfunction
from pathlib import Path
from types import FunctionType

import labelwise
from tests.hostile_models import problems_of, try_model
from tests.model_register import REGISTER, some_data
from tests.saving.trusted_models import save_samples, saved_models
from tests.writers.crafted_models import changes_of, with_crafted_fields

# Small models of one kind each, so that a minute is enough for many changes.
FUZZED = ("BinaryRelevance", "CalibratedLabelRanking", "OkapiNeighbors", "support vectors")
# A byte for the model, and two for each change.
_LONGEST = 7


def fuzzed_models(folder: Path, names: tuple[str, ...]) -> list[bytes]:
    """Return the files of some models of the register."""
    contents = []
    for name in names:
        labelwise.save(REGISTER[name].fit(*some_data()), folder / "whole.skops")
        contents.append((folder / "whole.skops").read_bytes())
    (folder / "whole.skops").unlink()
    return contents


def try_fields(n_files: int, seed: int) -> int:
    """Try so many files of every trusted model; print the outcomes and return how many broke."""
    names = {}
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        save_samples(folder)
        for place, (kind, name, content) in enumerate(saved_models(folder / "whole")):
            for change, crafted in with_crafted_fields(content, n_files, seed + 1000 * place):
                path = folder / f"{kind}-{len(names):06}.skops"
                path.write_bytes(crafted)
                names[path.name] = f"{name}, {change}"
        problems = [line.partition(": ") for line in problems_of(folder)]
    for file, _, problem in problems:
        print(f"{names.get(file, file)}: {problem}")
    outcomes = Counter(problem for _, _, problem in problems)
    print(f"{len(names)} files with changed fields: {sum(outcomes.values())} broke a promise")
    for problem, count in outcomes.most_common():
        print(f"  {count}  {problem}")
    return len(problems)


def mutated(contents: list[bytes], choice: bytes) -> bytes:
    """Return the file of a model with changes, as the bytes of a choice say."""
    content = contents[choice[0] % len(contents)] if choice else contents[0]
    for low, high in zip(choice[1:_LONGEST:2], choice[2:_LONGEST:2], strict=False):
        try:
            changes = changes_of(content)
        # A change before left nothing that can be changed again.
        except Exception:
            return content
        content = changes[(low + 256 * high) % len(changes)][1]() or content
    return content


def _read_by() -> list[FunctionType]:
    """Return the functions that read model files, whose branches the fuzzer looks at."""
    modules = [module for name, module in sys.modules.items() if "labelwise._saving." in name]
    found = {one for module in modules for one in vars(module).values() if isfunction(one)}
    return [one for one in found if one.__module__.startswith("labelwise._saving.")]


def fuzz() -> None:
    """Fuzz until libFuzzer's arguments say stop."""
    import atheris

    with tempfile.TemporaryDirectory() as room:
        contents = fuzzed_models(Path(room), FUZZED)
        hostile, X = Path(room) / "hostile.skops", some_data()[0][:20]

        def load_and_predict(choice: bytes) -> None:
            hostile.write_bytes(mutated(contents, choice))
            problem = try_model(hostile, X)
            if problem:
                raise RuntimeError(problem)

        own = [f"-artifact_prefix={room}/", f"-max_len={_LONGEST}", "-len_control=0"]
        for function in _read_by():
            atheris.instrument_func(function)
        atheris.Setup([*sys.argv, *own], load_and_predict)
        atheris.Fuzz()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, help="number of files for each model")
    parser.add_argument("--seed", type=int, default=0)
    options, _ = parser.parse_known_args()
    if options.files:
        sys.exit(min(1, try_fields(options.files, options.seed)))
    fuzz()
