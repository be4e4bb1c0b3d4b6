"""Run the benchmarks that are named, or all: python -m benchmarks [readers ...]."""

import importlib
import sys
from pathlib import Path

NOT_BENCHMARKS = {"__init__", "__main__", "corpora", "growth", "scored_sets", "timing"}
# These take an hour or more: only by their names.
LONG = {"coverage", "decisions"}


def main() -> None:
    """Run each benchmark's main function."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    for name in sys.argv[1:] or [name for name in known if name not in NOT_BENCHMARKS | LONG]:
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
