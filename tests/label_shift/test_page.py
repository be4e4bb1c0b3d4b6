"""The section "My label frequencies have moved" of the page of decisions runs as it stands."""

import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "stages" / "decisions.md"


def test_the_adapted_thresholds_of_the_page_are_better():
    section = PAGE.read_text(encoding="utf-8").split("## My label frequencies have moved\n")[1]
    code = re.findall(r"```python\n(.*?)```", section.split("\n## ")[0], re.DOTALL)
    names = {"__name__": "page"}
    exec(compile("\n".join(code), str(PAGE), "exec"), names)
    adapted = names["adapted"]
    assert adapted.moved[3]
    np.testing.assert_allclose(adapted.priors[3], names["new_Y"][:, 3].mean(), atol=0.1)
    assert names["f_after"] > names["f_before"] + 0.01
