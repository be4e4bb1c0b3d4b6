"""Turn scores into label sets: by tuned thresholds, by highest expected F, or by rank.

`thresholds/` tunes thresholds for a measure, `expected_f/` finds label sets from probabilities; the
estimators and the cuts by rank have one file each. Decisions import measures, splitting and shared
packages; learners, experiments, reports and the command line use the names listed here.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.decisions._calibrated_labels import CalibratedLabels
    from labelwise.decisions._calibrated_labels import Sigmoid as Sigmoid
    from labelwise.decisions._cuts_by_rank import proportion_cut, rank_cut
    from labelwise.decisions._scores_to_tune_on import Samples as Samples
    from labelwise.decisions._scores_to_tune_on import TuningScores as TuningScores
    from labelwise.decisions._scores_to_tune_on import constant_scores as constant_scores
    from labelwise.decisions._scores_to_tune_on import tuning_problem as tuning_problem
    from labelwise.decisions._sigmoids import Sigmoids as Sigmoids
    from labelwise.decisions._sigmoids import fit_sigmoids as fit_sigmoids
    from labelwise.decisions._tuned_thresholds import TunedThresholds
    from labelwise.decisions.at_k._best_at_k import BestAtK, best_at_k
    from labelwise.decisions.bands._bands import Bands
    from labelwise.decisions.bands._bands import bands_of_labels as bands_of_labels
    from labelwise.decisions.bands._bands import load_rule as load_rule
    from labelwise.decisions.bands._bands_json import content_of_bands as content_of_bands
    from labelwise.decisions.bands._review_bands import check_band_request as check_band_request
    from labelwise.decisions.bands._review_bands import review_bands
    from labelwise.decisions.bands._review_bands import solve_bands as solve_bands
    from labelwise.decisions.bands._review_bands import unseen_review as unseen_review
    from labelwise.decisions.bands._review_measures import (
        BandGuarantee,
        ReviewMeasures,
        review_measures,
    )
    from labelwise.decisions.bands._review_measures import count_states as count_states
    from labelwise.decisions.bands._review_queue import BandCurves as BandCurves
    from labelwise.decisions.bands._review_queue import ReviewQueue
    from labelwise.decisions.expected_f._expected_f import (
        joint_from_samples,
        make_consistent,
        maximize_expected_f,
    )
    from labelwise.decisions.expected_f._independent_f import maximize_expected_f_independent
    from labelwise.decisions.guarantees._guarantee import Guarantee
    from labelwise.decisions.label_shift._adapt_thresholds import Adaptation, adapt_thresholds
    from labelwise.decisions.objectives._constraints import InfeasibleError as InfeasibleError
    from labelwise.decisions.objectives._linear_fractional import LinearFractional
    from labelwise.decisions.objectives._request import Certify
    from labelwise.decisions.objectives._request import Request as Request
    from labelwise.decisions.objectives._request import option_of as option_of
    from labelwise.decisions.objectives._request import options as options
    from labelwise.decisions.objectives._request import parse_count as parse_count
    from labelwise.decisions.objectives._request import with_current_options as with_current_options
    from labelwise.decisions.problem._problem import Problem as Problem
    from labelwise.decisions.problem._problem import check_problem as check_problem
    from labelwise.decisions.problem._problem import (
        warn_of_labels_without_positives as warn_of_labels_without_positives,
    )
    from labelwise.decisions.thresholds._best_thresholds import best_thresholds
    from labelwise.decisions.thresholds._constant_labels import (
        thresholds_of_no_label as thresholds_of_no_label,
    )
    from labelwise.decisions.thresholds._constant_labels import (
        with_constant_labels as with_constant_labels,
    )
    from labelwise.decisions.thresholds._constraint_checks import ConstraintCheck
    from labelwise.decisions.thresholds._cross_fitting import cross_fitted as cross_fitted
    from labelwise.decisions.thresholds._cross_fitting import (
        held_out_frontiers as held_out_frontiers,
    )
    from labelwise.decisions.thresholds._cross_fitting import random_folds as random_folds
    from labelwise.decisions.thresholds._frontier import Frontier, micro_frontier
    from labelwise.decisions.thresholds._result import Evidence as Evidence
    from labelwise.decisions.thresholds._result import Thresholds
    from labelwise.decisions.thresholds._result import check_thresholds as check_thresholds
    from labelwise.decisions.thresholds._result_json import content_of as content_of
    from labelwise.decisions.thresholds._scan import Scan, scan_thresholds
    from labelwise.decisions.thresholds._solve import bootstrap_bounds as bootstrap_bounds
    from labelwise.decisions.thresholds._solve import check_bootstrap as check_bootstrap
    from labelwise.decisions.thresholds._solve import solve as solve
    from labelwise.decisions.thresholds._solve import solve_with_folds as solve_with_folds
    from labelwise.decisions.thresholds._tune import confidence_interval, corrected_value
    from labelwise.decisions.thresholds._tune import tune_and_correct as tune_and_correct

__all__ = [
    "Adaptation",
    "BandGuarantee",
    "Bands",
    "BestAtK",
    "CalibratedLabels",
    "Certify",
    "ConstraintCheck",
    "Frontier",
    "Guarantee",
    "LinearFractional",
    "ReviewMeasures",
    "ReviewQueue",
    "Scan",
    "Thresholds",
    "TunedThresholds",
    "adapt_thresholds",
    "best_at_k",
    "best_thresholds",
    "confidence_interval",
    "corrected_value",
    "joint_from_samples",
    "make_consistent",
    "maximize_expected_f",
    "maximize_expected_f_independent",
    "micro_frontier",
    "proportion_cut",
    "rank_cut",
    "review_bands",
    "review_measures",
    "scan_thresholds",
]

publish(__name__, [*__all__, "Evidence", "Sigmoid"])
