"""MIML-perf (2017): labels of bags from models of instances, with tuned thresholds.

The part of the paper that describes this method has no table: only what it says of the time of
tuning can be compared, in `studies.miml2017.tuning`. There are ten holdouts of a third of the
bags. MIML sets are split by stratification. Digit bags are generated ten times and use the split
that comes with them, since other splits would put the same images into training and test bags.

Two models of instances for `BagPlugin` (logistic regression, its default, and extra trees), the
same two for bag means and bag maxima, three folds and at most six rounds.
These and the penalty of the regressions were chosen by looking at one other split of each set. The
row "chosen" is `BagPlugin` with a list of the two: in each run it takes the one with the higher
tuned value on the training bags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import studies
from labelwise.data import Dataset, load, make_digit_bags
from labelwise.decisions import TunedThresholds
from labelwise.experiments import Study
from labelwise.learners import BagPlugin, BagSummary, BinaryRelevance, IndependentFPlugin
from labelwise.measures import count, f_measure, macro, micro
from labelwise.splitting import MultilabelStratifiedShuffleSplit
from studies.comparison import Cell, Provenance, Table
from studies.miml2017.tuning import table_tuning
from studies.stores import results_of

N_RUNS = 10
DIGITS = "digit bags"
CHOSEN = "BagPlugin, chosen"
SECOND = "second model chosen"
Values = dict[tuple[str, str, str], np.ndarray]  # data set, model, measure -> value of each run


def trees() -> Any:
    """Return a model of all labels that is not a line."""
    return ExtraTreesClassifier(40, min_samples_leaf=4, random_state=0)


def regressions() -> Any:
    """Return the default model of instances of `BagPlugin`, which a list of models must name."""
    return make_pipeline(StandardScaler(with_mean=False), BinaryRelevance(penalty=0.01))


def bag_models() -> dict[str, Any]:
    """Return what learns from instances, whole and with a part left out."""
    own = partial(BagPlugin, maximize="macro-f", shrink=0.0, cv=3, n_iter=6)
    return {
        CHOSEN: own([regressions(), trees()]),
        "BagPlugin, logistic": own(),
        "without resampling": own(n_iter=1),
        "tuned on training bags": own(cv=None),
        "for micro F": own(maximize="micro-f"),
        "for micro F, one threshold": own(maximize="micro-f", shared=True),
    }


def plain_models() -> dict[str, Any]:
    """Return what learns from bags as rows."""
    found = {}
    for part in ("mean", "max"):
        rows = BagSummary(part)
        found[f"BR on bag {part}"] = make_pipeline(rows, BinaryRelevance())
        found[f"LFP on bag {part}"] = make_pipeline(rows, IndependentFPlugin())
        found[f"LFP on bag {part}, trees"] = make_pipeline(rows, IndependentFPlugin(trees()))
        for name, model in {"BR": BinaryRelevance(), "trees": trees()}.items():
            tuned = TunedThresholds(model, maximize="macro-f", cv=3, random_state=0)
            found[f"tuned {name} on bag {part}"] = make_pipeline(rows, tuned)
    return found


def bag_values(outcome: Any) -> dict[str, float]:
    """Return what one run gives: F, and of a bag learner also the value it was tuned to."""
    counts = count(outcome.truth, outcome.decided)
    values = {"macro F": macro(f_measure, counts), "micro F": micro(f_measure, counts)}
    model = outcome.model
    if isinstance(model, BagPlugin):
        plain = count(outcome.truth, outcome.scores >= 0.5)
        values["macro F at 0.5"] = macro(f_measure, plain)
        values["tuned"] = model.thresholds_.value
        values[SECOND] = model.chosen_
        if "digits" in outcome.data.ids:
            values["instances right"] = instances_right(model, outcome.test)
    return {name: float(value) for name, value in values.items()}


def instances_right(model: BagPlugin, data: Dataset) -> float:
    """Return the share of instances whose highest label is their digit."""
    truth = [int(digit) for text in data.ids["digits"] for digit in text.split()]
    return float((model.predict_instances(data).scores.argmax(axis=1) == truth).mean())


def values_of_runs(name: str, n_runs: int) -> tuple[Values, list[dict[str, Any]]]:
    """Return the values of all models on a data set, run by run, and the rows of the store."""
    sources: Mapping[str, Any] = {name: partial(load, name, data_home=studies.HOME)}
    splits: Mapping[str, Any] = {
        "holdout": MultilabelStratifiedShuffleSplit(n_runs, test_size=1 / 3, random_state=1)
    }
    if name == DIGITS:
        sources = {
            f"{name} {run}": partial(make_digit_bags, random_state=1 + run) for run in range(n_runs)
        }
        splits = {"holdout": "train-test"}
    study = Study(
        sources,
        bag_models() | plain_models(),
        splits,
        {"value": bag_values},
        name=f"{name}, {n_runs} runs",
    )
    rows = results_of(study, studies.STORES / "miml2017.sqlite").rows()
    found: dict[tuple[str, str, str], list[float]] = {}
    for row in sorted(rows, key=lambda row: (row["dataset"], row["fold"])):
        measure = row["measure"].removeprefix("value/")
        found.setdefault((name, row["model"], measure), []).append(row["value"])
    return {key: np.array(values) for key, values in found.items()}, rows


def standard_error(values: np.ndarray) -> float:
    """Return the standard error of a mean; 0 for a single value."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else 0.0


