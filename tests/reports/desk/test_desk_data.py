"""The data of a desk's page: cuts, rules, bins, rows, slices and rivals, by definition."""

from base64 import b64decode
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline

from labelwise._counts import micro_draws
from labelwise._tuning import Problem, Request, cross_fitted, random_folds, tune_and_correct
from labelwise.decisions import (
    Thresholds,
    best_thresholds,
    certified_frontier,
    corrected_value,
    micro_frontier,
)
from labelwise.features import TextTerms
from labelwise.learners import BinaryRelevance
from labelwise.measures import (
    Counts,
    count,
    evaluate,
    f_measure,
    macro,
    micro,
    precision,
    recall,
)
from labelwise.reports import Desk, write_report
from labelwise.reports.desk import _cells, _page_data
from labelwise.reports.desk._cells import MOST_OF_LABEL, N_BINS, notable_rows, score_bins
from labelwise.reports.desk._cuts import MOST_GROUPS, slice_counts, stored_cuts
from labelwise.reports.desk._points import (
    compare_models,
    decided_by,
    marked_points,
    measured,
)
from tests.decisions.problems import problems
from tests.oracles import desk as oracle, label_errors
from tests.reports.small_desk import GROUPS, NAMES, RIVAL, SCORES, SMALL, Y

TRUTH = Y.astype(bool)


def problem_of(scores, Y):
    return Problem(np.ascontiguousarray(scores), sparse.csc_array(np.asarray(Y, dtype=bool)), None)


def as_sparse(problem):
    """The same scores as a CSR matrix that stores all of them, zeros included."""
    n, m = problem.scores.shape
    columns, starts = np.tile(np.arange(m), n), np.arange(0, n * m + 1, m)
    return Problem(
        sparse.csr_array((problem.scores.ravel(), columns, starts), (n, m)), problem.Y, None
    )


@given(problems())
def test_every_stored_cut_has_the_counts_of_its_threshold(given_problem):
    scores, truth = given_problem
    cuts = stored_cuts(problem_of(scores, truth), None)
    for place, label in enumerate(cuts.labels):
        decided = scores[:, label] >= cuts.thresholds[place]
        assert cuts.decided[place] == decided.sum()
        assert cuts.hits[place] == (decided & truth[:, label]).sum()


@pytest.mark.filterwarnings("ignore:Y has no positives")
@given(problems(most_samples=12, most_labels=4), st.integers(4, 12))
def test_a_summary_has_only_points_of_the_exact_frontier(given_problem, most):
    scores, truth = given_problem
    problem = problem_of(scores, truth)
    certificate = best_thresholds(scores, truth).evidence.certificate if truth.any() else None
    cuts = stored_cuts(problem, certificate, most)
    frontier = micro_frontier(scores, truth)
    known = set(zip(frontier.decided.tolist(), frontier.hits.tolist(), strict=True))
    if cuts.levels is None:
        assert cuts.is_hull.sum() <= most
        return
    totals = set()
    for level in range(cuts.slopes.size):
        reached = cuts.is_hull & (cuts.levels <= level)
        place = np.array(
            [np.flatnonzero(reached & (cuts.labels == j))[-1] for j in range(truth.shape[1])]
        )
        totals.add((int(cuts.decided[place].sum()), int(cuts.hits[place].sum())))
    assert totals <= known
    if certificate is not None:
        best = f_measure(frontier.counts).max()
        of_totals = [2 * hits / max(truth.sum() + decided, 1) for decided, hits in totals]
        assert max(of_totals) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize(
    "options", [{}, {"shared": True}, {"shrink": 0.5}, {"fbr": 0.3}], ids=lambda one: str(one)
)
@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_held_out_decisions_are_those_of_the_other_folds(options):
    problem = problem_of(SCORES, TRUTH)
    folds = random_folds(problem, 0)
    assert np.unique(folds).size == 5
    request = Request(**options, n_labels=problem.n_labels)
    wanted = oracle.held_out(SCORES, TRUTH, folds, **options)
    for samples in (problem, as_sparse(problem)):
        found = cross_fitted(samples, request, 0)
        assert (found.decided.toarray() == wanted).all()
        assert found.thresholds.shape == (5, problem.n_labels)


