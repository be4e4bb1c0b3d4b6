"""The algebra of counts: true and false positives and negatives, and measures of them.

`Counts` are the four counts of each label or sample; a measure is a function of them. Evaluation,
thresholds and learners compute with the same measures: public functions check what they are given
(`with_beta`, `average_and_measure`), and code behind them calls the result as often as it needs.
`labelwise.measures` publishes the measures; this package imports only `_validation` and `_text`.
"""

from labelwise._counts._counting import (
    Counts as Counts,
    cells_of_each as cells_of_each,
    count_empty_samples as count_empty_samples,
    count_matched as count_matched,
    counts_of as counts_of,
    draws as draws,
    exactly_empty as exactly_empty,
    micro_draws as micro_draws,
    pooled as pooled,
    weighted_counts as weighted_counts,
)
from labelwise._counts._measures import (
    Measure as Measure,
    accuracy as accuracy,
    balanced_accuracy as balanced_accuracy,
    f_measure as f_measure,
    filled_and_defined as filled_and_defined,
    g_mean as g_mean,
    is_exact as is_exact,
    is_unchecked as is_unchecked,
    jaccard as jaccard,
    matthews as matthews,
    mean as mean,
    mean_of_sums as mean_of_sums,
    precision as precision,
    ratio as ratio,
    recall as recall,
    unchecked as unchecked,
    wide as wide,
    wrong_share as wrong_share,
)
from labelwise._counts._records import (
    AVERAGES as AVERAGES,
    LinearWeights as LinearWeights,
    MeasureRecord as MeasureRecord,
    average_and_measure as average_and_measure,
    averaged_name as averaged_name,
    averaged_records as averaged_records,
    count_records as count_records,
    function_of as function_of,
    macro_of as macro_of,
    measured as measured,
    micro_of as micro_of,
    record_of as record_of,
    with_beta as with_beta,
)
