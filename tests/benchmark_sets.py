"""Where the benchmark sets are, and their published figures."""

import json
import os
from pathlib import Path

HOME = Path(os.environ.get("LABELWISE_DATA", Path(__file__).parents[2] / "shared" / "datasets"))
ABSENT = f"no benchmark sets in {HOME}; set LABELWISE_DATA to their folder"
_INDEX = HOME / "index.json"
FACTS = json.loads(_INDEX.read_text())["datasets"] if _INDEX.is_file() else []
