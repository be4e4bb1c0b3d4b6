"""`labelwise results`: print the results of a store as a table, or export them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from labelwise import experiments, measures
from labelwise._text import as_text, printable
from labelwise.cli import _options as opt
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_safe_csv,
    note,
    say,
    write_figure,
)
from labelwise.cli.running import command, current_settings

_SHOWN_FAILURES = 5
# Longest printed warning or error.
_LONGEST = 500
_FIGURES = (".svg", ".png", ".pdf")


@command(example="labelwise results study.sqlite --measure micro-f --ranks", json=True, force=True)
def results(
    store: Annotated[Path, typer.Argument(help="File that labelwise compare wrote.")],
    study: Annotated[str | None, typer.Option(help="Show only this study.")] = None,
    measure: Annotated[str | None, typer.Option(help="Show only this measure.")] = None,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print a table for a paper in LaTeX (package booktabs).")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print a table for a paper in Markdown.")
    ] = False,
    ranks: Annotated[
        bool,
        typer.Option("--ranks", help="Print average ranks of the models and tests, for a measure."),
    ] = False,
    figure: Annotated[
        Path | None,
        typer.Option(
            help="File for the critical-difference diagram of the ranks: svg, png or pdf."
        ),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            "--lower-is-better",
            metavar="NAME",
            help="With --ranks: a measure of which lower values are better; may be repeated.",
        ),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="File for all rows: csv or parquet; - for csv.")
    ] = None,
    safe_csv: opt.SafeCsv = False,
) -> None:
    """Show the results of a study.

    These are means and standard deviations, and failed and missing cells.
    """
    shows_ranks = ranks or figure is not None
    named = {"--latex": latex, "--markdown": markdown, "--ranks": shows_ranks}
    given = [name for name, wanted in named.items() if wanted]
    given += ["--json"] if current_settings().json and given and not shows_ranks else []
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} cannot be given together.")
    check_ending(figure, *_FIGURES)
    check_safe_csv(safe_csv, export)
    outputs = Outputs([export, figure], inputs=[store])
    found = experiments.read_results(store, study=study)
    if shows_ranks:
        table = _table_to_rank(found, measure, lower_is_better or ())
        record = {**_ranks_record(table), **_cell_counts(found)}
        outputs.show(f"{ranks_in_words(table)}\n\n{found.state()}", record)
        if figure is not None:
            from labelwise.reports import CriticalDifferenceDisplay

            display = CriticalDifferenceDisplay.from_test(experiments.nemenyi_test(table))
            write_figure(figure, display.figure_, on_stream=_FIGURES[0])
            outputs.say_written(figure)
    elif latex or markdown:
        # The table alone; how many cells are missing or failed is said on stderr.
        if not found.measures:
            raise ValueError("a table needs a finished cell, but the store has none.")
        summary = found.summary()
        outputs.say(summary.to_latex(measure) if latex else summary.to_markdown(measure))
        if found.failed or found.n_missing:
            say(f"labelwise: note: {found.state()}", err=True)
    else:
        outputs.show(results_in_words(found, measure), results_record(found, measure))
    if export is not None:
        found.export(export, safe_csv=safe_csv)
        outputs.say_written(export, f"{len(found):,} rows written to")


def _table_to_rank(
    results: experiments.Results, measure: str | None, lower: Sequence[str]
) -> experiments.PairedValues:
    """Return the values of a measure for each data set and model."""
    if measure is None and len(results.measures) != 1:
        known = ", ".join(results.measures) or "none"
        raise ValueError(f"--measure must be given for ranks: one of {known}.")
    _check_measure(results, measure)
    measure = measure or results.measures[0]
    direction = _direction(results, measure, lower)
    return experiments.paired_values(
        results, measure=measure, higher_is_better=direction, missing="drop"
    )


def _direction(results: experiments.Results, measure: str, lower: Sequence[str]) -> bool:
    """Return whether higher values are better: as asked for, as the study says, or assumed."""
    for name in lower:
        if name not in results.measures:
            known = ", ".join(results.measures)
            meant = measures.did_you_mean(name, results.measures)
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


def _ranks_record(table: experiments.PairedValues) -> dict[str, Any]:
    """Return average ranks and the p values of the tests that their number allows, for --json."""
    ranks = experiments.average_ranks(table)
    n_sets, n_models = table.values.shape
    p_values: dict[str, float] = {}
    if n_sets >= 2 and ranks.n_all_tied < n_sets:
        if n_models == 2:
            tests = {
                "sign": experiments.sign_test(table),
                "wilcoxon": experiments.wilcoxon_test(table),
            }
            p_values = {name: test.p_value for name, test in tests.items()}
        else:
            friedman = experiments.friedman_test(table)
            p_values = {"friedman": friedman.p_value, "iman-davenport": friedman.f_p_value}
    return {
        "measure": table.measure,
        "higher_is_better": table.higher_is_better,
        "n_datasets": n_sets,
        "ranks": dict(zip(ranks.methods, ranks.ranks.tolist(), strict=True)),
        "p_values": p_values,
    }


def ranks_in_words(table: experiments.PairedValues) -> str:
    """Return the average ranks, and the tests that their number allows, each explained."""
    n_sets, n_models = table.values.shape
    better = "higher" if table.higher_is_better else "lower"
    parts = [
        f"Ranks by {printable(table.measure)} ({better} is better): on each data set the best "
        "model has rank 1.",
        repr(experiments.average_ranks(table)),
    ]
    if n_sets < 2:
        return "\n\n".join([*parts, "A test needs at least 2 data sets."])
    parts += _two_models(table) if n_models == 2 else _several_models(table)
    return "\n\n".join(parts)


def _two_models(table: experiments.PairedValues) -> list[str]:
    return [
        "Is one of the two models better? A small p value (below 0.05) says yes. The sign test "
        "counts the data sets,\nWilcoxon's test also weighs them by the size of the difference.",
        f"{experiments.sign_test(table)!r}\n{experiments.wilcoxon_test(table)!r}",
    ]


def _several_models(table: experiments.PairedValues) -> list[str]:
    """Return Friedman's and Nemenyi's tests in words."""
    if experiments.average_ranks(table).n_all_tied == len(table.blocks):
        return ["All models tie on every data set, so that there is nothing to test."]
    friedman, nemenyi = experiments.friedman_test(table), experiments.nemenyi_test(table)
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


def results_in_words(results: experiments.Results, measure: str | None = None) -> str:
    """Return a table of means and deviations, then warnings and failed and missing cells."""
    _check_measure(results, measure)
    chosen = results.measures if measure is None else (measure,)
    parts = [_table(results, chosen), *_undefined(results, chosen)] if results.measures else []
    parts.append("\n".join([results.state(), *_warnings(results)]))
    parts += _failures(results)
    return "\n\n".join(parts)


def results_record(results: experiments.Results, measure: str | None = None) -> dict[str, Any]:
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


def _cell_counts(results: experiments.Results) -> dict[str, int]:
    n_failed = len(results.failed)
    cells = {"n_cells": results.n_cells, "n_done": results.n_done}
    return {**cells, "n_failed": n_failed, "n_missing": results.n_missing}


def _check_measure(results: experiments.Results, measure: str | None) -> None:
    if measure is not None and measure not in results.measures:
        known = ", ".join(results.measures) or "none"
        meant = measures.did_you_mean(measure, results.measures)
        raise ValueError(f"measure must be one of {known}, got {measure!r}{meant}")


def _table(results: experiments.Results, measures: tuple[str, ...]) -> str:
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


def _spread(found: experiments.Spread | None) -> str:
    if found is None:
        return "-"
    if found.n_undefined:
        return "undefined"
    return f"{found.mean:.4f}" if found.n == 1 else f"{found.mean:.4f} ± {found.deviation:.4f}"


def _undefined(results: experiments.Results, measures: tuple[str, ...]) -> list[str]:
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


def _warnings(results: experiments.Results) -> list[str]:
    return [f"in {n:,} cells: {printable(text, _LONGEST)}" for text, n in results.warnings.items()]


def _failures(results: experiments.Results) -> list[str]:
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
