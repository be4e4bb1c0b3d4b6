"""The estimator that --learner, --calibrate and options of tuning stand for in `labelwise fit`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from labelwise import decisions, learners, splitting
from labelwise._counts import average_and_measure
from labelwise._tuning import Request, is_nested, with_amount

# Options of tuning that every learner takes.
OF_ALL_LEARNERS = {"beta"}
_DEFAULT_MEASURE = "micro-f"
# Share of the rows that thresholds with a guarantee are tuned and tested on. A guarantee is for one
# model, which these rows are new to.
_HELD_OUT = 1 / 3


class ChosenLearner(NamedTuple):
    """An estimator to fit, and its decision rule in words."""

    model: Any
    rule: str
    takes_counts: bool = False
    maximizes: str | None = None  # the measure that the rule is for
    is_linear: bool = False  # whether scores are linear in the features
    least_rows: int = 1


def choose_learner(
    name: str,
    maximize: str | None,
    options: dict[str, Any],
    settings: dict[str, Any],
    *,
    calibrate: bool = False,
    is_sparse: bool = False,
) -> ChosenLearner:
    """Return the estimator of a name, deciding for the measure of --maximize.

    None means the measure of the learner's own rule, or micro-f if the rule is for none; "none"
    means the learner's own rule. `options` are further arguments of `best_thresholds` that the user
    has changed. `settings` has random_state, n_jobs, verbose and budget; an estimator gets those
    that it knows. With `calibrate`, the scores become probabilities. `is_sparse` says whether the
    features are: others are scaled for some learners. An option that the learner does not take is
    refused.
    """
    known = {one.name: one for one in learners.LEARNERS if one.is_saved}
    if name not in known:
        raise ValueError(f"--learner must be one of {', '.join(known)}, got {name!r}.")
    learner = known[name]
    chosen = _with_rule(learner, maximize, options, settings, calibrate, is_sparse)
    return chosen._replace(is_linear=learner.is_linear, least_rows=learner.least_rows)


def _with_rule(
    learner: Any,
    maximize: str | None,
    options: dict[str, Any],
    settings: dict[str, Any],
    calibrate: bool,
    is_sparse: bool,
) -> ChosenLearner:
    """Return the estimator of a registered learner, deciding for a measure."""
    model = _new_estimator(learner, is_sparse, settings)
    if calibrate:
        learner, model = _calibrated(learner, model)
    if maximize is None:
        maximize = learner.maximizes or _DEFAULT_MEASURE
    if isinstance(model, learners.BestLearner):
        return _best_of_several(model, maximize, options)
    if maximize in ("none", learner.maximizes):
        return _with_own_rule(learner, model, options)
    average_and_measure(maximize, "--maximize")
    fbr = options.get("fbr")
    # Models of inner folds choose among the same amounts as cross-validation over the scores.
    amount = {"fbr": with_amount(fbr, "auto")} if is_nested(fbr) else {}
    Request(maximize=maximize, **options | amount)  # refuses wrong values
    try:
        model = _deciding_for(model, maximize, options, settings["random_state"])
    except TypeError as error:
        raise ValueError(
            f"--maximize {maximize} needs scores, and {learner.name} gives none."
        ) from error
    if "verbose" in model.get_params(deep=False):
        model.set_params(verbose=settings["verbose"])
    return ChosenLearner(model, _rule_in_words(model, maximize), learner.takes_counts, maximize)


def _deciding_for(
    model: Any, maximize: str, options: dict[str, Any], random_state: int | None
) -> Any:
    """Return an estimator that decides for a measure with the scores of a model.

    A model that tunes its own thresholds gets the measure as a parameter. For the mean F of
    samples, a model with probabilities is wrapped in `IndependentFPlugin`, which has no thresholds
    to tune; every other model is wrapped in `TunedThresholds`. A model without scores raises a
    TypeError.
    """
    own = model.get_params(deep=False)
    if "maximize" in own:
        _refuse(options.keys() - own, type(model).__name__)
        return model.set_params(maximize=maximize, **options)
    has_plug_in = maximize == "sample-f" and hasattr(model, "predict_proba")
    if has_plug_in and options.keys() <= OF_ALL_LEARNERS:
        return learners.IndependentFPlugin(model, **options)
    if not hasattr(model, "predict_proba") and not hasattr(model, "decision_function"):
        raise TypeError(f"model must give scores, and {type(model).__name__} gives none.")
    tuned = decisions.TunedThresholds(
        model, maximize=maximize, **options, random_state=random_state
    )
    if "guarantee" not in options:
        return tuned
    once = splitting.MultilabelStratifiedShuffleSplit(
        1, test_size=_HELD_OUT, random_state=random_state
    )
    return tuned.set_params(cv=once, refit=False)


def _refuse(options: Iterable[str], name: str) -> None:
    """Refuse the first of some options, which a learner does not take."""
    for option in sorted(options):
        raise ValueError(f"--{option.replace('_', '-')} is not for {name}.")


def _best_of_several(model: Any, maximize: str, options: dict[str, Any]) -> ChosenLearner:
    """Return the learner that tries others, and chooses the best for the measure."""
    if maximize == "none":
        raise ValueError("--learner auto needs a measure to compare learners by, got none.")
    average_and_measure(maximize, "--maximize")
    _refuse(options.keys() - OF_ALL_LEARNERS, "--learner auto, which chooses its own thresholds")
    Request(maximize=maximize, **options)  # refuses wrong values
    model.set_params(maximize=maximize, **options)
    return ChosenLearner(model, _rule_in_words(model, maximize), maximizes=maximize)


def _calibrated(learner: Any, model: Any) -> tuple[Any, Any]:
    """Return the learner with calibrated probabilities instead of scores."""
    if learner.maximizes is not None or learner.class_name == "BestLearner":
        raise ValueError(f"--calibrate is not for {learner.name}, which has its own decision rule.")
    return learner._replace(rule="each label at a probability of 0.5"), decisions.CalibratedLabels(
        model, method="sigmoid"
    )


def _rule_in_words(model: Any, maximize: str) -> str:
    is_of_samples = isinstance(model, learners.BestLearner) and maximize == "sample-f"
    if isinstance(model, learners.IndependentFPlugin) or is_of_samples:
        return "the label set of highest expected F of each sample, labels taken as independent"
    if isinstance(model, learners.BagPlugin):
        return f"thresholds tuned for {maximize} on held-out bags"
    if getattr(model, "guarantee", None) is not None:
        return f"thresholds tuned for {maximize} on a third of the rows, which it is not fitted to"
    # With probabilities, the mean F of samples has a better rule than thresholds.
    has_no_proba = maximize == "sample-f" and not hasattr(model, "predict_proba")
    why = " (without probabilities, which --calibrate gives)" if has_no_proba else ""
    return f"thresholds tuned for {maximize}{why}"


def _new_estimator(learner: Any, is_sparse: bool, settings: dict[str, Any]) -> Any:
    """Build a learner, with settings of the machine for its last step if it is a pipeline."""
    model = learner.build(is_sparse, settings["random_state"])
    own = _last_step(model)
    known = own.get_params(deep=False)
    own.set_params(
        **{name: settings[name] for name in ("n_jobs", "verbose", "budget") if name in known}
    )
    return model


def _last_step(model: Any) -> Any:
    """Return the learner of a pipeline, or the model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _with_own_rule(learner: Any, model: Any, options: dict[str, Any]) -> ChosenLearner:
    own = _last_step(model)
    taken = OF_ALL_LEARNERS & own.get_params().keys()
    _refuse(options.keys() - taken, f"the own rule of {learner.name}: --maximize names another one")
    Request(**options)  # refuses wrong values
    own.set_params(**options)
    return ChosenLearner(model, learner.rule, learner.takes_counts, learner.maximizes)
