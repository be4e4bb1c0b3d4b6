"""Common parts of our scikit-learn estimators: scores, held-out scores, constant labels, tags.

Learners, decisions, experiments and reports use these functions; they import data, splitting and
what lies below.
"""

from labelwise._estimators._scores import (
    METHODS,
    HeldOutScores,
    LabelScorer,
    as_multilabel,
    check_constants,
    constant_labels,
    cut_params,
    fit_scorer,
    held_out_scores,
    score_matrix,
    scoring_method,
    warn_of_constants,
)

__all__ = [
    "METHODS",
    "HeldOutScores",
    "LabelScorer",
    "as_multilabel",
    "check_constants",
    "constant_labels",
    "cut_params",
    "fit_scorer",
    "held_out_scores",
    "score_matrix",
    "scoring_method",
    "warn_of_constants",
]
