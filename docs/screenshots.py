"""Make the pictures of the decision desk in the documentation: ``python -m docs.screenshots``.

Needs playwright (extra ``test``) and a Chromium on the path.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB

from labelwise.data import load
from labelwise.reports import Desk, write_report

FOLDER = Path(__file__).parent / "_static"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# File, colours, address of the page, and the section that is shown.
PICTURES = (
    ("desk.png", "light", "axis=recall", "desk", 960),
    ("desk_label.png", "dark", "label=2", "labels", 800),
)


def small_desk() -> Desk:
    """Return the desk of two models on a bundled data set, every second row held out."""
    data = load("topics")
    labels = data.Y.toarray().astype(np.int64)
    is_test = np.arange(len(labels)) % 2 == 1
    models = (LogisticRegression(max_iter=1000), ComplementNB(alpha=0.1))
    scores = [
        OneVsRestClassifier(model).fit(data.X[~is_test], labels[~is_test]) for model in models
    ]
    ours, theirs = (model.predict_proba(data.X[is_test]) for model in scores)
    return Desk(
        ours, labels[is_test], versus=theirs, label_names=data.label_names, title="Topics of texts"
    )


def take_pictures(page: Path, chromium: Any) -> None:
    """Write every picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, colours, address, section, height in PICTURES:
        tab = chromium.new_page(viewport={"width": 1280, "height": height}, color_scheme=colours)
        tab.goto(f"{page.as_uri()}#{address}")
        tab.wait_for_selector("html[data-ready]")
        if section != "desk":
            tab.evaluate(f"document.getElementById('{section}').scrollIntoView()")
        tab.wait_for_timeout(300)
        tab.screenshot(path=FOLDER / name)
        tab.close()


def main() -> None:
    """Write the page into a temporary folder, and take the pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        page = Path(folder) / "report.html"
        write_report(small_desk(), page)
        path = shutil.which("chromium") or shutil.which("google-chrome")
        chromium = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        take_pictures(page, chromium)
        chromium.close()


if __name__ == "__main__":
    main()
