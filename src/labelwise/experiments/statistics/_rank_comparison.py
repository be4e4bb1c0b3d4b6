"""Compare methods by their ranks: average ranks with the tests that their number allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labelwise._text import printable
from labelwise.experiments.statistics._average_ranks import (
    AverageRanks,
    FriedmanTest,
    friedman_test,
    ranks_of,
)
from labelwise.experiments.statistics._pair_tests import PairTest, sign_test, wilcoxon_test
from labelwise.experiments.statistics._paired_values import PairedValues, paired_values
from labelwise.experiments.statistics._post_hoc_tests import RankPairs, nemenyi_test


@dataclass(frozen=True, eq=False, repr=False)
class RankComparison:
    """Average ranks of methods, and tests of their differences; prints as an explanation."""

    values: PairedValues
    ranks: AverageRanks
    sign: PairTest | None = None
    wilcoxon: PairTest | None = None
    friedman: FriedmanTest | None = None
    nemenyi: RankPairs | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the ranks and the p values, as ``labelwise results --ranks --json`` prints them.

        Returns
        -------
        dict
            The keys are measure, higher_is_better, n_datasets, ranks and p_values.
        """
        p_values: dict[str, float] = {}
        all_tie = self.ranks.n_all_tied == len(self.values.blocks)
        if not all_tie and self.sign is not None and self.wilcoxon is not None:
            p_values = {"sign": self.sign.p_value, "wilcoxon": self.wilcoxon.p_value}
        elif self.friedman is not None:
            p_values = {
                "friedman": self.friedman.p_value,
                "iman-davenport": self.friedman.f_p_value,
            }
        return {
            "measure": self.values.measure,
            "higher_is_better": self.values.higher_is_better,
            "n_datasets": len(self.values.blocks),
            "ranks": self.ranks.to_dict(),
            "p_values": p_values,
        }

    def __repr__(self) -> str:
        better = "higher" if self.values.higher_is_better else "lower"
        parts = [
            f"Ranks by {printable(self.values.measure)} ({better} is better): on each data set the "
            "best model has rank 1.",
            repr(self.ranks),
        ]
        if len(self.values.blocks) < 2:
            parts.append("A test needs at least 2 data sets.")
        elif self.friedman is not None and self.nemenyi is not None:
            parts += _several_methods(self.friedman, self.nemenyi)
        elif self.sign is None:
            parts.append("All models tie on every data set, so that there is nothing to test.")
        else:
            parts += [
                "Is one of the two models better? A small p value (below 0.05) says yes. The sign "
                "test counts the data sets,\nWilcoxon's test also weighs them by the size of the "
                "difference.",
                f"{self.sign!r}\n{self.wilcoxon!r}",
            ]
        return "\n\n".join(parts)


def _several_methods(friedman: FriedmanTest, nemenyi: RankPairs) -> list[str]:
    """Return Friedman's and Nemenyi's tests in words."""
    differ = friedman.f_p_value < nemenyi.alpha
    groups = [", ".join(map(printable, group)) for group in nemenyi.groups] or ["none"]
    return [
        "Do the models differ at all? Friedman's test: if all models were equal, ranks as "
        f"different as these\nwould have the probability p = {friedman.p_value:.4g}, or "
        f"{friedman.f_p_value:.4g} by the form of Iman and Davenport, which misses\nfewer "
        f"differences. {'Yes' if differ else 'Not shown'} (p {'<' if differ else '>='} "
        f"{nemenyi.alpha:g} by that form).",
        "Which models differ? Nemenyi's test: those whose average ranks differ by the critical "
        f"difference {nemenyi.distance:.4g}\nor more (level {nemenyi.alpha:g} for all pairs "
        f"together).\nGroups without a significant difference: {'; '.join(groups)}.",
    ]


def compare_ranks(
    values: Any,
    *,
    measure: str | None = None,
    higher_is_better: bool | None = None,
    missing: str = "refuse",
) -> RankComparison:
    """Rank methods over data sets, and test whether they differ.

    Two methods are compared by the sign test and Wilcoxon's test, three or more by Friedman's and
    Nemenyi's. ``labelwise results --ranks`` prints the result.

    Parameters
    ----------
    values : PairedValues, Results, tidy rows, array-like, mapping or frame
        Data sets by methods, in any form that `paired_values` accepts.
    measure, higher_is_better, missing : str, bool and str, default=None, None and "refuse"
        Passed to `paired_values`: the name of the measure, whether higher values are better, and
        whether to refuse or to drop data sets with a missing value.

    Returns
    -------
    RankComparison
        Prints as an explanation. Its attributes `values`, `ranks`, `sign`, `wilcoxon`, `friedman`
        and `nemenyi` are the results of `paired_values`, `average_ranks` and the tests; None for a
        test that does not apply: of one data set there is no test, and none of three or more
        methods that tie on every data set. Method `to_dict` returns ranks and p values.

    Raises
    ------
    ValueError
        If a value is missing and `missing` is "refuse", or if an argument is wrong.

    See Also
    --------
    paired_difference : Estimate how large the difference of two methods is.

    References
    ----------
    J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", Journal of Machine
    Learning Research 7, 2006.

    Examples
    --------
    >>> from labelwise.experiments import compare_ranks
    >>> found = compare_ranks({"new": [0.9, 0.8, 0.7], "old": [0.6, 0.7, 0.5]}, measure="micro-f")
    >>> found.to_dict()["ranks"], found.sign.p_value
    ({'new': 1.0, 'old': 2.0}, 0.25)
    """
    table = paired_values(
        values, measure=measure, higher_is_better=higher_is_better, missing=missing
    )
    ranks = ranks_of(table)
    n_blocks, n_methods = table.values.shape
    if n_blocks < 2:
        return RankComparison(table, ranks)
    if n_methods == 2:
        return RankComparison(table, ranks, sign_test(table), wilcoxon_test(table))
    if ranks.n_all_tied == n_blocks:
        return RankComparison(table, ranks)
    friedman, nemenyi = friedman_test(table), nemenyi_test(table)
    return RankComparison(table, ranks, friedman=friedman, nemenyi=nemenyi)
