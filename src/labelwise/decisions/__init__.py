"""Turn scores into label sets: those that maximise the measure that counts."""

from labelwise.decisions._calibration import CalibratedLabels
from labelwise.decisions._expected_f import maximize_expected_f
from labelwise.decisions._independent_f import maximize_expected_f_independent
from labelwise.decisions._joint import joint_from_samples, make_consistent

__all__ = [
    "CalibratedLabels",
    "joint_from_samples",
    "make_consistent",
    "maximize_expected_f",
    "maximize_expected_f_independent",
]
