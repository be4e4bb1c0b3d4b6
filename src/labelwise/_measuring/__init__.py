"""Measure scores and decisions by names of measures: the register, ranks of positives, rankings.

`measure_named` finds the record of a measure, and `measure_outcome` computes several measures of
checked scores and decisions, from counts and ranks that are computed once. `labelwise.measures`,
studies and reports stand on it; it imports only packages below the stages.
"""

from labelwise._measuring._outcome import (
    Measured as Measured,
    check_k as check_k,
    measure_outcome as measure_outcome,
    measured_values as measured_values,
)
from labelwise._measuring._rankings import (
    check_inverse as check_inverse,
    inverse_propensities as inverse_propensities,
    r_precision_of as r_precision_of,
)
from labelwise._measuring._ranks import (
    RankedPositives as RankedPositives,
    find_places as find_places,
)
from labelwise._measuring._register import (
    measure_named as measure_named,
    named_measures as named_measures,
)
