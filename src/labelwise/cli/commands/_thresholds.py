"""`labelwise thresholds`: show the thresholds of a model, and write them to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import labelwise
from labelwise.cli import _options as opt
from labelwise.cli._inputs import refuse_as_model
from labelwise.cli._outputs import Outputs, check_ending, working
from labelwise.cli.running import command


@command(example="labelwise thresholds model.skops -o thresholds.json", json=True, force=True)
def thresholds(
    model: Annotated[Path, typer.Argument(help="Model file written by labelwise fit.")],
    *,
    output: opt.ThresholdOutput = None,
) -> None:
    """Show the thresholds by which a model decides.

    They can be changed, and given back to the model by predict --thresholds.
    """
    from labelwise.cli._model_input import loaded_thresholds

    check_ending(output, ".json")
    refuse_as_model(model)
    outputs = Outputs([output], inputs=[model])
    with working("reading"):
        found = loaded_thresholds(model, labelwise.load(model))
    if output is not None:
        found.save(output)
    outputs.show(found.report(), found.to_dict())
    outputs.say_written(output)