@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_held_out_values_are_those_of_labelwise_tune():
    found = {point.key: point for point in marked_points(Desk(SCORES, Y, random_state=7)).points}
    for key, options in (("exact", {}), ("shrink", {"shrink": "auto"}), ("fbr", {"fbr": "auto"})):
        tuned = best_thresholds(SCORES, Y, **options, random_state=0)
        assert found[key].values.tolist() == tuned.values.tolist()
        expected = corrected_value(tuned, SCORES, Y, random_state=0)
        assert micro(f_measure, count(Y, found[key].held_out)) == expected


def test_rules_are_marked_with_the_thresholds_of_best_thresholds():
    marked = marked_points(Desk(SCORES, Y, random_state=0))
    found = {point.key: point for point in marked.points}
    assert list(found) == ["default", "exact", "shared", "shrink", "fbr", "macro-f", "sample-f"]
    assert found["default"].values.tolist() == [0.5] * Y.shape[1]
    asked = {"exact": {}, "shared": {"shared": True}}
    asked |= {key: {"maximize": key} for key in ("macro-f", "sample-f")}
    for key, options in asked.items():
        with pytest.warns(UserWarning, match="no positives"):
            wanted = best_thresholds(SCORES, Y, **options)
        assert found[key].values.tolist() == wanted.values.tolist()
    assert marked.fold_thresholds.shape == (5, Y.shape[1])
    other_scale = marked_points(Desk(3 * SCORES - 1, Y)).points[0]
    assert other_scale.values.tolist() == [0.0] * Y.shape[1]


@pytest.mark.filterwarnings("ignore:Y has no positives", "ignore:Constraints that new")
@pytest.mark.parametrize(
    "options",
    [{}, {"maximize": "macro-f"}, {"beta": 2.0}, {"min_precision": 0.8}, {"max_decisions": 300}],
    ids=str,
)
def test_thresholds_that_were_tuned_on_these_rows_have_their_corrected_values(tmp_path, options):
    tuned = best_thresholds(SCORES, Y, **options)
    tuned.save(tmp_path / "t.json")
    desk = Desk(SCORES, Y, Thresholds.load(tmp_path / "t.json"))
    point = marked_points(desk).points[0]
    assert point.is_optimistic
    request = Request(**options, n_labels=Y.shape[1])
    expected = cross_fitted(desk.problem, request, 0)
    assert (point.held_out != expected.decided).nnz == 0
    head, more = _page_data.desk_page(desk).words["headline"]
    counts = count(Y, point.held_out)
    assert head.startswith("Expected on new samples (given): finds ")
    assert more.startswith(f"Micro F is about {micro(f_measure, counts):.3f} there, and 0.")


@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_thresholds_of_an_unknown_request_have_no_value_on_new_rows():
    tuned = best_thresholds(SCORES, Y, cost=(1.0, 2.0))
    unknown = replace(tuned, evidence=replace(tuned.evidence, request=None))
    desk = Desk(SCORES, Y, unknown, random_state=0)
    page = _page_data.desk_page(desk)
    assert page.data["points"][0]["honest"] is None
    assert "not known" in page.words["headline"][1]
    fewer = best_thresholds(SCORES[:200], Y[:200], cost=(1.0, 2.0))
    point = marked_points(Desk(SCORES, Y, fewer)).points[0]
    assert not point.is_optimistic
    assert point.note == "The given thresholds, tuned on 200 other samples."


