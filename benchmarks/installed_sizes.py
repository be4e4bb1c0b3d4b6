"""Megabytes of each extra: the installed files of its packages and of all that they need.

Read from this environment, which must have all extras: the table of docs/install.md.
"""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rich.console import Console
from rich.table import Table

# In the order of the docs: each is installed after those above it.
EXTRAS = ("", "files", "cli", "reports", "save", "cluster")


def packages_of(name: str, extra: str = "") -> set[str]:
    """Return the names of a package and of all that it needs, with an extra or without."""
    found: set[str] = set()
    asked, left = set(), [(canonicalize_name(name), extra)]
    while left:
        package, wanted = left.pop()
        if (package, wanted) in asked:
            continue
        asked.add((package, wanted))
        found.add(package)
        for line in distribution(package).requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": wanted}):
                left += [(canonicalize_name(needed.name), one) for one in ("", *needed.extras)]
    return found


def megabytes(package: str) -> float:
    """Return the size of the files that a package has installed."""
    paths = (Path(str(one.locate())) for one in distribution(package).files or ())
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    """Print the size of the library, and what each extra adds to those above it."""
    table = Table("extra", "MB", "largest packages", title="Installed files")
    known: set[str] = set()
    for extra in EXTRAS:
        new = packages_of("labelwise", extra) - known
        known |= new
        sizes = sorted(((megabytes(one), one) for one in new), reverse=True)
        largest = ", ".join(f"{one} {size:.0f}" for size, one in sizes[:4])
        table.add_row(extra or "the library", f"{sum(size for size, _ in sizes):.0f}", largest)
    table.add_row("all", f"{sum(map(megabytes, known)):.0f}", "")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
