"""`labelwise audit`: draw cells that a person looks at, and say what the answers prove."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise import decisions, deployment
from labelwise.cli import _options as opt
from labelwise.cli._cell_lists import write_cells
from labelwise.cli._inputs import MatrixSource
from labelwise.cli._outputs import Outputs, check_ending, check_safe_csv, warnings_as_notes, working
from labelwise.cli.running import command


@command(
    example="labelwise audit thresholds.json scores.csv --cells 500 -o to_check.csv\n"
    "labelwise audit --answers to_check.csv",
    json=True,
    force=True,
    inputs=["scores"],
    without=["bags"],
)
def audit(
    thresholds: Annotated[
        Path | None, typer.Argument(help="File written by labelwise tune; not with --answers.")
    ] = None,
    scores: Annotated[
        Path | None, typer.Argument(help="Scores whose decisions are audited; not with --answers.")
    ] = None,
    *,
    answers: Annotated[
        Path | None,
        typer.Option(help="A list of cells with answers (1, 0, or ? if not sure), also in part."),
    ] = None,
    cells: Annotated[int, typer.Option(help="Number of cells to draw.")] = 500,
    goal: Annotated[
        str, typer.Option(help="Measure to know best: micro-f, macro-recall, and so on.")
    ] = "micro-f",
    at_least: opt.AtLeast = None,
    level: opt.Level = 0.95,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="csv file for the cells, with an empty column for the answer; the plan is written "
            "beside it, with the ending .plan.json.",
        ),
    ] = None,
    queue: Annotated[
        Path | None,
        typer.Option(
            help="Answered list of labelwise decide --queue, or of an earlier audit: its answers "
            "count, and its cells are not drawn."
        ),
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(help="Table of the same rows whose columns are shown, too.")
    ] = None,
    calibrate: opt.Calibrate = None,
    groups: opt.Groups = None,
    seed: opt.Seed = 0,
    source: MatrixSource,
    safe_csv: opt.SafeCsv = False,
) -> None:
    """Draw cells for a person to check, or measure by the answers."""
    promises = opt.parse_at_least(at_least)
    if answers is not None:
        if thresholds is not None or output is not None:
            raise ValueError("--answers must be given alone: the plan beside it has the rest.")
        plan = deployment.AuditPlan.load(_plan_file(answers))
        found = deployment.audit_report(plan, answers, at_least=promises, level=level)
        Outputs().show_result(found)
        return
    if thresholds is None or scores is None or output is None:
        raise ValueError("thresholds, scores and --output must be given, or --answers alone.")
    check_ending(output, ".csv")
    check_safe_csv(safe_csv, output)
    read = [thresholds, scores, *(calibrate or ()), *(p for p in (queue, texts) if p is not None)]
    outputs = Outputs([output, _plan_file(output)], inputs=read)
    with working("drawing"), warnings_as_notes():
        rows = source.rows_of_rule(
            thresholds,
            decisions.load_rule,
            scores,
            calibrate=calibrate,
            groups=groups,
            promises=True,
        )
        plan = deployment.plan_audit(
            rows.rule,
            rows.scores.values,
            cells,
            goal=goal,
            known=queue,
            calibrate=rows.calibrate,
            at_least=promises,
            ids=rows.scores.ids,
            random_state=seed,
        )
        columns = plan.columns()
        answer = columns.pop("answer")
        if texts is not None:
            shown, more = source.row_columns(texts, rows.scores)
            numbers = {
                one: i for i, one in enumerate(rows.scores.ids or map(str, range(len(rows.scores))))
            }
            if clash := [name for name in shown if name in plan.columns()]:
                raise ValueError(
                    f"--texts must have other columns than the list of cells, got {clash[0]!r}."
                )
            columns |= {name: [of[numbers[i]] for i in plan.ids] for name, of in shown.items()}
            rows.notes.extend(more)
        write_cells(output, {**columns, "answer": answer}, safe_csv=safe_csv)
        plan.save(_plan_file(output))
    outputs.show_result(plan, rows.notes)
    outputs.say_all_written()


def _plan_file(path: Path) -> Path:
    return path.with_suffix(".plan.json")
