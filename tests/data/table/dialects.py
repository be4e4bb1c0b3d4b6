"""Read a table, and what the reader says about its assumptions."""

import warnings

from labelwise.data import DataWarning, read_table


def write(folder, content, name="data.csv"):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path, **arguments):
    """Return the data and what was said about the way in which it was read."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = read_table(path, **{"labels": ["sea"]} | arguments)
    assert all(warning.category is DataWarning for warning in caught)
    said = [str(warning.message) for warning in caught]
    assert all(text.startswith(f"{path}: read ") for text in said)
    return data, [text.removeprefix(f"{path}: ") for text in said]
