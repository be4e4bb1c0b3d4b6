"""HTML pages, and figures of scores, thresholds, term curves, ranks and bags.

A display stores arrays and draws them in `plot`, as in scikit-learn. `write_report` writes a page.
What a display or a page shows is computed by the stages below.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.reports._write_report import write_report
    from labelwise.reports.desk._desk import Desk
    from labelwise.reports.displays._bag_display import BagDisplay, InstanceDisplay
    from labelwise.reports.displays._certified_frontier_display import CertifiedFrontierDisplay
    from labelwise.reports.displays._co_occurrence_display import CoOccurrenceDisplay
    from labelwise.reports.displays._critical_difference_display import CriticalDifferenceDisplay
    from labelwise.reports.displays._frontier_display import FrontierDisplay
    from labelwise.reports.displays._label_measures_display import LabelMeasuresDisplay
    from labelwise.reports.displays._macro_frontier_display import MacroFrontierDisplay
    from labelwise.reports.displays._monitor_display import MonitorDisplay
    from labelwise.reports.displays._reliability_display import ReliabilityDisplay
    from labelwise.reports.displays._split_quality_display import SplitQualityDisplay
    from labelwise.reports.displays._term_curve_display import TermCurveDisplay
    from labelwise.reports.displays._threshold_display import ThresholdDisplay

__all__ = [
    "BagDisplay",
    "CertifiedFrontierDisplay",
    "CoOccurrenceDisplay",
    "CriticalDifferenceDisplay",
    "Desk",
    "FrontierDisplay",
    "InstanceDisplay",
    "LabelMeasuresDisplay",
    "MacroFrontierDisplay",
    "MonitorDisplay",
    "ReliabilityDisplay",
    "SplitQualityDisplay",
    "TermCurveDisplay",
    "ThresholdDisplay",
    "write_report",
]

publish(__name__)
