"""`labelwise compare`: run or resume the study of a file, or print an example of such a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelwise import experiments
from labelwise._text import printable_path
from labelwise.cli import _options as opt
from labelwise.cli._blocks import cluster_client
from labelwise.cli._outputs import Outputs, say, warnings_as_notes
from labelwise.cli.running import command, current_settings

_STOPPED = 130  # exit code of programs that Ctrl-C ended
EXAMPLE = """\
# A study: every model on every fold of every data set. Run it by: labelwise compare study.toml
# Finished cells are in study.sqlite; the same command continues a study that was stopped.

# Bundled data; also files, with paths relative to this file, and names of known sets.
datasets = ["digits"]
# A table needs the names of its label columns:
# datasets = { mine = { load = "train.csv", labels = ["sea", "sky"] } }
# Rows with the same value of a column of the tables stay in the same fold:
# groups = "patient"
# Measures, and models that can, count each row by the number in a column:
# weights = "n_seen"
# Every measure that labelwise evaluate prints.
measures = ["micro-f", "macro-f", "hamming-loss"]
# Each seed repeats all splits and models.
seeds = [0]
# Seconds after which a cell is stopped and counts as failed; by default there is no limit.
# timeout = 600

# A model is a class of scikit-learn or labelwise and its parameters.
[models.neighbours]
class = "sklearn.neighbors.KNeighborsClassifier"
params = { n_neighbors = 10 }

# The same model, with thresholds tuned for micro-f on held-out samples.
[models.tuned]
class = "labelwise.decisions.TunedThresholds"
params.estimator.class = "sklearn.neighbors.KNeighborsClassifier"
params.estimator.params = { n_neighbors = 10 }

[models.tree]
class = "sklearn.tree.DecisionTreeClassifier"

# A splitter of scikit-learn or labelwise; or train-test, the parts that come with the data:
# splits.fixed = "train-test"
[splits.cv]
class = "labelwise.splitting.MultilabelStratifiedKFold"
params = { n_splits = 3, shuffle = true }
"""


@command(
    example="labelwise compare --example > study.toml\nlabelwise compare study.toml", json=True
)
def compare(
    study: Annotated[Path | None, typer.Argument(help="TOML file of a study.")] = None,
    store: Annotated[
        Path | None, typer.Option(help="File of finished cells.  [default: beside the study]")
    ] = None,
    jobs: opt.Jobs = None,
    resume: Annotated[
        bool, typer.Option("--resume/--anew", help="Keep finished cells, or run all cells again.")
    ] = True,
    any_code: opt.AnyCode = False,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds after which a cell ends; overrides the study.")
    ] = None,
    max_bytes: Annotated[
        int | None,
        typer.Option(
            "--max-bytes",
            min=1,
            help="Largest size of a data file, unpacked or as arrays; overrides the study.",
        ),
    ] = None,
    cluster: opt.Cluster = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print a study file with comments that runs as it is.")
    ] = False,
) -> None:
    """Run or resume a study of models on data sets.

    The exit code is 1 if a cell failed.
    """
    if example:
        typer.echo(EXAMPLE, nl=False)
        return
    if study is None:
        raise ValueError("a study file must be given; --example prints one.")
    if timeout is not None and cluster is not None:
        raise ValueError("--timeout cannot be given with --cluster, which has its own limits.")
    if any_code and not resume:
        raise ValueError("--any-code cannot be given with --anew, which keeps no cells.")
    planned = experiments.Study.read(study, max_bytes=max_bytes, timeout=timeout)
    kept = Path(store or planned.store or study.with_suffix(".sqlite"))
    try:
        with warnings_as_notes(), cluster_client(cluster) as client:
            results = planned.run(
                kept,
                resume="any-code" if any_code else resume,
                client=client,
                n_jobs=jobs,
                progress=False if current_settings().quiet else None,
            )
    except KeyboardInterrupt:
        where = printable_path(kept)
        say(
            f"stopped; finished cells are safe in {where}: give the same command to go on", err=True
        )
        raise typer.Exit(_STOPPED) from None
    outputs = Outputs()
    outputs.show(results.report(), results.to_dict())
    outputs.message(f"kept in {printable_path(kept)}")
    if results.failed:
        raise typer.Exit(1)
