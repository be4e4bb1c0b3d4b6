"""`labelwise compare`: run or resume the study of a file, or print an example of such a file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import typer

from labelwise.cli._cluster import cluster_client
from labelwise.cli._outputs import Outputs, printable_path, say, warnings_as_notes
from labelwise.cli.commands._results import results_in_words, results_record
from labelwise.cli.running import current_settings
from labelwise.experiments import Results, Study

_STOPPED = 130  # exit code of programs that Ctrl-C ended
EXAMPLE = """\
# A study: every model on every fold of every data set. Run it by: labelwise compare study.toml
# Finished cells are in study.sqlite; the same command continues a study that was stopped.

# Bundled data; also files, with paths relative to this file, and names of known sets.
datasets = ["digits"]
# A table needs the names of its label columns:
# datasets = { mine = { load = "train.csv", labels = ["sea", "sky"] } }
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

# The same model, with thresholds tuned for micro-f on held-out rows.
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


class CompareOptions(NamedTuple):
    """Options of the command as the user typed them."""

    store: Path | None = None
    n_jobs: int | None = None
    resume: bool = True
    any_code: bool = False
    timeout: float | None = None
    max_bytes: int | None = None
    cluster: str | None = None
    example: bool = False


def run_comparison(path: Path | None, options: CompareOptions) -> None:
    """Run the unfinished cells and print means, or print the example of a study file."""
    if options.example:
        typer.echo(EXAMPLE, nl=False)
        return
    if path is None:
        raise ValueError("a study file must be given; --example prints one.")
    if options.timeout is not None and options.cluster is not None:
        raise ValueError("--timeout cannot be given with --cluster, which has its own limits.")
    if options.any_code and not options.resume:
        raise ValueError("--any-code cannot be given with --anew, which keeps no cells.")
    study = Study.read(path, max_bytes=options.max_bytes, timeout=options.timeout)
    kept = Path(options.store or study.store or path.with_suffix(".sqlite"))
    with warnings_as_notes():
        results = _run(study, kept, options)
    outputs = Outputs()
    outputs.show(results_in_words(results), results_record(results))
    outputs.message(f"kept in {printable_path(kept)}")
    if results.failed:
        raise typer.Exit(1)


def _run(study: Study, kept: Path, options: CompareOptions) -> Results:
    """Run the unfinished cells, with progress on a terminal."""
    try:
        with cluster_client(options.cluster) as client:
            return study.run(
                kept,
                resume="any-code" if options.any_code else options.resume,
                client=client,
                n_jobs=options.n_jobs,
                progress=False if current_settings().quiet else None,
            )
    except KeyboardInterrupt:
        where = printable_path(kept)
        say(
            f"stopped; finished cells are safe in {where}: give the same command to go on", err=True
        )
        raise typer.Exit(_STOPPED) from None
