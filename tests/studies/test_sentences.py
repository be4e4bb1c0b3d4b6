"""Numbers that sentences of the pages repeat from measured tables are those of the tables.

A sentence has {} for each number. If a study has been run again and a number differs, renew the
sentence on its page; if the sentence is written anew, renew it here.
"""

import math
import re
from pathlib import Path

import pytest

import studies
from studies.comparison import Table

PAGES = Path(__file__).parents[2] / "docs"


def measured(paper, table, *where):
    """The measured cell under these keys."""
    cells = Table.read(studies.FOLDER / paper / f"{table}_measured.csv").cells
    (found,) = (cell.measured for cell in cells if cell.where == where)
    return found


def difference(paper, table, *where):
    """How far the measured cell is from the published one, without its sign."""
    cells = Table.read(studies.FOLDER / paper / f"{table}_measured.csv").cells
    (found,) = (abs(cell.difference) for cell in cells if cell.where == where)
    return found


def pillai(model, column, dataset="Reuters"):
    return measured("pillai2012", "table2", dataset, model, "mean", column)


def most_change_by_fbr():
    pairs = [("FBR.0", "FBR.0, pooled"), ("FBR.1", "FBR.1, pooled")]
    return max(
        abs(pillai(model, inner, dataset) - pillai(model, pooled, dataset))
        for dataset in ("Reuters", "Yeast", "Scene")
        for model in ("SVM", "k-NN")
        for inner, pooled in pairs
    )


def scene_gaps():
    """How much lower the first loop is on Scene with the most frequent label first: both models."""
    first = "first loop, frequent first"
    return sorted(
        measured("pillai2012", "table2", "Scene", model, "mean", "first loop")
        - pillai(model, first, "Scene")
        for model in ("SVM", "k-NN")
    )


def macro_gap(column):
    by = "highest macro F for a beta"
    return [measured("pillai2012", "macro_curves", name, by, column) for name in SETS]


def forests(dataset, method, measure):
    return measured("sechidis2011", "table4", dataset, method, "mean", measure)


def agreeing(paper, table, kind="cells"):
    return Table.read(studies.FOLDER / paper / f"{table}_measured.csv").counts[kind]


def dembczynski(dataset, model, column, table="table2"):
    return measured("dembczynski2013", table, dataset, model, column)


def excess(dataset):
    """How much higher than published the Hamming loss of RML is, in percent."""
    where = dataset, "RML", "Hamming loss"
    above = difference("dembczynski2013", "table2", *where)
    return 100 * above / (dembczynski(*where) - above)


def f_missed(model):
    where = "Enron", f"{model}, free intercept", "F"
    return difference("dembczynski2013", "table2_readings", *where)


def wins(claim, case):
    return measured("olsson2006", "claims", claim, case, "wins")


def text_f(model):
    return measured("miml2017", "holdouts", "miml-text", model, "macro F")


def best_of_instances():
    cells = Table.read(studies.FOLDER / "miml2017/holdouts_measured.csv").cells
    return max(
        cell.measured
        for cell in cells
        if cell.where[0] == "miml-text"
        and cell.where[1].startswith("BagPlugin")
        and cell.where[2] == "macro F"
    )