def claims(found: Values, names: tuple[str, ...]) -> list[str]:
    """Return each expectation with whether the measurements confirm it."""
    said = [_claim(found, name, tuned) for tuned in (False, True) for name in names]
    chosen = np.concatenate([found[name, CHOSEN, SECOND] for name in names])
    said.append(
        f"`{CHOSEN}` took the trees, and not the default model of instances, in "
        f"{chosen.sum():.0f} of {chosen.size} runs."
    )
    if DIGITS in names:
        right = found[DIGITS, "BagPlugin, logistic", "instances right"]
        said.append(
            "On held-out digit bags the highest label of an instance is its digit for more than "
            f"0.9 of the instances: {right.mean():.3f}, {right.min():.3f} in the worst run. "
            f"{_verdict(bool(right.min() > 0.9))}"
        )
    return said


def _claim(found: Values, name: str, tuned: bool) -> str:
    """Compare our macro F on a set with the best rival, of those that tune thresholds or not."""
    rivals = {
        model: found[name, model, "macro F"]
        for model in plain_models()
        if model.startswith("tuned") is tuned
    }
    best = max(rivals, key=lambda model: rivals[model].mean())
    ours, theirs = found[name, CHOSEN, "macro F"], rivals[best]
    held = ours.mean() >= theirs.mean() - standard_error(theirs)
    default = found[name, "BagPlugin, logistic", "macro F"].mean()
    beside = "thresholds tuned on summaries" if tuned else "BR and LFP on summaries"
    return (
        f"On {name} the macro F of `BagPlugin` is the best or within one standard error of it, "
        f"beside {beside}: {ours.mean():.3f} ± {standard_error(ours):.3f} beside "
        f"{theirs.mean():.3f} ± {standard_error(theirs):.3f} ({best}); {default:.3f} with the "
        f"default model of instances alone. {_verdict(held)}"
    )


def effects(found: Values, names: tuple[str, ...]) -> list[str]:
    """Return what each part is worth: the macro F that is lost where it is left out."""
    whole = {name: found[name, "BagPlugin, logistic", "macro F"] for name in names}
    parts = {
        "tuning (0.5 for all labels)": ("BagPlugin, logistic", "macro F at 0.5"),
        "resampling (the first round stays)": ("without resampling", "macro F"),
        "held-out tuning (on training bags)": ("tuned on training bags", "macro F"),
    }
    said = []
    for words, (model, measure) in parts.items():
        losses = {name: whole[name] - found[name, model, measure] for name in names}
        numbers = ", ".join(
            f"{name} {loss.mean():+.3f} ± {standard_error(loss):.3f}"
            for name, loss in losses.items()
        )
        said.append(f"Macro F that {words} is worth: {numbers}.")
    return said


def optimism(found: Values, names: tuple[str, ...]) -> list[str]:
    """Return how far the value that was tuned is above macro F on new bags."""
    said = []
    for words, model in {
        "held-out bags": "BagPlugin, logistic",
        "training bags": "tuned on training bags",
    }.items():
        gaps = {name: found[name, model, "tuned"] - found[name, model, "macro F"] for name in names}
        numbers = ", ".join(f"{name} {gap.mean():+.3f}" for name, gap in gaps.items())
        said.append(f"Tuned value on {words}, above macro F on new ones: {numbers}.")
    return said


def _verdict(held: bool) -> str:
    return "**Confirmed.**" if held else "**Not confirmed.**"


def table_f(*, quick: bool = False, repetitions: int | None = None) -> Table:
    """Return macro and micro F of all models on all sets, and what they show."""
    n_runs = repetitions or (2 if quick else N_RUNS)
    names = QUICK if quick else SETS
    found: Values = {}
    rows: list[dict[str, Any]] = []
    for name in names:
        values, own = values_of_runs(name, n_runs)
        found |= values
        rows += own
    shown = ("macro F", "micro F", "macro F at 0.5", "instances right")
    cells = [
        Cell((name, model, measure), "", float(values.mean()), aim="shown")
        for (name, model, measure), values in found.items()
        if measure in shown
    ]
    said = claims(found, names) + effects(found, names) + optimism(found, names)
    words = f"Means of {n_runs} holdouts of a third of the bags.\n\n" + "\n".join(
        f"- {sentence}" for sentence in said
    )
    made = Provenance.of_rows(rows)
    return Table("miml2017", "holdouts", "F on held-out bags", words, KEYS, cells, made=made)


KEYS = ("dataset", "model", "measure")
SETS = (DIGITS, "miml-image", "miml-text", "miml-birds")
QUICK = (DIGITS,)
TABLES: dict[str, Callable[..., Table]] = {"holdouts": table_f, "tuning": table_tuning}
