"""All four scores of terms beside one call of scikit-learn's chi2, and the 59 methods."""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import chi2

from benchmarks.corpora import make_documents
from benchmarks.speedups import record
from benchmarks.timing import fastest, most_memory
from labelwise.features import TermSelector, combine, term_scores

SCORES = ("df", "information-gain", "chi2-max", "chi2-avg")


def main() -> None:
    """Print the seconds of each."""
    X, Y = make_documents(23_149)
    dense = Y.toarray().astype(np.int64)
    ours = fastest(lambda: term_scores(X, Y, by=SCORES))
    peer = fastest(lambda: chi2(X, dense))
    record("four term scores / chi2 of scikit-learn", ours, peer)
    share = most_memory(lambda: term_scores(X, Y, by=SCORES)) / (X.shape[1] * Y.shape[1] * 8)
    print(f"Terms of {X.shape[0]:,} x {X.shape[1]:,} documents, {Y.shape[1]} labels:")
    print(f"  all four scores {ours:.3f} s, scikit-learn's chi2 {peer:.3f} s")
    print(f"  ours / chi2 = {ours / peer:.2f} (at most 2); memory {share:.2f} of terms x labels")
    scores = dict(zip(SCORES, term_scores(X, Y, by=SCORES), strict=True))
    several = [m for m in TermSelector.methods().values() if len(m["by"]) > 1]
    seconds = fastest(
        lambda: [combine([scores[by] for by in m["by"]], m["combine"]) for m in several], 1
    )
    print(f"  the {len(several)} combinations of them {seconds:.2f} s")


if __name__ == "__main__":
    main()
