"""Names of labels that are sentences leave tables readable, also in narrow windows."""

import numpy as np
import pytest

from labelwise.measures import evaluate
from labelwise.reports import Desk, write_report
from tests.reports.browser import OpenPage

N_LABELS = 4
NAMES = [
    f"A subject heading of {j} words of a library: history, law and economy of a large region"
    for j in range(N_LABELS)
]
# A name has 86 letters; a row with one line of text is at most 40 pixels high.
MOST_PIXELS = 110


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    draw = np.random.default_rng(0)
    Y = (draw.random((60, N_LABELS)) < 0.4).astype(int)
    scores = Y + draw.normal(size=Y.shape)
    write_report(Desk(scores, Y, label_names=NAMES, random_state=0), folder / "desk.html")
    found = evaluate(Y, scores=scores, decided=scores > 0.5, label_names=NAMES)
    write_report(found, folder / "evaluation.html")
    return folder


@pytest.mark.parametrize("width", [800, 1280])
@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("desk", "#labels-body tr[data-label]"),
        ("desk", "#rows-unexpected tr"),
        ("evaluation", "[data-table='labels-1'] tbody tr"),
    ],
)
def test_a_row_with_a_long_name_has_few_lines(chromium, written, page, rows, width):
    with chromium.new_context(viewport={"width": width, "height": 900}) as context:
        opened = OpenPage(context, written / f"{page}.html")
        heights = opened.tab.eval_on_selector_all(
            rows, "(found) => found.map((one) => one.getBoundingClientRect().height)"
        )
        assert len(heights) >= N_LABELS
        assert max(heights) <= MOST_PIXELS
        assert opened.tab.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.errors == []
