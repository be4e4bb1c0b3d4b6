"""Figures of scores, thresholds, term curves, ranks and bags, as scikit-learn's displays.

A display stores arrays and draws them in `plot`. What it shows is computed by the stages below.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.reports._bag_display import BagDisplay
    from labelwise.reports._critical_difference_display import CriticalDifferenceDisplay
    from labelwise.reports._frontier_display import FrontierDisplay
    from labelwise.reports._instance_display import InstanceDisplay
    from labelwise.reports._term_curve_display import TermCurveDisplay
    from labelwise.reports._threshold_display import ThresholdDisplay

__all__ = [
    "BagDisplay",
    "CriticalDifferenceDisplay",
    "FrontierDisplay",
    "InstanceDisplay",
    "TermCurveDisplay",
    "ThresholdDisplay",
]

publish(__name__, __all__)
