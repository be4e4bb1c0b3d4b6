"""What is said of a model that must neither be saved nor loaded."""

import pytest

import labelwise
from labelwise.data import DataError
from tests.writers.crafted_models import write_unchecked


def refusal(model, path):
    """Return the refusal of a file by `load`; `save` must refuse the model for the same reason."""
    with pytest.raises(ValueError, match="model cannot be saved, because load would ") as unsaved:
        labelwise.save(model, path)
    assert not path.exists()
    write_unchecked(model, path)
    with pytest.raises(DataError) as refused:
        labelwise.load(path)
    message = str(refused.value)
    assert message.startswith(f"{path}: ")
    assert message.endswith(".")
    assert message in str(unsaved.value) or "is not a model file" in message
    return message
