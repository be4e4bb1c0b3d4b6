"""Turn scores into label sets: those that maximise the measure that counts."""

from labelwise.decisions._best import best_thresholds
from labelwise.decisions._calibration import CalibratedLabels
from labelwise.decisions._expected_f import maximize_expected_f
from labelwise.decisions._frontier import Frontier, micro_frontier
from labelwise.decisions._independent_f import maximize_expected_f_independent
from labelwise.decisions._joint import joint_from_samples, make_consistent
from labelwise.decisions._linear_fractional import LinearFractional
from labelwise.decisions._ranks import proportion_cut, rank_cut
from labelwise.decisions._scan import Scan, scan_thresholds
from labelwise.decisions._thresholds import Thresholds
from labelwise.decisions._tuned import TunedThresholds

__all__ = [
    "CalibratedLabels",
    "Frontier",
    "LinearFractional",
    "Scan",
    "Thresholds",
    "TunedThresholds",
    "best_thresholds",
    "joint_from_samples",
    "make_consistent",
    "maximize_expected_f",
    "maximize_expected_f_independent",
    "micro_frontier",
    "proportion_cut",
    "rank_cut",
    "scan_thresholds",
]
