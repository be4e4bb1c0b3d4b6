"""The commands and their signatures; the work of a command is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise.cli import _options as opt
from labelwise.cli._matrix_commands import adapt, decide, evaluate, report
from labelwise.cli.commands._tune import tune
from labelwise.cli.pages import _options as page_opt
from labelwise.cli.running import command, example_text

app = typer.Typer(
    name="labelwise",
    help="Multi-label classification: read, split, score, decide, measure, compare, report.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(epilog=example_text(opt.PROGRAM_EXAMPLE))
def labelwise(version: opt.VersionOption = False) -> None:
    """Multi-label classification: read, split, score, decide, measure, compare, report."""


@command(
    app,
    example="labelwise describe yeast.arff --labels -14 --report data.html",
    json=True,
    force=True,
    inputs=["data"],
)
def describe(
    data: opt.DataArgument,
    report: page_opt.ReportOption = None,
    labels: opt.LabelsOption = None,
    ids: opt.IdsOption = None,
    text: opt.TextOption = None,
    bags: opt.BagsOption = None,
    data_home: opt.HomeOption = None,
    max_bytes: opt.BytesOption = None,
) -> None:
    """Show statistics of a data set, and how to split it."""
    from labelwise.cli._data_source import DataSource
    from labelwise.cli.commands._describe import show_description

    show_description(DataSource(data, labels, ids, text, bags, data_home, max_bytes), report)


@command(app, example=opt.SPLIT_EXAMPLE, json=True, force=True, inputs=["data"])
def split(
    data: opt.DataArgument,
    folds: Annotated[int, typer.Option(help="Number of folds of equal size.")] = 10,
    proportions: opt.SplitProportions = None,
    method: opt.SplitMethod = "auto",
    groups: opt.SplitGroups = None,
    seed: opt.SeedOption = 0,
    output: opt.SplitOutput = None,
    report: page_opt.ReportOption = None,
    labels: opt.LabelsOption = None,
    ids: opt.IdsOption = None,
    text: opt.TextOption = None,
    bags: opt.BagsOption = None,
    data_home: opt.HomeOption = None,
    max_bytes: opt.BytesOption = None,
) -> None:
    """Split a data set with every label spread evenly.

    The methods of splitting are compared.
    """
    from labelwise.cli._data_source import DataSource
    from labelwise.cli.commands._split import SplitOptions, show_split

    source = DataSource(data, labels, ids, text, bags, data_home, max_bytes)
    options = SplitOptions(folds, proportions, method, seed, groups)
    show_split(source, options, output=output, report=report)


@command(
    app,
    example="labelwise select corpus.svm -n 2000 -o reduced.svm",
    json=True,
    force=True,
    inputs=["data"],
)
def select(
    data: opt.DataArgument,
    by: opt.SelectBy = "chi2-max,chi2-avg",
    combine: opt.SelectCombine = "lowest-rank",
    cut: Annotated[int, typer.Option(help="Ignore terms that are in at most this many rows.")] = 1,
    n_terms: Annotated[int | None, typer.Option("-n", help="Number of terms to keep.")] = None,
    curve: opt.SelectCurve = False,
    k: Annotated[int, typer.Option(help="Neighbours of the classifier behind the curve.")] = 100,
    seed: opt.SeedOption = 0,
    output: opt.SelectOutput = None,
    labels: opt.LabelsOption = None,
    ids: opt.IdsOption = None,
    text: opt.TextOption = None,
    data_home: opt.HomeOption = None,
    max_bytes: opt.BytesOption = None,
    safe_csv: opt.SafeCsvOption = False,
) -> None:
    """Keep the terms that best predict the labels.

    With --curve, show how many terms are enough.
    """
    from labelwise.cli._data_source import DataSource
    from labelwise.cli.commands._select import SelectOptions, show_selection

    source = DataSource(data, labels, ids, text, None, data_home, max_bytes)
    options = SelectOptions(by, combine, cut, n_terms, curve, k, seed, safe_csv)
    show_selection(source, options, output=output)


@command(app, example="labelwise learners", json=True)
def learners() -> None:
    """List the learners that labelwise fit knows."""
    from labelwise.cli.commands._learners import show_learners

    show_learners()


@command(
    app,
    example="labelwise fit train.csv --labels 'topic_*' --maximize micro-f -o model.skops",
    json=True,
    force=True,
    inputs=["data"],
)
def fit(
    data: opt.DataArgument,
    output: opt.FitOutput,
    learner: opt.FitLearner = None,
    maximize: opt.FitMaximize = None,
    calibrate: opt.FitCalibrate = False,
    time: opt.FitTime = 60.0,
    beta: opt.BetaOption = 1.0,
    groups: opt.FitGroups = None,
    part: opt.FitPart = None,
    seed: opt.SeedOption = 0,
    jobs: opt.JobsOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print progress.")] = False,
    labels: opt.LabelsOption = None,
    ids: opt.IdsOption = None,
    text: opt.TextOption = None,
    bags: opt.BagsOption = None,
    data_home: opt.HomeOption = None,
    max_bytes: opt.BytesOption = None,
) -> None:
    """Fit a learner to a data set, and write the model to a file."""
    from labelwise.cli._data_source import DataSource
    from labelwise.cli.commands._fit import FitOptions, run_fit

    source = DataSource(data, labels, ids, text, bags, data_home, max_bytes)
    options = FitOptions(
        learner, maximize, beta, seed, jobs, part, verbose, calibrate, time, groups
    )
    run_fit(source, output, options)


@command(
    app,
    example="labelwise predict model.skops new.csv -o labels.csv --scores scores.csv",
    force=True,
    inputs=["data"],
)
def predict(
    model: Annotated[Path, typer.Argument(help="Model file written by labelwise fit.")],
    data: opt.DataArgument,
    output: opt.DecisionsOutput = None,
    scores: Annotated[Path | None, typer.Option(help="File for scores, same formats.")] = None,
    instances: opt.PredictInstances = None,
    form: opt.PredictFormat = "wide",
    part: opt.PartOption = None,
    labels: opt.LabelsOption = None,
    ids: opt.IdsOption = None,
    text: opt.TextOption = None,
    bags: opt.BagsOption = None,
    data_home: opt.HomeOption = None,
    max_bytes: opt.BytesOption = None,
    safe_csv: opt.SafeCsvOption = False,
) -> None:
    """Predict the labels of a data set with a model from a file."""
    from labelwise.cli._data_source import DataSource
    from labelwise.cli.commands._predict import PredictFiles, run_prediction

    source = DataSource(data, labels, ids, text, bags, data_home, max_bytes)
    files = PredictFiles(output, scores, instances)
    run_prediction(model, source, files, part=part, form=form, safe_csv=safe_csv)


command(
    app,
    example="labelwise tune scores.csv labels.csv --maximize macro-f -o thresholds.json",
    json=True,
    force=True,
    inputs=["scores", "labels"],
)(tune)
command(
    app,
    example="labelwise adapt thresholds.json new_scores.csv -o adapted.json",
    json=True,
    force=True,
    inputs=["scores"],
)(adapt)
command(
    app,
    example="labelwise decide thresholds.json new_scores.csv -o decided.csv",
    force=True,
    inputs=["scores"],
)(decide)
command(
    app,
    example="labelwise evaluate labels.csv --scores scores.csv --decided decided.csv",
    json=True,
    force=True,
    inputs=["labels", "scores", "decided"],
)(evaluate)
command(
    app,
    example="labelwise report scores.csv labels.csv -o report.html --slices groups.csv\n"
    "labelwise report study.sqlite -o study.html",
    force=True,
    inputs=["scores", "labels"],
)(report)


@command(
    app, example="labelwise compare --example > study.toml\nlabelwise compare study.toml", json=True
)
def compare(
    study: opt.CompareStudy = None,
    store: opt.CompareStore = None,
    jobs: opt.JobsOption = None,
    resume: opt.CompareResume = True,
    any_code: opt.CompareAnyCode = False,
    timeout: opt.CompareTimeout = None,
    max_bytes: opt.CompareBytes = None,
    cluster: opt.ClusterOption = None,
    example: opt.CompareExample = False,
) -> None:
    """Run or resume a study of models on data sets.

    The exit code is 1 if a cell failed.
    """
    from labelwise.cli.commands._compare import CompareOptions, run_comparison

    options = CompareOptions(store, jobs, resume, any_code, timeout, max_bytes, cluster, example)
    run_comparison(study, options)


@command(
    app, example="labelwise results study.sqlite --measure micro-f --ranks", json=True, force=True
)
def results(
    store: Annotated[Path, typer.Argument(help="File that labelwise compare wrote.")],
    study: Annotated[str | None, typer.Option(help="Show only this study.")] = None,
    measure: Annotated[str | None, typer.Option(help="Show only this measure.")] = None,
    latex: opt.ResultsLatex = False,
    markdown: opt.ResultsMarkdown = False,
    ranks: opt.ResultsRanks = False,
    figure: opt.ResultsFigure = None,
    lower_is_better: opt.ResultsLower = None,
    export: opt.ResultsExport = None,
    safe_csv: opt.SafeCsvOption = False,
) -> None:
    """Show the results of a study.

    These are means and standard deviations, and failed and missing cells.
    """
    from labelwise.cli.commands._results import ResultsOptions, show_results

    lower = tuple(lower_is_better or ())
    options = ResultsOptions(measure, latex, markdown, ranks, figure, lower)
    show_results(store, study, options, export, safe_csv=safe_csv)


@command(app, example="labelwise reproduce pillai2012 --quick")
def reproduce(
    paper: Annotated[str, typer.Argument(help="sechidis2011, pillai2012, olsson2006, ...")],
    table: Annotated[str | None, typer.Option(help="Number of the table.  [default: all]")] = None,
    quick: opt.ReproduceQuick = False,
    any_code: opt.CompareAnyCode = False,
    repetitions: opt.ReproduceRepetitions = None,
) -> None:
    """Measure the published tables of a paper again.

    This needs an installation from a checkout.
    """
    from labelwise.cli.commands._reproduce import run_study

    run_study(paper, table, quick, any_code, repetitions)


@command(app, example="labelwise warm-up")
def warm_up() -> None:
    """Compile what the commands use, for all later runs.

    Run it once when an image of a server is built.
    """
    from labelwise.cli.commands._warm_up import run_warm_up

    run_warm_up(app)


@command(app, example="labelwise demo")
def demo() -> None:
    """Run every stage on bundled data.

    The stages are: describe, split, score, decide, measure, report. A decision desk and a figure
    are written into a new temporary folder, and their paths are printed.
    """
    from labelwise.cli.commands._demo import run_demo

    run_demo()
