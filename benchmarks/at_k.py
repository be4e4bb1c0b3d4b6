"""At most k labels for rows that arrive one by one, on real scores, beside xCOLUMNs.

Probabilities are those of the networks and of the linear models as they are. Half of the rows are
decided together by `best_at_k` (value and gap), and by the rule that it returns. New rows, the
other half, are decided together, one by one by the rule, and by the classifier that Frank-Wolfe
finds in xCOLUMNs on the first half. All values are expected macro F. The table goes into the docs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.real_scores import SETS, scored_rows
from benchmarks.scored_sets import HOME
from labelwise.decisions import best_at_k
from labelwise.measures import Counts, f_measure

TABLE = Path(__file__).with_suffix(".md")
SIZES = (1, 3)
# Smaller probabilities are taken for 0, so that a thousand labels are few cells a row.
LEAST = 1e-3
HEAD = (
    "set",
    "k",
    "given rows: together",
    "gap",
    "rule",
    "new rows: together",
    "rule",
    "xCOLUMNs",
    "seconds",
    "xCOLUMNs",
)


def value_of(proba: sparse.csr_array, decided: Any) -> float:
    """Return the expected macro F of decisions."""
    hits = np.asarray(proba.multiply(sparse.csr_array(decided)).sum(axis=0)).ravel()
    n_decided = np.asarray(decided.sum(axis=0)).ravel()
    positives = np.asarray(proba.sum(axis=0)).ravel()
    return float(np.mean(f_measure(Counts(hits, n_decided - hits, positives - hits, 0 * hits))))


def frank_wolfe(given: sparse.csr_array, new: sparse.csr_array, k: int) -> Any:
    """Return the decisions of new rows by the classifier of xCOLUMNs."""
    from xcolumns.frank_wolfe import find_classifier_using_fw
    from xcolumns.metrics import macro_f1_score_on_conf_matrix

    # Expected counts: the probabilities stand for the labels as well.
    proba = sparse.csr_matrix(given)
    found = find_classifier_using_fw(proba, proba, macro_f1_score_on_conf_matrix, k, seed=0)
    return found.predict(sparse.csr_matrix(new), seed=0)


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return a result and its seconds of one core."""
    start = process_time()
    return call(), process_time() - start


def line(name: str, k: int) -> str:
    """Return a line of the table."""
    rows = scored_rows(name)
    proba = sparse.csr_array(np.where(rows.scores < LEAST, 0.0, rows.scores).astype(np.float64))
    order = np.random.default_rng(0).permutation(proba.shape[0])
    given, new = (proba[part] for part in np.array_split(order, 2))
    best, seconds = timed(lambda: best_at_k(given, k))
    together, ruled = best_at_k(new, k).value, value_of(new, best.decide(new))
    cells = [name, k, best.value, best.gap, best.rule_value, together, ruled]
    try:
        peer, peer_seconds = timed(lambda: frank_wolfe(given, new, k))
        cells += [value_of(new, peer), f"{seconds:.2f}", f"{peer_seconds:.1f}"]
    except ImportError:
        cells += ["-", f"{seconds:.2f}", "-"]
    return f"| {' | '.join(f'{c:.4f}' if isinstance(c, float) else str(c) for c in cells)} |"


def main() -> None:
    """Measure, print the table, and write it for the docs."""
    if not HOME.is_dir():
        print(f"at_k: no sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    line(SETS[0], 1)  # the first call compiles
    lines = [f"| {' | '.join(HEAD)} |", f"|---|{'--:|' * (len(HEAD) - 1)}"]
    print(*lines, sep="\n")
    for name in SETS:
        for k in SIZES:
            lines.append(line(name, k))
            print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
