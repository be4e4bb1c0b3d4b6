"""`labelwise learners`: list the learners that `labelwise fit` knows."""

from labelwise import learners as stage
from labelwise.cli._outputs import Outputs
from labelwise.cli.running import command


@command(example="labelwise learners", json=True)
def learners() -> None:
    """List the learners that labelwise fit knows."""
    known = [one for one in stage.LEARNERS if one.is_saved]
    width = max(len(one.name) for one in known)
    lines = [f"{one.name:<{width}}  {one.line}" for one in known]
    records = [
        {
            "name": one.name,
            "class": one.class_name
            if "." in one.class_name
            else f"labelwise.learners.{one.class_name}",
            "description": one.line,
            "decides": one.rule,
            "maximizes": one.maximizes,
        }
        for one in known
    ]
    Outputs().show("\n".join(lines), {"learners": records})
