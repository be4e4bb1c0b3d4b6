"""Functions that several estimators share: scores, held-out scores, constant labels, tags.

Learners, decisions, experiments, reports and the command line import the names listed here. The
modules import splitting, measures, `_text` and `_validation`, and no stage that uses them.
"""

from labelwise._estimators._constant_labels import (
    ConstantLabelWarning,
    check_constants,
    constant_labels,
    warn_of_constants,
)
from labelwise._estimators._held_out_scores import (
    HeldOutScores,
    cut_params,
    fit_and_score_folds,
    groups_for,
    held_out_scores,
)
from labelwise._estimators._label_accuracy import LabelAccuracyMixin
from labelwise._estimators._label_scorer import LabelScorer, fit_scorer
from labelwise._estimators._label_targets import (
    LabelTarget,
    check_not_empty,
    check_target,
    check_y_given,
    store_target,
)
from labelwise._estimators._progress import report_progress
from labelwise._estimators._score_matrix import (
    METHODS,
    score_matrix,
    scores_of_labels,
    scoring_method,
)
from labelwise._estimators._sklearn_attributes import as_multilabel, copy_feature_attributes
from labelwise._estimators._vector_targets import (
    as_label_column,
    classes_of_decisions,
    proba_of_classes,
    scores_of_classes,
)

__all__ = [
    "METHODS",
    "ConstantLabelWarning",
    "HeldOutScores",
    "LabelAccuracyMixin",
    "LabelScorer",
    "LabelTarget",
    "as_label_column",
    "as_multilabel",
    "check_constants",
    "check_not_empty",
    "check_target",
    "check_y_given",
    "classes_of_decisions",
    "constant_labels",
    "copy_feature_attributes",
    "cut_params",
    "fit_and_score_folds",
    "fit_scorer",
    "groups_for",
    "held_out_scores",
    "proba_of_classes",
    "report_progress",
    "score_matrix",
    "scores_of_classes",
    "scores_of_labels",
    "scoring_method",
    "store_target",
    "warn_of_constants",
]
