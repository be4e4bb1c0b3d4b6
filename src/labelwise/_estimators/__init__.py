"""Functions that several estimators share: scores, held-out scores, targets, conventions.

Learners, decisions, experiments, reports and the command line import the names listed here. The
modules import splitting, measures, `_text` and `_validation`, and no stage that uses them.
"""

from labelwise._estimators._conventions import (
    LabelAccuracyMixin,
    as_multilabel,
    check_coefficients,
    copy_feature_attributes,
    draw_seeds,
    learn_features,
    refuse_prefit,
    report_progress,
    seeded,
)
from labelwise._estimators._held_out_scores import (
    HeldOutScores,
    cut_params,
    fit_and_score_folds,
    held_out_scores,
)
from labelwise._estimators._routing import (
    groups_for,
    routed_to_fit,
    router_with_folds,
    weights_for,
)
from labelwise._estimators._scores import (
    METHODS,
    LabelScorer,
    fit_scorer,
    score_matrix,
    scores_of_labels,
    scoring_method,
)
from labelwise._estimators._splits import splits_of
from labelwise._estimators._targets import (
    ConstantLabelWarning,
    LabelTarget,
    all_labels,
    check_constants,
    check_not_empty,
    check_target,
    check_y_given,
    constant_labels,
    learn_targets,
    store_target,
    warn_of_constants,
)
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
    "all_labels",
    "as_label_column",
    "as_multilabel",
    "check_coefficients",
    "check_constants",
    "check_not_empty",
    "check_target",
    "check_y_given",
    "classes_of_decisions",
    "constant_labels",
    "copy_feature_attributes",
    "cut_params",
    "draw_seeds",
    "fit_and_score_folds",
    "fit_scorer",
    "groups_for",
    "held_out_scores",
    "learn_features",
    "learn_targets",
    "proba_of_classes",
    "refuse_prefit",
    "report_progress",
    "routed_to_fit",
    "router_with_folds",
    "score_matrix",
    "scores_of_classes",
    "scores_of_labels",
    "scoring_method",
    "seeded",
    "splits_of",
    "store_target",
    "warn_of_constants",
    "weights_for",
]