def test_the_headline_of_tuned_thresholds_is_their_value_on_new_rows():
    desk = Desk(SCORES, Y, random_state=0)
    request = Request()
    tuned = tune_and_correct(desk.problem, request, 0)[0]
    corrected = tuned.evidence.corrected_value
    head, more = _page_data.desk_page(desk).words["headline"]
    assert head.startswith("Expected on new samples (thresholds tuned for F): finds ")
    assert f"about {corrected:.3f} there, and {tuned.value:.3f} here" in more
    head, more = _page_data.desk_page(Desk([[0.5]], [[1]])).words["headline"]
    assert "xpect" not in head
    assert "not known" in more


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((7, 2, 3, 0), "finds 7 of 10 positives, 8 of 10 decisions are right"),
        ((3, 0, 97, 0), "finds 3 of 100 positives, 10 of 10 decisions are right"),
        ((999, 1, 1, 0), "finds 99 of 100 positives, 99 of 100 decisions are right"),
        ((0, 0, 5, 5), "finds 0 of 10 positives, decides nothing"),
        ((0, 4, 0, 6), "there are no positives, 0 of 10 decisions are right"),
    ],
)
def test_the_headline_counts_out_of_ten(counts, words):
    tp, fp, fn, tn = counts
    truth = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])[:, None]
    decided = np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])[:, None]
    desk = Desk(truth + 0.0, truth, decided=decided)
    head, _ = _page_data.desk_page(desk).words["headline"]
    assert head == f"On these samples (given): {words}."


@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_each_rule_has_its_averages_here_and_on_new_rows():
    desk = Desk(SCORES, Y, random_state=0)
    shown = {point["key"]: point for point in _page_data.desk_page(desk).data["points"]}
    present = Y.any(axis=0)
    for point in marked_points(desk).points:
        found = shown[point.key]
        unseen = point.decided if point.held_out is None else point.held_out
        for decided, key in ((point.decided, "averages"), (unseen, "expected")):
            cells = count(Y[:, present], decided[:, present])
            wanted = {
                "macro-f": macro(f_measure, count(Y, decided)),
                "sample-f": macro(f_measure, count(Y, decided, "sample")),
                "precision": macro(precision, cells, undefined=0.0),
                "recall": macro(recall, cells),
            }
            assert found[key] == pytest.approx(wanted)


@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_given_thresholds_are_marked_under_their_names_in_the_order_of_labels():
    names = [f"n{j}" for j in range(Y.shape[1])]
    tuned = best_thresholds(SCORES[:, ::-1], Y[:, ::-1], label_names=names[::-1], shared=False)
    desk = Desk(SCORES, Y, {"mine": tuned, "flat": np.full(len(names), 0.3)}, label_names=names)
    points = marked_points(desk).points[:2]
    assert [point.name for point in points] == ["mine", "flat"]
    assert points[0].values.tolist() == tuned.values[::-1].tolist()
    assert points[0].result.evidence.support.tolist() == Y.sum(axis=0).tolist()


def test_thresholds_with_a_guarantee_are_certified():
    rows = np.arange(len(Y)) % 2 == 0
    tuned = best_thresholds(
        SCORES[rows][:, 4:], Y[rows][:, 4:], min_precision=0.3, guarantee=0.9, random_state=0
    )
    desk = Desk(SCORES[~rows][:, 4:], Y[~rows][:, 4:], tuned)
    point = marked_points(desk).points[0]
    assert point.name == "certified"
    assert "with probability 0.9: micro precision at least 0.3" in point.note
    assert (point.decided.toarray() == tuned.decide(SCORES[~rows][:, 4:])).all()


def test_groups_are_the_units_of_the_certified_line():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(150), 8)
    truth = (random.random((150, 3)) < 0.3)[groups]
    scores = truth + 0.7 * random.normal(size=truth.shape)
    desk = Desk(scores, truth, groups=groups, random_state=0)
    shown = _page_data._certified_data(desk)
    wanted = certified_frontier(scores, truth, groups=groups, random_state=desk.seed)
    assert shown["nCalibration"] == wanted.n_calibration
    guarantee = shown["points"][0]["guarantee"]
    assert guarantee["n_groups"] == wanted.at(0).evidence.guarantee.n_groups < 150
    alone = _page_data._certified_data(Desk(scores, truth, random_state=0))
    assert alone["points"][0]["guarantee"]["n_groups"] is None


