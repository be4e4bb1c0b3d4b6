"""Signatures of the commands for scores and labels: adapt, decide, evaluate, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise.cli import _options as opt
from labelwise.cli.pages import _options as page_opt


def adapt(
    thresholds: Annotated[Path, typer.Argument(help="File written by labelwise tune.")],
    scores: opt.ScoresArgument,
    labels: opt.AdaptLabels = None,
    alpha: opt.AdaptAlpha = 0.05,
    calibrate: opt.AdaptCalibrate = None,
    output: opt.TuneOutput = None,
    ids: opt.MatchedIdsOption = None,
    by_position: opt.ByPositionOption = False,
    missing_labels: opt.MissingLabelsOption = "error",
    max_bytes: opt.BytesOption = None,
) -> None:
    """Adapt thresholds to label frequencies that have moved."""
    from labelwise._matrices import Matching
    from labelwise.cli.commands.thresholds._adapt import show_adaptation

    show_adaptation(
        thresholds,
        scores,
        tested=labels,
        alpha=alpha,
        calibrate=calibrate,
        output=output,
        ids=ids,
        matching=Matching(by_position, missing_labels),
        max_bytes=max_bytes,
    )


def decide(
    thresholds: Annotated[Path, typer.Argument(help="File written by labelwise tune.")],
    scores: opt.ScoresArgument,
    output: opt.DecideOutput,
    queue: opt.DecideQueue = None,
    ids: opt.MatchedIdsOption = None,
    by_position: opt.ByPositionOption = False,
    missing_labels: opt.MissingLabelsOption = "error",
    max_bytes: opt.BytesOption = None,
    safe_csv: opt.SafeCsvOption = False,
) -> None:
    """Decide the labels of each row by thresholds or bands."""
    from labelwise._matrices import Matching
    from labelwise.cli.commands._decide import run_decisions

    run_decisions(
        thresholds,
        scores,
        output,
        queue,
        ids=ids,
        matching=Matching(by_position, missing_labels),
        max_bytes=max_bytes,
        safe_csv=safe_csv,
    )


def evaluate(
    labels: opt.TruthArgument,
    scores: Annotated[Path | None, typer.Option(help="File of scores.")] = None,
    decided: opt.EvaluateDecided = None,
    beta: opt.BetaOption = 1.0,
    bootstrap: Annotated[int, typer.Option(help="Resamples of the rows for intervals.")] = 0,
    undefined: opt.EvaluateUndefined = "nan",
    per_label: opt.EvaluatePerLabel = False,
    output: opt.EvaluateOutput = None,
    plot: opt.PlotOption = None,
    report: page_opt.ReportOption = None,
    seed: opt.SeedOption = 0,
    part: opt.PartOption = None,
    columns: opt.LabelsOption = None,
    bags: opt.BagsOption = None,
    ids: opt.MatchedIdsOption = None,
    by_position: opt.ByPositionOption = False,
    missing_labels: opt.MissingLabelsOption = "error",
    max_bytes: opt.BytesOption = None,
    cluster: opt.ClusterOption = None,
    safe_csv: opt.SafeCsvOption = False,
) -> None:
    """Show every measure of scores, of decisions, or of both."""
    from labelwise._matrices import Matching
    from labelwise.cli.commands._evaluate import show_evaluation

    show_evaluation(
        labels,
        scores=scores,
        decided=decided,
        columns=columns,
        bags=bags,
        part=part,
        ids=ids,
        matching=Matching(by_position, missing_labels),
        beta=beta,
        bootstrap=bootstrap,
        undefined=undefined,
        per_label=per_label,
        output=output,
        plot=plot,
        report=report,
        seed=seed,
        max_bytes=max_bytes,
        cluster=cluster,
        safe_csv=safe_csv,
    )


def report(
    scores: page_opt.ReportScores,
    output: page_opt.ReportOutput,
    labels: page_opt.ReportLabels = None,
    study: page_opt.ReportStudy = None,
    thresholds: page_opt.ReportThresholds = None,
    versus: page_opt.ReportVersus = None,
    slices: page_opt.ReportSlices = None,
    texts: page_opt.ReportTexts = None,
    title: page_opt.ReportTitle = None,
    seed: opt.SeedOption = 0,
    columns: opt.LabelsOption = None,
    bags: opt.BagsOption = None,
    ids: opt.MatchedIdsOption = None,
    by_position: opt.ByPositionOption = False,
    missing_labels: opt.MissingLabelsOption = "error",
    max_bytes: opt.BytesOption = None,
) -> None:
    """Write an HTML page to choose thresholds on.

    For a store of labelwise compare, the page shows the results of its studies.
    """
    from labelwise._matrices import Matching
    from labelwise.cli.pages._report import ReportFiles, write_desk, write_study

    if labels is None:
        write_study(scores, output, study, title, (thresholds, versus, slices, texts))
        return
    write_desk(
        ReportFiles(scores, labels, output, thresholds, versus, slices, texts),
        title=title,
        columns=columns,
        bags=bags,
        ids=ids,
        matching=Matching(by_position, missing_labels),
        seed=seed,
        max_bytes=max_bytes,
    )
