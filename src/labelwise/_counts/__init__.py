"""The algebra of counts: true and false positives and negatives, and measures of them.

`Counts` are the four counts of each label or sample; a measure is a function of them. Evaluation,
thresholds and learners compute with the same measures: public functions check what they are given
(`with_beta`, `average_and_measure`), and code behind them calls the result as often as it needs.
`labelwise.measures` publishes the measures; this package imports only `_validation` and `_text`.
"""

from labelwise._counts._counting import (
    Counts,
    cells_of_each,
    count_empty_samples,
    count_matched,
    counts_of,
    exactly_empty,
    weighted_counts,
)
from labelwise._counts._measures import Measure as Measure
from labelwise._counts._measures import (
    accuracy,
    balanced_accuracy,
    f_measure,
    filled_and_defined,
    g_mean,
    is_exact,
    is_unchecked,
    jaccard,
    matthews,
    mean,
    mean_of_sums,
    precision,
    ratio,
    recall,
    unchecked,
    wide,
    wrong_share,
)
from labelwise._counts._records import (
    LinearWeights,
    MeasureRecord,
    average_and_measure,
    averaged_records,
    count_records,
    function_of,
    measured,
    record_of,
    with_beta,
)

__all__ = [
    "Counts",
    "LinearWeights",
    "MeasureRecord",
    "accuracy",
    "average_and_measure",
    "averaged_records",
    "balanced_accuracy",
    "cells_of_each",
    "count_empty_samples",
    "count_matched",
    "count_records",
    "counts_of",
    "exactly_empty",
    "f_measure",
    "filled_and_defined",
    "function_of",
    "g_mean",
    "is_exact",
    "is_unchecked",
    "jaccard",
    "matthews",
    "mean",
    "mean_of_sums",
    "measured",
    "precision",
    "ratio",
    "recall",
    "record_of",
    "unchecked",
    "weighted_counts",
    "wide",
    "with_beta",
    "wrong_share",
]
