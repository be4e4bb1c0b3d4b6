"""`labelwise fit`: fit a learner to a data set, and write the model to a file."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from labelwise import _saving
from labelwise.cli._data_source import DataSource
from labelwise.cli._held_out_value import FEWEST_ROWS, held_out_value
from labelwise.cli._model_input import check_features
from labelwise.cli._outputs import Outputs, check_ending, warnings_as_notes
from labelwise.cli._parsing import check_part, part_of
from labelwise.cli._progress import following, shows_status, working
from labelwise.cli.commands._learners import ChosenLearner, choose_learner
from labelwise.cli.running import current_settings
from labelwise.data import Dataset
from labelwise.decisions import TunedThresholds
from labelwise.features import TableFeatures, TextTerms
from labelwise.learners import BagPlugin, BestLearner


class FitOptions(NamedTuple):
    """Options of the command as the user typed them."""

    learner: str | None = None
    maximize: str | None = None
    beta: float = 1.0
    seed: int = 0
    jobs: int | None = None
    part: str | None = None
    verbose: bool = False
    calibrate: bool = False
    time: float = 60.0


def run_fit(source: DataSource, output: Path, options: FitOptions) -> None:
    """Fit a learner to a data set, write the model, and print what was done."""
    # Learners cannot be compared without a measure, nor with probabilities that one of them gives.
    is_single = options.maximize == "none" or options.calibrate
    name, chosen = _chosen_learner(options, "br" if is_single else "auto")
    check_part(options.part)
    check_ending(output, ".skops")
    outputs = Outputs([output], inputs=source.files())
    whole = source.load()
    rows = part_of(whole, options.part or ("all" if whole.train is None else "train"))
    if whole.bags is not None:
        name, chosen = _chosen_learner(options, "bags")
    _check_learnable(whole, rows, chosen.model)
    model = chosen.model
    if rows.frame is not None:
        # The model file has the encoding, so that it takes new tables as they are.
        model = make_pipeline(_encoder(rows, chosen), chosen.model)
    start = perf_counter()
    # With --verbose, the lines of progress are printed instead of shown in the status line.
    shown = (working if options.verbose else following)(f"learning {name}")
    # The status line ends before the notes are printed.
    with warnings_as_notes(), shown:
        value = _value_of_own_rule(model, chosen, rows, options.beta)
        fitted = _fit(model, rows)
    seconds = perf_counter() - start
    _silence(chosen.model)
    _store_names(fitted, rows)
    with working("writing"):
        _saving.save(fitted, output)
    part = "" if rows is whole else f", a part of {len(whole):,}"
    rule = f"learner: {name}, decides {_rule_of(chosen)}; fitted in {seconds:.1f} seconds"
    text = "\n".join([f"{rows!r}{part}", rule, *_held_out_lines(chosen, value)])
    if current_settings().json:
        outputs.show(text, {"learner": name, "seconds": seconds, **_record(rows, chosen, value)})
    else:
        outputs.message(text)
    outputs.say_written(output)


def _fit(model: Any, rows: Dataset) -> Any:
    return model.fit(_samples_of(rows), _label_frame(rows))


def _samples_of(rows: Dataset) -> Any:
    return rows.samples if rows.frame is None else rows.frame


def _value_of_own_rule(
    model: Any, chosen: ChosenLearner, rows: Dataset, beta: float
) -> float | None:
    """Return the value on held-out rows of a rule that is not tuned on them; else None.

    The models of tuned thresholds have such a value themselves.
    """
    is_tuned = isinstance(chosen.model, BagPlugin | BestLearner | TunedThresholds)
    if is_tuned or chosen.maximizes is None or len(rows) < FEWEST_ROWS:
        return None
    return held_out_value(
        lambda part: _fit(clone(model), part), _samples_of, rows, chosen.maximizes, beta
    )


def _encoder(rows: Dataset, chosen: ChosenLearner) -> TableFeatures:
    """Return the encoder of a table: terms as counts for learners of counts, else tf-idf."""
    if chosen.takes_counts:
        return TableFeatures(text=rows.texts, text_transformer=TextTerms(), scale_numbers=False)
    return TableFeatures(text=rows.texts)


def _chosen_learner(options: FitOptions, default: str) -> tuple[str, ChosenLearner]:
    """Return the name of the learner, or the default name, and its estimator."""
    settings = {
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "verbose": int(options.verbose or shows_status()),
        "budget": options.time,
    }
    name = options.learner or default
    return name, choose_learner(
        name, options.maximize, options.beta, settings, calibrate=options.calibrate
    )


def _store_names(fitted: Any, rows: Dataset) -> None:
    """Store the lists of names, by which `labelwise predict` matches columns."""
    fitted.feature_names_ = np.array(rows.feature_names, dtype=np.str_)
    fitted.label_names_ = tuple(rows.label_names)
    fitted.id_names_ = tuple(rows.ids)


def _silence(model: Any) -> None:
    """Reset `verbose` in a learner and those inside it: a model file prints no progress."""
    if hasattr(model, "verbose"):
        model.set_params(verbose=0)
    parts = [getattr(model, name, None) for name in ("estimator", "estimator_")]
    for part in (*parts, *getattr(model, "estimators_", ())):
        if part is not None:
            _silence(part)


def _check_learnable(whole: Dataset, rows: Dataset, model: Any) -> None:
    if rows.Y is None:
        raise ValueError(f"The labels of {whole.name!r} are unknown: a model learns from labels.")
    if 0 in rows.Y.shape:
        raise ValueError(f"{whole.name!r} must have a row and a label, got {rows.Y.shape}.")
    check_features(whole, rows.X, model)


def _label_frame(data: Dataset) -> Any:
    """Return the labels as a table, because learners take label names from its columns."""
    import pyarrow as pa

    # Labels of type float have NaN where they are missing.
    kind = np.float64 if data.Y.dtype.kind == "f" else np.int8
    columns = {
        name: data.Y[:, [j]].toarray().ravel().astype(kind)
        for j, name in enumerate(data.label_names)
    }
    return pa.table(columns)


def _record(rows: Dataset, chosen: ChosenLearner, value: float | None) -> dict[str, Any]:
    """Return what was fitted, for --json."""
    fitted = chosen.model
    is_tuned = isinstance(fitted, BestLearner | TunedThresholds)
    board = fitted.leaderboard_ if isinstance(fitted, BestLearner) else None
    left_out = [] if board is None else board.left_out
    return {
        "rows": len(rows),
        "labels": len(rows.label_names),
        "decides": _rule_of(chosen),
        "measure": chosen.maximizes,
        "value": fitted.value_ if is_tuned else value,
        "corrected_value": fitted.corrected_value_ if is_tuned else value,
        "candidates": [] if board is None else board.rows(),
        "left_out": [{"candidate": name, "reason": reason} for name, reason in left_out],
    }


def _rule_of(chosen: ChosenLearner) -> str:
    return f"at {chosen.rule}" if chosen.rule.startswith("thresholds") else chosen.rule


def _held_out_lines(chosen: ChosenLearner, value: float | None) -> list[str]:
    """Say which value the decisions reach on held-out rows, or why there is none."""
    fitted = chosen.model
    if isinstance(fitted, BagPlugin):
        return [f"{chosen.maximizes} is {fitted.thresholds_.value:.4f} on held-out bags"]
    if value is not None:
        return [f"{chosen.maximizes} is {value:.4f} on held-out rows"]
    if not isinstance(fitted, BestLearner | TunedThresholds):
        lack = "no measure was named" if chosen.maximizes is None else "there are too few rows"
        return [f"no value on held-out rows: {lack}"]
    table = [str(fitted.leaderboard_)] if isinstance(fitted, BestLearner) else []
    line = f"{chosen.maximizes} is {fitted.value_:.4f} on held-out rows"
    if np.isnan(fitted.corrected_value_):
        return [*table, f"{line}, on which the thresholds were tuned"]
    corrected = f"{fitted.corrected_value_:.4f}"
    return [*table, f"{line}, and {corrected} if no row is decided by thresholds tuned on it"]
