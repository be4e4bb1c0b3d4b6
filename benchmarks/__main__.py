"""Run benchmarks by name, or all: python -m benchmarks [--record] [readers ...].

At the end, ratios to the peers' times are compared with those in results.json; with --record they
are written to it.
"""

import importlib
import sys
from pathlib import Path

from benchmarks import speedups

NOT_BENCHMARKS = {
    "__init__",
    "__main__",
    "corpora",
    "growth",
    "installed_sizes",
    "mapie_controller",
    "real_scores",
    "scale_routes",
    "scored_sets",
    "speedups",
    "timing",
}
# These take minutes to hours: only by their names.
LONG = {
    "annif",
    "at_k",
    "blend",
    "certified_line",
    "cluster_simulation",
    "coverage",
    "decisions",
    "deployment",
    "deployment_real",
    "guarantees",
    "guarantees_real",
    "incomplete_labels",
    "label_shift",
    "plugins",
    "predicted_seconds",
    "real_results",
    "scale_engine",
    "scale_labels",
    "sentences",
    "slices",
    "texts",
}


def main() -> None:
    """Run each benchmark's main function, then compare or record the ratios."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    named = [argument for argument in sys.argv[1:] if argument != "--record"]
    for name in named or [name for name in known if name not in NOT_BENCHMARKS | LONG]:
        importlib.import_module(f"benchmarks.{name}").main()
    speedups.finish(write="--record" in sys.argv[1:])


if __name__ == "__main__":
    main()
