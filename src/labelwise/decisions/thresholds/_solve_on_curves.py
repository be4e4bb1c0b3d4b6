"""Solve a request on the cuts of labels alone, for scores that are not in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from labelwise.decisions.thresholds._request import Request
from labelwise.decisions.thresholds._result import Thresholds
from labelwise.decisions.thresholds._solve import thresholds_of
from labelwise.decisions.thresholds._tune import constraint_checks
from labelwise.decisions.thresholds.curves._cuts import Cuts
from labelwise.decisions.thresholds.curves._hit_gaps import joined_labels
from labelwise.decisions.thresholds.objectives._choice import Choice, Objective, mean_choice
from labelwise.decisions.thresholds.objectives._macro import MacroRule
from labelwise.decisions.thresholds.objectives._micro import MicroRule
from labelwise.decisions.thresholds.objectives._off_frontier import OffFrontier
from labelwise.measures import Counts


class LabelCurves(Protocol):
    """Curves of labels that are computed from blocks of rows."""

    names: tuple[str, ...] | None
    n_samples: int
    weights: None
    everyone: np.ndarray

    @property
    def support(self) -> np.ndarray:
        """Number of positives of each label."""

    def label_cuts(self) -> Iterator[Cuts]:
        """Yield the cuts at positives, one label at a time."""

    def every_cut(self) -> Iterator[Cuts]:
        """Yield the cuts at every distinct score, one label at a time."""

    def hull_cuts(self) -> Cuts:
        """Return the cuts of all labels that the micro frontier depends on."""

    def counts(self, thresholds: np.ndarray) -> Counts:
        """Return the counts of each label at one threshold per label."""


def check_for_curves(request: Request) -> None:
    """Refuse options that need the rows of all scores together."""
    needs_rows = {
        "shared=True": request.shared,
        "shrink": request.shrink != 0,
        "fbr": request.fbr is not None,
        "guarantee": request.certify is not None,
        'average="sample"': request.average == "sample",
        "max_decisions per row": request.max_rank is not None,
    }
    for option, is_given in needs_rows.items():
        if is_given:
            raise ValueError(
                f"{option} needs all scores in memory: use labelwise.decisions.best_thresholds."
            )


def solve_on_curves(curves: LabelCurves, request: Request) -> Thresholds:
    """Find the thresholds of a checked request; they equal those of `solve` on all scores.

    What constraints reach on samples that were not tuned on is not estimated.
    """
    check_for_curves(request)
    by_label = request.costs is not None or request.average == "macro"
    chosen = _best_by_label(curves, request) if by_label else _best_micro(curves, request)
    found = thresholds_of(chosen, request, curves)
    if not request.limits.are_set:
        return found
    return replace(found, constraints=constraint_checks(curves, request, found, None))


def _best_micro(curves: LabelCurves, request: Request) -> Choice:
    """Find the highest micro average, on the frontier or by a search off it."""
    limits = request.limits.in_total(curves.n_samples)
    if not limits.are_set:
        chosen = MicroRule(request.measure)(curves.hull_cuts())
        if chosen.gap is not None:
            return chosen
    searched: Any = curves
    search = OffFrontier(
        searched, joined_labels(list(curves.label_cuts())), request.measure, limits
    )
    return search.best() if limits.are_set or search.can_prove else chosen


def _best_by_label(curves: LabelCurves, request: Request) -> Choice:
    """Find the best cut of each label by itself, one label at a time."""
    costs = request.costs
    rule = MacroRule(request.measure, request.limits.in_total(curves.n_samples))
    everywhere = costs is None and rule.needs_every_cut
    found = []
    for j, cuts in enumerate(curves.every_cut() if everywhere else curves.label_cuts()):
        one: Objective = rule if costs is None else costs.of_labels(np.array([j]))
        found.append(one(cuts))
    together = mean_choice(found)
    if costs is None:
        return together
    return together._replace(value=float(np.sum([choice.value for choice in found])))
