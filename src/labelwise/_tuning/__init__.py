"""Tuning of thresholds: from checked scores and a request to thresholds and their evidence.

`Problem` are the checked scores and labels that thresholds are tuned on (`check_problem`; those of
an estimator come from its held-out scores by `tuning_problem`). `Request` declares once what they
are tuned for. `solve` finds the `Thresholds` of a problem and a request, and `tune_and_correct`
also estimates the value on other samples by cross-fitting (`cross_fitted`, `random_folds`).

`problem/` has the problem, its copies and decisions on it, `objectives/` the request and the best
cuts of each objective, `shrinkage/` blended curves, and `guarantees/` certified thresholds. Files
of this package solve, cross-fit and draw, and hold the result with its JSON file.
`labelwise.decisions` publishes functions and estimators on this package and may import its files;
learners, reports and the command line use the names listed here.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._tuning._cross_fitting import (
        CrossFitted,
        cross_fitted,
        held_out_frontiers,
        random_folds,
        tune_and_correct,
    )
    from labelwise._tuning._evidence import Evidence
    from labelwise._tuning._result import Thresholds, check_thresholds
    from labelwise._tuning._scores_to_tune_on import (
        Samples,
        Splits,
        TuningScores,
        check_sample_weights,
        constant_scores,
        thresholds_of_no_label,
        tuning_problem,
        with_constant_labels,
        with_current_options,
    )
    from labelwise._tuning._slice_thresholds import SliceThresholds
    from labelwise._tuning._solve import bootstrap_bounds, check_bootstrap, solve
    from labelwise._tuning.guarantees._betting import log_capitals
    from labelwise._tuning.guarantees._guarantee import Guarantee
    from labelwise._tuning.objectives._constraints import ConstraintCheck, InfeasibleError
    from labelwise._tuning.objectives._linear_fractional import LinearFractional
    from labelwise._tuning.objectives._option_values import parse_count
    from labelwise._tuning.objectives._request import BandRequest, Certify, Request
    from labelwise._tuning.problem._decisions import decisions_at, in_order
    from labelwise._tuning.problem._problem import (
        Problem,
        check_problem,
        warn_of_labels_without_positives,
    )

__all__ = [
    "BandRequest",
    "Certify",
    "ConstraintCheck",
    "CrossFitted",
    "Evidence",
    "Guarantee",
    "InfeasibleError",
    "LinearFractional",
    "Problem",
    "Request",
    "Samples",
    "SliceThresholds",
    "Splits",
    "Thresholds",
    "TuningScores",
    "bootstrap_bounds",
    "check_bootstrap",
    "check_problem",
    "check_sample_weights",
    "check_thresholds",
    "constant_scores",
    "cross_fitted",
    "decisions_at",
    "held_out_frontiers",
    "in_order",
    "log_capitals",
    "parse_count",
    "random_folds",
    "solve",
    "thresholds_of_no_label",
    "tune_and_correct",
    "tuning_problem",
    "warn_of_labels_without_positives",
    "with_constant_labels",
    "with_current_options",
]

# Model files name these classes by the stage that users import them from.
publish(
    __name__,
    [
        "Certify",
        "ConstraintCheck",
        "Evidence",
        "Guarantee",
        "LinearFractional",
        "SliceThresholds",
        "Thresholds",
    ],
    known_as="labelwise.decisions",
)
