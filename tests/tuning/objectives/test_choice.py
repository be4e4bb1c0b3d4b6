"""Among equal values the first place is chosen, and places that are not allowed never are.

Tests `_choice`. The objectives are tested through `best_thresholds`: `_micro`, `_macro`, `_sample`
and `_shared` in `test_best_thresholds.py`, `_cost` and `_constraints` in `test_limits.py`.
"""

from itertools import chain

import numpy as np
from hypothesis import given, strategies as st

from labelwise._tuning.objectives._choice import first_best, first_best_of_each

VALUES = st.sampled_from([np.nan, -1.0, 0.0, 0.5, 0.5 + 1e-15, 2.0])
PIECES = st.lists(
    st.lists(st.tuples(VALUES, st.booleans()), min_size=1, max_size=6), min_size=1, max_size=4
)


def first_best_by_definition(values, allowed):
    """The first place within rounding of the highest allowed value."""
    places = [k for k in range(len(values)) if allowed[k]]
    defined = [k for k in places if not np.isnan(values[k])]
    if not defined:
        return places[0] if places else 0
    highest = max(values[k] for k in defined)
    return next(k for k in defined if values[k] >= highest - 1e-13)


@given(pieces=PIECES)
def test_the_first_of_the_highest_allowed_values_of_each_piece_is_chosen(pieces):
    sizes = [len(piece) for piece in pieces]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    values, allowed = (np.array(column) for column in zip(*chain(*pieces), strict=True))
    expected = [
        start + first_best_by_definition(*zip(*piece, strict=True))
        for start, piece in zip(starts, pieces, strict=False)
    ]
    np.testing.assert_array_equal(first_best_of_each(values, starts, allowed), expected)
    first = slice(starts[0], starts[1])
    assert first_best(values[first], allowed[first]) == expected[0]
