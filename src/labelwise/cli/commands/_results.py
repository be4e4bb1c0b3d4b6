"""`labelwise results`: print the results of a store as a table, or export them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from labelwise import experiments
from labelwise._text import check_known, printable
from labelwise.cli import _options as opt
from labelwise.cli._outputs import (
    Outputs,
    check_figure,
    check_safe_csv,
    note,
    say,
    write_figure,
)
from labelwise.cli.running import command, current_settings

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
            help="With --ranks, --latex or --markdown: a measure of which lower values are "
            "better; may be repeated.",
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
    if lower_is_better and not given:
        raise ValueError("--lower-is-better needs --ranks, --latex or --markdown.")
    check_figure(figure, *_FIGURES)
    check_safe_csv(safe_csv, export)
    outputs = Outputs([export, figure], inputs=[store])
    found = experiments.read_results(store, study=study)
    _check_lower(found, lower_is_better or ())
    if shows_ranks:
        measure = _measure_to_rank(found, measure)
        direction = _direction(found, measure, lower_is_better or ())
        compared = experiments.compare_ranks(
            found, measure=measure, higher_is_better=direction, missing="drop"
        )
        counts = {name: number for name, number in found.to_dict().items() if name[:2] == "n_"}
        outputs.show(f"{compared}\n\n{found.state()}", {**compared.to_dict(), **counts})
        if figure is not None:
            from labelwise.reports import CriticalDifferenceDisplay

            test = experiments.nemenyi_test(compared.values)
            display = CriticalDifferenceDisplay.from_test(test)
            write_figure(figure, display.figure_, on_stream=_FIGURES[0])
            outputs.say_written(figure)
    elif latex or markdown:
        # The table alone; how many cells are missing or failed is said on stderr.
        if not found.measures:
            raise ValueError("a table needs a finished cell, but the store has none.")
        summary = found.summary()
        lower = dict.fromkeys(lower_is_better or (), False)
        summary = replace(summary, directions={**summary.directions, **lower})
        outputs.say(summary.to_latex(measure) if latex else summary.to_markdown(measure))
        if found.failed or found.n_missing:
            say(f"labelwise: note: {found.state()}", err=True)
    else:
        outputs.show(found.report(measure), found.to_dict(measure))
    if export is not None:
        found.export(export, safe_csv=safe_csv)
        outputs.say_written(export, f"{len(found):,} rows written to")


def _measure_to_rank(results: experiments.Results, measure: str | None) -> str:
    if measure is None and len(results.measures) != 1:
        known = ", ".join(results.measures) or "none"
        raise ValueError(f"--measure must be given for ranks: one of {known}.")
    return results.measures[0] if measure is None else check_known(measure, results.measures)


def _check_lower(results: experiments.Results, lower: Sequence[str]) -> None:
    """Refuse names of measures that the store lacks, or of which higher values are better."""
    for name in lower:
        check_known(name, results.measures, "--lower-is-better")
        if results.higher_is_better(name):
            raise ValueError(
                f"--lower-is-better must not be {name!r}: the study or the measure says that "
                "higher values are better."
            )


def _direction(results: experiments.Results, measure: str, lower: Sequence[str]) -> bool:
    """Return whether higher values are better: as asked for, as the study says, or assumed."""
    if measure in lower:
        return False
    known_direction = results.higher_is_better(measure)
    if known_direction is None:
        note(f"higher values of {printable(measure)} are taken as better (--lower-is-better).")
        return True
    return known_direction
