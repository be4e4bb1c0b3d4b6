"""Blends: the mean log-odds of the best few candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labelwise._estimators import HeldOutScores
from labelwise.learners.selection._decision_rules import (
    OwnDecisions,
    dense_problem,
    rules_of_scores,
)
from labelwise.learners.selection._trials import Arena, Trial, best_of, judged

MOST_MEMBERS = 5


def best_blend(trials: Sequence[Trial], arena: Arena) -> Trial | None:
    """Return the blend of the highest corrected value; None if there are no two to blend.

    The candidates are added in the order of their values, up to five. Their scores are turned into
    log-odds by one sigmoid for each label, because scores of different learners have different
    scales.

    Parameters
    ----------
    trials : sequence of Trial
        Trials on the samples of the arena.
    arena : Arena
        What they were judged by.

    Returns
    -------
    Trial or None
        A blend of two to five candidates.
    """
    scored = [trial for trial in trials if not isinstance(trial.rule, OwnDecisions)]
    ranked = sorted(scored, key=lambda trial: -trial.judgement.compared)[:MOST_MEMBERS]
    total = np.zeros(0)
    best: Trial | None = None
    for n_members, trial in enumerate(ranked, start=1):
        log_odds = _log_odds(trial)
        total = log_odds if n_members == 1 else total + log_odds
        if n_members == 1:
            continue
        members = ranked[:n_members]
        blend = judged(
            tuple(one.name for one in members),
            sum(one.cost for one in members),
            rules_of_scores(arena.request),
            _in_rows(total / n_members, arena),
            arena,
        )
        if best is None or blend.judgement.compared > best.judgement.compared:
            best = blend._replace(seconds=sum(one.seconds for one in members))
    return best


def best_with_blend(trials: list[Trial], blend: Trial | None) -> tuple[Trial, list[Trial]]:
    """Return the best trial, or the blend if its value exceeds all others, and all trials."""
    best = trials[best_of(trials)]
    if blend is None:
        return best, trials
    highest = max(trial.judgement.compared for trial in trials)
    return blend if blend.judgement.compared > highest else best, [*trials, blend]


def _log_odds(trial: Trial) -> np.ndarray:
    return trial.sigmoids().log_odds(dense_problem(trial.problem)[0])


def _in_rows(scores: np.ndarray, arena: Arena) -> HeldOutScores:
    """Return blended scores with the sample and the fold of each row."""
    rows = np.concatenate([test for _, test in arena.splits])
    folds = np.repeat(np.arange(len(arena.splits)), [len(test) for _, test in arena.splits])
    has_truth = ~np.isnan(arena.samples.Y[rows][:, np.isnan(arena.constants)]).all(axis=1)
    return HeldOutScores(scores, rows[has_truth], folds[has_truth])
