"""`labelwise demo`: every stage on bundled data in one minute."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelwise import _io, data, decisions, features, learners, measures, reports, splitting
from labelwise._extras import require
from labelwise._text import printable_path
from labelwise.cli.running import command

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

_N_FOLDS = 5
_METHODS = ("random", "labelset", "iterative", "balanced")
# Commands to try after the demo, and what they do.
_NEXT = (
    ("labelwise report scores.csv labels.csv -o report.html", "such a page of your scores"),
    (
        "labelwise tune scores.csv labels.csv -o thresholds.json",
        "the best thresholds of your scores",
    ),
    ("labelwise fit table.csv --labels subjects -o model.skops", "a model of your table or texts"),
    ("labelwise describe table.csv --labels subjects", "statistics of your labels"),
    ("labelwise -h", "all commands"),
)
_SHOWN = ("micro-f", "macro-f", "sample-f", "subset-accuracy", "hamming-loss", "ranking-loss")


@command(example="labelwise demo")
def demo() -> None:
    """Run every stage on bundled data.

    The stages are: describe, split, score, decide, measure, report. A decision desk and a figure
    are written into a new temporary folder, and their paths are printed.
    """
    require("matplotlib", "the demo")
    import matplotlib as mpl
    import numpy as np
    from rich.console import Console

    # Figures go to files, so that no display is needed.
    mpl.use("Agg")
    console = Console()
    digits = data.load("digits")
    console.print("[bold]1. data[/] Pictures of up to five handwritten digits side by side.")
    console.print(f"\n{digits.describe()}", highlight=False, markup=False)
    training = digits.take(digits.train)
    console.print(
        f"\n[bold]2. splitting[/] {len(training)} training pictures into {_N_FOLDS} folds."
    )
    folds = _show_splits(training, console)
    console.print(
        "\n[bold]3. learners[/] Logistic regression for each label; held-out scores of each fold."
    )
    scores = _held_out_scores(training, folds, console)
    tuned = decisions.best_thresholds(scores, training.Y, shrink="auto", random_state=0)
    console.print(
        "[bold]4. decisions[/] Thresholds tuned on the held-out scores: micro F is "
        f"{tuned.value:.3f} there."
    )
    console.print(
        "[bold]5. measures[/] On test pictures, made of digits that are not in training pictures.\n"
    )
    test = digits.take(digits.test)
    unseen = _model().fit(training.X, training.Y.toarray().astype(np.int64)).predict_proba(test.X)
    _show_values(
        {
            "decided at 0.5": measures.evaluate(test.Y, scores=unseen, decided=unseen >= 0.5),
            "tuned": measures.evaluate(test.Y, scores=unseen, decided=tuned.decide(unseen)),
        },
        console,
    )
    folder = Path(tempfile.mkdtemp(prefix="labelwise-demo-"))
    _show_bags(console, folder)
    _show_texts(console)
    title = "Digits in pictures"
    names = digits.label_names
    desk = reports.Desk(unseen, test.Y, tuned, label_names=names, title=title, random_state=0)
    reports.write_report(desk, folder / "report.html")
    _show_report(console, folder / "report.html")


def _model() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    return OneVsRestClassifier(make_pipeline(MaxAbsScaler(), LogisticRegression(C=0.1)))


def _show_splits(training: data.Dataset, console: Console) -> np.ndarray:
    """Print the quality of the folds of each method, and return those of the last."""
    from rich.table import Table

    table = Table("method", "labels (LD)", "sizes (ED)", "without positives")
    for method in _METHODS:
        folds = splitting.assign(training.Y, _N_FOLDS, method=method, random_state=0)
        quality = splitting.split_quality(training.Y, folds)
        missing = f"{quality.fz} folds, {quality.flz} fold-label pairs"
        table.add_row(method, f"{quality.ld:.4f}", f"{quality.ed:.2f}", missing)
    console.print(table)
    return folds


def _held_out_scores(training: data.Dataset, folds: np.ndarray, console: Console) -> np.ndarray:
    """Return a score for every picture and label from a model that did not see the picture."""
    import numpy as np
    from rich.progress import Progress

    Y = training.Y.toarray().astype(np.int64)
    scores = np.empty(Y.shape)
    with Progress(console=console, transient=True) as progress:
        for fold in progress.track(range(_N_FOLDS), description="scoring"):
            held_out = folds == fold
            model = _model().fit(training.X[~held_out], Y[~held_out])
            scores[held_out] = model.predict_proba(training.X[held_out])
    return scores


def _show_bags(console: Console, folder: Path) -> None:
    """Learn the digit of each picture from bags for which only the set of digits is known."""
    import numpy as np

    bags = data.load("digit-bags")
    test = bags.take(bags.test)
    model = learners.BagPlugin(cv=2, n_iter=6, random_state=0).fit(bags.take(bags.train))
    digits = [int(digit) for text in test.ids["digits"] for digit in text.split()]
    right = np.mean(model.predict_instances(test).scores.argmax(axis=1) == digits)
    console.print(
        "\n[bold]6. bags[/] A bag is several pictures. The digits of a training bag are known, "
        "but not which picture shows which digit.\nPredicted digits of single test pictures: "
        f"{right:.0%} of {len(digits)} are correct."
    )
    figure = folder / "bags.png"
    with _io.written_whole(figure) as stream:
        reports.BagDisplay.from_estimator(model, test).figure_.savefig(stream, format="png")
    shown = f"Figure of the picture with the highest score for each label: {printable_path(figure)}"
    console.print(shown, highlight=False, markup=False, soft_wrap=True)


def _show_texts(console: Console) -> None:
    """Learn the subjects of texts from the texts as they are."""
    from sklearn.pipeline import make_pipeline

    texts = data.load("abstracts")
    training, test = texts.take(slice(0, 400)), texts.take(slice(400, None))
    model = make_pipeline(
        features.TableFeatures(text=texts.texts),
        decisions.TunedThresholds(learners.BinaryRelevance()),
    )
    model.fit(training.frame, training.Y)
    decided = model.predict(test.frame)
    found = measures.evaluate(test.Y, decided=decided)["micro-f"]
    console.print(
        f"\n[bold]7. texts[/] {len(training)} titles and abstracts, {texts.n_labels} subjects: "
        f"micro F {found:.3f} on {len(test)} other texts. For example:"
    )
    lines = [
        test.frame["abstract"][0].as_py(),
        *_reasons(model, test.frame.slice(0, 1), texts.label_names),
    ]
    console.print("\n".join(lines), highlight=False, markup=False)


def _reasons(model: Any, text: Any, names: Sequence[str]) -> list[str]:
    """Return a line for each subject of a text: the terms and the sentence that decided it."""
    from labelwise.cli._cell_lists import terms_of_cells

    found = learners.deciding_sentences(model, text)
    of_labels = terms_of_cells(model, text, found.samples, found.labels, 3)
    lines = []
    for j, terms, sentence in zip(found.labels, of_labels, found.sentences, strict=True):
        words = ", ".join(term.partition(":")[2] for term, _ in terms)
        lines.append(f'-> {names[j]}: by {words}; most of all by "{sentence}"')
    return lines


def _show_values(evaluations: dict[str, measures.Evaluation], console: Console) -> None:
    from rich.table import Table

    table = Table("measure", *evaluations)
    for measure in _SHOWN:
        values = [f"{evaluation[measure]:.3f}" for evaluation in evaluations.values()]
        table.add_row(measure, *values)
    console.print(table)


def _show_report(console: Console, page: Path) -> None:
    """Print where the report is, and the commands to try next."""
    console.print(
        "\n[bold]8. reports[/] The test pictures as a decision desk: move the handle, and every "
        "number follows. Open it in a browser:"
    )
    console.print(printable_path(page), highlight=False, markup=False, soft_wrap=True)
    console.print("\n[bold]What to try next[/]")
    for typed, result in _NEXT:
        console.print(f"  {typed:<58}{result}", highlight=False, markup=False, soft_wrap=True)
