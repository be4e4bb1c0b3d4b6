"""Figure of the evidence against promises over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelwise._text import figure_text
from labelwise._validation import check_instance
from labelwise.deployment import Monitor
from labelwise.reports.displays._display import Display


class MonitorDisplay(Display):
    """Evidence against each promise after each update, and the line of an alarm.

    Parameters
    ----------
    evidence : array of shape (n_updates, n_promises)
        Logarithm of the evidence after each update.
    alarm_from : float
        Evidence from which on there is an alarm.
    batches : sequence of str
        Names of the updates.
    promises : sequence of str
        The promises in words.
    changed_at : str, default=None
        Update at which the change is estimated to have begun; it is marked.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Axes and figure of the last call of `plot`.
    lines_ : list of matplotlib artists
        The line of each promise.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelwise.reports import MonitorDisplay
    >>> display = MonitorDisplay([[-1.0], [4.0]], 3.0, ["May", "June"], ["micro-f"])
    >>> display.plot().figure_.savefig(getfixture("tmp_path") / "evidence.png")
    """

    def __init__(
        self,
        evidence: Any,
        alarm_from: float,
        batches: Sequence[str],
        promises: Sequence[str],
        *,
        changed_at: str | None = None,
    ) -> None:
        self.evidence = np.asarray(evidence, dtype=np.float64)
        self.alarm_from = float(alarm_from)
        self.batches = list(batches)
        self.promises = list(promises)
        self.changed_at = changed_at

    @classmethod
    def from_monitor(
        cls, monitor: Monitor, *, max_promises: int = 8, ax: Any = None
    ) -> MonitorDisplay:
        """Draw the evidence of a monitor.

        Parameters
        ----------
        monitor : Monitor
            A monitor with at least one update.
        max_promises : int, default=8
            Most promises to draw: those with the most evidence against them.
        ax : matplotlib Axes, default=None
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        MonitorDisplay
            The display.
        """
        check_instance(monitor, Monitor, "monitor")
        if not monitor.batches:
            raise ValueError("monitor must have an update to draw, got none.")
        evidence = monitor.evidence
        order = np.argsort(-evidence.max(axis=0), kind="stable")[:max_promises]
        names = [monitor.promises[k].text(monitor.thresholds.label_names) for k in order]
        display = cls(
            evidence[:, order],
            monitor.threshold,
            monitor.batches,
            names,
            changed_at=monitor.changed_at,
        )
        return display.plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        """Draw the lines."""
        places = np.arange(len(self.batches))
        self.lines_ = [
            ax.plot(places, column, marker=".", label=figure_text(name))[0]
            for column, name in zip(self.evidence.T, self.promises, strict=True)
        ]
        ax.axhline(self.alarm_from, color="black", linestyle="--", linewidth=1, label="alarm")
        if self.changed_at is not None:
            ax.axvline(
                self.batches.index(self.changed_at),
                color="gray",
                linestyle=":",
                label=f"estimated change: {figure_text(self.changed_at)}",
            )
        shown = places[:: max(1, len(places) // 8)]
        ax.set_xticks(shown, [figure_text(self.batches[i]) for i in shown], rotation=30, ha="right")
        ax.set(ylabel="evidence against the promise (log)")
        ax.legend()
