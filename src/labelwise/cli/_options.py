"""Arguments and options of the commands, with their help texts; first those that are shared."""

from pathlib import Path
from typing import Annotated

import typer

from labelwise import __version__


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"labelwise {__version__}")
        raise typer.Exit


def _check_seed(seed: int) -> int:
    if not 0 <= seed < 2**32:
        raise ValueError(f"--seed must be a whole number from 0 to {2**32 - 1:,}, got {seed}.")
    return seed


def _check_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise ValueError("--jobs must be a number of processes, or -1 for all cores, got 0.")
    return jobs


VersionOption = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
]
PROGRAM_EXAMPLE = """
labelwise fit train.csv --labels 'topic_*' -o model.skops
labelwise predict model.skops new.csv -o labels.csv
"""
DataArgument = Annotated[
    str,
    typer.Argument(
        help="A data file, a folder of data files, or the name of a known set; - for csv from "
        "stdin."
    ),
]
TruthArgument = Annotated[
    Path,
    typer.Argument(
        help="True labels: a matrix file of 0 and 1, or a data set (--labels names its labels)."
    ),
]
ScoresArgument = Annotated[
    Path,
    typer.Argument(
        help="Scores: a csv, parquet, jsonl, npy or npz file, a row a sample; - for csv."
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="Which columns are labels: names with commas, or prefix*; for ARFF files also a label "
        "XML file, or a count: 3 for the first three, -3 for the last three.",
    ),
]
IdsOption = Annotated[
    str | None,
    typer.Option("--ids", help="Columns of a table that identify the rows, with commas."),
]
MatchedIdsOption = Annotated[
    str | None,
    typer.Option(
        "--ids",
        help="Column that identifies the rows; if the files name it differently, all its names "
        "with commas: each file uses the first that it has.",
    ),
]
TextOption = Annotated[
    str | None, typer.Option("--text", help="Columns of a table that are texts, with commas.")
]
BagsOption = Annotated[
    str | None, typer.Option("--bags", help="Column of a table that names the bag of each row.")
]
HomeOption = Annotated[Path | None, typer.Option("--data-home", help="Folder of benchmark sets.")]
BytesOption = Annotated[
    int | None,
    typer.Option(
        "--max-bytes",
        min=1,
        help="Largest size of a data file, unpacked or as arrays, or of a block of rows of a "
        "folder; by default set by file size.",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(help="Address of a dask scheduler to run on, e.g. tcp://host:8786, or local."),
]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="File for a figure: png, svg or pdf.")
]
BetaOption = Annotated[
    float, typer.Option("--beta", help="Beta of the F-measure: above 1 favours recall.")
]
SeedOption = Annotated[
    int,
    typer.Option(
        "--seed",
        callback=_check_seed,
        help="Random seed: the same seed gives the same result.",
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", callback=_check_jobs, help="Number of processes; -1: all cores."),
]
PartOption = Annotated[
    str | None,
    typer.Option("--part", help="Rows of the data set to use: train, test or all.  [default: all]"),
]
ByPositionOption = Annotated[
    bool,
    typer.Option(
        "--by-position", help="Match rows and labels by order if only one file has ids or names."
    ),
]
MissingLabelsOption = Annotated[
    str,
    typer.Option(
        "--missing-labels",
        help="For labels that only some files have: error, or drop to leave them out.",
    ),
]
DecisionsOutput = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="File for decisions (0 and 1): csv, parquet, jsonl, npy, npz; - for csv.",
    ),
]
PredictInstances = Annotated[
    Path | None,
    typer.Option(help="File for the scores of each row of each bag, same formats."),
]
PredictFormat = Annotated[
    str,
    typer.Option(
        "--format",
        help="Decisions as wide (0 or 1 for each label), names (one column, joined by '; ') or "
        "json (a list of names in each line).",
    ),
]
SafeCsvOption = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="In csv, put an apostrophe before names that a spreadsheet would run as formulas.",
    ),
]

# Options of labelwise split.
SplitProportions = Annotated[
    str | None, typer.Option(help="Sizes of subsets instead of folds, such as 0.7,0.15,0.15.")
]
SplitMethod = Annotated[
    str, typer.Option(help="auto, balanced, iterative, pairs, labelset or random.")
]
SPLIT_EXAMPLE = """
labelwise split yeast.arff --labels -14 --folds 10 -o folds.csv

scikit-learn reads the folds of this file by
  folds = numpy.loadtxt("folds.csv", int, delimiter=",", skiprows=1, usecols=1)
  cv = sklearn.model_selection.PredefinedSplit(folds)
"""
SplitGroups = Annotated[
    str | None, typer.Option(help="Column of the data; rows with the same value stay together.")
]
SplitOutput = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="csv file for columns row, subset; - for stdout."),
]

# Options of labelwise select.
SelectBy = Annotated[
    str, typer.Option(help="Scores of terms: df, information-gain, chi2-max, chi2-avg.")
]
SelectCombine = Annotated[
    str, typer.Option(help="lowest-rank, highest-rank, average-rank, max-or or length-or.")
]
SelectCurve = Annotated[
    bool, typer.Option("--curve", help="Show R-precision by the number of terms.")
]
SelectOutput = Annotated[
    Path | None,
    typer.Option("--output", "-o", help=".svm file; .png, .svg or .pdf with --curve; or -."),
]

