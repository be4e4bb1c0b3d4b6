"""Evaluate decisions and scores: measures of counts, ranking measures, averages and scorers.

Measures of counts are those of `_counts`; `_averages` counts decisions and averages measures of
them. `_measuring` has the register, in which `evaluate`, `measure_scores` and the scorers find a
measure by its name, and computes values of scores by the ranks of positives. The stage imports only
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
    from labelwise._measuring import inverse_propensities
    from labelwise.measures._averages import count, macro, micro
    from labelwise.measures._evaluate import evaluate
    from labelwise.measures._evaluation import Evaluation as Evaluation
    from labelwise.measures._measure_scores import measure_scores
    from labelwise.measures._reliability import reliability
    from labelwise.measures._scorers import scorer

__all__ = [
    "Counts",
    "accuracy",
    "balanced_accuracy",
    "count",
    "evaluate",
    "f_measure",
    "g_mean",
    "inverse_propensities",
    "jaccard",
    "macro",
    "matthews",
    "measure_scores",
    "micro",
    "precision",
    "recall",
    "reliability",
    "scorer",
]

publish(__name__)
