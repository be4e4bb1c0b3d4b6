"""A model file that was changed in one place is refused, or predicts without a crash or an end."""

from itertools import islice

import numpy as np
import pytest

import labelwise
from tests.hostile_models import problems_of
from tests.model_register import REGISTER, TEXT_REGISTER, some_data, some_texts
from tests.writers.crafted_models import crafted_models

# Of each model. All are about two thousand; `make fuzz` goes through them.
N_TRIED = 15


@pytest.mark.parametrize("kind", ["dense", "sparse", "texts"])
def test_changed_files_are_refused_or_predict(tmp_path, kind):
    X, Y = some_texts() if kind == "texts" else some_data(kind == "sparse")
    np.save(tmp_path / "samples.npy", (X if kind == "texts" else some_data()[0])[:20])
    names = {}
    for number, (name, model) in enumerate(
        (TEXT_REGISTER if kind == "texts" else REGISTER).items()
    ):
        if kind == "sparse" and not name.startswith(
            ("neighbors", "support", "Okapi", "Calibrated")
        ):
            continue
        path = tmp_path / f"{number:02}-whole.skops"
        labelwise.save(model.fit(X, Y), path)
        for place, (change, content) in islice(
            enumerate(crafted_models(path.read_bytes(), seed=number)), N_TRIED
        ):
            crafted = tmp_path / f"{number:02}-{place:04}.skops"
            crafted.write_bytes(content)
            names[crafted.name] = f"{name}, {change}"
    problems = problems_of(tmp_path)
    renamed = [f"{key} is {names[key]}" for key in names if any(key in line for line in problems)]
    assert not problems, "\n".join([*problems, *renamed])


def test_bytes_choose_a_model_and_its_changes(tmp_path):
    from fuzz.models import FUZZED, mutated, saved_models

    contents = saved_models(tmp_path, FUZZED[:2])
    assert mutated(contents, b"") == contents[0]
    assert mutated(contents, b"\x01") == contents[1]
    one, two = mutated(contents, b"\x00\x05\x00"), mutated(contents, b"\x00\x05\x00\x07\x01")
    assert len({contents[0], one, two}) == 3
    assert mutated(contents, b"\x00\x05\x00\x07\x01") == two
