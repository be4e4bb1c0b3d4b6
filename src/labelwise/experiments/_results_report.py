"""The report of results: a table of means, undefined values, warnings and failed cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labelwise._text import as_text, printable
from labelwise.experiments.running._cells import FailedCell
from labelwise.experiments.statistics._summary import Spread, Summary

_SHOWN_FAILURES, _SHOWN_WARNINGS = 5, 10
_LONGEST = 500  # characters of a warning or an error


def table_of_means(summary: Summary, measures: Sequence[str]) -> str:
    """Return a row for each data set, model and split, and a column for each measure."""
    places = list(dict.fromkeys(group[:-1] for group in summary.spreads))
    # A column with one value everywhere is left out.
    shown = [j for j in range(len(summary.by) - 1) if len({place[j] for place in places}) > 1]
    shown = shown or [0]
    rows = [
        [
            " / ".join(place[j] for j in shown),
            *(_spread_text(summary.spreads.get((*place, measure))) for measure in measures),
        ]
        for place in places
    ]
    heading = [" / ".join(summary.by[j] for j in shown), *measures]
    return as_text([heading, *rows])


def _spread_text(found: Spread | None) -> str:
    if found is None:
        return "-"
    if found.n_undefined:
        return "undefined"
    return f"{found.mean:.4f}" if found.n == 1 else f"{found.mean:.4f} ± {found.deviation:.4f}"


def undefined_note(summary: Summary, measures: Sequence[str]) -> list[str]:
    """Explain means that are undefined, with the number of undefined values of each measure."""
    counts = []
    for measure in measures:
        found = [one for group, one in summary.spreads.items() if group[-1] == measure]
        n_undefined, n = sum(one.n_undefined for one in found), sum(one.n for one in found)
        if n_undefined:
            counts.append(f"{measure} ({n_undefined:,} of {n:,} values)")
    if not counts:
        return []
    return [
        "undefined: in a fold, no label or sample has a value, or one has none and the study says "
        'undefined = "nan"; precision has none without decisions, recall without positives: '
        f"{', '.join(counts)}"
    ]


def warning_lines(warnings: Mapping[str, int]) -> list[str]:
    """Return lines of the most frequent warnings, with the number of cells that have each."""
    most = sorted(warnings.items(), key=lambda one: -one[1])[:_SHOWN_WARNINGS]
    lines = [f"in {n:,} cells: {printable(text, _LONGEST)}" for text, n in most]
    n_more = len(warnings) - len(most)
    return [*lines, f"and {n_more:,} more warnings"] if n_more else lines


def failure_note(failed: Sequence[FailedCell]) -> list[str]:
    """Return the failed cells, each with the last line of its error."""
    lines = [
        f"failed: {printable(c.dataset)} / {printable(c.model)} / {printable(c.split)}, "
        f"fold {c.fold}, seed {c.seed}: "
        f"{printable(c.reason, _LONGEST)}"
        for c in failed[:_SHOWN_FAILURES]
    ]
    if len(failed) > _SHOWN_FAILURES:
        lines.append(f"and {len(failed) - _SHOWN_FAILURES:,} more failed")
    return ["\n".join(lines)] if lines else []
