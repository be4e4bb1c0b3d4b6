"""`labelwise results`: print the results of a store as a table, or export them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from labelwise._text import as_text, printable
from labelwise.cli._outputs import Outputs, check_safe_csv, say
from labelwise.experiments import Results, Spread, read_results

_SHOWN_FAILURES = 5
# Longest printed warning or error.
_LONGEST = 500


class ResultsOptions(NamedTuple):
    """What to print: the means of one measure or of all, as text or as a table for a paper."""

    measure: str | None = None
    latex: bool = False
    markdown: bool = False


def show_results(
    store: Path,
    study: str | None,
    options: ResultsOptions,
    export: Path | None,
    *,
    safe_csv: bool = False,
) -> None:
    """Print mean and deviation by data set and model; write all rows if a file is named."""
    if options.latex and options.markdown:
        raise ValueError("--latex and --markdown cannot be given together.")
    check_safe_csv(safe_csv, export)
    outputs = Outputs([export], inputs=[store])
    results = read_results(store, study=study)
    if options.latex or options.markdown:
        _print_paper_table(results, options, outputs)
    else:
        outputs.say(results_in_words(results, options.measure))
    if export is not None:
        results.export(export, safe_csv=safe_csv)
        outputs.say_written(export, f"{len(results):,} rows written to")


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
    if measure is not None and measure not in results.measures:
        known = ", ".join(results.measures) or "none"
        raise ValueError(f"measure must be one of {known}, got {measure!r}.")
    chosen = results.measures if measure is None else (measure,)
    parts = [_table(results, chosen)] if results.measures else []
    parts.append("\n".join([results.state(), *_warnings(results)]))
    parts += _failures(results)
    return "\n\n".join(parts)


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
    return f"{found.mean:.4f}" if found.n == 1 else f"{found.mean:.4f} ± {found.deviation:.4f}"


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
