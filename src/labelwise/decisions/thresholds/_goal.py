"""What an estimator's thresholds are tuned for, checked before any model is fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelwise.decisions.thresholds._best_thresholds import best_thresholds
from labelwise.decisions.thresholds._request import Options
from labelwise.decisions.thresholds._result import Thresholds
from labelwise.decisions.thresholds.objectives._constraints import check_limits
from labelwise.decisions.thresholds.objectives._cost import CostRule, check_cost
from labelwise.measures import count, macro, micro, with_beta

# Arguments of best_thresholds.
NAMES = (
    "measure",
    "average",
    "beta",
    "shared",
    "shrink",
    "fbr",
    "fbr_rule",
    "min_precision",
    "min_recall",
    "max_decisions",
    "cost",
    "random_state",
)
_LIMITS = ("min_precision", "min_recall", "max_decisions")


@dataclass(frozen=True)
class Goal:
    """Arguments of `best_thresholds` for so many labels."""

    asked: Mapping[str, Any]
    cost: CostRule | None

    def of_labels(self, chosen: np.ndarray) -> Goal:
        """Return the goal of some labels."""
        if self.cost is None:
            return self
        fp, fn = self.cost.false_positive[chosen], self.cost.false_negative[chosen]
        return replace(self, asked={**self.asked, "cost": (fp, fn)}, cost=CostRule(fp, fn))

    def of_part(self, n_samples: int) -> Goal:
        """Return the goal of a part of so many samples: decisions are counted per sample."""
        most = self.asked["max_decisions"]
        if most is None or isinstance(most, float | np.floating):
            return self
        return replace(self, asked={**self.asked, "max_decisions": most / n_samples})

    def tune(
        self, scores: Any, Y: Any, groups: Any = None, names: Sequence[str] | None = None
    ) -> Thresholds:
        """Return the best thresholds."""
        return best_thresholds(scores, Y, label_names=names, groups=groups, **self.asked)

    def nothing_tuned(self) -> Thresholds:
        """Return thresholds of no label."""
        name = getattr(self.asked["measure"], "__name__", repr(self.asked["measure"]))
        nobody = np.zeros(0, dtype=np.int64)
        return Thresholds(
            values=np.zeros(0),
            value=float("nan"),
            measure=name if self.cost is None else "cost",
            average=self.asked["average"],
            support=nobody,
            decided=nobody,
            n_samples=0,
            beta=float(self.asked["beta"]),
            shared=self.asked["shared"],
        )

    def value(self, Y: Any, decided: np.ndarray) -> float:
        """Return the value of decisions; what has none is left out of a mean."""
        average, measure, beta = (self.asked[key] for key in ("average", "measure", "beta"))
        counts = count(Y, decided, by="sample" if average == "sample" else "label")
        if self.cost is not None:
            wrong = self.cost.false_positive * counts.fp + self.cost.false_negative * counts.fn
            return float(wrong.sum())
        if average == "micro":
            return float(micro(measure, counts, beta=beta))
        return float(macro(measure, counts, "skip", beta=beta))


def check_goal(params: Mapping[str, Any], n_samples: int, n_labels: int) -> Goal:
    """Return the goal, refusing all that `best_thresholds` would refuse after the models."""
    asked = {name: params[name] for name in NAMES}
    if isinstance(asked["shrink"], str) and asked["shrink"] == "auto" and not _shrinks(asked):
        asked["shrink"] = 0.0
    precision, recall, most = (asked[name] for name in _LIMITS)
    Options(
        measure=with_beta(asked["measure"], asked["beta"]),
        name="measure",
        limits=check_limits(precision, recall, most, n_samples),
        n_bootstrap=0,
        confidence=0.95,
        **{
            name: asked[name]
            for name in ("average", "beta", "shared", "cost", "fbr", "fbr_rule", "shrink")
        },
    )
    cost = None if asked["cost"] is None else check_cost(asked["cost"], n_labels)
    return Goal(asked, cost)


def of_all_labels(
    tuned: Thresholds, constants: np.ndarray, Y: np.ndarray, names: tuple[str, ...] | None
) -> Thresholds:
    """Return thresholds of the labels that have both classes with those of constants: infinite."""
    values = np.where(constants == 1, -np.inf, np.inf)
    decided = np.where(constants == 1, len(Y), 0)
    values[np.isnan(constants)], decided[np.isnan(constants)] = tuned.values, tuned.decided
    return replace(
        tuned,
        values=values,
        decided=decided,
        support=Y.sum(axis=0),
        n_samples=len(Y),
        label_names=names,
    )


def _shrinks(asked: Mapping[str, Any]) -> bool:
    """Tell whether shrinking goes together with all else that is asked."""
    others = ("fbr", "cost", *_LIMITS)
    is_free = not asked["shared"] and all(asked[name] is None for name in others)
    return is_free and asked["average"] in ("micro", "macro")
