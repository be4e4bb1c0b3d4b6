"""The papers' published tables, each reproduced by one program."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent
# Where benchmark sets are looked for.
HOME = Path(os.environ.get("LABELWISE_DATA", FOLDER.parents[1] / "shared" / "datasets"))
