"""Significance of differences between models, for the page of a study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labelwise._text import listed, printable
from labelwise.experiments import (
    PairedValues,
    RankPairs,
    Results,
    average_ranks,
    friedman_test,
    nemenyi_test,
    paired_difference,
    paired_values,
    sign_test,
    wilcoxon_test,
)
from labelwise.reports.overviews._blocks import Block, number_column, table, text_column, words

_ALPHA = 0.05


def significance_blocks(results: Results, measure: str, over: Sequence[str]) -> list[Block]:
    """Test the models over data sets, or over the folds of a single one."""
    try:
        found = paired_values(results, measure=measure, over=over, missing="drop")
    except ValueError as error:
        return [words(f"There is no test: {printable(error, 300)}")]
    if len(found.blocks) > 1:
        return _over_data_sets(found)
    return _over_folds(results, measure, over)


def _over_data_sets(found: PairedValues) -> list[Block]:
    """Return average ranks, with the tests that the number of models allows."""
    ranks = average_ranks(found)
    left_out = (
        [f"Left out, as a value is missing: {listed(found.dropped, show=printable)}."]
        if found.dropped
        else []
    )
    if ranks.n_all_tied == len(found.blocks):
        return [words("All models tie on every data set: there is nothing to test.", *left_out)]
    if len(found.methods) == 2:
        return [words(*_two_models(found), *left_out)]
    test, friedman = nemenyi_test(found, alpha=_ALPHA), friedman_test(found)
    answer = (
        "The models differ"
        if friedman.f_p_value < _ALPHA
        else "No difference between the models is shown"
    )
    text = (
        f"{answer}: Friedman's test over {len(found.blocks)} data sets has p = "
        f"{friedman.f_p_value:.4g} (form of Iman and Davenport). Two models differ by Nemenyi's "
        f"test if their average ranks differ by at least {test.distance:.4g} (level {_ALPHA:g} for "
        "all pairs together)."
    )
    return [words(text, *left_out), _diagram(test), _p_table(test)]


def _two_models(found: PairedValues) -> list[str]:
    sign, wilcoxon = sign_test(found), wilcoxon_test(found)
    first, second = map(printable, found.methods)
    ranks = average_ranks(found).ranks
    return [
        f"Average ranks over {len(found.blocks)} data sets: {first} {ranks[0]:.2f}, "
        f"{second} {ranks[1]:.2f}.",
        f"The sign test has p = {sign.p_value:.4g} and Wilcoxon's test p = {wilcoxon.p_value:.4g}; "
        f"below {_ALPHA:g}, one of the two models is better.",
    ]


def _diagram(test: RankPairs) -> Block:
    names = test.ranks.methods
    return {
        "kind": "ranks",
        "title": "Critical-difference diagram: average ranks, the best at the left",
        "names": list(map(printable, names)),
        "ranks": test.ranks.ranks.tolist(),
        "groups": [[names.index(name) for name in group] for group in test.groups],
        "distance": test.distance,
        "note": "A bar connects models without a significant difference.",
    }


def _p_table(test: RankPairs) -> Block:
    names, order = test.ranks.methods, np.argsort(test.ranks.ranks, kind="stable")
    columns = [
        text_column("model", "model", [names[i] for i in order]),
        number_column("rank", "average rank", test.ranks.ranks[order], "share"),
    ]
    for j in order:
        p_values = test.p_values[order, j]
        columns.append(number_column(f"p-{j}", f"p, {printable(names[j])}", p_values, "chance"))
    return table("Average ranks, and p values of all pairs (Nemenyi)", columns, len(names))


def _over_folds(results: Results, measure: str, over: Sequence[str]) -> list[Block]:
    """Return the difference of each model from the best one, over folds and seeds."""
    found = paired_values(results, measure=measure, over=(*over, "fold", "seed"), missing="drop")
    if len(found.blocks) < 2:
        return [words("There is no test: it needs several data sets, or several folds.")]
    means = paired_values(results, measure=measure, over=over, missing="drop")
    best = found.methods[int(np.argmin(means.losses[0]))]
    others = [name for name in found.methods if name != best]
    differences = [paired_difference(found, (name, best), random_state=0) for name in others]
    columns = [
        text_column("model", "model", others),
        number_column(
            "difference", f"mean minus {printable(best)}", [d.mean for d in differences], "share"
        ),
        number_column("low", "low end", [d.low for d in differences], "share"),
        number_column("high", "high end", [d.high for d in differences], "share"),
    ]
    text = (
        "With one data set, models are compared over its folds. Intervals that contain 0 show no "
        "difference. Folds share training rows, so that the intervals are too narrow: a study of "
        "several data sets is a better test."
    )
    title = f"Difference from the best model, {printable(best)}, with a 95 % interval over folds"
    return [words(text), table(title, columns, len(others))]
