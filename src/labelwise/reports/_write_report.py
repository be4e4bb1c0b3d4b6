"""Write results as an HTML page; one register says which page each type of result has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from labelwise._io import check_output, written_whole
from labelwise.data import Dataset
from labelwise.deployment import Monitor
from labelwise.experiments import Results
from labelwise.measures import Evaluation
from labelwise.reports.desk._desk import Desk
from labelwise.reports.desk._page_data import desk_page
from labelwise.reports.overviews._data_page import data_page
from labelwise.reports.overviews._evaluation_page import evaluation_page
from labelwise.reports.overviews._monitor_page import monitor_page
from labelwise.reports.overviews._split_page import comparison_page, quality_page
from labelwise.reports.overviews._study_page import study_page
from labelwise.reports.page import Page, rendered
from labelwise.splitting import SplitComparison, SplitQuality

# The page of each type of result; a subclass has the page of its first base class listed here.
PAGES: dict[type, Callable[[Any], Page]] = {
    Desk: desk_page,
    Evaluation: evaluation_page,
    Results: study_page,
    SplitQuality: quality_page,
    SplitComparison: comparison_page,
    Dataset: data_page,
    Monitor: monitor_page,
}


def write_report(results: Any, path: str | Path) -> None:
    """Write results as one HTML file that needs nothing else.

    The file opens from disk, loads nothing from the network and runs no script but its own.

    Parameters
    ----------
    results : Desk, Evaluation, Results, SplitQuality, SplitComparison, Dataset or Monitor
        What the page shows: the decision desk of scores and labels, all measures of an evaluation,
        the results of a study, the quality of a split (beside other methods in a
        `SplitComparison`), the labels of a data set, or the evidence of a monitor.
    path : str or Path
        File to write; missing folders are created, and ``-`` is the standard output.

    Raises
    ------
    TypeError
        If there is no page for results of this type.
    OSError
        If the file cannot be written.

    See Also
    --------
    Desk : Scores and labels as a decision desk.

    Notes
    -----
    The page of a desk stores the concave hull of each label's curve, and computes from it every
    point of the micro frontier exactly as `labelwise.decisions.micro_frontier` does. If all hulls
    together have more than 50,000 vertices (fewer with slices), the page has only some points of
    the frontier, each of them exact. A label has at most 24 further cuts at which it can be pinned,
    a histogram of 20 bins, and the page shows at most 40 samples of each kind.

    Values on new samples are those of five random folds, the same ones as in ``labelwise tune``,
    each decided by thresholds that are tuned on the other four. The best point for a measure, under
    constraints or without them, is chosen again by the other folds. A point of the handle is a
    slope of the frontier, and the other folds decide at the same slope. The amounts of shrinkage
    and FBR are chosen once, on all samples. The page has up to 2,000 points of each frontier
    without a fold. Intervals are the middle 95 % of 200 draws of the samples, or groups, with
    replacement.

    Examples
    --------
    >>> from labelwise.reports import Desk, write_report
    >>> desk = Desk([[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]], [[1, 0], [0, 1], [1, 0]])
    >>> write_report(desk, getfixture("tmp_path") / "report.html")
    """
    page_of = next((PAGES[kind] for kind in type(results).__mro__ if kind in PAGES), None)
    if page_of is None:
        known = ", ".join(kind.__name__ for kind in PAGES)
        raise TypeError(f"results must be one of {known}, got {type(results).__name__}.")
    check_output(path)
    text = rendered(page_of(results))
    with written_whole(path) as stream:
        stream.write(text.encode("utf-8"))
