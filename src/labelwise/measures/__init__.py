"""Evaluate decisions and scores: measures of counts, ranking measures, averages and scorers.

Measures use only `_validation` and `_text`; every later stage may import the names listed here.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._counts import Counts
    from labelwise.measures._averages import Measure as Measure
    from labelwise.measures._averages import (
        f_of_means,
        hamming_loss,
        macro,
        micro,
        subset_accuracy,
        with_beta,
    )
    from labelwise.measures._averages import function_of as function_of
    from labelwise.measures._averages import measured as measured
    from labelwise.measures._bootstrap import Resampling as Resampling
    from labelwise.measures._bootstrap import micro_draws as micro_draws
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
    from labelwise.measures._count_measures import wide as wide
    from labelwise.measures._counts import count
    from labelwise.measures._counts import count_matched as count_matched
    from labelwise.measures._evaluate import evaluate
    from labelwise.measures._evaluate import measure_outcome as measure_outcome
    from labelwise.measures._evaluation_result import Evaluation
    from labelwise.measures._evaluation_result import Measured as Measured
    from labelwise.measures._model_labels import labels_for as labels_for
    from labelwise.measures._named_measures import NamedMeasure as NamedMeasure
    from labelwise.measures._named_measures import average_and_measure as average_and_measure
    from labelwise.measures._named_measures import did_you_mean as did_you_mean
    from labelwise.measures._named_measures import measure_named as measure_named
    from labelwise.measures._register import LinearWeights as LinearWeights
    from labelwise.measures._register import averaged_records as averaged_records
    from labelwise.measures._register import record_of as record_of
    from labelwise.measures._reliability import Reliability, reliability
    from labelwise.measures._scorers import scorer, scorers
    from labelwise.measures._undefined import mean as mean
    from labelwise.measures._undefined import ratio as ratio
    from labelwise.measures.ranking._per_sample import coverage, one_error, ranking_loss
    from labelwise.measures.ranking._propensities import inverse_propensities
    from labelwise.measures.ranking._rank_cuts import rank_cut_f
    from labelwise.measures.ranking._rankings import area_under_roc, average_precision
    from labelwise.measures.ranking._top import ndcg_at, precision_at, r_precision, recall_at
    from labelwise.measures.ranking._top import r_precision_of as r_precision_of
    from labelwise.measures.ranking.positives._ranks_of_positives import find_places as find_places
    from labelwise.measures.ranking.positives._ranks_of_positives import (
        ranked_positives as ranked_positives,
    )
    from labelwise.measures.ranking.positives._ranks_of_positives import (
        stored_places as stored_places,
    )

__all__ = [
    "Counts",
    "Evaluation",
    "Reliability",
    "accuracy",
    "area_under_roc",
    "average_precision",
    "balanced_accuracy",
    "count",
    "coverage",
    "evaluate",
    "f_measure",
    "f_of_means",
    "g_mean",
    "hamming_loss",
    "inverse_propensities",
    "jaccard",
    "macro",
    "matthews",
    "micro",
    "ndcg_at",
    "one_error",
    "precision",
    "precision_at",
    "r_precision",
    "rank_cut_f",
    "ranking_loss",
    "recall",
    "recall_at",
    "reliability",
    "scorer",
    "scorers",
    "subset_accuracy",
    "with_beta",
]

publish(__name__, __all__)
