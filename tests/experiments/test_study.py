"""What a study promises: every cell once, the same numbers, nothing mixed."""

import numpy as np
import pytest
import threadpoolctl
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import Dataset
from labelwise.experiments.running._cell_evaluation import seeded_model
from labelwise.learners import BinaryRelevance
from labelwise.measures import evaluate
from labelwise.splitting import MultilabelStratifiedKFold
from tests.experiments.small_studies import Frequent, NoScores, essence, rows, study

FIT = Frequent.fit


def test_every_combination_is_measured_once(tmp_path):
    results = study().run(tmp_path / "s.sqlite")
    found = {
        tuple(row[k] for k in ("dataset", "model", "split", "fold", "seed", "measure"))
        for row in results.rows()
    }
    assert len(found) == len(results) == 2 * 2 * 3 * 2 * 3
    assert results.n_cells == 24
    assert not results.failed
    assert results.n_missing == 0


def test_values_are_those_of_evaluate_on_the_fold(tmp_path):
    data = rows(n_samples=30)
    results = study(datasets=[data], seeds=(3,)).run(tmp_path / "s.sqlite")
    Y = data.Y.toarray().astype(int)
    (train, test), *_ = KFold(3, shuffle=True, random_state=3).split(data.X)
    row = next(row for row in results.rows() if row["fold"] == 0)
    model = seeded_model(Frequent(), 3, 0).fit(data.X[train], Y[train])
    expected = evaluate(Y[test], decided=model.predict(data.X[test]))["micro-f"]
    assert row["measure"] == "micro-f"
    assert row["value"] == pytest.approx(expected)


def test_missing_labels_count_in_no_measure_of_a_study(tmp_path):
    whole = rows(n_samples=30)
    Y = whole.Y.toarray().astype(float)
    Y[::4, 0] = np.nan
    Y[3] = np.nan
    data = Dataset(whole.X, Y, "gaps")
    model = BinaryRelevance(penalty=1.0)
    results = study(datasets=[data], models={"br": model}, seeds=(3,)).run(tmp_path / "s.sqlite")
    assert not results.failed
    (train, test), *_ = KFold(3, shuffle=True, random_state=3).split(data.X)
    row = next(row for row in results.rows() if row["fold"] == 0)
    decided = BinaryRelevance(penalty=1.0).fit(data.X[train], Y[train]).predict(data.X[test])
    assert row["value"] == pytest.approx(evaluate(Y[test], decided=decided)["micro-f"])


def test_the_same_seeds_give_the_same_numbers_for_any_number_of_jobs(tmp_path):
    models = {
        "tree": DecisionTreeClassifier(max_features=1),
        "forest": make_pipeline(MaxAbsScaler(), RandomForestClassifier(2)),
        "inner": Frequent(),
    }
    sources = {"made": rows, "known": "digits", "whole": rows(seed=1)}
    many = study(models=models, datasets=sources, splits={"s": ShuffleSplit(2, test_size=3)})
    one = many.run(tmp_path / "one.sqlite")
    two = many.run(tmp_path / "two.sqlite", n_jobs=2)
    assert not one.failed
    assert essence(one) == essence(two)


def test_finished_cells_are_not_run_again(tmp_path):
    store = tmp_path / "s.sqlite"
    first = study().run(store)
    seen = []
    again = study().run(store, progress=seen.append)
    assert again.rows() == first.rows()
    assert seen == []


def test_without_resume_every_cell_is_run_again(tmp_path):
    store = tmp_path / "s.sqlite"
    first = study().run(store)
    seen = []
    again = study().run(store, resume=False, progress=seen.append)
    assert seen[0].done == 0
    assert seen[-1][:3] == (24, 0, 24)
    assert essence(again) == essence(first)


