"""Blends of candidates by their mean log-odds."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from labelwise.learners import BinaryRelevance, ExactFPlugin
from labelwise.learners.selection import _trials
from labelwise.learners.selection._candidates import Candidate
from labelwise.learners.selection._costs import judging
from labelwise.learners.selection._rules import RULES, dense_problem
from labelwise.learners.selection._trials import best_blend, run_trial
from tests.learners.selection.arenas import arena_of


def trials_in(arena, depths=(1, 2, 3)):
    trees = {f"depth {depth}": DecisionTreeClassifier(max_depth=depth) for depth in depths}
    models = trees | {"linear": LogisticRegression()}
    return [
        run_trial(Candidate(name, BinaryRelevance(one), 1.0, float), arena)
        for name, one in models.items()
    ]


@pytest.mark.parametrize("maximize", ["micro-f", "sample-f"])
def test_the_best_blend_is_that_of_a_loop_over_the_best_few(maximize):
    arena = arena_of(80, maximize)
    trials = trials_in(arena)
    found = best_blend(trials, arena)
    ranked = sorted(trials, key=lambda trial: -trial.judgement.compared)
    values, means = {}, {}
    for n_members in range(2, 5):
        parts = []
        for trial in ranked[:n_members]:
            scores, _ = dense_problem(trial.problem)
            slopes, intercepts = trial.sigmoids()
            parts.append(scores * slopes + intercepts)
        names = tuple(trial.name for trial in ranked[:n_members])
        means[names] = np.mean(parts, axis=0)
        folds = np.repeat([0, 1], [len(test) for _, test in arena.splits])
        problem = trials[0].problem.__class__(
            means[names], trials[0].problem.Y, trials[0].problem.names
        )
        rules = ["thresholds"] if maximize == "micro-f" else ["expected-f", "label-sets"]
        judgements = [RULES[rule].judge(problem, folds, arena.request, 0) for rule in rules]
        values[names] = max(judgement.compared for judgement in judgements)
    assert found.judgement.compared == pytest.approx(max(values.values()))
    assert values[found.names] == pytest.approx(max(values.values()))
    np.testing.assert_allclose(found.problem.scores, means[found.names])


def test_one_candidate_or_plug_ins_that_decide_themselves_are_not_blended():
    arena = arena_of(60)
    assert best_blend(trials_in(arena, ())[:1], arena) is None
    arena = arena_of(60, "sample-f")
    plugin = run_trial(Candidate("plug-in", ExactFPlugin(penalty=0.1), 1.0, float), arena)
    assert best_blend([plugin, *trials_in(arena, ())], arena) is None


@pytest.mark.parametrize(("members", "most"), [(1.9, 0), (2.0, 2), (3.5, 3), (9.0, 4)])
def test_blends_that_the_time_does_not_suffice_for_are_not_judged(members, most, monkeypatch):
    arena = arena_of(60)
    trials = trials_in(arena)
    sizes = []

    def judged(names, *rest):
        sizes.append(len(names))
        return _judged(names, *rest)

    _judged = _trials.judged
    monkeypatch.setattr(_trials, "judged", judged)
    found = best_blend(trials, arena, members * judging(60, 3))
    assert sizes == list(range(2, most + 1))
    assert (found is None) == (most == 0)
