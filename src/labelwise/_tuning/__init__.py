"""Tuning of thresholds: from checked scores and a request to thresholds and their evidence.

`Problem` are the checked scores and labels that thresholds are tuned on (`check_problem`; those of
an estimator come from its held-out scores by `tuning_problem`). `Request` declares once what they
are tuned for. `solve` finds the `Thresholds` of a problem and a request, and `tune_and_correct`
also estimates the value on other samples by cross-fitting (`cross_fitted`, `random_folds`).

`problem/` has the problem, its copies and decisions on it, `objectives/` the request and the best
cuts of each objective, `shrinkage/` blended curves, and `guarantees/` certified thresholds. Files
of this package solve, cross-fit and draw, and store the result with its JSON file.
`labelwise.decisions` publishes functions and estimators on this package and may import its files;
learners, reports and the command line use the names listed here.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._tuning._cross_fitting import (
        CrossFitted as CrossFitted,
        cross_fitted as cross_fitted,
        held_out_frontiers as held_out_frontiers,
        tune_and_correct as tune_and_correct,
    )
    from labelwise._tuning._evidence import Evidence as Evidence
    from labelwise._tuning._result import (
        Thresholds as Thresholds,
        check_thresholds as check_thresholds,
    )
    from labelwise._tuning._scores_to_tune_on import (
        Samples as Samples,
        TuningScores as TuningScores,
        thresholds_of_no_label as thresholds_of_no_label,
        tuning_problem as tuning_problem,
        with_constant_labels as with_constant_labels,
        with_current_options as with_current_options,
    )
    from labelwise._tuning._slice_thresholds import SliceThresholds as SliceThresholds
    from labelwise._tuning._solve import (
        bootstrap_bounds as bootstrap_bounds,
        check_bootstrap as check_bootstrap,
        solve as solve,
    )
    from labelwise._tuning.guarantees._betting import log_capitals as log_capitals
    from labelwise._tuning.guarantees._guarantee import Guarantee as Guarantee
    from labelwise._tuning.objectives._constraints import (
        ConstraintCheck as ConstraintCheck,
        InfeasibleError as InfeasibleError,
    )
    from labelwise._tuning.objectives._linear_fractional import LinearFractional as LinearFractional
    from labelwise._tuning.objectives._option_values import (
        is_nested as is_nested,
        parse_count as parse_count,
        with_amount as with_amount,
    )
    from labelwise._tuning.objectives._request import (
        BandRequest as BandRequest,
        Certify as Certify,
        Request as Request,
    )
    from labelwise._tuning.problem._decisions import (
        decisions_at as decisions_at,
        in_order as in_order,
    )
    from labelwise._tuning.problem._problem import (
        Problem as Problem,
        check_problem as check_problem,
        check_sample_weights as check_sample_weights,
        random_folds as random_folds,
        warn_of_labels_without_positives as warn_of_labels_without_positives,
    )

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
