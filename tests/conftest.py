"""Settings shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The first call of a kernel compiles: no deadline. Same examples in every run.
settings.register_profile("labelwise", deadline=None, derandomize=True)
settings.load_profile("labelwise")

_BESIDE_THE_CHECKOUT = Path(__file__).parents[2] / "shared" / "datasets"


@pytest.fixture(scope="session")
def benchmark_home():
    """The folder of benchmark sets, or a skip that says where it was looked for."""
    home = Path(os.environ.get("LABELWISE_DATA", _BESIDE_THE_CHECKOUT))
    if not (home / "index.json").is_file():
        pytest.skip(f"no benchmark sets in {home}; set LABELWISE_DATA to their folder")
    return home