def test_intervals_enclose_the_value_and_need_twenty_rows():
    found = measured(
        problem_of(SCORES, TRUTH), decided_by(problem_of(SCORES, TRUTH), np.full(14, 0.5)), 0
    )
    totals = Counts(*map(np.sum, count(Y, (SCORES >= 0.5).astype(int))))
    assert found["counts"] == [int(cells) for cells in totals]
    for name, rate in (("precision", precision), ("recall", recall), ("f", f_measure)):
        low, high = found["intervals"][name]
        assert low < rate(totals) < high
    few = problem_of(SCORES[:19], TRUTH[:19])
    assert measured(few, decided_by(few, np.full(14, 0.5)), 0)["intervals"] is None


def test_groups_are_the_units_of_intervals():
    """Eight copies of each sample, as one group, are as uncertain as the sample."""
    pages = []
    for copies in (1, 8):
        groups = np.repeat(np.arange(len(Y)), copies)
        desk = Desk(
            SCORES[groups], Y[groups], groups=groups, slices={"half": groups % 2}, random_state=0
        )
        pages.append(_page_data.desk_page(desk).data)
    one, eight = (
        next(point for point in page["points"] if point["key"] == "default") for page in pages
    )
    assert one["honest"]["intervals"] == eight["honest"]["intervals"]
    # Independent decisions would be sqrt(8) times as certain; the factor is at least 1.
    one, eight = (np.array(list(page["slices"][0]["spread"].values())) for page in pages)
    assert one == pytest.approx(np.maximum(eight / np.sqrt(8), 1))


def test_the_same_seed_draws_the_same_rows():
    by_sample = count(Y, (SCORES >= 0.5).astype(int), by="sample")
    first, again, other = (
        micro_draws(by_sample, 30, np.random.RandomState(seed)) for seed in (0, 0, 1)
    )
    assert (first.tp == again.tp).all()
    assert (first.tp != other.tp).any()
    random = np.random.RandomState(0)
    for draw in range(30):
        rows = random.randint(Y.shape[0], size=Y.shape[0])
        assert first.fp[draw] == by_sample.fp[rows].sum()


@pytest.mark.parametrize("together", [1, 2**22], ids=["by label", "at once"])
@given(given_problem=problems())
@settings(max_examples=30)
def test_bins_count_scores_and_positives(monkeypatch_module, together, given_problem):
    monkeypatch_module.setattr(_cells, "_TOGETHER", together)
    scores, truth = given_problem
    for problem in (problem_of(scores, truth), as_sparse(problem_of(scores, truth))):
        found = score_bins(problem)
        for j in range(scores.shape[1]):
            wanted = oracle.bins(scores[:, j], truth[:, j], N_BINS)
            assert found.n_rows[j].tolist() == [one[0] for one in wanted]
            assert found.n_positive[j].tolist() == [one[1] for one in wanted]
            np.testing.assert_allclose(found.mean[j], [one[2] for one in wanted], atol=1e-12)


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@given(problems(most_samples=9))
def test_notable_rows_have_the_strength_of_the_definition(given_problem):
    scores, truth = given_problem
    cut = np.full(scores.shape[1], 0.2)
    found = notable_rows(problem_of(scores, truth), {"cut": cut})
    for kind, strength in (("unexpected", oracle.unexpected), ("missed", oracle.missed)):
        rows = getattr(found, kind)
        for i, j, value in zip(rows.rows, rows.labels, rows.strength, strict=True):
            assert truth[i, j] == (kind == "missed")
            assert value == pytest.approx(strength(scores, truth, i, j))
        cells = np.argwhere(truth == (kind == "missed"))
        columns = zip(scores.T.tolist(), truth.T.tolist(), strict=True)
        chances = np.array([label_errors.chances(*one, 0.05) for one in columns]).T
        highest = max((chances[i, j] for i, j in cells if strength(scores, truth, i, j)), default=0)
        assert rows.chance.max(initial=0) == pytest.approx(highest)
        assert (np.diff(rows.chance) <= 0).all()
    near = found.nearest["cut"]
    for j in range(scores.shape[1]):
        distance = np.abs(scores[:, j] - 0.2)
        nearest = np.abs(near.scores[near.labels == j] - 0.2)
        assert np.sort(nearest).tolist() == np.sort(distance)[:MOST_OF_LABEL].tolist()