SETS = ("Yeast", "Emotions", "Scene")
COUNTS = "RCV1 subsets 3-4, counts"
LOWEST, MAX, AVG = "LR, cut 1", "chi2-max, cut 5", "chi2-avg, cut 0"
SENTENCES = [
    (
        "mathematics.md",
        "macro precision on the line is higher by up to {}, {} and {} at the same macro recall, "
        "and by {}, {} and {} in the mean",
        lambda: [*macro_gap("largest"), *macro_gap("mean")],
    ),
    (
        "studies/pillai2012.md",
        "The rarest label of Yeast is that of {} % of the training samples",
        lambda: [100 * measured("pillai2012", "table1", "Yeast", "lowest class frequency")],
    ),
    (
        "studies/pillai2012.md",
        "both cells of Scene are lower by {} to {}, and 26 instead of {} cells agree",
        lambda: [*scene_gaps(), agreeing("pillai2012", "table2", "means")[0]],
    ),
    (
        "studies/pillai2012.md",
        "k-NN agrees ({} beside 0.580) and SVM is higher ({} beside 0.689); with the most frequent "
        "label first SVM agrees ({}) and k-NN is lower ({})",
        lambda: [
            pillai("k-NN", "first loop"),
            pillai("SVM", "first loop"),
            pillai("SVM", "first loop, frequent first"),
            pillai("k-NN", "first loop, frequent first"),
        ],
    ),
    (
        "studies/pillai2012.md",
        "the validation F of k-NN on Reuters, {} lower than published",
        lambda: [difference("pillai2012", "table2", "Reuters", "k-NN", "mean", "validation")],
    ),
    (
        "studies/pillai2012.md",
        "The means of the two ways differ in test F by at most {}",
        lambda: [most_change_by_fbr()],
    ),
    (
        "../studies/papers.csv",
        "validation F of k-NN is lower by {} is open; validation F of SVM is {} above test F",
        lambda: [
            difference("pillai2012", "table2", "Reuters", "k-NN", "mean", "validation"),
            pillai("SVM", "validation") - pillai("SVM", "test"),
        ],
    ),
    (
        "studies/sechidis2011.md",
        "of 20 trees: coverage {} (published 217.6 on random folds), ranking loss {} (.2717), area "
        "{} (.7821)",
        lambda: [
            forests("Corel5k, 20 trees", "random", one)
            for one in ("coverage", "ranking-loss", "micro-auc")
        ],
    ),
    (
        "studies/sechidis2011.md",
        "coverage is {} on random folds (published 44.9), ranking loss {} (.2130) and the area {} "
        "(.7780). Average precision is a little higher ({} on iterative folds, published .3505)",
        lambda: [
            *(
                forests("Bibtex", "random", one)
                for one in ("coverage", "ranking-loss", "micro-auc")
            ),
            forests("Bibtex", "iterative", "macro-average-precision"),
        ],
    ),
    (
        "studies/sechidis2011.md",
        "of these claims, {} of {} in Table 4 and {} of {} in Table 5 come out as published",
        lambda: [
            *agreeing("sechidis2011", "table4_claims"),
            *agreeing("sechidis2011", "table5_claims"),
        ],
    ),
    (
        "studies/sechidis2011.md",
        "in Table 5 {} of {}; the other one is",
        lambda: agreeing("sechidis2011", "table5", "means"),
    ),
    (
        "studies/dembczynski2013.md",
        "BR and LFP miss the published F of Enron by {} and {} points",
        lambda: [f_missed("BR"), f_missed("LFP")],
    ),
    (
        "studies/dembczynski2013.md",
        "RML with one label has an F of {} and a loss of {}",
        lambda: [
            dembczynski("Scene", "RML, one label, free intercept", column, "table2_readings")
            for column in ("F", "Hamming loss")
        ],
    ),
    (
        "studies/dembczynski2013.md",
        "Hamming loss is higher than published by {} and {} %",
        lambda: [excess("Image"), excess("Medical")],
    ),
    (
        "studies/dembczynski2013.md",
        "F is {}, {} and {} beside 51.21, 55.15 and 55.16",
        lambda: [dembczynski("Mediamill", model, "F") for model in ("BR", "LFP", "EFP")],
    ),
    (
        "studies/dembczynski2013.md",
        "on Image LFP is {} points above it",
        lambda: [dembczynski("Image", "LFP", "F") - dembczynski("Image", "EFP", "F")],
    ),
    (
        "studies/dembczynski2013.md",
        "on Enron SML is better by {}",
        lambda: [dembczynski("Enron", "SML", "F") - dembczynski("Enron", "RML", "F")],
    ),
    (
        "studies/olsson2006.md",
        "peak of R-precision against chi2-avg in {} of 20 and against chi2-max in {} of 20, the "
        "higher peak of F1 in {} and {}, and is better at most sizes in {} and {}",
        lambda: [
            wins(f"{LOWEST} {does} {other}{rest}", COUNTS)
            for does, rest in (
                ("has a higher peak of R-precision than", ""),
                ("has a higher peak of F1 than", ""),
                ("is better than", " at most sizes"),
            )
            for other in (AVG, MAX)
        ],
    ),
    (
        "studies/miml2017.md",
        "tuned thresholds have a macro F of {}, and the best method that models instances has {}",
        lambda: [text_f("tuned trees on bag mean"), best_of_instances()],
    ),
]


@pytest.mark.parametrize(
    ("page", "sentence", "numbers"), SENTENCES, ids=[one[1][:40] for one in SENTENCES]
)
def test_numbers_of_a_sentence_are_those_of_the_tables(page, sentence, numbers):
    pattern = re.escape(" ".join(sentence.split())).replace(r"\{\}", r"(\d*\.?\d+)")
    found = re.search(pattern, " ".join((PAGES / page).read_text(encoding="utf-8").split()))
    assert found, f"{page} has no such sentence"
    expected = numbers()
    assert len(found.groups()) == len(expected)
    for typed, number in zip(found.groups(), expected, strict=True):
        digits = len(typed.partition(".")[2])
        # Half of the last digit may go either way, since cells are written with seven digits.
        room = 0.5 * 10.0**-digits + 1e-6
        assert math.isclose(float(typed), number, rel_tol=0, abs_tol=room), (typed, number)
