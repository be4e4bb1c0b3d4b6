"""The page of a study: means, significance, distributions, conditions and failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._text import listed, printable
from labelwise.experiments import (
    RankPairs,
    Results,
    compare_ranks,
    paired_difference,
    paired_values,
    summarize,
)
from labelwise.reports.overviews._blocks import (
    Block,
    KeyNumber,
    PageSection,
    choice,
    long_column,
    number_column,
    overview_page,
    range_of,
    table,
    text_column,
    words,
)
from labelwise.reports.page import Page, packed

_CELL = ("study", "dataset", "model", "split", "fold", "seed")
_VERSIONS = ("labelwise", "python", "numpy", "scipy", "scikit-learn")
_MOST_FAILURES = 200
_MOST_CHARTS = 12
_COSTS = (
    ("fit_seconds", "fitting", "seconds"),
    ("predict_seconds", "predicting", "seconds"),
    ("peak_memory", "peak memory", "bytes"),
)
_ALPHA = 0.05  # level of the tests of `compare_ranks`


def study_page(results: Results) -> Page:
    """Arrange the results of a study as a page."""
    rows = results.rows()
    studies = list(dict.fromkeys(row["study"] for row in rows))
    title = ", ".join(map(printable, studies)) or "Study"
    sections = [_state_section(results, rows)]
    if rows:
        sections += [_result_section(results), _significance_section(results, rows)]
        sections += [_distribution_section(rows), _condition_section(rows, results)]
    sections += _problem_sections(results)
    return overview_page(title, results.state(), sections)


def _state_section(results: Results, rows: Sequence[dict[str, Any]]) -> PageSection:
    def distinct(name: str) -> int:
        return len({row[name] for row in rows})

    numbers = [
        KeyNumber("cells done", results.n_done, "whole", f"of {results.n_cells:,}"),
        KeyNumber(
            "cells failed", len(results.failed), "whole", "see below" if results.failed else ""
        ),
        KeyNumber(
            "cells missing", results.n_missing, "whole", "not run yet" if results.n_missing else ""
        ),
        KeyNumber("data sets", distinct("dataset")),
        KeyNumber("models", distinct("model")),
        KeyNumber("seeds", distinct("seed")),
    ]
    explain = "A cell is one model on one fold of one data set with one seed."
    return PageSection("overview", "Overview", "Overview", [explain], numbers)


def _result_section(results: Results) -> PageSection:
    summary = results.summary()
    options = {
        measure: [_mean_table(measure, summary.table(measure))] for measure in results.measures
    }
    explain = (
        "Means over folds and seeds, with the standard deviation. The best mean of each row is "
        "marked, also if the difference is due to chance: see significance."
    )
    return PageSection("results", "Results", "Results", [explain], (), [choice("Measure", options)])


def _mean_table(measure: str, found: Any) -> Block:
    """Return a table with a row for each data set and a column for each model."""
    names = [" / ".join(map(printable, keys)) for keys, _ in found.rows]
    columns = [text_column("dataset", " / ".join(found.keys).replace("dataset", "data set"), names)]
    for j, model in enumerate(found.models):
        cells = [cells[j] for _, cells in found.rows]
        columns.append(
            number_column(
                f"model-{j}",
                printable(model),
                [cell.value for cell in cells],
                "share",
                best=[cell.is_best for cell in cells],
                beside=[f"± {cell.deviation}" if cell.deviation else "" for cell in cells],
            )
        )
    return table(f"Means of {measure}", columns, len(names))


def _significance_section(results: Results, rows: Sequence[dict[str, Any]]) -> PageSection:
    over = [name for name in ("study", "split") if len({row[name] for row in rows}) > 1]
    options = {
        measure: _significance_blocks(results, measure, ("dataset", *over))
        for measure in results.measures
    }
    blocks = [choice("Measure", options)]
    return PageSection("significance", "Significance", "Do the models differ?", (), (), blocks)


def _significance_blocks(results: Results, measure: str, over: Sequence[str]) -> list[Block]:
    """Test the models over data sets, or over the folds of a single one."""
    try:
        found = paired_values(results, measure=measure, over=over, missing="drop")
    except ValueError as error:
        return [words(f"There is no test: {printable(error, 300)}")]
    if len(found.blocks) > 1:
        return _over_data_sets(compare_ranks(found))
    return _over_folds(results, measure, over)


def _over_data_sets(compared: Any) -> list[Block]:
    """Return average ranks, with the tests that the number of models allows."""
    found, ranks = compared.values, compared.ranks
    left_out = (
        [f"Left out, as a value is missing: {listed(found.dropped, show=printable)}."]
        if found.dropped
        else []
    )
    if ranks.n_all_tied == len(found.blocks):
        return [words("All models tie on every data set: there is nothing to test.", *left_out)]
    if compared.friedman is None:
        first, second = map(printable, found.methods)
        of_ranks = (
            f"Average ranks over {len(found.blocks)} data sets: {first} {ranks.ranks[0]:.2f}, "
            f"{second} {ranks.ranks[1]:.2f}."
        )
        of_tests = (
            f"The sign test has p = {compared.sign.p_value:.4g} and Wilcoxon's test p = "
            f"{compared.wilcoxon.p_value:.4g}; below {_ALPHA:g}, one of the two models is better."
        )
        return [words(of_ranks, of_tests, *left_out)]
    p_value, test = compared.friedman.f_p_value, compared.nemenyi
    answer = (
        "The models differ" if p_value < _ALPHA else "No difference between the models is shown"
    )
    text = (
        f"{answer}: Friedman's test over {len(found.blocks)} data sets has p = {p_value:.4g} (form "
        "of Iman and Davenport). Two models differ by Nemenyi's test if their average ranks differ "
        f"by at least {test.distance:.4g} (level {_ALPHA:g} for all pairs together)."
    )
    return [words(text, *left_out), _diagram(test), _p_table(test)]


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
        "difference. Folds share training samples, so that intervals are too narrow: a study of "
        "several data sets is a better test."
    )
    title = f"Difference from the best model, {printable(best)}, with a 95 % interval over folds"
    return [words(text), table(title, columns, len(others))]


def _distribution_section(rows: Sequence[dict[str, Any]]) -> PageSection:
    options: dict[str, list[Block]] = {}
    for measure in dict.fromkeys(row["measure"] for row in rows):
        mine = [row for row in rows if row["measure"] == measure]
        found = list(dict.fromkeys((row["dataset"], row["split"]) for row in mine))
        several = len({split for _, split in found}) > 1
        charts = [
            _strips(
                measure, place, [r for r in mine if (r["dataset"], r["split"]) == place], several
            )
            for place in found[:_MOST_CHARTS]
        ]
        options[measure] = [{"kind": "charts", "charts": charts}]
    explain = "A point is a fold of a seed, and the line is the mean of the model."
    blocks = [choice("Measure", options)]
    return PageSection("distributions", "Distributions", "Distributions", [explain], (), blocks)


def _strips(
    measure: str, place: tuple[str, str], rows: Sequence[dict[str, Any]], several: bool
) -> Block:
    """Return the chart of the values of one data set, a strip for each model."""
    values = np.array([row["value"] for row in rows], dtype=np.float64)
    low, high = range_of(values)
    room = 0.04 * (high - low)  # so that no point is cut at the edge
    means = summarize(rows, by="model").spreads
    strips = []
    for model in dict.fromkeys(row["model"] for row in rows):
        own = [row["value"] for row in rows if row["model"] == model]
        mean = packed([means[model, measure].mean], np.float64)
        strips.append({"name": printable(model), "values": packed(own, np.float64), "mean": mean})
    title = " / ".join(map(printable, place if several else place[:1]))
    ends = {"name": measure, "from": low - room, "to": high + room}
    return {"kind": "strips", "title": title, "x": ends, "rows": strips, "note": ""}


def _condition_section(rows: Sequence[dict[str, Any]], results: Results) -> PageSection:
    cells = list({tuple(row[name] for name in _CELL): row for row in rows}.values())
    facts = {name: sorted({str(cell[name]) for cell in cells}) for name in _VERSIONS}
    facts |= {
        "data sets": list(dict.fromkeys(cell["dataset"] for cell in cells)),
        "splits": list(dict.fromkeys(cell["split"] for cell in cells)),
        "folds": [str(len({cell["fold"] for cell in cells}))],
        "seeds": [str(seed) for seed in sorted({cell["seed"] for cell in cells})],
    }
    columns = [
        text_column("what", "what", list(facts)),
        text_column(
            "value", "value", [", ".join(map(printable, found)) for found in facts.values()]
        ),
    ]
    blocks = [
        *_parameter_tables(results),
        _cost_table(cells),
        table("Versions and seeds", columns, len(facts)),
    ]
    return PageSection("conditions", "Conditions", "How it was run", (), (), blocks)


def _parameter_tables(results: Results) -> list[Block]:
    """Return the class and the parameters of each model and of each split."""
    found = results.parameters()
    several = len({one["study"] for one in found}) > 1
    tables = []
    for kind, title in (("model", "Models"), ("split", "Splits")):
        rows = [one for one in found if one["kind"] == kind]
        names = [f"{one['study']} / {one['name']}" if several else one["name"] for one in rows]
        columns = [
            text_column("name", kind, names),
            text_column("class", "class", [one["class"] for one in rows]),
            text_column("parameters", "parameters", [one["parameters"] for one in rows]),
        ]
        if rows:
            tables.append(table(title, columns, len(rows)))
    return tables


def _cost_table(cells: Sequence[dict[str, Any]]) -> Block:
    """Return the mean time and memory of a cell, for each data set and model."""
    tidy = [
        {"dataset": cell["dataset"], "model": cell["model"], "measure": key, "value": cell[key]}
        for cell in cells
        for key, _, _ in _COSTS
    ]
    spreads = summarize(tidy, by=("dataset", "model")).spreads
    places = list(dict.fromkeys((dataset, model) for dataset, model, _ in spreads))
    columns = [
        text_column("model", "model", [model for _, model in places]),
        text_column("dataset", "data set", [dataset for dataset, _ in places]),
        number_column("cells", "cells", [spreads[(*p, _COSTS[0][0])].n for p in places], "whole"),
    ]
    for key, head, show in _COSTS:
        means = [spreads[(*place, key)].mean for place in places]
        columns.append(number_column(key, f"{head}, mean", means, show, bar=key == "fit_seconds"))
    return table("Time and memory of a cell", columns, len(places))


def _problem_sections(results: Results) -> list[PageSection]:
    blocks = [_failure_table(results)] if results.failed else []
    if results.warnings:
        columns = [
            text_column("warning", "warning", list(results.warnings)),
            number_column("cells", "cells", list(results.warnings.values()), "whole"),
        ]
        blocks.append(table("Warnings", columns, len(results.warnings), sort="-cells"))
    if not blocks:
        return []
    return [PageSection("problems", "Problems", "What failed, and warnings", (), (), blocks)]


def _failure_table(results: Results) -> Block:
    """Return the failed cells; those of a model and data set with the same error are one row."""
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for cell in results.failed:
        groups.setdefault((cell.model, cell.dataset, cell.reason), []).append(cell)
    shown = list(groups.values())[:_MOST_FAILURES]
    columns = [
        text_column("model", "model", [cells[0].model for cells in shown]),
        text_column("dataset", "data set", [cells[0].dataset for cells in shown]),
        number_column("cells", "cells", [len(cells) for cells in shown], "whole"),
        text_column("first", "first of them", [_place(cells[0]) for cells in shown]),
        long_column("error", "error (open for the traceback)", [c[0].error for c in shown]),
    ]
    more = len(groups) - len(shown)
    note = f"{more:,} more errors are not listed." if more else ""
    return table("Failed cells", columns, len(shown), sort="-cells", note=note)


def _place(cell: Any) -> str:
    return f"{printable(cell.split)}, fold {cell.fold}, seed {cell.seed}"
