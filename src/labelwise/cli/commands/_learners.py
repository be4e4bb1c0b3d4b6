"""`labelwise learners`: what can learn, by short names; and what decides for a measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from labelwise import learners
from labelwise.cli._outputs import say
from labelwise.decisions import TunedThresholds
from labelwise.measures import average_and_measure, f_measure


class Learner(NamedTuple):
    """A learner of the command line."""

    name: str
    made_of: str  # the class, of labelwise.learners
    line: str  # what it is
    rule: str  # how it decides by itself
    maximizes: str | None = None  # what it decides for by itself
    estimator: Callable[[], Any] | None = None


_HALF = "each label at a probability of 0.5"
LEARNERS = (
    Learner("br", "BinaryRelevance", "binary relevance: a logistic regression a label", _HALF),
    Learner(
        "br-forest",
        "BinaryRelevance",
        "binary relevance: a random forest a label",
        _HALF,
        estimator=RandomForestClassifier,
    ),
    Learner(
        "br-knn",
        "BinaryRelevance",
        "binary relevance: the 10 nearest neighbours",
        _HALF,
        estimator=lambda: KNeighborsClassifier(10, algorithm="brute"),
    ),
    Learner(
        "br-svm",
        "BinaryRelevance",
        "binary relevance: a linear support vector machine a label",
        "each label at a score of 0",
        estimator=LinearSVC,
    ),
    Learner(
        "lfp",
        "IndependentFPlugin",
        "highest expected F of each row, labels taken as independent",
        "the label set of highest expected F, row by row",
        "sample-f",
    ),
    Learner(
        "efp",
        "ExactFPlugin",
        "highest expected F of each row, by regressions of label and label count",
        "the label set of highest expected F, row by row",
        "sample-f",
    ),
    Learner(
        "clr",
        "CalibratedLabelRanking",
        "calibrated label ranking: votes of a forest for each pair of labels",
        "the labels with more votes than the virtual one",
    ),
    Learner(
        "okapi",
        "OkapiNeighbors",
        "the 100 nearest documents by Okapi weights, for counts of terms",
        "the labels with half of the neighbours' weight",
    ),
    Learner(
        "bags",
        "BagPlugin",
        "bags of rows: logistic regressions of rows, a bag decided by its highest score",
        "thresholds tuned for macro-f on held-out bags",
        "macro-f",
    ),
    Learner(
        "rml",
        "ReverseMultilabel",
        "structured support vector machine, trained on the F of each row",
        "each label at a score of 0, learned for the F of rows",
        "sample-f",
    ),
    Learner(
        "sml",
        "SubmodularMultilabel",
        "the same with gains for pairs of labels, decided by minimum cuts",
        "the label set of highest score, learned for the F of rows",
        "sample-f",
    ),
)


class Plan(NamedTuple):
    """What is fitted, and how it decides, in words."""

    model: Any
    rule: str


def show_learners() -> None:
    """Print a line for each learner."""
    width = max(len(one.name) for one in LEARNERS)
    for one in LEARNERS:
        say(f"{one.name:<{width}}  {one.line}")


def plan(name: str, maximize: str | None, beta: float, settings: dict[str, Any]) -> Plan:
    """Return the learner of a name, deciding for the measure that was asked for.

    `settings` are seed, n_jobs and verbose, and go wherever they are taken.
    """
    by_name = {one.name: one for one in LEARNERS}
    if name not in by_name:
        raise ValueError(f"--learner must be one of {', '.join(by_name)}, got {name!r}.")
    chosen = by_name[name]
    model = _made(chosen, settings)
    if maximize is None or maximize == chosen.maximizes:
        return _by_itself(chosen, model, beta)
    average, measure = average_and_measure(maximize, "--maximize")
    if "measure" in model.get_params(deep=False):
        model.set_params(measure=measure, average=average, beta=beta)
        return Plan(model, f"thresholds tuned for {maximize} on held-out bags")
    if average == "sample" and measure is f_measure and _gives(model, "proba"):
        rule = "the label set of highest expected F, row by row, labels taken as independent"
        return Plan(learners.IndependentFPlugin(model, beta=beta), rule)
    if not _gives(model, "proba") and not _gives(model, "scores"):
        raise ValueError(f"--maximize {maximize} needs scores, and {name} gives none.")
    tuned = TunedThresholds(
        model, measure=measure, average=average, beta=beta, random_state=settings["random_state"]
    )
    return Plan(tuned, f"thresholds tuned for {maximize}")


def _made(chosen: Learner, settings: dict[str, Any]) -> Any:
    kind = getattr(learners, chosen.made_of)
    model = kind() if chosen.estimator is None else kind(chosen.estimator())
    known = model.get_params()
    given = {key: value for key, value in settings.items() if key in known}
    seeds = [key for key in known if key.endswith("__random_state")]
    return model.set_params(**given, **dict.fromkeys(seeds, settings["random_state"]))


def _by_itself(chosen: Learner, model: Any, beta: float) -> Plan:
    if "beta" in model.get_params():
        model.set_params(beta=beta)
    elif beta != 1:
        raise ValueError(f"--beta {beta:g} is not for {chosen.name} without --maximize.")
    return Plan(model, chosen.rule)


def _gives(model: Any, what: str) -> bool:
    return hasattr(model, {"proba": "predict_proba", "scores": "decision_function"}[what])
