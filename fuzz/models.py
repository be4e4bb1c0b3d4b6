"""Change saved models in one to three places: each is refused, or predicts without a crash.

Run by ``make fuzz``. libFuzzer chooses the model and the changes by the bytes that it makes up; its
arguments are libFuzzer's. ``python -m fuzz.models --systematic`` needs no atheris: it tries every
single change of every model, each model in a process of its own.
"""

import sys
import tempfile
from inspect import isfunction
from itertools import islice
from pathlib import Path
from types import FunctionType

import numpy as np

import labelwise
from tests.hostile_models import problems_of, try_model
from tests.model_register import REGISTER, some_data
from tests.writers.crafted_models import changes_of, crafted_models

# Small models of one kind each, so that a minute is enough for many changes.
FUZZED = ("BinaryRelevance", "CalibratedLabelRanking", "OkapiNeighbors", "support vectors")
# A byte for the model, and two for each change.
_LONGEST = 7


def saved_models(folder: Path, names: tuple[str, ...]) -> list[bytes]:
    """Return the files of some models of the register."""
    contents = []
    for name in names:
        labelwise.save(REGISTER[name].fit(*some_data()), folder / "whole.skops")
        contents.append((folder / "whole.skops").read_bytes())
    (folder / "whole.skops").unlink()
    return contents


def try_all(most: int | None = None) -> int:
    """Try the systematic changes of every model; return how many broke a promise."""
    n_broken = 0
    for name in REGISTER:
        with tempfile.TemporaryDirectory() as room:
            np.save(Path(room) / "samples.npy", some_data()[0][:20])
            content = saved_models(Path(room), (name,))[0]
            names = []
            for change, crafted in islice(crafted_models(content), most):
                (Path(room) / f"{len(names):05}.skops").write_bytes(crafted)
                names.append(change)
            problems = problems_of(Path(room))
        print(f"{name}: {len(names)} changes, {len(problems)} problems")
        for problem in problems:
            print(f"  {problem}")
        n_broken += len(problems)
    return n_broken


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
        contents = saved_models(Path(room), FUZZED)
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
    if "--systematic" in sys.argv:
        sys.exit(min(1, try_all()))
    fuzz()
