"""Compare models: studies that can be resumed, their results, and statistical tests.

`Study` and `Results` stand on two rooms that know nothing of each other: `running/` evaluates the
cells of a study and stores them, `statistics/` ranks and tests methods over data sets.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.experiments._results import Results as Results, read_results
    from labelwise.experiments._study import Study
    from labelwise.experiments.running._cell_evaluation import CellOutcome
    from labelwise.experiments.statistics._average_ranks import average_ranks, friedman_test
    from labelwise.experiments.statistics._pair_tests import (
        paired_difference,
        sign_test,
        wilcoxon_test,
    )
    from labelwise.experiments.statistics._paired_values import paired_values
    from labelwise.experiments.statistics._post_hoc_tests import (
        RankPairs as RankPairs,
        holm_adjusted,
        holm_test,
        nemenyi_test,
    )
    from labelwise.experiments.statistics._rank_comparison import compare_ranks
    from labelwise.experiments.statistics._summary import summarize

__all__ = [
    "CellOutcome",
    "Study",
    "average_ranks",
    "compare_ranks",
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

publish(__name__)