@given(problems(most_samples=15))
def test_cells_are_compared_with_the_samples_of_nearest_rank(given_problem):
    scores, truth = given_problem
    found = notable_rows(problem_of(scores, truth), {"cut": np.full(scores.shape[1], 0.2)})
    for cells in (found.unexpected, found.missed, *found.nearest.values()):
        for i, j, n, positives in zip(
            cells.rows, cells.labels, cells.n_beside, cells.positives_beside, strict=True
        ):
            assert (n, positives) == oracle.beside(scores, truth, i, j)


def test_the_terms_of_a_model_are_shown_by_the_names_of_its_labels():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    Y = pd.DataFrame({"sea": X[:, 0] > 0, "sky": X[:, 1] > 0}).astype(int)
    names = pd.DataFrame(X, columns=["blue", "high", "odd"])
    model = BinaryRelevance(penalty=0.1).fit(names, Y)
    scores = pd.DataFrame(model.decision_function(names), columns=["sea", "sky"])[["sky", "sea"]]
    desk = Desk(scores, Y, model=model, X=names)
    rows = np.flatnonzero((X[:, 0] > 1) & (X[:, 1] > 1))[:1]
    assert desk.terms(rows, np.array([0]))[0].split(", ")[0] == "high"
    assert desk.terms(rows, np.array([1]))[0].split(", ")[0] == "blue"
    assert Desk(scores, Y).terms(rows, np.array([1])) == [""]
    # A model of numbers has no sentences.
    assert desk.sentences(rows, np.array([0])) == [""]
    assert _page_data.desk_page(desk).data["rows"]["hasSentences"] is False
    with pytest.raises(ValueError, match="model and X must be given together"):
        Desk(scores, Y, model=model)
    with pytest.raises(ValueError, match="X must have 40 samples, as the scores have, got 39"):
        Desk(scores, Y, model=model, X=names[:39])
    with pytest.raises(ValueError, match="Y has no ids and X has"):
        Desk(scores, Y, model=model, X=names[::-1])


def test_listed_texts_have_the_sentence_and_the_words_behind_their_labels():
    texts = ["Calm seas. Nothing.", "Nothing. Dark woods!", "Hills of wood. A sea."] * 6
    Y = pd.DataFrame({"land": [0, 1, 1] * 6, "water": [1, 0, 1] * 6})
    model = make_pipeline(TextTerms(), BinaryRelevance(penalty=0.1)).fit(texts, Y)
    scores = pd.DataFrame(model.decision_function(texts), columns=["land", "water"])
    desk = Desk(scores[["water", "land"]], Y, model=model, X=texts)
    rows, labels = np.array([2, 1, 2]), np.array([0, 1, 1])
    assert desk.sentences(rows, labels) == ["A sea.", "Dark woods!", "Hills of wood."]
    assert desk.terms(np.array([0]), np.array([0]))[0].split(", ")[0] in ("seas", "calm")
    shown = _page_data.desk_page(desk).data["rows"]
    assert shown["hasSentences"]
    for row, *_, sentence in shown["missed"]:
        assert sentence in texts[row]


def test_no_row_is_near_a_cut_at_infinity():
    cuts = np.array([np.inf, -np.inf, 0.5])
    found = notable_rows(problem_of(SCORES[:, :3], TRUTH[:, :3]), {"cut": cuts})
    assert set(found.nearest["cut"].labels) == {2}


