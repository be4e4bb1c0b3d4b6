"""`labelwise tune`: the signature."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer

from labelwise.cli import _options as opt
from labelwise.cli.running import command


@command(
    example="labelwise tune scores.csv labels.csv --maximize macro-f -o thresholds.json",
    json=True,
    force=True,
    inputs=["scores", "labels"],
)
def tune(
    scores: opt.Scores,
    labels: opt.Truth,
    maximize: Annotated[
        str, typer.Option(help="micro-f, macro-f, sample-f, micro-jaccard, macro-matthews, ...")
    ] = "micro-f",
    beta: opt.Beta = 1.0,
    shared: Annotated[bool, typer.Option("--shared", help="One threshold for all labels.")] = False,
    shrink: Annotated[
        str, typer.Option(help="Shrinkage from 0 (labels apart) to 1 (one threshold), or auto.")
    ] = "auto",
    fbr: Annotated[
        str | None, typer.Option(help="Raise thresholds of labels with F below this; or auto.")
    ] = None,
    fbr_rule: Annotated[
        int, typer.Option(help="0: such labels are never decided; 1: at their highest score.")
    ] = 1,
    min_precision: Annotated[
        float | None, typer.Option(help="Lowest micro precision; for macro-..., of each label.")
    ] = None,
    min_recall: Annotated[
        float | None, typer.Option(help="Lowest micro recall; for macro-..., of each label.")
    ] = None,
    max_decisions: Annotated[
        str | None,
        typer.Option(help='Most decisions: 500 in total, 2.5 as mean of a row, "3 per row".'),
    ] = None,
    guarantee: Annotated[
        str | None,
        typer.Option(
            help="Probability, e.g. 0.95, with which --min-precision and --min-recall hold on new "
            "rows."
        ),
    ] = None,
    across: Annotated[
        str, typer.Option(help="With macro averages: guarantee each label by itself, or all.")
    ] = "each",
    tuning_share: Annotated[
        float, typer.Option(help="Share of the rows that a guarantee is not tested on.")
    ] = 0.5,
    review: Annotated[
        str | None,
        typer.Option(
            help="Find bands (accept, review, reject) instead: most cells that a person reviews, "
            "500 in total or 0.05 as mean of a row (50 cells of 1,000 rows); auto for the fewest "
            "that meet --min-precision and --min-recall."
        ),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="Resamples for a 95% interval of the value on new rows, e.g. 200.")
    ] = 0,
    seed: opt.Seed = 0,
    output: opt.ThresholdOutput = None,
    plot: opt.Plot = None,
    columns: opt.Labels = None,
    bags: opt.Bags = None,
    ids: opt.Ids = None,
    by_position: opt.ByPosition = False,
    missing_labels: opt.MissingLabels = "error",
    max_bytes: opt.MaxBytes = None,
    cluster: opt.Cluster = None,
) -> None:
    """Find the thresholds that maximize a measure.

    Its value on new rows is estimated, too.
    """
    from labelwise._matrices import Matching
    from labelwise.cli.commands._tune import TuneOptions, show_tuning

    options = TuneOptions(
        maximize=maximize,
        beta=beta,
        shared=shared,
        shrink=shrink,
        fbr=fbr,
        fbr_rule=fbr_rule,
        min_precision=min_precision,
        min_recall=min_recall,
        max_decisions=max_decisions,
        guarantee=guarantee,
        across=across,
        tuning_share=tuning_share,
        bootstrap=bootstrap,
        seed=seed,
    )
    show: Callable[..., object] = partial(show_tuning, cluster=cluster)
    if review is not None:
        if cluster is not None:
            raise ValueError("--cluster cannot be given with --review.")
        from labelwise.cli.review._band_tuning import show_bands

        show = partial(show_bands, review)
    show(
        scores,
        labels,
        options,
        columns=columns,
        bags=bags,
        ids=ids,
        matching=Matching(by_position, missing_labels),
        output=output,
        plot=plot,
        max_bytes=max_bytes,
    )
