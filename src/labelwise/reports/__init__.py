"""Show results: figures of scores, thresholds and what they reach."""

from labelwise._publishing import publish
from labelwise.reports._bag_display import BagDisplay
from labelwise.reports._frontier_display import FrontierDisplay
from labelwise.reports._term_curve_display import TermCurveDisplay
from labelwise.reports._threshold_display import ThresholdDisplay

__all__ = ["BagDisplay", "FrontierDisplay", "TermCurveDisplay", "ThresholdDisplay"]

publish(__name__, __all__, globals())
