"""`labelwise predict`: write the labels and scores that a saved model gives a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import labelwise
from labelwise import _io, _matrices, data, decisions, learners
from labelwise.cli import _options as opt
from labelwise.cli._cell_lists import (
    CELL_LISTS,
    queue_columns,
    row_columns,
    terms_of_cells,
    write_cells,
)
from labelwise.cli._inputs import DataSource, check_part, refuse_as_model, refuse_as_rule
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    check_safe_csv,
    decision_summary,
    note,
    warnings_as_notes,
    working,
)
from labelwise.cli.running import command

if TYPE_CHECKING:
    import numpy as np

    from labelwise._validation import NamedMatrix
    from labelwise.cli._model_input import ModelInput


@command(
    example="labelwise predict model.skops new.csv -o labels.csv --scores scores.csv",
    force=True,
    inputs=["data"],
)
def predict(
    model: Annotated[Path, typer.Argument(help="Model file written by labelwise fit.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File for decisions (0 and 1): csv, parquet, jsonl, npy, npz; - for csv.",
        ),
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="File for scores, same formats.")] = None,
    instances: Annotated[
        Path | None,
        typer.Option(
            help="File for the scores of each row of each bag, same formats; with "
            "--split-sentences, here or in fit, a csv or jsonl file with the sentence behind each "
            "decided label."
        ),
    ] = None,
    split_sentences: Annotated[
        bool,
        typer.Option(
            "--split-sentences",
            help="Score each sentence of the texts as a text of its own, for --instances.",
        ),
    ] = False,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="Decisions as wide (0 or 1 for each label), names (one column, joined by '; ') or "
            "json (a list of names in each line).",
        ),
    ] = "wide",
    why: Annotated[
        int | None,
        typer.Option(
            help="Write a row for each decided label, and the terms that favour it most, as "
            "many as given; --output is then a csv or jsonl file. For linear and Okapi models."
        ),
    ] = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            help="Decide by the thresholds of this file, of labelwise tune or of a page of "
            "labelwise report, instead of the model's own rule."
        ),
    ] = None,
    bands: Annotated[
        Path | None, typer.Option(help="File of labelwise tune --review, for --queue.")
    ] = None,
    queue: Annotated[
        Path | None,
        typer.Option(
            help="csv or jsonl file for the cells to review, the most uncertain first: id, texts, "
            "label, score, thresholds, probability, terms (--why), and a column for the answer."
        ),
    ] = None,
    part: opt.Part = None,
    source: DataSource,
    safe_csv: opt.SafeCsv = False,
) -> None:
    """Predict the labels of a data set with a model from a file."""
    from labelwise._estimators import texts_of
    from labelwise.cli._model_input import fitted_label_names, read_input, splits_sentences

    files = (output, scores, instances)
    if not any((*files, queue)):
        raise ValueError("--output, --scores, --instances or --queue must be given, got none.")
    check_part(part)
    refuse_as_model(model)
    _check_cells(why, bands, queue, output, form)
    if why is None:
        _matrices.check_format(form, output)
    if form != "wide" and output is None:
        raise ValueError(f"--format {form} is for --output, which was not given.")
    if split_sentences and instances is None:
        raise ValueError("--split-sentences is for --instances, which was not given.")
    if split_sentences:
        check_ending(instances, *CELL_LISTS)
    for path in filter(None, (scores, None if split_sentences else instances)):
        _matrices.check_matrix_ending(path)
    check_safe_csv(safe_csv, *files, queue)
    if thresholds is not None:
        refuse_as_rule(thresholds)
    beside = [path for path in (bands, thresholds) if path is not None]
    outputs = Outputs([*files, queue], inputs=[model, *beside, *source.files()])
    with working("reading"):
        fitted = labelwise.load(model)
    # A model of sentences names them without being asked to.
    split_sentences |= instances is not None and splits_sentences(fitted)
    if split_sentences:
        check_ending(instances, *CELL_LISTS)
    names = fitted_label_names(model, fitted)
    _matrices.check_label_names(form, names)
    rule = None if thresholds is None else _thresholds_for(names, thresholds, model)
    given = read_input(fitted, source, names, part)
    if split_sentences and not texts_of(fitted, given.X):
        raise ValueError("--split-sentences needs a model of texts, and this one reads features.")
    is_of_bags = isinstance(given.X, data.Bags) and isinstance(fitted, learners.BagPlugin)
    if instances is not None and not (is_of_bags or split_sentences):
        raise ValueError(
            "--instances needs bags of rows (--bags names the column of a table that has the bag "
            "of each row) and a model of the learner bags, or --split-sentences and a model of "
            "texts."
        )
    with working("predicting"), warnings_as_notes():
        of_rows = (output, scores, None if split_sentences else instances)
        found = _predictions(fitted, given, names, of_rows, model, rule)
        if split_sentences and instances is not None:
            cells = _sentence_cells(fitted, given, names, model, rule)
            write_cells(instances, cells, safe_csv=safe_csv)
    if queue is not None and bands is not None:
        with working("queueing"):
            cells = _queue(fitted, given, names, model, bands, why)
        write_cells(queue, cells, safe_csv=safe_csv)
    for path, matrix in found.items():
        if path == output and why is not None:
            cells = _decided_cells(fitted, given, matrix, model, why)
            write_cells(path, cells, safe_csv=safe_csv)
        elif path == output and form != "wide":
            _matrices.write_label_sets(path, matrix, form, safe_csv=safe_csv)
        else:
            _matrices.write_matrix(path, matrix, safe_csv=safe_csv)
    if output is not None:
        outputs.message(decision_summary(found[output].values))
    if part is None and given.n_training_rows:
        n_rows = f"{given.n_training_rows:,}"
        outputs.message(f"{n_rows} of the rows are its training part; --part test is not")
    for written in (*found, instances if split_sentences else None, queue):
        outputs.say_written(written)


def _check_cells(
    why: int | None, bands: Path | None, queue: Path | None, output: Path | None, form: str
) -> None:
    """Check the options for lists of cells before any file is read."""
    if (queue is None) != (bands is None):
        raise ValueError("--queue and --bands must be given together, got one of them.")
    if bands is not None:
        refuse_as_rule(bands)
    check_ending(queue, *CELL_LISTS)
    if why is None:
        return
    if why < 1:
        raise ValueError(f"--why must be at least 1, got {why}.")
    if output is None and queue is None:
        raise ValueError("--why is for --output or --queue, which were not given.")
    if form != "wide":
        raise ValueError(f"--why writes a row for each decided label: leave out --format {form}.")
    check_ending(output, *CELL_LISTS)


def _decided_cells(
    fitted: Any, given: ModelInput, decided: NamedMatrix, model: Path, why: int
) -> dict[str, list[Any]]:
    """Return id, label, score and terms of each decided label."""
    import numpy as np

    names = decided.label_names or ()
    rows, labels = np.nonzero(decided.values)
    values = _scores(fitted, given.X, names, model)[rows, labels]
    return row_columns(rows, given.ids, given.beside) | {
        "label": [names[j] for j in labels.tolist()],
        "score": values.tolist(),
        "why": terms_of_cells(fitted, given.X, rows, labels, why),
    }


def _sentence_cells(
    fitted: Any,
    given: ModelInput,
    names: tuple[str, ...],
    model: Path,
    rule: decisions.Thresholds | None,
) -> dict[str, list[Any]]:
    """Return id, label and score of each decided label, and its sentence of highest score."""
    import numpy as np

    decided, names = _decisions(fitted, given.X, names, model, rule)
    found = learners.deciding_sentences(fitted, given.X, cells=np.nonzero(decided))
    scores = _scores(fitted, given.X, names, model)
    return row_columns(found.samples, given.ids, given.beside) | {
        "label": [names[j] for j in found.labels.tolist()],
        "score": scores[found.samples, found.labels].tolist(),
        "sentence": found.sentences,
        "sentence_number": (found.numbers + 1).tolist(),
        "sentence_score": found.scores.tolist(),
    }


def _queue(
    fitted: Any,
    given: ModelInput,
    names: tuple[str, ...],
    model: Path,
    bands: Path,
    why: int | None,
) -> dict[str, list[Any]]:
    """Return the columns of the review queue, with the texts of the rows."""
    from labelwise._estimators import texts_of
    from labelwise._validation import MatchedSide, NamedMatrix, same_labels, side_of

    rule = decisions.load_rule(bands)
    if not isinstance(rule, decisions.Bands):
        raise ValueError(f"--bands needs a file of labelwise tune --review; {bands} has none.")
    values = _scores(fitted, given.X, names, model)
    scored = NamedMatrix(values, names, *given.ids, source=model)
    side = MatchedSide(bands, label_names=rule.label_names, shape=(0, len(rule)))
    of_rule, of_model = same_labels(side, [side_of(scored)], False, "error").places
    chosen = rule._of_labels(of_rule, None)
    cells = chosen.queue(values[:, of_model])
    known = [names[j] for j in of_model.tolist()]
    columns = row_columns(cells.rows, given.ids, {**given.beside, **texts_of(fitted, given.X)})
    columns |= queue_columns(cells, chosen, known)
    if why is not None:
        labels = of_model[cells.labels]
        columns["why"] = terms_of_cells(fitted, given.X, cells.rows, labels, why)
    return columns | {"answer": [""] * cells.rows.size}


def _predictions(
    fitted: Any,
    given: ModelInput,
    names: tuple[str, ...],
    files: tuple[Path | None, Path | None, Path | None],
    model: Path,
    rule: decisions.Thresholds | None,
) -> dict[Path, NamedMatrix]:
    """Return the matrix of each file: decisions, scores, and scores of the rows of bags."""
    from labelwise._validation import NamedMatrix

    output, scores, instances = files
    found: dict[Path, NamedMatrix] = {}
    # Only a model whose labels have no names can have been fitted to a vector.
    if output is not None or getattr(fitted, "label_names_", None) is None:
        decided, names = _decisions(fitted, given.X, names, model, rule)
    if scores is not None:
        found[scores] = NamedMatrix(_scores(fitted, given.X, names, model), names, *given.ids)
    if output is not None:
        found[output] = NamedMatrix(decided, names, *given.ids)
    if instances is not None:
        found[instances] = _instance_scores(fitted, given.X, names, given.ids[0])
    return found


def _decisions(
    model: Any,
    X: Any,
    names: tuple[str, ...],
    path: Path,
    rule: decisions.Thresholds | None,
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the decisions, by thresholds if there are any, and the names of the labels.

    A model that was fitted to a vector of two classes decides one label: the second class.
    """
    import numpy as np

    if rule is not None:
        return np.asarray(rule.decide(_scores(model, X, names, path))), names
    answer = np.asarray(model.predict(X))
    if answer.ndim == 2:
        return answer, names
    classes = model.classes_
    if len(classes) != 2:
        raise _io.DataError(
            path,
            f"was fitted to a vector of {len(classes)} classes: two classes are needed, "
            "which make one label.",
        )
    return (answer == classes[1]).astype(np.int64)[:, None], (str(classes[1]),)


