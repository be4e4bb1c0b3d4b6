"""`labelwise fit`: fit a learner to a data set, and write the model to a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

import labelwise
from labelwise import decisions, features, learners, measures, splitting
from labelwise._tuning import Certify, Request
from labelwise.cli import _options as opt
from labelwise.cli._columns import ColumnsUsed, note_of_blocks, without_columns
from labelwise.cli._inputs import DataSource, check_part, part_of
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    following,
    shows_status,
    warnings_as_notes,
    working,
)
from labelwise.cli.running import command, current_settings

if TYPE_CHECKING:
    import numpy as np

    from labelwise.cli._chosen_learner import ChosenLearner
    from labelwise.data import Dataset
    from labelwise.decisions import Evidence

# On fewer rows, a value says nothing, and learners that tune themselves lack rows for folds.
_FEWEST_ROWS = 10
_N_FOLDS = 5


@command(
    example="labelwise fit train.csv --labels 'topic_*' --maximize micro-f -o model.skops",
    json=True,
    force=True,
    inputs=["data"],
    without=["maximize", "cost"],
)
def fit(
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File for the model; - for stdout.")
    ],
    learner: Annotated[
        str | None,
        typer.Option(
            help="A name that labelwise learners lists; br is quick.  "
            "[default: auto; bags for bags; bag-sums for sentences]"
        ),
    ] = None,
    maximize: Annotated[
        str | None,
        typer.Option(
            help="Measure to decide for: micro-f, macro-f, sample-f, micro-jaccard, ...; none for "
            "the learner's own rule.  [default: micro-f, or the measure of the learner]"
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Turn the scores into probabilities, which expected F needs."
        ),
    ] = False,
    time: Annotated[
        float,
        typer.Option(
            "--time", help="Seconds for trying and fitting learners, with --learner auto."
        ),
    ] = 60.0,
    asked: Annotated[dict[str, Any], Request, Certify],
    split_sentences: Annotated[
        bool,
        typer.Option(
            "--split-sentences",
            help="Take each text as a bag of its sentences: a text has the score of its highest "
            "sentence. For the learners bag-sums (default) and bags.",
        ),
    ] = False,
    groups: opt.Groups = None,
    weights: opt.Weights = None,
    part: Annotated[
        str | None,
        typer.Option(help="Rows to learn from: train, test or all.  [default: train, else all]"),
    ] = None,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print progress.")] = False,
    source: DataSource,
) -> None:
    """Fit a learner to a data set, and write the model to a file."""
    import scipy.sparse

    from labelwise.cli._chosen_learner import OF_ALL_LEARNERS, choose_learner

    given, changed = opt.tuning_arguments(asked)
    options = {name: given[name] for name in changed if name in given}

    def chosen_learner(default: str, is_sparse: bool = False) -> tuple[str, ChosenLearner]:
        settings = {
            "random_state": seed,
            "n_jobs": jobs,
            "verbose": int(verbose or shows_status()),
            "budget": time,
        }
        name = learner or default
        return name, choose_learner(
            name, maximize, options, settings, calibrate=calibrate, is_sparse=is_sparse
        )

    # Learners cannot be compared without a measure, with probabilities that one of them gives, or
    # with thresholds that one of them has.
    is_one = maximize == "none" or calibrate or not options.keys() <= OF_ALL_LEARNERS
    usual = "bag-sums" if split_sentences else "br" if is_one else "auto"
    name, chosen = chosen_learner(usual)
    if split_sentences and not isinstance(chosen.model, learners.BagPlugin):
        raise ValueError(
            f"--split-sentences is for the learners bag-sums and bags, got {name}: labelwise "
            "predict --split-sentences finds the sentences of its labels."
        )
    check_part(part)
    check_ending(output, ".skops")
    outputs = Outputs([output], inputs=source.files())
    whole = source.load(groups=groups, weights=weights)
    rows = part_of(whole, part or ("all" if whole.train is None else "train"))
    rows, of_rows = without_columns(rows, groups=groups, weights=weights)
    if groups is None:
        note_of_blocks(rows)
    # Learners that scale features take sparse ones, such as terms of texts, as they are.
    is_sparse = bool(rows.texts) or scipy.sparse.issparse(rows.X)
    if split_sentences and not rows.texts:
        raise ValueError(f"--split-sentences needs a column of text, and {whole.name!r} has none.")
    name, chosen = chosen_learner("bags" if whole.bags is not None else usual, is_sparse)
    _check_learnable(whole, rows, chosen.model)
    if len(rows) < chosen.least_rows:
        rule = f"--learner {name} must have at least {chosen.least_rows} rows"
        raise ValueError(f"{rule}, got {len(rows)}.")
    model = chosen.model
    if rows.frame is not None:
        # The model file has the encoding, so that it takes new tables as they are.
        model = _on_table(rows, chosen, split_sentences)
    start = perf_counter()
    # With --verbose, the lines of progress are printed instead of shown in the status line.
    shown = (working if verbose else following)(f"learning {name}")
    # The status line ends before the notes are printed.
    with warnings_as_notes(), shown:
        value = _value_of_own_rule(model, chosen, rows, of_rows, given["beta"])
        fitted = _fitted(model, rows, of_rows)
    seconds = perf_counter() - start
    _silence(chosen.model)
    _store_names(fitted, rows, groups, weights, [weights] if source.ids else [groups, weights])
    columns = ColumnsUsed.of(rows, fitted, groups, weights)
    with working("writing"):
        labelwise.save(fitted, output)
    of_whole = "" if rows is whole else f", a part of {len(whole):,}"
    rule = f"learner: {name}, decides {_rule_of(chosen)}; fitted in {seconds:.1f} seconds"
    lines = [f"{rows!r}{of_whole}", columns.in_words(), rule, *_held_out_lines(chosen, value)]
    text = "\n".join(lines)
    if current_settings().json:
        record = {"learner": name, "seconds": seconds, "columns": columns._asdict()}
        outputs.show(text, {**record, **_record(rows, chosen, value)})
    else:
        outputs.message(text)
    outputs.say_written(output)


def _fitted(model: Any, rows: Dataset, of_rows: Mapping[str, np.ndarray]) -> Any:
    from labelwise._estimators import groups_for, weights_for

    weights = weights_for(model, of_rows.get("sample_weight"))
    if "sample_weight" in of_rows and not weights:
        last = model.steps[-1][1] if hasattr(model, "steps") else model
        raise ValueError(f"--weights is not for {type(last).__name__}, which takes none.")
    given = groups_for(model, of_rows.get("groups")) | weights
    return model.fit(_samples_of(rows), _label_frame(rows), **given)


def _samples_of(rows: Dataset) -> Any:
    return rows.samples if rows.frame is None else rows.frame


def _value_of_own_rule(
    model: Any,
    chosen: ChosenLearner,
    rows: Dataset,
    of_rows: Mapping[str, np.ndarray],
    beta: float,
) -> float | None:
    """Return the value on held-out samples of a rule that is not tuned on them; else None.

    Each fold is decided by a model of the others; rows of the same group are in the same fold. The
    models of tuned thresholds have such a value themselves.
    """
    import numpy as np
    from scipy import sparse
    from sklearn.base import clone

    tuned = learners.BagPlugin | learners.BestLearner | decisions.TunedThresholds
    is_tuned = isinstance(chosen.model, tuned)
    if is_tuned or chosen.maximizes is None or len(rows) < _FEWEST_ROWS:
        return None
    tests, decided = [], []
    folds = splitting.MultilabelStratifiedKFold(_N_FOLDS)
    for train, test in folds.split(rows.Y, rows.Y, of_rows.get("groups")):
        of_train = {name: values[train] for name, values in of_rows.items()}
        fitted = _fitted(clone(model), rows.take(train), of_train)
        tests.append(test)
        decided.append(sparse.csr_array(fitted.predict(_samples_of(rows.take(test)))))
    order = np.concatenate(tests)
    weights = of_rows["sample_weight"][order] if "sample_weight" in of_rows else None
    answers = sparse.vstack(decided)
    found = measures.evaluate(rows.Y[order], decided=answers, beta=beta, sample_weight=weights)
    return float(found[chosen.maximizes])


def _on_table(rows: Dataset, chosen: ChosenLearner, split_sentences: bool) -> Any:
    """Return the model of a table: the encoder and the learner, or a race on several encoders.

    Terms of texts are counts for learners of counts, words as they are for linear learners, and
    stems for others, by tf-idf. Of split texts, the encoder takes the sentences and nothing else.
    """
    from sklearn.pipeline import make_pipeline

    encoders = features.text_representations(rows.texts)
    if rows.texts and isinstance(chosen.model, learners.BestLearner):
        return chosen.model.set_params(representations=encoders)
    encoder = encoders["words" if chosen.is_linear else "stems"]
    if chosen.takes_counts:
        encoder.set_params(text_transformer=features.TextTerms(), scale_numbers=False)
    if split_sentences:
        encoder = learners.SentenceBags(encoder.text_transformer, text=rows.texts)
    return make_pipeline(encoder, chosen.model)


def _store_names(
    fitted: Any,
    rows: Dataset,
    groups: str | None,
    weights: str | None,
    not_ids: list[str | None],
) -> None:
    """Store names, by which `labelwise predict` and `labelwise report` match columns."""
    import numpy as np

    from labelwise.cli._model_input import digest_of

    fitted.feature_names_ = np.array(rows.feature_names, dtype=np.str_)
    fitted.label_names_ = tuple(rows.label_names)
    # New rows are not identified by their groups.
    fitted.id_names_ = tuple(name for name in rows.ids if name not in not_ids)
    if groups is not None:
        fitted.group_name_ = groups
    if weights is not None:
        fitted.weight_name_ = weights
    # By them, `labelwise report` recognises rows that the model knows.
    fitted.training_labels_ = digest_of(rows.Y)


def _silence(model: Any) -> None:
    """Reset `verbose` in a learner and those inside it: a model file prints no progress."""
    if "verbose" in model.get_params(deep=False):
        # A pipeline takes a bool, and learners take a number.
        model.set_params(verbose=type(model.verbose)(0))
    parts = [getattr(model, name, None) for name in ("estimator", "estimator_")]
    steps = [step for _, step in getattr(model, "steps", ())]
    for part in (*parts, *steps, *getattr(model, "estimators_", ())):
        if part is not None:
            _silence(part)


def _check_learnable(whole: Dataset, rows: Dataset, model: Any) -> None:
    from labelwise.cli._model_input import check_features

    if rows.Y is None:
        raise ValueError(f"The labels of {whole.name!r} are unknown: a model learns from labels.")
    if 0 in rows.Y.shape:
        raise ValueError(f"{whole.name!r} must have a row and a label, got {rows.Y.shape}.")
    check_features(whole, rows.X, model)


def _label_frame(data: Dataset) -> Any:
    """Return the labels as a table, because learners take label names from its columns."""
    import numpy as np
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
    is_tuned = isinstance(fitted, learners.BestLearner | decisions.TunedThresholds)
    board = fitted.leaderboard_ if isinstance(fitted, learners.BestLearner) else None
    left_out = [] if board is None else board.left_out
    known = _evidence(fitted)
    return {
        "rows": len(rows),
        "labels": len(rows.label_names),
        "decides": _rule_of(chosen),
        "measure": chosen.maximizes,
        "value": fitted.value_ if is_tuned else value,
        "corrected_value": fitted.corrected_value_ if is_tuned else value,
        "candidates": [] if board is None else board.rows(),
        "left_out": [{"candidate": name, "reason": reason} for name, reason in left_out],
        "notes": [] if board is None else list(board.notes),
        "constraints": [] if known is None else [one._asdict() for one in known.constraints],
        "guarantee": None if known is None or not known.guarantee else asdict(known.guarantee),
    }


def _evidence(fitted: Any) -> Evidence | None:
    """Return what is known about the thresholds of a model; None if it has none."""
    tuned = getattr(fitted, "thresholds_", None)
    return None if tuned is None else tuned.evidence


def _rule_of(chosen: ChosenLearner) -> str:
    return f"at {chosen.rule}" if chosen.rule.startswith("thresholds") else chosen.rule


def _held_out_lines(chosen: ChosenLearner, value: float | None) -> list[str]:
    """Say which value the decisions reach on held-out samples, or why there is none."""
    fitted = chosen.model
    if isinstance(fitted, learners.BagPlugin):
        return [f"{chosen.maximizes} is {fitted.thresholds_.value:.4f} on held-out bags"]
    if value is not None:
        return [f"{chosen.maximizes} is {value:.4f} on held-out samples"]
    if not isinstance(fitted, learners.BestLearner | decisions.TunedThresholds):
        lack = "no measure was named" if chosen.maximizes is None else "there are too few samples"
        return [f"no value on held-out samples: {lack}"]
    table = [str(fitted.leaderboard_)] if isinstance(fitted, learners.BestLearner) else []
    line = f"{chosen.maximizes} is {fitted.value_:.4f} on held-out samples"
    known = _evidence(fitted)
    if known is not None and known.guarantee is not None:
        corrected = f"and {fitted.corrected_value_:.4f} on those of calibration"
        return [f"{line}, {corrected}", *known.guarantee.lines(fitted.label_names_)]
    if math.isnan(fitted.corrected_value_):
        return [*table, f"{line}, on which the thresholds were tuned"]
    corrected = f"{fitted.corrected_value_:.4f}"
    return [*table, f"{line}, and {corrected} if no sample is decided by thresholds tuned on it"]
