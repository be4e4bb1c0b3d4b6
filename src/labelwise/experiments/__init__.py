"""Compare models in resumable studies: run, rows, ranks, and the tests that reviewers ask for."""

from labelwise.experiments._difference import Difference, paired_difference
from labelwise.experiments._friedman import FriedmanTest, friedman_test
from labelwise.experiments._outcome import CellOutcome
from labelwise.experiments._pair_tests import PairTest, sign_test, wilcoxon_test
from labelwise.experiments._paired import PairedValues, paired_values
from labelwise.experiments._rank_pairs import RankPairs, holm_adjusted, holm_test, nemenyi_test
from labelwise.experiments._ranks import AverageRanks, average_ranks
from labelwise.experiments._results import FailedCell, Results, read_results
from labelwise.experiments._running import Progress
from labelwise.experiments._store_file import StoreError
from labelwise.experiments._study import Study
from labelwise.experiments._summary import Spread, Summary, summarize

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
