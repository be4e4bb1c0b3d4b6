"""Compare models: studies that can be resumed, their results, and statistical tests.

`running/` runs the cells of a study and stores them, `study_files/` reads studies from TOML files,
`statistics/` ranks and tests methods over data sets. The command line and the reports use the
names listed here; experiments import data, splitting and measures.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.experiments._results import Results, read_results
    from labelwise.experiments._study import Study
    from labelwise.experiments._study import read_study as read_study
    from labelwise.experiments.running._cell_outcome import CellOutcome
    from labelwise.experiments.running._cells import FailedCell
    from labelwise.experiments.running._progress import Progress
    from labelwise.experiments.running._store_file import StoreError
    from labelwise.experiments.statistics._average_ranks import AverageRanks, average_ranks
    from labelwise.experiments.statistics._friedman import FriedmanTest, friedman_test
    from labelwise.experiments.statistics._p_value_adjustment import holm_adjusted
    from labelwise.experiments.statistics._pair_tests import PairTest, sign_test, wilcoxon_test
    from labelwise.experiments.statistics._paired_difference import Difference, paired_difference
    from labelwise.experiments.statistics._paired_values import PairedValues, paired_values
    from labelwise.experiments.statistics._paper_tables import PaperTable as PaperTable
    from labelwise.experiments.statistics._paper_tables import paper_table as paper_table
    from labelwise.experiments.statistics._post_hoc_tests import (
        RankPairs,
        holm_test,
        nemenyi_test,
    )
    from labelwise.experiments.statistics._summary import Spread, Summary, summarize

__all__ = [
    "AverageRanks",
    "CellOutcome",
    "Difference",
    "FailedCell",
    "FriedmanTest",
    "PairTest",
    "PairedValues",
    "Progress",
    "RankPairs",
    "Results",
    "Spread",
    "StoreError",
    "Study",
    "Summary",
    "average_ranks",
    "friedman_test",
    "holm_adjusted",
    "holm_test",
    "nemenyi_test",
    "paired_difference",
    "paired_values",
    "read_results",
    "sign_test",
    "summarize",
    "wilcoxon_test",
]

publish(__name__, __all__)
