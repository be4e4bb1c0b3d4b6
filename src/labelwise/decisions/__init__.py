"""Turn scores into label sets: by tuned thresholds, by highest expected F, or by rank.

Thresholds are tuned by `labelwise._tuning`; the functions that tune and measure them, the
estimators and the cuts by rank have one file each. `bands/` finds a band for review beside
thresholds, `expected_f/` and `at_k/` find label sets from probabilities. Decisions import measures,
splitting and shared packages; learners, experiments, reports and the command line use the names
listed here.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._tuning._evidence import Evidence as Evidence
    from labelwise._tuning._result import Thresholds
    from labelwise._tuning._slice_thresholds import SliceThresholds as SliceThresholds
    from labelwise._tuning.guarantees._guarantee import Guarantee as Guarantee
    from labelwise._tuning.objectives._constraints import ConstraintCheck as ConstraintCheck
    from labelwise._tuning.objectives._linear_fractional import LinearFractional
    from labelwise._tuning.objectives._request import Certify
    from labelwise.decisions._adapt_thresholds import (
        Adaptation as Adaptation,
        adapt_thresholds,
    )
    from labelwise.decisions._best_thresholds import best_thresholds
    from labelwise.decisions._calibrated_labels import (
        CalibratedLabels,
        CalibratedScores,
        Sigmoid as Sigmoid,
    )
    from labelwise.decisions._certified_frontier import (
        CertifiedFrontier as CertifiedFrontier,
        certified_frontier,
    )
    from labelwise.decisions._cuts_by_rank import proportion_cut, rank_cut
    from labelwise.decisions._frontier import (
        Frontier as Frontier,
        MacroFrontier as MacroFrontier,
        macro_frontier,
        micro_frontier,
    )
    from labelwise.decisions._incomplete_labels import complete_labels, estimate_propensity
    from labelwise.decisions._load_rule import load_rule
    from labelwise.decisions._new_samples import confidence_interval, corrected_value
    from labelwise.decisions._proportion_rule import proportion_rule
    from labelwise.decisions._proportions import Proportions
    from labelwise.decisions._rank_rule import rank_rule
    from labelwise.decisions._scan import Scan as Scan, scan_thresholds
    from labelwise.decisions._tuned_thresholds import TunedThresholds
    from labelwise.decisions.at_k._best_at_k import BestAtK as BestAtK, best_at_k
    from labelwise.decisions.bands._bands import (
        BandEvidence as BandEvidence,
        Bands,
    )
    from labelwise.decisions.bands._review_bands import review_bands
    from labelwise.decisions.bands._review_measures import (
        ReviewMeasures as ReviewMeasures,
        review_measures,
    )
    from labelwise.decisions.bands._review_queue import (
        BandCurves as BandCurves,
        ReviewQueue as ReviewQueue,
    )
    from labelwise.decisions.expected_f._expected_f import (
        joint_from_samples,
        make_consistent,
        maximize_expected_f,
    )
    from labelwise.decisions.expected_f._independent_f import maximize_expected_f_independent

__all__ = [
    "Bands",
    "CalibratedLabels",
    "CalibratedScores",
    "Certify",
    "LinearFractional",
    "Proportions",
    "Thresholds",
    "TunedThresholds",
    "adapt_thresholds",
    "best_at_k",
    "best_thresholds",
    "certified_frontier",
    "complete_labels",
    "confidence_interval",
    "corrected_value",
    "estimate_propensity",
    "joint_from_samples",
    "load_rule",
    "macro_frontier",
    "make_consistent",
    "maximize_expected_f",
    "maximize_expected_f_independent",
    "micro_frontier",
    "proportion_cut",
    "proportion_rule",
    "rank_cut",
    "rank_rule",
    "review_bands",
    "review_measures",
    "scan_thresholds",
]

publish(__name__)
