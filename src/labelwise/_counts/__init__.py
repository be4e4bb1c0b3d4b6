"""The algebra of counts: true and false positives and negatives, and measures of them.

`Counts` are the four counts of each label or sample; a measure is a function of them. Evaluation,
thresholds and learners compute with the same measures: public functions check what they are given
(`with_beta`, `average_and_measure`), and code behind them calls the result as often as it needs.
`labelwise.measures` publishes the measures; this package imports only `_validation` and `_text`.
"""

from labelwise._counts._counting import Counts as Counts
from labelwise._counts._counting import cells_of_each as cells_of_each
from labelwise._counts._counting import count_empty_samples as count_empty_samples
from labelwise._counts._counting import count_matched as count_matched
from labelwise._counts._counting import counts_of as counts_of
from labelwise._counts._counting import draws as draws
from labelwise._counts._counting import exactly_empty as exactly_empty
from labelwise._counts._counting import micro_draws as micro_draws
from labelwise._counts._counting import weighted_counts as weighted_counts
from labelwise._counts._measures import Measure as Measure
from labelwise._counts._measures import accuracy as accuracy
from labelwise._counts._measures import balanced_accuracy as balanced_accuracy
from labelwise._counts._measures import f_measure as f_measure
from labelwise._counts._measures import filled_and_defined as filled_and_defined
from labelwise._counts._measures import g_mean as g_mean
from labelwise._counts._measures import is_exact as is_exact
from labelwise._counts._measures import is_unchecked as is_unchecked
from labelwise._counts._measures import jaccard as jaccard
from labelwise._counts._measures import matthews as matthews
from labelwise._counts._measures import mean as mean
from labelwise._counts._measures import mean_of_sums as mean_of_sums
from labelwise._counts._measures import precision as precision
from labelwise._counts._measures import ratio as ratio
from labelwise._counts._measures import recall as recall
from labelwise._counts._measures import unchecked as unchecked
from labelwise._counts._measures import wide as wide
from labelwise._counts._measures import wrong_share as wrong_share
from labelwise._counts._records import AVERAGES as AVERAGES
from labelwise._counts._records import LinearWeights as LinearWeights
from labelwise._counts._records import MeasureRecord as MeasureRecord
from labelwise._counts._records import average_and_measure as average_and_measure
from labelwise._counts._records import averaged_name as averaged_name
from labelwise._counts._records import averaged_records as averaged_records
from labelwise._counts._records import count_records as count_records
from labelwise._counts._records import function_of as function_of
from labelwise._counts._records import measured as measured
from labelwise._counts._records import record_of as record_of
from labelwise._counts._records import with_beta as with_beta
