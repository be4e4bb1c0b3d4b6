"""Functions that several estimators share: scores, held-out scores, targets, conventions.

Learners, decisions, experiments, reports and the command line import the names listed here. The
modules import splitting, measures, `_text` and `_validation`, and no stage that uses them.
"""

from labelwise._estimators._conventions import (
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
from labelwise._estimators._label_classifiers import (
    ExpectedFClassifier,
    LabelClassifier,
    ProbabilityClassifier,
    ScoringClassifier,
)
from labelwise._estimators._routing import (
    given_to_fit,
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
    as_label_column,
    check_not_empty,
    check_target,
    check_y_given,
    constant_labels,
    learn_targets,
    store_target,
    warn_of_constants,
)

__all__ = [
    "METHODS",
    "ConstantLabelWarning",
    "ExpectedFClassifier",
    "HeldOutScores",
    "LabelClassifier",
    "LabelScorer",
    "LabelTarget",
    "ProbabilityClassifier",
    "ScoringClassifier",
    "all_labels",
    "as_label_column",
    "check_coefficients",
    "check_not_empty",
    "check_target",
    "check_y_given",
    "constant_labels",
    "copy_feature_attributes",
    "cut_params",
    "draw_seeds",
    "fit_and_score_folds",
    "fit_scorer",
    "given_to_fit",
    "groups_for",
    "held_out_scores",
    "learn_features",
    "learn_targets",
    "refuse_prefit",
    "report_progress",
    "routed_to_fit",
    "router_with_folds",
    "score_matrix",
    "scores_of_labels",
    "scoring_method",
    "seeded",
    "splits_of",
    "store_target",
    "warn_of_constants",
    "weights_for",
]
