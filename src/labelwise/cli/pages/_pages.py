"""Write the page of a result, for the option --report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labelwise.cli._progress import working


def write_page(results: Any, path: Path) -> None:
    """Write the page of results."""
    from labelwise.reports import write_report

    with working("writing"):
        write_report(results, path)
