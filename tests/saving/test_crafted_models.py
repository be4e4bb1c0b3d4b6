"""A model file that was changed is refused, or predicts without a crash, an excess or no end."""

from itertools import islice

import pytest

import labelwise
from tests.hostile_models import problems_of
from tests.model_register import REGISTER, some_data
from tests.saving.trusted_models import save_samples, saved_models
from tests.writers.crafted_models import crafted_models, with_crafted_fields

# Of each model. All changes are some hundred thousand; `make fuzz` tries more of them.
N_TRIED = 3


def broken(folder, files):
    """Write files of (kind of samples, name, bytes); return what is wrong with the answers."""
    save_samples(folder)
    names = {}
    for number, (kind, name, content) in enumerate(files):
        path = folder / f"{kind}-{number:05}.skops"
        path.write_bytes(content)
        names[path.name] = name
    assert len(names) > 50
    lines = [line.partition(": ") for line in problems_of(folder)]
    return [f"{names.get(file, file)}: {problem}" for file, _, problem in lines]


def test_models_with_changed_fields_are_refused_or_predict(tmp_path):
    files = (
        (kind, f"{name}, {change}", crafted)
        for seed, (kind, name, content) in enumerate(saved_models(tmp_path / "whole"))
        for change, crafted in with_crafted_fields(content, N_TRIED, seed)
    )
    assert broken(tmp_path, files) == []


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_files_with_a_changed_description_are_refused_or_predict(tmp_path, kind):
    def files():
        for seed, (name, model) in enumerate(REGISTER.items()):
            if kind == "dense" or name.startswith(
                ("neighbors", "support", "Okapi", "CalibratedLabel")
            ):
                labelwise.save(model.fit(*some_data(kind == "sparse")), tmp_path / "whole")
                crafted = crafted_models((tmp_path / "whole").read_bytes(), seed)
                for change, content in islice(crafted, 3 * N_TRIED):
                    yield "numbers", f"{name}, {change}", content

    assert broken(tmp_path, files()) == []


def test_bytes_choose_a_model_and_its_changes(tmp_path):
    from fuzz.models import FUZZED, fuzzed_models, mutated

    contents = fuzzed_models(tmp_path, FUZZED[:2])
    assert mutated(contents, b"") == contents[0]
    assert mutated(contents, b"\x01") == contents[1]
    one, two = mutated(contents, b"\x00\x05\x00"), mutated(contents, b"\x00\x05\x00\x07\x01")
    assert len({contents[0], one, two}) == 3
    assert mutated(contents, b"\x00\x05\x00\x07\x01") == two
