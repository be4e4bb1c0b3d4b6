"""`labelwise report`: the page of scores and labels, or of the results of a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import labelwise
from labelwise import _io, data, decisions, experiments, learners, reports
from labelwise.cli import _options as opt
from labelwise.cli._inputs import (
    DataSource,
    MatrixSource,
    is_model_file,
    refuse_as_model,
    refuse_as_rule,
)
from labelwise.cli._outputs import (
    Outputs,
    check_ending,
    note,
    warnings_as_notes,
    working,
    write_page,
)
from labelwise.cli.running import command

if TYPE_CHECKING:
    from labelwise._validation import NamedMatrix


@command(
    example="labelwise report scores.csv labels.csv -o report.html --slices groups.csv\n"
    "labelwise report --model model.skops test.csv -o report.html\n"
    "labelwise report study.sqlite -o study.html",
    force=True,
    inputs=["scores", "labels"],
)
def report(
    scores: Annotated[
        Path,
        typer.Argument(
            help="File of scores; a data set with labels, for --model; or a store that labelwise "
            "compare wrote."
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="HTML file for the page; - for stdout.")
    ],
    labels: Annotated[
        Path | None, typer.Argument(help="File or data set of true labels; none for a store.")
    ] = None,
    study: Annotated[str | None, typer.Option(help="Show only this study of a store.")] = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(
            help="Thresholds in use: a file of labelwise tune, or a model of labelwise fit."
        ),
    ] = None,
    versus: Annotated[
        Path | None, typer.Option(help="Scores of another model on the same rows, to compare with.")
    ] = None,
    slices: Annotated[
        Path | None, typer.Option(help="Table of groups of the rows: ids, and a column for each.")
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(help="Table of the texts of the rows, with ids.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="Model that scores and decides the rows of a data set; beside files of scores and "
            "labels, a linear or Okapi model of the scores, which reads the table of --texts: the "
            "page shows the terms behind each score."
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="Heading of the page.  [default: name of the score file]")
    ] = None,
    groups: opt.Groups = None,
    weights: opt.Weights = None,
    seed: opt.Seed = 0,
    source: MatrixSource,
) -> None:
    """Write an HTML page to choose thresholds on.

    With --model, it opens at the model's own decisions, with their values on rows that the model
    was not fitted to. For a store of labelwise compare, it shows the results of its studies.
    """
    of_desks = {
        "--thresholds": thresholds,
        "--versus": versus,
        "--slices": slices,
        "--texts": texts,
        "--title": title,
        "--groups": groups,
        "--weights": weights,
    }
    given = [option for option, value in of_desks.items() if value is not None]
    if given and labels is None and model is None:
        raise ValueError(
            f"scores and labels, or a data set and --model, are needed with {given[0]}, "
            "got one file."
        )
    if labels is not None and model is not None and texts is None:
        raise ValueError("--model reads the table of --texts, which was not given.")
    check_ending(output, ".html")
    if labels is None and model is None:
        outputs = Outputs([output], inputs=[scores])
        write_page(experiments.read_results(scores, study=study), output)
        outputs.say_written(output)
        return
    beside = [path for path in (versus, thresholds, slices, texts, model) if path is not None]
    inputs = [*beside, *data.input_files(str(labels or scores), labels=source.columns)]
    outputs = Outputs([output], inputs=[*inputs, *([scores] if labels else [])])
    units = {"groups": groups, "weights": weights}
    with working("reading"), warnings_as_notes():
        if labels is None and model is not None:
            truth, found, of_rows, notes = _of_model(model, scores, versus, source, units)
        elif labels is not None:
            same = source.read(
                labels,
                [path for path in (scores, versus) if path is not None],
                beside=units,
                allow_missing=True,
                labels_of_scores=True,
            )
            truth, found, notes = same.truth, same.others, same.notes
            of_rows = source.row_arguments(labels, units, truth)
        of_rows["ids"] = truth.ids
        if slices is not None:
            of_rows["slices"], more = source.row_columns(slices, truth)
            notes = [*notes, *more]
        if texts is not None and model is not None and labels is not None:
            more_rows, more = _read_samples(model, texts, truth, source)
            of_rows, notes = of_rows | more_rows, [*notes, *more]
        elif texts is not None:
            columns, more = source.row_columns(texts, truth)
            of_rows["texts"], notes = only_texts(texts, columns), [*notes, *more]
        if thresholds is not None:
            tuned = {thresholds.name: _given_thresholds(thresholds)}
            of_rows["thresholds"] = of_rows.get("thresholds", {}) | tuned
    values, *rivals = (matrix.values for matrix in found)
    with working("writing"), warnings_as_notes():
        desk = reports.Desk(
            values,
            truth.values,
            label_names=truth.label_names,
            title=title
            or (f"{model.name}: {scores.name}" if model and not labels else scores.name),
            random_state=seed,
            versus=rivals[0] if rivals else None,
            **of_rows,
        )
        reports.write_report(desk, output)
    for text in notes:
        note(text)
    outputs.say_written(output)


def _of_model(
    model: Path,
    path: Path,
    versus: Path | None,
    source: MatrixSource,
    beside: dict[str, str | None],
) -> tuple[NamedMatrix, list[NamedMatrix], dict[str, Any], list[str]]:
    """Read a data set that a model scores: labels, scores, arguments of the desk, and notes."""
    from labelwise._validation import matched
    from labelwise.cli._model_input import scored_rows

    refuse_as_model(model)
    fitted = labelwise.load(model)
    rows = scored_rows(fitted, path, source, beside)
    scores, notes = [rows.scores], rows.notes
    if versus is not None:
        both = matched(
            rows.scores,
            [source.scores(versus)],
            by_position=source.by_position,
            missing_labels="error",
        )
        scores, notes = [*scores, *both.others], [*notes, *both.notes]
    of_rows: dict[str, Any] = {**rows.beside, "texts": rows.texts}
    weights = of_rows.get("sample_weight")
    if beside["weights"] is None and weights is not None and (weights % 1).any():
        # The option was not given, so that the page need not refuse them.
        del of_rows["sample_weight"]
        notes = [*notes, "the page counts each row once: its weights are not whole numbers."]
    if rows.thresholds is not None:
        of_rows["thresholds"] = {model.name: rows.thresholds}
        of_rows["tuned_here"] = (model.name,) if rows.is_of_fit else ()
    else:
        of_rows["decided"] = rows.decided
    if rows.X is not None and rows.texts is not None:
        try:
            learners.explain(fitted, rows.X, cells=([], []))
            of_rows |= {"model": fitted, "X": rows.X}
        except (TypeError, ValueError):
            pass  # a kind of model that has no terms to show
    return rows.truth, scores, of_rows, notes


def _given_thresholds(path: Path) -> decisions.Thresholds:
    """Read thresholds from their file, or from a model that decides by thresholds."""
    if not is_model_file(path):
        refuse_as_rule(path)
        return decisions.Thresholds.load(path)
    from labelwise.cli._model_input import loaded_thresholds

    return loaded_thresholds(path, labelwise.load(path))


def _read_samples(
    model: Path, table: Path, truth: NamedMatrix, source: MatrixSource
) -> tuple[dict[str, Any], list[str]]:
    """Read a model and the samples that it scores, in the order of the labels; texts and notes."""
    from labelwise._estimators import raw_step
    from labelwise.cli._model_input import read_columns, texts_in_lines

    refuse_as_model(model)
    fitted = labelwise.load(model)
    step = raw_step(fitted)
    if step is None:
        raise _io.DataError(model, "reads features, not the texts that --texts gives.")
    of_table = DataSource(str(table), ids=source.ids, max_bytes=source.max_bytes)
    given = read_columns(fitted, step, of_table)
    X, ids = given.X, given.ids
    rows, notes = source.rows_in_order(table, truth, ids, len(X))
    if rows is not None:
        X = [X[row] for row in rows] if isinstance(X, list) else X.take(rows)
    return {"model": fitted, "X": X, "texts": texts_in_lines(fitted, X)}, notes


def only_texts(path: Path, columns: dict[str, list[str]]) -> list[str]:
    """Return the text of each row: the only column beside the ids, or the one called "text"."""
    if len(columns) == 1:
        return next(iter(columns.values()))
    if "text" not in columns:
        names = ", ".join(map(repr, columns))
        raise _io.DataError(
            path, f"must have one column of texts, or one called 'text', got {names}."
        )
    return columns["text"]
