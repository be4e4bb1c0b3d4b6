"""Functions that several estimators share: scores, held-out scores, targets, conventions.

Learners, decisions, experiments, reports and the command line import the names listed here. The
modules import splitting, `_text` and `_validation`, and no stage that uses them.
"""

from labelwise._estimators._conventions import (
    check_coefficients as check_coefficients,
    copy_feature_attributes as copy_feature_attributes,
    draw_seeds as draw_seeds,
    given_to_fit as given_to_fit,
    groups_for as groups_for,
    learn_features as learn_features,
    refuse_prefit as refuse_prefit,
    report_progress as report_progress,
    routed_to_fit as routed_to_fit,
    router_with_folds as router_with_folds,
    seeded as seeded,
    weights_for as weights_for,
)
from labelwise._estimators._held_out_scores import (
    HeldOutScores as HeldOutScores,
    Splits as Splits,
    cut_params as cut_params,
    fit_and_score_folds as fit_and_score_folds,
    held_out_scores as held_out_scores,
    splits_of as splits_of,
    splits_within as splits_within,
)
from labelwise._estimators._label_classifiers import (
    ExpectedFClassifier as ExpectedFClassifier,
    LabelClassifier as LabelClassifier,
    ProbabilityClassifier as ProbabilityClassifier,
    ScoringClassifier as ScoringClassifier,
)
from labelwise._estimators._model_texts import (
    WordsOfStems as WordsOfStems,
    raw_step as raw_step,
    split_samples as split_samples,
    texts_of as texts_of,
)
from labelwise._estimators._scores import (
    METHODS as METHODS,
    LabelScorer as LabelScorer,
    fit_scorer as fit_scorer,
    score_matrix as score_matrix,
    scores_of_labels as scores_of_labels,
    scoring_method as scoring_method,
)
from labelwise._estimators._targets import (
    ConstantLabelWarning as ConstantLabelWarning,
    LabelTarget as LabelTarget,
    all_labels as all_labels,
    as_label_column as as_label_column,
    check_not_empty as check_not_empty,
    check_target as check_target,
    check_y_given as check_y_given,
    constant_labels as constant_labels,
    constant_scores as constant_scores,
    learn_targets as learn_targets,
    store_target as store_target,
    warn_of_constants as warn_of_constants,
)
