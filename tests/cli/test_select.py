"""`labelwise select` writes the best terms, and shows how many are enough."""

import csv

import numpy as np
import pytest
from scipy import sparse

from labelwise.cli.commands._select import curve_display
from labelwise.data import Dataset, load, read_svmlight, write_svmlight
from labelwise.features import TermSelector
from labelwise.learners import OkapiNeighbors
from labelwise.measures import measure_scores
from labelwise.reports import TermCurveDisplay
from tests.cli.shell import run


@pytest.fixture(scope="module")
def documents():
    random = np.random.default_rng(0)
    X = random.poisson(np.minimum(0.6, 4 / np.arange(1, 81)), (150, 80)).astype(float)
    Y = (X[:, 3:8] + random.poisson(0.1, (150, 5))) > 0
    return Dataset(sparse.csr_array(X), Y, "documents")


@pytest.fixture
def file(documents, tmp_path):
    path = tmp_path / "documents.svm"
    write_svmlight(documents, path)
    return str(path)


def select(path, **options):
    words = []
    for name, value in options.items():
        option = "-n" if name == "n_terms" else f"--{name}"
        words += [option] if value is True else [option, value] if value is not None else []
    return run("select", path, *words)


def test_what_is_written_as_svmlight_is_read_back_to_the_bit(tmp_path):
    X = np.array([[0.1, 0, 1e-300], [0, 0, 0], [0, -2.5, 0], [0, 0, 0]])
    Y = np.array([[1, 0], [0, 1], [0, 0], [0, 0]])
    write_svmlight(Dataset(X, Y), tmp_path / "tiny.svm")
    again = read_svmlight(tmp_path / "tiny.svm")
    assert np.array_equal(again.X.toarray(), X)
    assert np.array_equal(again.Y.toarray(), Y)


@pytest.mark.parametrize(
    ("dataset", "words"),
    [
        (Dataset([[np.nan]], [[1]]), "has missing values"),
        (Dataset([[1.0]], [[1]], bags=[0, 1]), "has bags"),
    ],
)
def test_data_that_svmlight_cannot_represent_are_refused(dataset, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        write_svmlight(dataset, tmp_path / "tiny.svm")
    assert list(tmp_path.iterdir()) == []


def test_the_kept_terms_are_written_with_their_names_beside(file, documents, tmp_path):
    output = tmp_path / "reduced.svm"
    shown = select(file, by="chi2-max,df", cut=2, n_terms=7, output=output)
    selector = TermSelector(7, by=("chi2-max", "df"), cut=2).fit(documents.X, documents.Y)
    kept = np.flatnonzero(selector.get_support())
    reduced = read_svmlight(output)
    assert np.array_equal(reduced.X.toarray(), documents.X[:, kept].toarray())
    assert np.array_equal(reduced.Y.toarray(), documents.Y.toarray())
    with (tmp_path / "reduced-columns.csv").open() as lines:
        columns = list(csv.DictReader(lines))
    assert [c["name"] for c in columns if c["kind"] == "term"] == [str(j) for j in kept]
    assert [c["kind"] for c in columns].count("label") == 5
    assert "7 of 80 terms kept, scored on all samples" in shown
    assert str(output) in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "rank: the worst rank of the term by chi2-max and chi2-avg; 1 is the best"),
        ({"combine": "max-or"}, "score: the highest of chi2-max and chi2-avg, each divided by"),
        ({"by": "df"}, "df: higher is better"),
    ],
)
def test_the_number_of_a_term_is_positive_and_explained(file, options, said):
    shown = select(file, n_terms=3, **options)
    assert said in shown
    places = [line.split() for line in shown.splitlines() if line.startswith("   ")]
    assert min(float(words[-1]) for words in places[1:]) > 0


