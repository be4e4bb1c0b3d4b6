"""Arguments and options that several commands have, with their help texts.

An option of one command is declared in the signature of the command. Those of tuning are declared
in the request of thresholds.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from labelwise._tuning import Certify, Request
from labelwise.cli.running import declared_defaults


def _check_seed(seed: int) -> int:
    if not 0 <= seed < 2**32:
        raise ValueError(f"--seed must be a whole number from 0 to {2**32 - 1:,}, got {seed}.")
    return seed


def _check_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise ValueError("--jobs must be a number of processes, or -1 for all cores, got 0.")
    return jobs


# Data sets; see also `DataSource`.
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="Which columns are labels: names with commas, or prefix*; for ARFF files also a label "
        "XML file, or a count: 3 for the first three, -3 for the last three; for corpora and "
        "suggestions of Annif the vocabulary, as ykl.tsv or ykl.ttl@fi.",
    ),
]
Bags = Annotated[
    str | None, typer.Option("--bags", help="Column of a table that names the bag of each row.")
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        help="Column of the data that is neither a feature nor a label: rows with the same value "
        "stay in the same fold or subset, and are one unit of a guarantee and of an interval.",
    ),
]
Slices = Annotated[
    str | None,
    typer.Option(
        "--slices",
        help="Column of the labels file (in decide: of the scores) that names the slice of each "
        "row, such as a hospital: labels have thresholds of their own in every slice.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", help="Column with the weight of each row, which is not a feature."),
]
Part = Annotated[
    str | None,
    typer.Option("--part", help="Rows of the data set to use: train, test or all.  [default: all]"),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        "--max-bytes",
        min=1,
        help="Largest size of a data file, unpacked or as arrays, or of a block of rows of a "
        "folder; by default set by file size.",
    ),
]

# Matrices of scores and labels.
Scores = Annotated[
    Path,
    typer.Argument(
        help="Scores: a csv, parquet, jsonl, npy or npz file, a row a sample, or a folder of "
        "Annif's suggestions; - for csv."
    ),
]
Truth = Annotated[
    Path,
    typer.Argument(
        help="True labels: a matrix file of 0 and 1, or a data set (--labels names its labels)."
    ),
]
Ids = Annotated[
    str | None,
    typer.Option(
        "--ids",
        help="Column that identifies the rows. Several names, with commas: all of them in a data "
        "set; of files that are matched, each uses the first that it has.",
    ),
]
ByPosition = Annotated[
    bool,
    typer.Option(
        "--by-position", help="Match rows and labels by order if only one file has ids or names."
    ),
]
MissingLabels = Annotated[
    str,
    typer.Option(
        "--missing-labels",
        help="For labels that only some files have: error, or drop to leave them out.",
    ),
]

# Thresholds.
ThresholdFile = Annotated[Path, typer.Argument(help="File written by labelwise tune.")]
ThresholdOutput = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="JSON file for thresholds or bands; - for stdout."),
]

Calibrate = Annotated[
    tuple[Path, Path] | None,
    typer.Option(
        metavar="<scores> <labels>",
        help="Files of labelled rows, such as those of tune, that turn scores into "
        "probabilities; without them, scores are taken as calibrated probabilities.",
    ),
]
AtLeast = Annotated[
    list[str] | None,
    typer.Option(help="A promise to test, as micro-f=0.6; may be given several times."),
]
Level = Annotated[float, typer.Option(help="Probability that statements are right.")]

# Outputs.
Plot = Annotated[Path | None, typer.Option("--plot", help="File for a figure: png, svg or pdf.")]
Report = Annotated[Path | None, typer.Option("--report", help="HTML file for a page of the same.")]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="In csv, put an apostrophe before names that a spreadsheet would run as formulas.",
    ),
]

# Runs.
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        callback=_check_seed,
        help="Random seed: the same seed gives the same result.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", callback=_check_jobs, help="Number of processes; -1: all cores."),
]
Cluster = Annotated[
    str | None,
    typer.Option(help="Address of a dask scheduler to run on, e.g. tcp://host:8786, or local."),
]
AnyCode = Annotated[
    bool,
    typer.Option("--any-code", help="Keep cells that an earlier version of the code computed."),
]


def parse_at_least(texts: list[str] | None) -> dict[str, float] | None:
    """Read --at-least: names and numbers with an equals sign between them."""
    found = {}
    for text in texts or ():
        name, _, limit = text.partition("=")
        try:
            found[name.strip()] = float(limit)
        except ValueError:
            raise ValueError(
                f"--at-least must be a name and a number as micro-f=0.6, got {text!r:.80}."
            ) from None
    return found or None


def tuning_arguments(asked: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of `best_thresholds` that options of tuning stand for.

    Options of a guarantee become one argument. The names of the options whose values differ from
    their defaults are returned, too.
    """
    defaults, of_guarantee = declared_defaults(Request, Certify), declared_defaults(Certify)
    changed = [name for name, value in asked.items() if value != defaults[name]]
    given = {name: value for name, value in asked.items() if name not in of_guarantee}
    level = given["guarantee"]
    # A wrong value is refused without a guarantee, too.
    parts = {name: asked[name] for name in of_guarantee}
    certify = Certify(0.5 if level is None else level, **parts)
    return given | {"guarantee": None if level is None else certify}, changed
