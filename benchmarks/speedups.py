"""Ratios of a peer's time to ours, by name, compared with those in results.json."""

import json
from collections.abc import Mapping
from pathlib import Path

RESULTS = Path(__file__).with_name("results.json")
# A ratio must fall by more than this factor to be named: repeated runs differ, by how much depends
# on the machine.
NOISE = 1.25

_speedups: dict[str, float] = {}


def record(name: str, ours: float, peer: float) -> None:
    """Record how many times the peer's seconds are ours, under a name used only here."""
    if name in _speedups:
        raise ValueError(f"name must be new, got {name!r} twice.")
    _speedups[name] = peer / ours


def read_speedups(path: Path) -> dict[str, float]:
    """Return the ratios of an earlier run by name; empty if none was recorded."""
    return dict(json.loads(path.read_text())) if path.is_file() else {}


def write_speedups(measured: Mapping[str, float], path: Path) -> None:
    """Write ratios to three digits; names that were not measured now keep their ratios."""
    rounded = {name: float(f"{ratio:.3g}") for name, ratio in measured.items()}
    merged = dict(sorted((read_speedups(path) | rounded).items()))
    path.write_text(json.dumps(merged, indent=1) + "\n")


def changes(measured: Mapping[str, float], earlier: Mapping[str, float]) -> list[str]:
    """Return a line for each name that became slower, became faster or was never recorded."""
    lines = []
    for name, ratio in sorted(measured.items()):
        before = earlier.get(name)
        if before is None:
            lines.append(f"not recorded: {name} {ratio:.3g}x")
        elif ratio * NOISE < before:
            lines.append(f"slower: {name} {before:.3g}x -> {ratio:.3g}x")
        elif ratio > before * NOISE:
            lines.append(f"faster: {name} {before:.3g}x -> {ratio:.3g}x")
    # Slowdowns last, where they are seen.
    return sorted(lines, key=lambda line: line.startswith("slower"))


def finish(*, write: bool) -> None:
    """Print what changed against results.json, or write the ratios of this run to it."""
    for line in changes(_speedups, read_speedups(RESULTS)):
        print(line)
    if write:
        write_speedups(_speedups, RESULTS)
        print(f"{len(_speedups)} ratios written to {RESULTS.name}")
