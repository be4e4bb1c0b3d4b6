"""The page of a monitor: its promises with the evidence against them, and its updates."""

from __future__ import annotations

import numpy as np

from labelwise._text import counted, listed
from labelwise.deployment import Monitor
from labelwise.reports.overviews._blocks import (
    MOST_ROWS,
    KeyNumber,
    PageSection,
    axis,
    choice,
    number_column,
    overview_page,
    table,
    text_column,
)
from labelwise.reports.page import Page

_EXPLAIN = (
    "Evidence against a promise is the logarithm of the gain of bets against it. If all promises "
    "are kept, the probability that it never raises an alarm, however long they are watched, is at "
    "least the level."
)
# Promises whose updates can be chosen; of more, those with the most evidence are shown.
_MOST_CHOICES = 50


def monitor_page(monitor: Monitor) -> Page:
    """Arrange the evidence of a monitor as a page."""
    n_updates = len(monitor.batches)
    if not n_updates:
        raise ValueError("results must have an update to show, got a monitor without one.")
    names = [one.text(monitor.thresholds.label_names) for one in monitor.promises]
    evidence, values = monitor.evidence, monitor.values
    order = np.argsort(-evidence[-1], kind="stable")[:MOST_ROWS]
    changed = monitor.changed_at
    numbers = [
        KeyNumber("alarm", "yes" if monitor.alarm else "no", "text", f"level {monitor.level:g}"),
        KeyNumber("changed at", changed or "-", "text", "estimated"),
        KeyNumber("most evidence", evidence[-1].max(), "number", "against a promise"),
        KeyNumber("alarm from", monitor.threshold, "number", "evidence"),
    ]
    at = [monitor.batches[monitor.alarms[k]] if monitor.alarms[k] >= 0 else "-" for k in order]
    promises = table(
        "Promises, the most doubtful first",
        [
            text_column("promise", "promise", [names[k] for k in order]),
            text_column("from", "from", [monitor.promises[k].source for k in order]),
            number_column("value", "last value", values[-1][order]),
            number_column("evidence", "evidence", evidence[-1][order]),
            text_column("alarm", "alarm at", at),
        ],
        order.size,
    )
    last = slice(max(0, n_updates - MOST_ROWS), n_updates)
    updates = {
        names[k]: [
            {
                "kind": "curve",
                "title": "Evidence after each update",
                "x": axis("update", np.arange(1, n_updates + 1)[last], whole=True),
                "y": axis("evidence", evidence[last, k], also=monitor.threshold),
                "line": monitor.threshold,
                "note": f"An alarm is raised at {monitor.threshold:.3g}, the line across.",
            },
            table(
                "Updates",
                [
                    text_column("name", "update", monitor.batches[last]),
                    number_column("samples", "samples", monitor.n_samples[last], "whole"),
                    number_column("value", "value", values[last, k]),
                    number_column("evidence", "evidence", evidence[last, k], bar=True),
                ],
                len(monitor.batches[last]),
            ),
        ]
        for k in order[:_MOST_CHOICES]
    }
    sections = [
        PageSection("promises", "Promises", "Promises", [_EXPLAIN], numbers, [promises]),
        PageSection("updates", "Updates", "Updates", (), (), [choice("promise", updates)]),
    ]
    total = counted(sum(monitor.n_samples), "sample")
    summary = f"{_verdict(monitor, names)} {counted(n_updates, 'update')} with {total}."
    return overview_page("Monitor", summary, sections)


def _verdict(monitor: Monitor, names: list[str]) -> str:
    """Return one sentence: which promises are broken, and since when."""
    broken = [name for name, at in zip(names, monitor.alarms, strict=True) if at >= 0]
    if not broken:
        return "No alarm: no promise is shown to be broken."
    return (
        f"Alarm: {listed(broken, 3, show=str)}: broken, probably since update {monitor.changed_at}."
    )
