"""The papers' published tables, each reproduced by one program."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent
# Where benchmark sets are looked for.
HOME = Path(os.environ.get("LABELWISE_DATA", FOLDER.parents[1] / "shared" / "datasets"))
# Finished cells of studies that run for long: made by running them, not part of the checkout.
STORES = FOLDER / ".stores"
# How finished cells are kept, as in `Study.run`; `--any-code` keeps those of earlier code, too.
RESUME: bool | str = True
# Cells at a time; what comes out does not depend on it.
N_JOBS = int(os.environ.get("STUDY_JOBS", "1"))