def _thresholds_for(names: tuple[str, ...], path: Path, model: Path) -> decisions.Thresholds:
    """Read thresholds, in the order of the labels of a model."""
    from labelwise._validation import MatchedSide, position_note, same_labels

    rule = decisions.Thresholds.load(path)
    if rule.slices is not None:
        raise ValueError(f"--thresholds must be the same for all rows: {path} has slices.")
    of_model = MatchedSide(model, label_names=names, shape=(0, len(names)))
    of_rule = MatchedSide(path, label_names=rule.label_names, shape=(0, len(rule)))
    found = same_labels(of_model, [of_rule], by_position=rule.label_names is None)
    if rule.label_names is None:
        note(position_note(path, model))
    return rule._of_labels(found.places[1], names)


def _instance_scores(
    model: learners.BagPlugin, bags: data.Bags, names: tuple[str, ...], ids: tuple[str, ...] | None
) -> NamedMatrix:
    """Return a row of scores for each row of each bag, named BAG/NUMBER, both from 0."""
    import numpy as np

    from labelwise._validation import NamedMatrix

    found = model.predict_instances(bags)
    bag_names = ids or tuple(map(str, range(len(bags))))
    numbers = np.arange(len(found.scores)) - np.repeat(bags.starts[:-1], bags.sizes)
    instance_names = tuple(
        f"{bag_names[bag]}/{number}" for bag, number in zip(bags.bag_of_row, numbers, strict=True)
    )
    return NamedMatrix(found.scores, names, instance_names, "instance")


def _scores(model: Any, X: Any, names: tuple[str, ...], path: Path) -> np.ndarray:
    from labelwise._estimators import METHODS, score_matrix

    if not any(hasattr(model, method) for method in METHODS):
        raise _io.DataError(path, f"gives no scores: {type(model).__name__} only decides.")
    return score_matrix(model, X, len(names))
