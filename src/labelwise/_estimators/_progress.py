"""Lines of progress of estimators with the argument `verbose`."""

from __future__ import annotations

import sys
from typing import Any


def report_progress(verbose: int, estimator: Any, text: str) -> None:
    """Write one line of progress to the standard error stream, if `verbose`."""
    if verbose:
        sys.stderr.write(f"{type(estimator).__name__}: {text}\n")
        sys.stderr.flush()
