"""Evaluate decisions and scores: measures of counts, ranking measures, averages and scorers.

Measures of counts are those of `_counts`; `_averages` counts decisions and averages measures of
them. Scores become values by the ranks of positives (`_rankings`). `_register` has a record of each
measure, by whose name `evaluate`, `measure_scores` and the scorers find it. The stage imports only
packages below the stages.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._counts import (
        Counts,
        accuracy,
        balanced_accuracy,
        f_measure,
        g_mean,
        jaccard,
        matthews,
        precision,
        recall,
    )
    from labelwise.measures._averages import count, hamming_loss, macro, micro, subset_accuracy
    from labelwise.measures._bootstrap import micro_draws as micro_draws
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
    from labelwise.measures._measure_scores import r_precision_of_samples as r_precision_of_samples
    from labelwise.measures._measure_scores import rank_cut_f as rank_cut_f
    from labelwise.measures._rankings import inverse_propensities
    from labelwise.measures._register import measure_named as measure_named
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

publish(__name__, [*__all__, "Evaluation"])
