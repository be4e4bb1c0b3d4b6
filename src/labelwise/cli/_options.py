"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

LabelsOption = Annotated[
    str | None, typer.Option("--labels", help="Label XML, a number, or names with commas or a *.")
]
BagsOption = Annotated[
    str | None, typer.Option("--bags", help="Of a table, the column that tells the bag of a row.")
]
HomeOption = Annotated[Path | None, typer.Option("--data-home", help="Folder of benchmark sets.")]
BytesOption = Annotated[
    int | None,
    typer.Option(
        "--max-bytes",
        min=1,
        help="Most bytes that a file of data may take, unpacked or as arrays; else by its size.",
    ),
]
SafeCsvOption = Annotated[
    bool,
    typer.Option("--safe-csv", help="An apostrophe before csv names that are formulas to a sheet."),
]
