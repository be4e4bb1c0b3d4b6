"""Run the studies that are named, or all: python -m studies [sechidis2011 ...]."""

import importlib
import sys
from pathlib import Path


def main() -> None:
    """Run each study's main function."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    for name in sys.argv[1:] or known:
        importlib.import_module(f"studies.{name}").main()


if __name__ == "__main__":
    main()
