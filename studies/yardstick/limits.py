"""How far the best thresholds could bring single learners on tmc2007-500.

On this set `BestLearner` is far below the best of 28 methods, random forests for each label and
stacked binary relevance. The same kinds of learners are fitted here to the split of the study, and
their thresholds are chosen on the test rows. No honest choice of thresholds has a higher value.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import studies
from labelwise.data import load
from labelwise.decisions import best_thresholds
from labelwise.experiments import CellOutcome, Study
from labelwise.learners import BinaryRelevance, LabelForest
from labelwise.splitting import MultilabelStratifiedShuffleSplit
from studies.comparison import Cell, Provenance, Table
from studies.stores import results_of

STORE = studies.STORES / "yardstick.sqlite"
NAME = "tmc2007-500"
MEASURES = ("micro-f", "macro-f")
# The published methods of the same kind, in the same order.
PUBLISHED = {"br": "BR", "br-forest": "RFDTBR"}


def models(n_trees: int = 100) -> dict[str, Any]:
    """Return logistic regressions, and random forests for each label."""
    forest = RandomForestClassifier(n_trees)
    return {"br": BinaryRelevance(), "br-forest": LabelForest(forest, joint=False)}


def highest_values(outcome: CellOutcome) -> Mapping[str, float]:
    """Return the values of the thresholds that are best on the test rows."""
    scores = np.asarray(outcome.scores)
    return {
        measure: best_thresholds(scores, outcome.truth, maximize=measure).value
        for measure in MEASURES
    }


def limits(published: Mapping[tuple[str, str], Mapping[str, float]], store: Any = STORE) -> Table:
    """Return the highest values beside those that were published for learners of the same kind."""
    study = Study(
        {NAME: partial(load, NAME, data_home=studies.HOME)},
        models(),
        {"60/40": MultilabelStratifiedShuffleSplit(1, train_size=0.6, method="iterative")},
        {"values": highest_values},
        seeds=[0],
        name=f"{NAME}, thresholds of the test rows",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = results_of(study, store).rows()
    return limits_table(rows, published)


def limits_table(
    rows: list[dict[str, Any]], published: Mapping[tuple[str, str], Mapping[str, float]]
) -> Table:
    """Return the table of stored rows."""
    cells = []
    for row in rows:
        measure = row["measure"].removeprefix("values/")
        printed = published[NAME, measure][PUBLISHED[row["model"]]]
        where = (NAME, row["model"], measure)
        cells.append(Cell(where, f"{printed:.3f}", float(row["value"]), aim="shown"))
    words = (
        "Logistic regressions and forests of 100 trees for each label, with thresholds that are "
        "chosen on the test rows, so that no honest choice has a higher value; beside the values "
        "published for binary relevance with support vector machines (BR) and for random forests "
        "for each label (RFDTBR)."
    )
    keys = ("dataset", "learner", "measure")
    title = "highest values with thresholds of the test rows"
    made = Provenance.of_rows(rows)
    return Table("yardstick", "limits", title, words, keys, cells, made=made)
