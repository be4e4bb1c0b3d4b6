"""Tables 4 and 5 of sechidis2011: cells in a store, deviations, their ranks, and the claims."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from labelwise.data import make_multilabel
from labelwise.splitting import MultilabelStratifiedKFold
from studies.comparison import Spread, published_cells, read_table
from studies.sechidis2011 import estimates as study, mulan, ranks as ranking
from studies.sechidis2011.estimates import Runs, as_columns
from tests.kernels import COMPILED_ONLY

TABLES = (study.TABLE_4, study.TABLE_5)


def printed_of(table):
    """Published cells of a table."""
    path = ranking.FOLDER / f"table{table.number}.csv"
    return published_cells(path, keys=("dataset", "method", "estimate"))


def spreads(deviations, measure="coverage"):
    """Deviations by set and method, for one measure."""
    return {
        (name, method, measure): Spread(0.5, value, 2, 0)
        for name, row in deviations.items()
        for method, value in zip(ranking.METHODS, row, strict=True)
    }


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.number)
def test_published_means_and_deviations_come_in_pairs(table):
    printed = printed_of(table)
    means = {(*where[:2], where[3]) for where in printed if where[2] == "mean"}
    deviations = {(*where[:2], where[3]) for where in printed if where[2] == "deviation"}
    assert means == deviations
    missing = {"ImageCLEF2010"} if table is study.TABLE_4 else set()
    assert {name for name, *_ in printed} == {*table.runs} | missing
    for name, method, measure in means:
        texts = [printed[name, method, what, measure] for what in ("mean", "deviation")]
        assert (texts[0] == "NaN") == (texts[1] == "NaN")


def test_published_ranks_of_table_5_are_those_of_its_deviations():
    printed = printed_of(study.TABLE_5)
    found = {
        (name, method, measure): Spread(0.0, float(text), 5, 0)
        for (name, method, estimate, measure), text in printed.items()
        if estimate == "deviation"
    }
    ranks = published_cells(ranking.FOLDER / "table5_ranks.csv", keys=("sets", "method"))
    # The other columns have lost cells.
    for measure in ("ranking-loss", "micro-auc"):
        ours = ranking.ranks_of(found, "small", measure, ranking.PAPER_METHODS)
        theirs = {method: float(ranks["small", method, measure]) for method in ours}
        assert ours == pytest.approx(theirs)


@COMPILED_ONLY
def test_table_5_is_measured_by_votes_of_pairs(monkeypatch, tmp_path):
    drawn, _ = make_multilabel(60, random_state=0)
    tiny = drawn.take(drawn.Y.sum(axis=1) > 0)
    methods = {"random": MultilabelStratifiedKFold(3, shuffle=True, method="random")}
    monkeypatch.setattr(study, "load", lambda *_, **__: tiny)
    monkeypatch.setattr(study, "folds", lambda: methods)
    rows = study.measured_earlier(study.TABLE_5, ["Emotions"], tmp_path / "store.sqlite")
    assert {row["model"] for row in rows} == {"ranking"}
    assert len(rows) == 3 * len(ranking.MEASURES)
    cells = list(study.estimate_cells(study.spreads_of(rows), study.TABLE_5))
    first = next(cell for cell in cells if cell.where[2:] == ("mean", "hamming-loss"))
    assert first.published == "0.1803"


def test_claims_of_table_5_are_about_sets_with_few_labelsets(monkeypatch):
    monkeypatch.setattr(ranking, "MEASURES", ("coverage",))
    holds = {"Scene": (4, 1, 2, 3), "Yeast": (4, 1, 2, 3)}
    before = {"Scene": (4, 2, 1, 3), "Yeast": (4, 1, 2, 3), "Medical": (4, 1, 2, 3)}
    monkeypatch.setattr(ranking, "measured_spreads", lambda _: spreads(before))
    cells = list(ranking.claim_cells(spreads(holds), study.TABLE_5.ranked))
    assert [cell.measured for cell in cells] == [1, 1, 0, 1]
    assert [cell.verdict for cell in cells] == ["within", "within", "", "within"]
    # The lead that Table 4 has on the same sets is no larger one.
    cells = list(ranking.claim_cells(spreads(before), study.TABLE_5.ranked))
    assert cells[-1].measured == 0


def test_leads_are_compared_with_the_committed_deviations_of_the_judged_rows():
    found = ranking.measured_spreads("4")
    assert {name for name, *_ in found} == set(ranking.SETS)
    _, rows = read_table(ranking.FOLDER / "table4_measured.csv")
    row = next(row for row in rows if row["estimate"] == "deviation")
    where = row["dataset"], row["method"], row["measure"]
    assert found[where].deviation == float(row["measured"])


@COMPILED_ONLY
def test_more_repetitions_only_add_cells(monkeypatch, tmp_path):
    drawn, _ = make_multilabel(60, random_state=0)
    tiny = drawn.take(drawn.Y.sum(axis=1) > 0)
    one_method = {"random": MultilabelStratifiedKFold(3, shuffle=True, method="random")}
    monkeypatch.setattr(study, "load", lambda *_, **__: tiny)
    monkeypatch.setattr(study, "folds", lambda: one_method)
    store = tmp_path / "store.sqlite"
    once, twice = (
        study.measured(study.TABLE_4, {"Emotions": Runs(n_runs, 3)}, store) for n_runs in (1, 2)
    )
    cell = ("fold", "measure", "fit_seconds")
    assert len(twice) == 2 * len(once) == 2 * 3 * len(ranking.MEASURES)
    assert [[row[key] for key in cell] for row in once] == [
        [row[key] for key in cell] for row in twice if row["seed"] == 0
    ]
    found = study.spreads_of(twice)["Emotions", "random", "coverage"]
    runs = [
        [row["value"] for row in twice if (row["seed"], row["measure"]) == (seed, "coverage")]
        for seed in (0, 1)
    ]
    assert found.deviation == pytest.approx(np.mean([np.std(run) for run in runs]))
    assert found.mean == pytest.approx(np.mean(runs))


def test_features_are_the_same_in_columns_dense_and_sparse():
    X = np.arange(6.0).reshape(2, 3)
    assert as_columns(X).dtype == np.float32
    found = as_columns(sparse.csr_array(X))
    assert found.format == "csc"
    np.testing.assert_array_equal(found.toarray(), X)


def test_lower_deviations_rank_first_over_the_sets_of_a_group():
    found = spreads({"Scene": (4, 1, 2, 3), "Yeast": (3, 2, 1, 4), "Enron": (1, 2, 3, 4)})
    small = ranking.ranks_of(found, "small", "coverage", ranking.PAPER_METHODS)
    assert small == {"random": 3, "labelset": 1.5, "iterative": 1.5}
    every = ranking.ranks_of(found, "all", "coverage", ranking.METHODS)
    assert every["balanced"] == pytest.approx(11 / 3)
    # Small numbers of sets that are undefined for a method are left out of its rank.
    found["Yeast", "random", "coverage"] = Spread(np.nan, np.nan, 2, 1)
    assert ranking.ranks_of(found, "small", "coverage", ranking.PAPER_METHODS)["labelset"] == 1
    nothing = ranking.ranks_of(found, "large", "hamming-loss", ranking.METHODS)
    assert np.isnan(list(nothing.values())).all()


def test_claims_are_confirmed_or_not_by_the_ranks(monkeypatch):
    monkeypatch.setattr(ranking, "MEASURES", ("coverage",))

    def claimed(deviations):
        cells = ranking.claim_cells(spreads(deviations), study.TABLE_4.ranked)
        return {cell.where[0]: cell for cell in cells}

    cells = claimed({"Scene": (4, 1, 2, 3), "Enron": (4, 3, 1, 2)})
    assert {words: cell.measured for words, cell in cells.items()} == {
        "random is worst over all sets": 1,
        "iterative is best at many labelsets": 1,
        "iterative is best at few labelsets": 0,
        "labelset is best at few labelsets": 1,
        "iterative is no worse than labelset over all sets": 1,
        "balanced is best of four over all sets": 0,
    }
    # The paper says nothing of iterative stratification at few labelsets but for ranking loss.
    assert {cell.verdict for cell in cells.values()} == {"within", ""}
    tied = claimed({"Scene": (2, 1, 3, 4), "Enron": (3, 1, 2, 4)})
    assert tied["random is worst over all sets"].measured == 0
    assert tied["iterative is no worse than labelset over all sets"].measured == 0
    other = claimed({"Scene": (1, 2, 3, 4), "Enron": (1, 2, 3, 4)})
    assert [cell.verdict for cell in other.values() if cell.verdict] == ["lower"] * 4


def test_deviations_may_be_off_by_two_errors_and_means_by_three():
    printed = float(printed_of(study.TABLE_4)["Scene", "random", "mean", "coverage"])
    found = {("Scene", "random", "coverage"): Spread(printed + 0.02, 0.0406, 5, 0)}
    mean, deviation = study.estimate_cells(found)
    # Five times ten folds, here and there: sqrt(2 / 50) of the deviation, three times.
    assert mean.tolerance == pytest.approx(0.6 * 0.0406 + 0.00005)
    # Ten folds, five times here and there: sqrt(2 / 5 / 18) of the deviation, twice.
    assert deviation.tolerance == pytest.approx(2 * np.sqrt(0.4 / 18) * 0.0406 + 0.00005)
    assert (mean.verdict, deviation.verdict) == ("within", "within")
    found["Scene", "random", "coverage"] = Spread(printed + 0.03, 0.0406, 5, 0)
    cells = list(study.estimate_cells(found))
    assert cells[0].verdict == "higher"
    # A deviation of a fold is wider.
    assert study.within_deviation(cells, study.TABLE_4) == (1, 1)


def test_nan_is_where_the_paper_has_it_on_rare_labels():
    path = ranking.FOLDER / "table4_measured.csv"
    if not path.is_file():
        pytest.skip("Table 4 was not measured yet: labelwise reproduce sechidis2011 --table 4.")
    _, rows = read_table(path)
    notes = (study.TEN_TREES, study.TWENTY_TREES)
    named = {row["dataset"] for row in rows}
    plain = {name.removesuffix(notes[0]).removesuffix(notes[1]) for name in named}
    assert set(ranking.SMALL) <= plain <= set(ranking.SETS)
    for row in rows:
        rare = row["dataset"].startswith(("Genbase", "Medical"))
        if row["measure"] == "macro-average-precision" and rare:
            assert row["measured"] == "nan"


@COMPILED_ONLY
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.number)
def test_conventions_of_mulan_are_measured_and_the_other_reading_is_shown(
    table, monkeypatch, tmp_path
):
    drawn, _ = make_multilabel(60, random_state=0)
    tiny = drawn.take(drawn.Y.sum(axis=1) > 0)
    methods = {"random": MultilabelStratifiedKFold(3, shuffle=True, method="random")}
    monkeypatch.setattr(study, "load", lambda *_, **__: tiny)
    monkeypatch.setattr(study, "folds", lambda: methods)
    rows = study.measured(table, {"Emotions": Runs(1, 3)}, tmp_path / "store.sqlite")
    assert len(rows) == 3 * len(ranking.MEASURES)
    spreads = study.spreads_of(rows)
    cells = list(study.estimate_cells(spreads, table))
    assert all(cell.verdict for cell in cells if cell.published)
    ten = list(study.estimate_cells(spreads, table, study.TEN_TREES, ["Emotions"]))
    assert {cell.where[0] for cell in ten} == {"Emotions, ten trees"}
    assert [cell.published for cell in ten] == [cell.published for cell in cells]
    assert {cell.verdict for cell in ten} == {""}


@COMPILED_ONLY
def test_genbase_has_an_identifier_of_each_sample(monkeypatch, tmp_path):
    tiny, _ = make_multilabel(60, random_state=0)
    monkeypatch.setattr(study, "load", lambda *_, **__: tiny)
    named = study._with_names()
    assert named.X.shape[1] == tiny.X.shape[1] + 1
    np.testing.assert_array_equal(named.X[:, -1], np.arange(60))
    assert named.feature_names[-1] == "protein"
    methods = {"random": MultilabelStratifiedKFold(3, shuffle=True, method="random")}
    monkeypatch.setattr(study, "folds", lambda: methods)
    rows = study.measured(study.TABLE_4, {"Genbase": Runs(1, 3)}, tmp_path / "store.sqlite")
    assert len(rows) == 3 * len(ranking.MEASURES)


@COMPILED_ONLY
def test_a_quick_table_has_a_repetition_and_not_the_earlier_reading(monkeypatch, tmp_path):
    drawn, _ = make_multilabel(60, random_state=0)
    tiny = drawn.take(drawn.Y.sum(axis=1) > 0)
    methods = {
        name: MultilabelStratifiedKFold(3, shuffle=True, method=name) for name in ranking.METHODS
    }
    monkeypatch.setattr(study, "load", lambda *_, **__: tiny)
    monkeypatch.setattr(study, "folds", lambda: methods)
    monkeypatch.setattr(study, "STORE", tmp_path / "store.sqlite")
    table = study.table_4(quick=True)
    assert {cell.where[0] for cell in table.cells} == {"Emotions"}
    assert "Repetitions: Emotions: 1 of 100 trees." in table.words
    assert [other.name for other in table.others] == ["table4_ranks", "table4_claims"]


def test_words_say_repetitions_and_trees_of_each_set():
    runs = {"Scene": Runs(), "Bibtex": Runs(1, 10), "Yeast": Runs()}
    words = study._words(study.TABLE_4, runs, (3, 4))
    assert "3 of 4 would agree" in words
    assert "Repetitions: Scene, Yeast: 5 of 100 trees; Bibtex: 1 of 10 trees." in words


CONVENTIONS = pytest.mark.parametrize("conventions", [mulan.RELEVANCE, mulan.RANKING])


@CONVENTIONS
def test_samples_with_equal_scores_are_ranked_in_their_order(conventions):
    scores = np.array([[0.5, 0.5], [0.5, 0.5], [0.2, 0.5]])
    np.testing.assert_array_equal(mulan.without_ties(scores), [[0, 0], [-1, -1], [-2, -2]])
    truth = np.array([[1, 0], [0, 1], [1, 0]])
    outcome = SimpleNamespace(truth=truth, scores=scores, decided=np.zeros((3, 2), dtype=int))
    found = conventions.measures(outcome)["macro-average-precision"]
    assert found == pytest.approx(((1 + 2 / 3) / 2 + 1 / 2) / 2)


@CONVENTIONS
def test_of_labels_with_equal_scores_the_last_is_ranked_higher(conventions):
    def measured(row):
        truth, nothing = sparse.csc_array(np.array([row])), np.zeros((1, 3), dtype=int)
        outcome = SimpleNamespace(truth=truth, scores=np.full((1, 3), 0.2), decided=nothing)
        found = conventions.measures(outcome)
        return found["coverage"], found["ranking-loss"]

    assert measured([0, 0, 1]) == (0.0, 0.0)
    assert measured([0, 1, 0]) == (1.0, 0.5)
    assert measured([1, 0, 0]) == (2.0, 1.0)


def test_relevance_decides_at_one_half_and_ranking_as_the_model_does():
    truth = np.array([[1, 0, 0], [0, 0, 1]])
    scores = np.array([[0.5, 0.5, 0.1], [0.5, 0.2, 0.5]])
    outcome = SimpleNamespace(truth=truth, scores=scores, decided=truth)
    assert mulan.RELEVANCE.measures(outcome)["hamming-loss"] == pytest.approx(2 / 6)
    assert mulan.RANKING.measures(outcome)["hamming-loss"] == 0


@COMPILED_ONLY
def test_the_reading_with_fewer_trees_has_cells_of_its_own(tmp_path, monkeypatch):
    data, _ = make_multilabel(60, n_features=4, n_labels=3, random_state=0)
    monkeypatch.setattr(study, "_source", lambda _: lambda: data)
    rows = study.measured_with_fewer_trees(["Corel5k"], tmp_path / "s.sqlite")
    assert {row["measure"] for row in rows} == set(ranking.MEASURES)
    cells = list(
        study.estimate_cells(study.spreads_of(rows), suffix=", 20 trees", shown=["Corel5k"])
    )
    assert {cell.where[0] for cell in cells} == {"Corel5k, 20 trees"}
    assert {cell.aim for cell in cells} == {"shown"}