@pytest.mark.parametrize(
    "changed",
    [
        {"models": {"plain": Frequent(shift=0.1), "shifted": Frequent(shift=0.3)}},
        {"datasets": [rows(seed=5), rows(seed=6, name="other")]},
        {"splits": {"cv": KFold(3, shuffle=True, random_state=8)}},
        {"seeds": (4, 5)},
        {"measures": ["micro-f", "hamming-loss"]},
        {"undefined": "nan"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_changed_settings_make_new_cells_and_mix_with_no_old_ones(tmp_path, changed):
    store = tmp_path / "s.sqlite"
    study().run(store)
    seen = []
    mixed = study(**changed).run(store, progress=seen.append)
    assert seen[0].done == 0
    assert essence(mixed) == essence(study(**changed).run(tmp_path / "fresh.sqlite"))
    assert essence(study().run(store)) == essence(study().run(tmp_path / "old.sqlite"))


def test_names_and_the_order_of_settings_make_no_new_cells(tmp_path):
    store = tmp_path / "s.sqlite"
    study().run(store)
    seen = []
    renamed = study(models={"b": Frequent(shift=0.2), "a": Frequent()}).run(
        store, progress=seen.append
    )
    assert seen == []
    assert {row["model"] for row in renamed.rows()} == {"a", "b"}


def test_equal_models_under_two_names_are_run_once_and_shown_twice(tmp_path):
    seen = []
    results = study(models={"a": Frequent(), "b": Frequent()}).run(
        tmp_path / "s.sqlite", progress=seen.append
    )
    assert seen[-1].total == 12
    assert results.n_cells == 24


def test_a_cell_that_raises_fails_alone_and_is_tried_again(tmp_path, monkeypatch):
    store = tmp_path / "s.sqlite"

    def broken(self, X, Y):
        raise ZeroDivisionError("no way")

    with monkeypatch.context() as patched:
        patched.setattr(NoScores, "fit", broken)
        results = study(models={"good": Frequent(), "bad": NoScores()}, measures=["micro-f"]).run(
            store
        )
    assert len(results.failed) == 12
    assert {cell.model for cell in results.failed} == {"bad"}
    assert "ZeroDivisionError: no way" in results.failed[0].error
    assert results.state() == "12 of 24 cells are done, 12 failed."
    healed = study(models={"good": Frequent(), "bad": NoScores()}, measures=["micro-f"]).run(store)
    assert not healed.failed
    assert len(healed) == 24


def test_the_fixed_split_is_one_fold(tmp_path):
    results = study(
        splits={"fixed": "train-test"}, measures={"n": lambda o: o.test_indices.size}, seeds=(0,)
    )
    assert [row["value"] for row in results.run(tmp_path / "s.sqlite").rows()] == [1.0] * 4


@pytest.mark.parametrize(
    "splitter",
    [
        KFold(3),
        RepeatedKFold(n_splits=3, n_repeats=2),
        ShuffleSplit(2),
        MultilabelStratifiedKFold(2, shuffle=True),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_folds_follow_the_seed_and_nothing_else(tmp_path, splitter):
    places = {"rows": lambda outcome: float(hash(outcome.test_indices.tobytes()) % 2**40)}
    found = [
        [
            row["value"]
            for row in study(splits={"s": splitter}, measures=places).run(tmp_path / n).rows()
        ]
        for n in ("a", "b")
    ]
    assert found[0] == found[1]


def test_a_random_state_that_is_given_stays_and_others_follow_seed_and_fold(tmp_path):
    models = {"given": Frequent(random_state=5), "drawn": Frequent()}
    results = study(models=models, measures={"state": lambda o: o.model.random_state})
    found = results.run(tmp_path / "s.sqlite").rows()
    assert {row["value"] for row in found if row["model"] == "given"} == {5}
    drawn = {(row["fold"], row["seed"]): row["value"] for row in found if row["model"] == "drawn"}
    assert len(set(drawn.values())) == len(drawn) == 6


def test_what_draws_from_the_global_generator_is_the_same_too_and_leaves_no_trace(tmp_path):
    drawn = study(measures={"drawn": lambda _: np.random.random()})  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = drawn.run(tmp_path / "a.sqlite")
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert essence(first) == essence(drawn.run(tmp_path / "b.sqlite"))


def test_a_cell_works_with_one_thread(tmp_path):
    def most_threads(_):
        return max(library["num_threads"] for library in threadpoolctl.threadpool_info())

    with threadpoolctl.threadpool_limits(2):
        assert most_threads(None) == 2
        results = study(measures={"threads": most_threads}).run(tmp_path / "s.sqlite")
    assert {row["value"] for row in results.rows()} == {1}


def test_cells_that_another_runner_finishes_meanwhile_are_not_run(tmp_path, monkeypatch):
    log = tmp_path / "log"  # a list would become part of the code's digest, and grow

    def logged(self, X, Y):
        with log.open("a") as stream:
            stream.write("1")
        return FIT(self, X, Y)

    monkeypatch.setattr(Frequent, "fit", logged)
    store = tmp_path / "s.sqlite"

    def overtake(progress):
        if progress.done == 1:
            study().run(store)

    results = study().run(store, progress=overtake)
    assert len(log.read_text()) == results.n_done == 24


def test_undefined_and_infinite_values_come_back_as_they_were(tmp_path):
    values = {"nan": np.nan, "high": np.inf, "low": -np.inf, "third": 1 / 3}
    results = study(measures={"v": lambda _: values}, seeds=(0,)).run(tmp_path / "s.sqlite")
    found = [row["value"] for row in results.rows()[:4]]
    np.testing.assert_array_equal(found, list(values.values()))


def test_warnings_are_kept_with_the_cell(tmp_path):
    def doubtful(outcome):
        import warnings

        warnings.warn("careful", stacklevel=1)
        return 1.0

    assert study(measures={"m": doubtful}).run(tmp_path / "s.sqlite").warnings == {
        "UserWarning: careful": 24
    }


@pytest.mark.parametrize(
    ("changed", "kind", "message"),
    [
        ({"datasets": []}, ValueError, "datasets must have at least one entry"),
        ({"datasets": "yeast"}, TypeError, "datasets must be a sequence or a mapping"),
        ({"datasets": [rows(), rows(seed=1)]}, ValueError, "must be distinct, got 'tiny' twice"),
        (
            {"models": {"a": Frequent}},
            TypeError,
            r"models\['a'\] must be an object with get_params",
        ),
        ({"models": {"a": 3}}, TypeError, r"models\['a'\] must be an object with get_params"),
        ({"splits": {"a": "holdout"}}, TypeError, r"splits\['a'\] must be .* or 'train-test'"),
        ({"measures": ["nano-f"]}, ValueError, "got 'nano-f'"),
        ({"measures": "micro-f"}, TypeError, "measures must be a sequence"),
        ({"measures": {"a": 3}}, TypeError, r"measures\['a'\] must be a name or a function"),
        ({"seeds": (0, 0)}, ValueError, "seeds must be distinct"),
        ({"seeds": (-1,)}, ValueError, "seeds must be at least 0"),
        ({"undefined": "none"}, ValueError, "undefined must be"),
        ({"timeout": 0}, ValueError, r"timeout must be from 0.1 to 1e\+07, got 0"),
        ({"timeout": float("nan")}, ValueError, "timeout must be from 0.1"),
        ({"timeout": "1h"}, TypeError, "timeout must be a number, got '1h'"),
    ],
)
def test_wrong_settings_are_refused_before_any_work(changed, kind, message):
    with pytest.raises(kind, match=message):
        study(**changed)


def shifted_fit(by):
    def fit(self, X, Y):
        found = FIT(self, X, Y)
        found.means_ = found.means_ + by
        return found

    return fit


def test_edited_code_runs_cells_again_with_a_warning_unless_they_shall_be_kept(
    tmp_path, monkeypatch
):
    store = tmp_path / "s.sqlite"
    monkeypatch.setattr(Frequent, "fit", shifted_fit(0.0))
    first = study().run(store)
    monkeypatch.setattr(Frequent, "fit", shifted_fit(0.4))
    seen = []
    kept = study().run(store, resume="any-code", progress=seen.append)
    assert seen == []
    assert kept.rows() == first.rows()
    with pytest.warns(UserWarning, match=r"^24 finished cells in .* were computed by other code"):
        again = study().run(store)
    assert essence(again) == essence(study().run(tmp_path / "fresh.sqlite"))
    assert essence(again) != essence(first)
    # Of two kinds of earlier cells, those that were run last are kept.
    monkeypatch.setattr(Frequent, "fit", shifted_fit(0.5))
    assert study().run(store, resume="any-code").rows() == again.rows()


def test_cells_that_are_finished_meanwhile_make_no_warning(tmp_path):
    store = tmp_path / "s.sqlite"
    study(seeds=(0,)).run(store)
    assert study().run(store).n_done == 24


def test_an_unknown_way_to_resume_is_refused(tmp_path):
    with pytest.raises(ValueError, match="resume must be True, False or 'any-code', got 'some'"):
        study().run(tmp_path / "s.sqlite", resume="some")


@pytest.mark.parametrize(
    ("undefined", "values", "left_out"),
    [
        ("defined", [2 / 3, 1, 1], {"left out of the mean, 1 of 3 labels: macro-recall": 2}),
        ("zero", [2 / 3, 2 / 3, 2 / 3], {}),
        ("nan", [2 / 3, np.nan, np.nan], {}),
    ],
)
def test_labels_without_a_value_are_left_out_and_counted(tmp_path, undefined, values, left_out):
    Y = np.ones((12, 3), dtype=bool)
    Y[1:, 0] = False  # positives of this label are in the first fold only
    asked = study(
        datasets=[Dataset(np.ones((12, 2)), Y, name="rare")],
        models={"plain": Frequent()},
        splits={"cv": KFold(3)},
        measures=["macro-recall", "micro-f"],
        seeds=(0,),
        undefined=undefined,
    )
    results = asked.run(tmp_path / "s.sqlite")
    found = [row["value"] for row in results.rows() if row["measure"] == "macro-recall"]
    np.testing.assert_allclose(found, values)
    assert results.warnings == left_out
