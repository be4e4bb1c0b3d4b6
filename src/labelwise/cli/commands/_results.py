"""`labelwise results`: print the results of a store as a table, or export them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from labelwise._io import ending_of, written_whole
from labelwise._text import as_text, did_you_mean, printable
from labelwise.cli._outputs import Outputs, check_ending, check_safe_csv, note, say
from labelwise.cli.running import current_settings
from labelwise.experiments import (
    PairedValues,
    Results,
    Spread,
    average_ranks,
    friedman_test,
    nemenyi_test,
    paired_values,
    read_results,
    sign_test,
    wilcoxon_test,
)

_SHOWN_FAILURES = 5
# Longest printed warning or error.
_LONGEST = 500
_FIGURES = (".svg", ".png", ".pdf")


class ResultsOptions(NamedTuple):
    """What to print: means as text or as a table for a paper, or ranks and their figure."""

    measure: str | None = None
    latex: bool = False
    markdown: bool = False
    ranks: bool = False
    figure: Path | None = None
    lower_is_better: tuple[str, ...] = ()


def show_results(
    store: Path,
    study: str | None,
    options: ResultsOptions,
    export: Path | None,
    *,
    safe_csv: bool = False,
) -> None:
    """Print mean and deviation by data set and model; write all rows if a file is named."""
    _check_options(options)
    check_safe_csv(safe_csv, export)
    outputs = Outputs([export, options.figure], inputs=[store])
    results = read_results(store, study=study)
    if options.ranks or options.figure is not None:
        _show_ranks(results, options, outputs)
    elif options.latex or options.markdown:
        _print_paper_table(results, options, outputs)
    else:
        text = results_in_words(results, options.measure)
        outputs.show(text, results_record(results, options.measure))
    if export is not None:
        results.export(export, safe_csv=safe_csv)
        outputs.say_written(export, f"{len(results):,} rows written to")


def _check_options(options: ResultsOptions) -> None:
    shows_ranks = options.ranks or options.figure is not None
    named = {"--latex": options.latex, "--markdown": options.markdown, "--ranks": shows_ranks}
    given = [name for name, wanted in named.items() if wanted]
    given += ["--json"] if current_settings().json and given and not shows_ranks else []
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} cannot be given together.")
    check_ending(options.figure, *_FIGURES)


def _show_ranks(results: Results, options: ResultsOptions, outputs: Outputs) -> None:
    """Print ranks and tests of the models, and write the critical-difference diagram."""
    if options.measure is None and len(results.measures) != 1:
        known = ", ".join(results.measures) or "none"
        raise ValueError(f"--measure must be given for ranks: one of {known}.")
    _check_measure(results, options.measure)
    measure = options.measure or results.measures[0]
    direction = _direction(results, measure, options.lower_is_better)
    table = paired_values(results, measure=measure, higher_is_better=direction, missing="drop")
    record = {**_ranks_record(table), **_cell_counts(results)}
    outputs.show(f"{ranks_in_words(table)}\n\n{results.state()}", record)
    if options.figure is not None:
        from labelwise.reports import CriticalDifferenceDisplay

        display = CriticalDifferenceDisplay.from_test(nemenyi_test(table))
        with written_whole(options.figure) as stream:
            kind = ending_of(options.figure, _FIGURES[0])[1:]
            display.figure_.savefig(stream, format=kind, bbox_inches="tight")
        outputs.say_written(options.figure)


def _direction(results: Results, measure: str, lower: Sequence[str]) -> bool:
    """Return whether higher values are better: as asked for, as the study says, or assumed."""
    for name in lower:
        if name not in results.measures:
            known = ", ".join(results.measures)
            meant = did_you_mean(name, results.measures)
            raise ValueError(f"--lower-is-better must be one of {known}, got {name!r}{meant}")
    known_direction = results.higher_is_better(measure)
    if measure in lower:
        if known_direction:
            raise ValueError(
                f"--lower-is-better must not be {measure!r}: the study or the measure says that "
                "higher values are better."
            )
        return False
    if known_direction is None:
        note(f"higher values of {printable(measure)} are taken as better (--lower-is-better).")
        return True
    return known_direction


def _ranks_record(table: PairedValues) -> dict[str, Any]:
    """Return average ranks and the p values of the tests that their number allows, for --json."""
    ranks = average_ranks(table)
    n_sets, n_models = table.values.shape
    p_values: dict[str, float] = {}
    if n_sets >= 2 and ranks.n_all_tied < n_sets:
        if n_models == 2:
            tests = {"sign": sign_test(table), "wilcoxon": wilcoxon_test(table)}
            p_values = {name: test.p_value for name, test in tests.items()}
        else:
            friedman = friedman_test(table)
            p_values = {"friedman": friedman.p_value, "iman-davenport": friedman.f_p_value}
    return {
        "measure": table.measure,
        "higher_is_better": table.higher_is_better,
        "n_datasets": n_sets,
        "ranks": dict(zip(ranks.methods, ranks.ranks.tolist(), strict=True)),
        "p_values": p_values,
    }


def ranks_in_words(table: PairedValues) -> str:
    """Return the average ranks, and the tests that their number allows, each explained."""
    n_sets, n_models = table.values.shape
    better = "higher" if table.higher_is_better else "lower"
    parts = [
        f"Ranks by {printable(table.measure)} ({better} is better): on each data set the best "
        "model has rank 1.",
        repr(average_ranks(table)),
    ]
    if n_sets < 2:
        return "\n\n".join([*parts, "A test needs at least 2 data sets."])
    parts += _two_models(table) if n_models == 2 else _several_models(table)
    return "\n\n".join(parts)


def _two_models(table: PairedValues) -> list[str]:
    return [
        "Is one of the two models better? A small p value (below 0.05) says yes. The sign test "
        "counts the data sets,\nWilcoxon's test also weighs them by the size of the difference.",
        f"{sign_test(table)!r}\n{wilcoxon_test(table)!r}",
    ]


def _several_models(table: PairedValues) -> list[str]:
    """Return Friedman's and Nemenyi's tests in words."""
    if average_ranks(table).n_all_tied == len(table.blocks):
        return ["All models tie on every data set, so that there is nothing to test."]
    friedman, nemenyi = friedman_test(table), nemenyi_test(table)
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


def _print_paper_table(results: Results, options: ResultsOptions, outputs: Outputs) -> None:
    """Print the table alone; how many cells are missing or failed is said on stderr."""
    if not results.measures:
        raise ValueError("a table needs a finished cell, but the store has none.")
    summary = results.summary()
    outputs.say(
        summary.to_latex(options.measure) if options.latex else summary.to_markdown(options.measure)
    )
    if results.failed or results.n_missing:
        say(f"labelwise: note: {results.state()}", err=True)


def results_in_words(results: Results, measure: str | None = None) -> str:
    """Return a table of means and deviations, then warnings and failed and missing cells."""
    _check_measure(results, measure)
    chosen = results.measures if measure is None else (measure,)
    parts = [_table(results, chosen), *_undefined(results, chosen)] if results.measures else []
    parts.append("\n".join([results.state(), *_warnings(results)]))
    parts += _failures(results)
    return "\n\n".join(parts)


def results_record(results: Results, measure: str | None = None) -> dict[str, Any]:
    """Return means and deviations, warnings and failed cells, for --json."""
    summary = results.summary() if results.measures else None
    groups = {} if summary is None else summary.spreads
    keys = () if summary is None else summary.by
    return {
        "means": [
            {**dict(zip(keys, group, strict=True)), **found._asdict()}
            for group, found in groups.items()
            if measure in (None, group[-1])
        ],
        **_cell_counts(results),
        "warnings": results.warnings,
        "failed": [cell._asdict() for cell in results.failed],
    }


def _cell_counts(results: Results) -> dict[str, int]:
    n_failed = len(results.failed)
    cells = {"n_cells": results.n_cells, "n_done": results.n_done}
    return {**cells, "n_failed": n_failed, "n_missing": results.n_missing}


def _check_measure(results: Results, measure: str | None) -> None:
    if measure is not None and measure not in results.measures:
        known = ", ".join(results.measures) or "none"
        meant = did_you_mean(measure, results.measures)
        raise ValueError(f"measure must be one of {known}, got {measure!r}{meant}")


def _table(results: Results, measures: tuple[str, ...]) -> str:
    """Return a row for each data set, model and split, and a column for each measure."""
    summary = results.summary()
    places = list(dict.fromkeys(group[:-1] for group in summary.spreads))
    # A column with one value everywhere is left out.
    shown = [j for j in range(len(summary.by) - 1) if len({place[j] for place in places}) > 1]
    shown = shown or [0]
    rows = [
        [
            " / ".join(place[j] for j in shown),
            *(_spread(summary.spreads.get((*place, measure))) for measure in measures),
        ]
        for place in places
    ]
    heading = [" / ".join(summary.by[j] for j in shown), *measures]
    return as_text([heading, *rows])


def _spread(found: Spread | None) -> str:
    if found is None:
        return "-"
    if found.n_undefined:
        return "undefined"
    return f"{found.mean:.4f}" if found.n == 1 else f"{found.mean:.4f} ± {found.deviation:.4f}"


def _undefined(results: Results, measures: tuple[str, ...]) -> list[str]:
    """Explain means that are undefined, with the number of undefined values of each measure."""
    found = [
        (measure, [one for group, one in results.summary().spreads.items() if group[-1] == measure])
        for measure in measures
    ]
    counts = [
        f"{measure} ({sum(one.n_undefined for one in of_measure):,} of "
        f"{sum(one.n for one in of_measure):,} values)"
        for measure, of_measure in found
        if any(one.n_undefined for one in of_measure)
    ]
    if not counts:
        return []
    return [
        "undefined: in a fold, a label or a sample has no value, such as precision without "
        f'decisions or recall without positives: {", ".join(counts)}; undefined = "skip" in the '
        "study file leaves these labels and samples out"
    ]


def _warnings(results: Results) -> list[str]:
    return [f"in {n:,} cells: {printable(text, _LONGEST)}" for text, n in results.warnings.items()]


def _failures(results: Results) -> list[str]:
    """Return the failed cells, each with the last line of its error."""
    failed = results.failed
    lines = [
        f"failed: {printable(c.dataset)} / {printable(c.model)} / {printable(c.split)}, "
        f"fold {c.fold}, seed {c.seed}: "
        f"{printable((c.error.strip().splitlines() or ['?'])[-1], _LONGEST)}"
        for c in failed[:_SHOWN_FAILURES]
    ]
    if len(failed) > _SHOWN_FAILURES:
        lines.append(f"and {len(failed) - _SHOWN_FAILURES:,} more failed")
    return ["\n".join(lines)] if lines else []
