"""Counts of scores between positives are those of the definition."""

import numpy as np
from hypothesis import example, given, strategies as st

from labelwise._curves._gaps import SortedHits, cuts_of_columns, no_gaps
from labelwise._curves._gaps_kernels import add_to_gaps
from tests.oracles.row_blocks import gaps_between

# The largest floats and the smallest.
EXTREME = st.sampled_from([-1.7e308, 1.7e308, -5e-324, 0.0, 5e-324, 1e-300, 1.0, 2.0])
NUMBERS = st.one_of(EXTREME, st.floats(-3, 3), st.integers(-3, 3).map(float))
LABELS = st.lists(
    st.tuples(st.lists(NUMBERS, max_size=40), st.lists(NUMBERS, max_size=30)),
    min_size=1,
    max_size=3,
)


def joined_sorted(lists):
    """Sorted lists one after another, and where each begins."""
    bounds = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
    return np.array([number for one in lists for number in sorted(one)], dtype=float), bounds


@given(LABELS)
@example([([2.0, 9.0, 1e308], [1.0, 2.0, 2.0])])
@example([([0.0, 1e-308, 1.0], [0.0, 1e-308, 1e-308]), ([], [1.0]), ([1.0], [])])
def test_a_score_is_in_the_gap_of_the_last_positive_that_is_not_above_it(labels):
    scores, bounds = joined_sorted([scores for scores, _ in labels])
    hits, starts = joined_sorted([hits for _, hits in labels])
    gaps, for_ranks = (
        no_gaps(SortedHits(starts, hits), scores.size, for_ranks=ranks) for ranks in (False, True)
    )
    for one in (gaps, for_ranks):
        add_to_gaps(scores, bounds, hits, starts, *one)
    assert gaps.ties.size == for_ranks.highest.size == 0
    np.testing.assert_array_equal(for_ranks.counts, gaps.counts)
    for j, (mine, of_label) in enumerate(labels):
        if of_label:
            entries = slice(starts[j], starts[j + 1])
            counts, highest, ties = (
                gaps.counts[entries],
                gaps.highest[entries],
                for_ranks.ties[entries],
            )
            found = list(counts), list(highest), list(ties), gaps.below[j]
            np.testing.assert_equal(found, gaps_between(mine, sorted(of_label)))


def test_long_gaps_between_few_positives_are_counted():
    random = np.random.default_rng(0)
    scores = np.sort(np.round(random.normal(size=5000), 2))
    hits = scores[[3, 700, 701, 702, 4000, 4999]]
    gaps = no_gaps(SortedHits(np.array([0, 6]), hits), 5000)
    add_to_gaps(scores, np.array([0, 5000]), hits, np.array([0, 6]), *gaps)
    assert list(gaps.counts) == gaps_between(scores, hits)[0]
    assert gaps.counts.sum() == (scores >= hits[0]).sum()


def test_cuts_of_a_part_of_the_scores_keep_the_number_of_all_positives():
    hits = SortedHits(np.array([0, 1]), np.array([2.0]))
    cuts = cuts_of_columns(np.array([1.0, 2.0, 3.0]), np.array([0, 3]), hits, np.array([5]), 10)
    assert (list(cuts.decided), list(cuts.hits), list(cuts.thresholds)) == (
        [0, 2],
        [0, 1],
        [np.inf, 1.5],
    )
    assert (list(cuts.positives), cuts.n_samples) == ([5], 10)
