"""Measure decisions and rankings: counts, their measures and averages, whole evaluations."""

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
from labelwise.measures._counts import (
    Counts,
    count,
    f_of_means,
    hamming_loss,
    macro,
    micro,
    subset_accuracy,
    with_beta,
)
from labelwise.measures._evaluate import evaluate
from labelwise.measures._evaluation import Evaluation
from labelwise.measures._rank_cuts import rank_cut_f
from labelwise.measures._ranking import (
    area_under_roc,
    average_precision,
    coverage,
    one_error,
    ranking_loss,
)
from labelwise.measures._scorers import scorer, scorers
from labelwise.measures._top import ndcg_at, precision_at, r_precision

__all__ = [
    "Counts",
    "Evaluation",
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
    "scorer",
    "scorers",
    "subset_accuracy",
    "with_beta",
]