def test_terms_are_scored_on_training_rows_where_there_are_such(documents, tmp_path):
    for part, rows in (("train", slice(0, 100)), ("test", slice(100, 150))):
        write_svmlight(documents.take(rows), tmp_path / f"known-{part}.svm")
    output = tmp_path / "out" / "reduced.svm"
    shown = select(tmp_path, n_terms=5, output=output)
    selector = TermSelector(5).fit(documents.X[:100], documents.Y[:100])
    reduced = read_svmlight(output).X.toarray()
    assert np.array_equal(reduced, documents.X[:, selector.get_support()].toarray())
    assert "scored on the 100 training samples" in shown


def test_the_curve_is_that_of_separate_runs_and_names_the_smallest_set(documents, monkeypatch):
    split = Dataset(documents.X, documents.Y, train=np.arange(100), test=np.arange(100, 150))
    monkeypatch.setattr("labelwise.learners._term_curve.SIZES", (5, 20, 5000))
    monkeypatch.setattr("labelwise.learners._term_curve._BLOCK", 200)
    display = curve_display(split, TermSelector(), 15, 0)
    train, test = split.take(split.train), split.take(split.test)
    ranking = TermSelector().fit(train.X, train.Y).ranking_
    model = OkapiNeighbors(15).fit(train.X, train.Y)
    expected = [
        measure_scores(test.Y, scores, "r-precision", undefined="skip")
        for scores in model.score_curve(test.X, ranking, [5, 20, ranking.size])
    ]
    np.testing.assert_allclose(display.values, expected)
    assert display.sizes.tolist() == [5, 20, ranking.size]
    near = display.values >= display.values.max() - display.errors[display.peak]
    assert display.chosen == np.flatnonzero(near)[0]


def test_a_curve_is_shown_in_words_and_drawn(file, tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    figure = tmp_path / "curve.svg"
    shown = select(file, curve=True, k=10, output=figure)
    assert "each fifth of the samples" in shown
    assert "smallest set within one standard error of the peak" in shown
    assert figure.read_bytes().startswith(b"<?xml")


def test_the_smallest_set_within_one_error_is_chosen_in_any_order():
    display = TermCurveDisplay([100, 10, 50], [0.9, 0.5, 0.89], [0.02, 0.5, 0.0])
    assert (display.peak, display.chosen) == (0, 2)


@pytest.mark.parametrize(
    ("options", "name", "words"),
    [
        ({}, "a.svm", "Give either -n"),
        ({"n_terms": 3, "curve": True}, "a.svm", "Give either -n"),
        ({"n_terms": 3}, "a.txt", "must end in .svm"),
        ({"curve": True}, "a.svm", "must end in .png or .svg or .pdf"),
        ({"n_terms": 3, "by": "tf"}, "a.svm", "by must name scores"),
        ({"n_terms": 3, "combine": "best"}, "a.svm", "combine must be one of"),
        ({"curve": True, "cut": 1000}, "a.png", "cut must leave a term, got 1000"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(options, name, words, file, tmp_path):
    with pytest.raises(ValueError, match=words):
        select(file, output=tmp_path / name, **options)
    assert not (tmp_path / name).exists()


def test_rows_without_labels_cannot_be_selected_from(tmp_path):
    write_svmlight(Dataset([[1.0], [2.0]], None), tmp_path / "unknown.svm")
    with pytest.raises(ValueError, match="its labels are unknown"):
        select(tmp_path / "unknown.svm", n_terms=1)
    assert load(str(tmp_path / "unknown.svm")).Y is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"by": "chi2"}, "by must name scores among"),
        ({"combine": "first"}, "combine must be one of"),
        ({"cut": -1}, "cut must be at least 0"),
        ({"n_terms": 0}, "-n must be at least 1"),
        ({"n_terms": None, "curve": True, "k": 0}, "k must be at least 1"),
    ],
)
def test_wrong_options_stop_before_anything_is_read(wrong, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        select(tmp_path / "absent.svm", **{"n_terms": 5, **wrong})