def test_slices_add_up_to_the_counts_of_every_stored_cut():
    desk = Desk(**SMALL)
    cuts = stored_cuts(desk.problem, None)
    decided = {"exact": decided_by(desk.problem, np.full(Y.shape[1], 0.5))}
    found = slice_counts(desk.problem, desk.slicings[0], cuts, decided)
    assert found["groups"] == sorted(set(GROUPS))
    for j in range(Y.shape[1]):
        part = slice(cuts.starts[j], cuts.starts[j + 1])
        for g, group in enumerate(found["groups"]):
            here = group == GROUPS
            reached = SCORES[here, j] >= cuts.thresholds[part, None]
            assert np.cumsum(found["decided"][part, g]).tolist() == reached.sum(axis=1).tolist()
            hits = (reached & TRUTH[here, j]).sum(axis=1)
            assert np.cumsum(found["hits"][part, g]).tolist() == hits.tolist()
    assert found["positives"] == [Y[group == GROUPS].sum() for group in found["groups"]]
    half = [SCORES[group == GROUPS] >= 0.5 for group in found["groups"]]
    assert found["points"]["exact"][0] == [one.sum() for one in half]
    assert min(min(factors) for factors in found["spread"].values()) >= 1


def test_rare_groups_are_counted_together():
    desk = Desk(SCORES, Y, slices=[f"g{i % 40:02}" for i in range(len(Y))])
    cuts = stored_cuts(desk.problem, None)
    decided = {"exact": decided_by(desk.problem, np.zeros(14))}
    found = slice_counts(desk.problem, desk.slicings[0], cuts, decided)
    assert len(found["groups"]) == MOST_GROUPS
    assert found["groups"][-1] == f"{40 - MOST_GROUPS + 1} smaller groups"
    assert sum(found["rows"]) == len(Y)


def test_a_rival_is_compared_on_the_same_rows():
    desk = Desk(**SMALL)
    exact = marked_points(desk).point("exact")
    found = compare_models(desk.problem, exact.held_out, desk.rival, desk.seed)
    folds = random_folds(desk.problem, 0)
    with pytest.warns(UserWarning, match="no positives"):
        decided = [oracle.held_out(scores, TRUTH, folds) for scores in (SCORES, RIVAL)]
    values = [f_measure(Counts(*map(np.sum, count(Y, one.astype(int))))) for one in decided]
    change, low, high = found["difference"]["f"]
    assert change == pytest.approx(values[0] - values[1], rel=1e-12)
    assert low < change < high
    same = compare_models(desk.problem, exact.held_out, desk.problem, desk.seed)
    assert same["difference"]["f"] == [0, 0, 0]
    by_label = f_measure(count(Y, decided[1].astype(int)))
    assert found["labels"]["theirs_f"].tolist() == by_label.tolist()


@pytest.mark.filterwarnings("ignore:Y has no positives")
def test_cells_without_truth_count_nowhere():
    gaps = np.arange(240)[:, None] % np.arange(3, 17) == 0
    gaps[:, -1] &= ~gaps[:, :-1].all(axis=1)
    truth = np.where(gaps, np.nan, Y)
    desk = Desk(SCORES, truth, random_state=0)
    data = _page_data.desk_page(desk).data
    shown = {point["key"]: point for point in data["points"]}
    for key, options in (("exact", {}), ("macro-f", {"maximize": "macro-f"})):
        tuned = best_thresholds(SCORES, truth, **options)
        assert shown[key]["known"]["value"] == pytest.approx(tuned.value)
        found = evaluate(truth, decided=tuned.decide(SCORES))
        assert shown[key]["averages"]["macro-f"] == pytest.approx(found["macro-f"])
        assert shown[key]["averages"]["sample-f"] == pytest.approx(found["sample-f"])
    decided = best_thresholds(SCORES, truth).decide(SCORES)
    totals = Counts(*map(np.sum, count(truth, decided)))
    default = count(truth, (SCORES >= 0.5).astype(int))
    assert shown["default"]["honest"]["counts"] == [int(np.sum(part)) for part in default]
    assert sum(totals) == (~gaps).sum() == b64_sum(data["known"])
    assert f"{gaps.sum():,} cells without truth" in _page_data.desk_page(desk).words["summary"]


