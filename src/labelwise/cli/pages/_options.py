"""Options of the commands that write pages, with their help texts."""

from pathlib import Path
from typing import Annotated

import typer

ReportOutput = Annotated[
    Path, typer.Option("--output", "-o", help="HTML file for the page; - for stdout.")
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", help="HTML file for a page of the same.")
]
ReportScores = Annotated[
    Path, typer.Argument(help="File of scores, or a store that labelwise compare wrote.")
]
ReportLabels = Annotated[
    Path | None, typer.Argument(help="File or data set of true labels; none for a store.")
]
ReportStudy = Annotated[str | None, typer.Option(help="Show only this study of a store.")]
ReportThresholds = Annotated[
    Path | None,
    typer.Option(help="Thresholds in use: a file of labelwise tune, or a model of labelwise fit."),
]
ReportVersus = Annotated[
    Path | None, typer.Option(help="Scores of another model on the same rows, to compare with.")
]
ReportSlices = Annotated[
    Path | None, typer.Option(help="Table of groups of the rows: ids, and a column for each.")
]
ReportTexts = Annotated[Path | None, typer.Option(help="Table of the texts of the rows, with ids.")]
ReportTitle = Annotated[
    str | None, typer.Option(help="Heading of the page.  [default: name of the score file]")
]