# Options of labelwise fit.
FitOutput = Annotated[
    Path, typer.Option("--output", "-o", help="File for the model; - for stdout.")
]
FitLearner = Annotated[
    str | None,
    typer.Option(
        help="A name that labelwise learners lists; br is quick.  [default: auto; bags for bags]"
    ),
]
FitTime = Annotated[
    float, typer.Option("--time", help="Seconds for trying learners, with --learner auto.")
]
FitMaximize = Annotated[
    str | None,
    typer.Option(
        help="Measure to decide for: micro-f, macro-f, sample-f, micro-jaccard, ...; none for the "
        "learner's own rule.  [default: micro-f, or the measure of the learner]"
    ),
]
FitCalibrate = Annotated[
    bool,
    typer.Option("--calibrate", help="Turn the scores into probabilities, which expected F needs."),
]
FitGroups = Annotated[
    str | None,
    typer.Option(
        help="Column of the data that is no feature: rows with the same value are in the same fold "
        "of every cross-validation."
    ),
]
FitPart = Annotated[
    str | None,
    typer.Option(help="Rows to learn from: train, test or all.  [default: train, else all]"),
]

# Options of labelwise tune.
TuneReview = Annotated[
    str | None,
    typer.Option(
        help="Find bands (accept, review, reject) instead: most cells that a person reviews, 500 "
        "in total or 0.05 as mean of a row (50 cells of 1,000 rows); auto for the fewest that meet "
        "--min-precision and --min-recall."
    ),
]
TuneBootstrap = Annotated[
    int, typer.Option(help="Resamples for a 95% interval of the value on new rows, e.g. 200.")
]
TuneOutput = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="JSON file for thresholds or bands; - for stdout."),
]

# Options of labelwise adapt.
AdaptLabels = Annotated[
    str | None, typer.Option(help="Labels that may have moved, with commas.  [default: all]")
]
AdaptCalibrate = Annotated[
    tuple[Path, Path] | None,
    typer.Option(
        metavar="<scores> <labels>",
        help="Files of labelled rows, such as those of tune, that turn scores into probabilities; "
        "without them, scores are taken as calibrated probabilities.",
    ),
]
AdaptAlpha = Annotated[float, typer.Option(help="Level of the test; 1 adapts all these labels.")]

# Options of labelwise decide.
DecideOutput = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File for 0 and 1, and -1 for review: csv, parquet, jsonl, npy, npz; - for csv.",
    ),
]
DecideQueue = Annotated[
    Path | None,
    typer.Option(
        help="csv file for the cells to review, the most uncertain first: id, label, score, lower, "
        "upper, probability; for bands only."
    ),
]

# Options of labelwise evaluate.
EvaluateDecided = Annotated[
    Path | None, typer.Option(help="File of decisions: 0 and 1, and -1 for review.")
]
EvaluateUndefined = Annotated[
    str,
    typer.Option(
        help="How labels and rows without a value enter a mean: nan, skip, or zero (scikit-learn)."
    ),
]

EvaluatePerLabel = Annotated[
    bool, typer.Option("--per-label", help="Show the measures of each label, the worst first.")
]
EvaluateOutput = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="csv file for the measures of every label; - for stdout."),
]

# Options of labelwise compare.
CompareStudy = Annotated[Path | None, typer.Argument(help="TOML file of a study.")]
CompareExample = Annotated[
    bool, typer.Option("--example", help="Print a study file with comments that runs as it is.")
]
CompareStore = Annotated[
    Path | None, typer.Option(help="File of finished cells.  [default: beside the study]")
]
CompareResume = Annotated[
    bool, typer.Option("--resume/--anew", help="Keep finished cells, or run all cells again.")
]
CompareAnyCode = Annotated[
    bool,
    typer.Option("--any-code", help="Keep cells that an earlier version of the code computed."),
]
CompareTimeout = Annotated[
    float | None, typer.Option(help="Seconds after which a cell ends; overrides the study.")
]
CompareBytes = Annotated[
    int | None,
    typer.Option(
        "--max-bytes",
        min=1,
        help="Largest size of a data file, unpacked or as arrays; overrides the study.",
    ),
]

# Options of labelwise results.
ResultsExport = Annotated[
    Path | None, typer.Option(help="File for all rows: csv or parquet; - for csv.")
]
ResultsLatex = Annotated[
    bool, typer.Option("--latex", help="Print a table for a paper in LaTeX (package booktabs).")
]
ResultsRanks = Annotated[
    bool,
    typer.Option("--ranks", help="Print average ranks of the models and tests, for a measure."),
]
ResultsLower = Annotated[
    list[str] | None,
    typer.Option(
        "--lower-is-better",
        metavar="NAME",
        help="With --ranks: a measure of which lower values are better; may be repeated.",
    ),
]
ResultsFigure = Annotated[
    Path | None,
    typer.Option(help="File for the critical-difference diagram of the ranks: svg, png or pdf."),
]
ResultsMarkdown = Annotated[
    bool, typer.Option("--markdown", help="Print a table for a paper in Markdown.")
]

# Options of labelwise reproduce.
ReproduceQuick = Annotated[
    bool, typer.Option("--quick", help="Run a small part; print it, write no files.")
]
ReproduceRepetitions = Annotated[
    int | None, typer.Option(help="Number of repetitions.  [default: as in the paper]", min=1)
]
