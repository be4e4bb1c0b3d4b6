"""Evaluate decisions and scores: measures of counts, ranking measures, averages and scorers.

Counts (`_counts`) become values by measures (`_count_measures`) and averages (`_averages`); scores
become values by the ranks of positives (`_rankings`). `_register` has a record of each measure, by
whose name `evaluate`, `measure_scores` and the scorers find it. The stage imports only packages
below the stages.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._counts import Counts
    from labelwise.measures._averages import function_of as function_of
    from labelwise.measures._averages import (
        hamming_loss,
        macro,
        micro,
        subset_accuracy,
    )
    from labelwise.measures._averages import measured as measured
    from labelwise.measures._averages import with_beta as with_beta
    from labelwise.measures._bootstrap import Resampling as Resampling
    from labelwise.measures._bootstrap import micro_draws as micro_draws
    from labelwise.measures._count_measures import Measure as Measure
    from labelwise.measures._count_measures import (
        accuracy,
        balanced_accuracy,
        f_measure,
        g_mean,
        jaccard,
        matthews,
        precision,
        recall,
    )
    from labelwise.measures._count_measures import mean as mean
    from labelwise.measures._count_measures import ratio as ratio
    from labelwise.measures._count_measures import wide as wide
    from labelwise.measures._counts import count
    from labelwise.measures._counts import count_matched as count_matched
    from labelwise.measures._evaluate import evaluate
    from labelwise.measures._evaluate import measure_outcome as measure_outcome
    from labelwise.measures._evaluation import Evaluation as Evaluation
    from labelwise.measures._measure_scores import (
        area_under_roc,
        average_precision,
        coverage,
        measure_scores,
        r_precision,
        ranking_loss,
    )
    from labelwise.measures._measure_scores import rank_cut_f as rank_cut_f
    from labelwise.measures._rankings import inverse_propensities
    from labelwise.measures._rankings import r_precision_of as r_precision_of
    from labelwise.measures._ranks import find_places as find_places
    from labelwise.measures._register import LinearWeights as LinearWeights
    from labelwise.measures._register import NamedMeasure as NamedMeasure
    from labelwise.measures._register import average_and_measure as average_and_measure
    from labelwise.measures._register import averaged_records as averaged_records
    from labelwise.measures._register import measure_named as measure_named
    from labelwise.measures._register import record_of as record_of
    from labelwise.measures._reliability import Reliability as Reliability
    from labelwise.measures._reliability import reliability
    from labelwise.measures._scorers import scorer, scorers

__all__ = [
    "Counts",
    "accuracy",
    "area_under_roc",
    "average_precision",
    "balanced_accuracy",
    "count",
    "coverage",
    "evaluate",
    "f_measure",
    "g_mean",
    "hamming_loss",
    "inverse_propensities",
    "jaccard",
    "macro",
    "matthews",
    "measure_scores",
    "micro",
    "precision",
    "r_precision",
    "ranking_loss",
    "recall",
    "reliability",
    "scorer",
    "scorers",
    "subset_accuracy",
]

publish(__name__, [*__all__, "Evaluation", "Reliability"])
