"""Make the pictures of pages in the documentation: ``python -m docs.screenshots``.

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
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import load, make_multilabel
from labelwise.experiments import Results, Study
from labelwise.reports import Desk, write_report
from labelwise.splitting import MultilabelStratifiedKFold

FOLDER = Path(__file__).parent / "_static"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# File, page, colours, address, the section that is shown, and the height.
PICTURES = (
    ("desk.png", "desk", "light", "axis=recall", "desk", 960),
    ("desk_label.png", "desk", "dark", "label=2", "labels", 800),
    ("study.png", "study", "light", "", "results", 1130),
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
    words = {"label_names": data.label_names, "title": "Topics of texts"}
    return Desk(ours, labels[is_test], versus=theirs, random_state=0, **words)


def small_study(folder: Path) -> Results:
    """Return the results of five models on six generated data sets."""
    models = {
        "stump": DecisionTreeClassifier(max_depth=1),
        "small tree": DecisionTreeClassifier(max_depth=4),
        "tree": DecisionTreeClassifier(),
        "nearest": KNeighborsClassifier(1),
        "neighbours": KNeighborsClassifier(5),
    }
    data = {f"set {i}": make_multilabel(n_samples=200, random_state=i)[0] for i in range(6)}
    splits = {"cv": MultilabelStratifiedKFold(3, shuffle=True)}
    study = Study(data, models, splits, ["micro-f", "hamming-loss"], seeds=(0, 1))
    return study.run(folder / "study.sqlite", progress=False)


def take_pictures(folder: Path, chromium: Any) -> None:
    """Write every picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, page, colours, address, section, height in PICTURES:
        tab = chromium.new_page(viewport={"width": 1280, "height": height}, color_scheme=colours)
        tab.goto(f"{(folder / f'{page}.html').as_uri()}#{address}")
        tab.wait_for_selector("html[data-ready]")
        if section != "desk":
            tab.evaluate(f"document.getElementById('{section}').scrollIntoView()")
        tab.wait_for_timeout(300)
        tab.screenshot(path=FOLDER / name)
        tab.close()


def main() -> None:
    """Write the pages into a temporary folder, and take the pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        folder = Path(name)
        write_report(small_desk(), folder / "desk.html")
        write_report(small_study(folder), folder / "study.html")
        path = shutil.which("chromium") or shutil.which("google-chrome")
        chromium = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        take_pictures(folder, chromium)
        chromium.close()


if __name__ == "__main__":
    main()