def b64_sum(packed):
    return np.frombuffer(b64decode(packed["data"]), dtype=f"<{packed['type']}").sum()


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.filterwarnings("ignore:Y has no positives")
@pytest.mark.parametrize("kind", FRAMES)
def test_rows_of_a_desk_are_matched_by_a_column_of_ids(kind):
    order = np.random.default_rng(0).permutation(240)
    ids = [f"photo {i}" for i in range(240)]

    def frame(matrix, rows):
        columns = {f"label {j}": matrix[rows, j] for j in range(14)}
        return FRAMES[kind]({"photo": [ids[i] for i in rows], **columns})

    desk = Desk(
        frame(SCORES, order),
        frame(Y, np.arange(240)),
        ids="photo",
        versus=frame(RIVAL, order[::-1]),
        decided=frame(Y, order),
    )
    assert desk.ids == tuple(ids)
    assert (desk.problem.scores == SCORES).all()
    assert (desk.rival.scores == RIVAL).all()
    assert (desk.decided.toarray() == Y).all()
    named = Desk(SCORES, Y, ids=ids)
    assert named.ids == desk.ids
    with pytest.raises(ValueError, match="lacks row 'photo 3'"):
        Desk(frame(SCORES, order[order != 3]), frame(Y, np.arange(240)), ids="photo")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"ids": ["a"]}, "ids must have 240 entries, one a sample, got 1."),
        ({"texts": "abc"}, "texts must be a sequence with an entry for each sample, got a string."),
        ({"slices": {"x": [1]}}, "slices 'x' must have 240 entries, one a sample, got 1."),
        ({"thresholds": [0.5]}, "thresholds must be one number for each of 14 labels"),
        ({"versus": RIVAL[:, :3]}, "versus has 3 labels"),
        (
            {"sample_weight": np.zeros(240)},
            "sample_weight must be finite, not negative, and not zero everywhere",
        ),
        (
            {"sample_weight": np.arange(240) / 2},
            "sample_weight of a desk must be whole numbers, because cells are counted, got 0.5 for "
            "sample 1",
        ),
        (
            {
                "Y": np.where(np.arange(240)[:, None] == 7, np.nan, Y),
                "sample_weight": np.arange(240) == 7,
            },
            "Y must have a sample with a label that is not missing and a weight above 0, got none",
        ),
        (
            {"thresholds": {"mine": np.zeros(14)}, "tuned_here": ["yours"]},
            "tuned_here must be one of mine, got 'yours'",
        ),
        ({"scores": None}, "scores must be an array, a CSR matrix or a frame, got None."),
    ],
)
def test_a_desk_refuses_what_does_not_fit(change, problem):
    with pytest.raises((TypeError, ValueError), match=problem):
        Desk(**(SMALL | change))


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([[0.5]], [[1]]),
        ([[0.5]], [[0]]),
        ([[0.5, 0.5]] * 3, [[1, 0]] * 3),
        (np.zeros((30, 2)), np.eye(2, dtype=int)[np.arange(30) % 2]),
        (sparse.csr_array((4, 2)), np.eye(4, 2, dtype=int)),
    ],
    ids=["one row", "no positive", "constant", "all zero", "no stored score"],
)
def test_the_smallest_desks_have_a_page(tmp_path, scores, labels):
    path = tmp_path / "page.html"
    write_report(Desk(scores, labels), path)
    assert path.read_text(encoding="utf-8").endswith("</html>\n")


def test_a_thousand_labels_take_less_than_three_megabytes(tmp_path):
    random = np.random.default_rng(0)
    labels = sparse.random_array((600, 1000), density=0.02, rng=random) > 0
    noise = random.normal(size=labels.shape)
    path = tmp_path / "page.html"
    groups = [f"g{i % 12}" for i in range(600)]
    write_report(Desk(labels.toarray() + noise, labels, slices=groups), path)
    assert path.stat().st_size < 3e6


def test_a_desk_takes_frames_and_two_columns_of_slices():
    import pandas as pd

    frame = pd.DataFrame({"a": ["x", "y"] * 120, "b": np.arange(240) % 3})
    desk = Desk(SCORES, Y, slices=frame, label_names=NAMES)
    assert [(one.name, one.groups) for one in desk.slicings] == [
        ("a", ("x", "y")),
        ("b", ("0", "1", "2")),
    ]
    assert _page_data.desk_page(desk).data["slices"][1]["groups"] == ["0", "1", "2"]
