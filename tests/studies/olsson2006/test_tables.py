"""Tables, figures and claims of olsson2006: counted as their definitions say."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from studies.comparison import published_cells, read_table
from studies.olsson2006 import claims, plots, study, tables
from studies.olsson2006.curves import CUTS, METHODS, SIZES, VALIDATED, VALIDATION_SIZES, Curves


def some_curves(asked, sizes, n_splits, seed=0):
    """Values with many ties; at cut 5 there are few terms, and all terms are one point."""
    random = np.random.default_rng(seed)
    names = (*map(str, sizes), "all")
    values = {}
    of_all = {cut: random.integers(0, 9, (n_splits, 3)) / 8 for _, cut in asked}
    for method, cut in asked:
        own = random.integers(0, 9, (len(names), n_splits, 3)) / 8
        own[-1] = of_all[cut]
        if cut == 5 and len(names) == len(SIZES) + 1:
            own[-4:-1] = np.nan
        values[method, cut] = own
    return Curves(names, values, {})


@pytest.fixture(scope="module")
def grid():
    return some_curves([(method, cut) for cut in CUTS for method in METHODS], SIZES, 5)


@pytest.fixture(scope="module")
def halves():
    return some_curves(list(VALIDATED.values()), VALIDATION_SIZES, 20)


def by_place(cells):
    return {cell.where: cell.measured for cell in cells}


def test_table_2_counts_the_splits_that_beat_all_terms(grid):
    found = by_place(tables.table_2_cells("set", grid))
    assert len(found) == 59 * 8
    for (_, inputs, rule, size), value in found.items():
        method = inputs if rule == "alone" else f"{inputs} {rule}"
        own = grid.values[method, 1]
        at = grid.sizes.index(size)
        assert value == sum(own[at, split, 0] > own[-1, split, 0] for split in range(5))


def test_table_3_counts_the_splits_that_cutting_more_makes_better(grid):
    found = by_place(tables.table_3_cells("set", grid))
    # 34 methods of at most two scores; at cut 5 there are no 4,000 terms.
    assert len(found) == 34 * 9
    for (_, inputs, rule, size), value in found.items():
        method = inputs if rule == "alone" else f"{inputs} {rule}"
        at = grid.sizes.index(size)
        few, many = grid.values[method, 5][at, :, 0], grid.values[method, 1][at, :, 0]
        assert value == sum(a > b for a, b in zip(few, many, strict=True))


def test_figures_of_the_grid_are_means_over_splits(grid):
    curve = by_place(tables.figure_2_cells("set", grid))
    assert len(curve) == 4 * 13
    own = grid.values["df/chi2-max lowest-rank", 1]
    assert curve["set", "df/chi2-max", "lowest-rank", "250"] == own[1, :, 0].mean()
    peaks = by_place(tables.figure_3_cells("set", grid))
    assert len(peaks) == 60 * 3
    best = [max(grid.values["chi2-avg", 0][:-1, split, 0]) for split in range(5)]
    assert peaks["set", "chi2-avg", "alone", "cut 0"] == np.mean(best)


def test_wins_and_losses_and_ties_of_a_pair_are_all_splits(halves):
    for cells in (tables.figure_5_cells(halves), tables.figure_6_cells(halves)):
        found = by_place(cells)
        assert len(found) == 4 * 2 * 9
        for (pair, title, size), value in found.items():
            first, second = pair.split(" / ")
            other = second if title == first else first
            at = halves.sizes.index(size)
            a, b = (tables.validated(halves, name)[at] for name in (title, other))
            assert value == sum(x > y for x, y in zip(a, b, strict=True))


def test_all_terms_are_one_point_at_every_size(halves):
    values = tables.validated(halves, tables.EVERY)
    assert values.shape == (9, 20)
    assert (values == halves.values["df", 1][-1, :, 0]).all()


def test_figure_7_counts_everyone_whom_nobody_beats(halves):
    found = by_place(tables.figure_7_cells(halves))
    for (title, size), value in found.items():
        at = halves.sizes.index(size)
        rivals = [tables.validated(halves, name)[at] for name in VALIDATED]
        own = tables.validated(halves, title)[at]
        assert value == sum(all(own[s] >= rival[s] for rival in rivals) for s in range(20))


def test_figure_8_compares_the_peaks_of_two(halves):
    found = by_place(tables.figure_8_cells(halves))
    assert len(found) == 6 * 4
    f1 = [tables.validated(halves, title, "F1") for title in ("LR, cut 1", "chi2-avg, cut 0")]
    pairs = [(max(f1[0][:, split]), max(f1[1][:, split])) for split in range(20)]
    assert found["LR, cut 1", "chi2-avg, cut 0", "F1: first"] == sum(a > b for a, b in pairs)
    assert found["LR, cut 1", "chi2-avg, cut 0", "F1: second"] == sum(a < b for a, b in pairs)


def test_a_peak_is_at_the_smallest_of_the_best_sizes(grid):
    found = claims.peak_sizes(grid, "chi2-max", 1)
    for split in range(5):
        own = grid.values["chi2-max", 1][:-1, split, 0].tolist()
        assert found[split] == SIZES[own.index(max(own))]


def test_nearly_a_peak_is_the_first_size_with_99_percent_of_it(grid):
    found = claims.nearly_peak_sizes(grid, "chi2-max", 5)
    for split in range(5):
        own = [value for value in grid.values["chi2-max", 5][:-1, split, 0] if value == value]
        first = next(at for at, value in enumerate(own) if value >= 0.99 * max(own))
        assert found[split] == SIZES[first]
    rising = np.array([0.5, 0.98, 0.991, 1.0, 0.2])[:, None, None] * np.ones((1, 2, 3))
    curves = Curves(("1", "2", "3", "4", "all"), {("df", 0): rising}, {})
    assert claims.nearly_peak_sizes(curves, "df", 0).tolist() == [3, 3]


def test_a_range_is_the_number_of_sizes_above_all_terms(grid):
    found = claims.ranges(grid, "df", 5)
    for split in range(5):
        own = grid.values["df", 5][:, split, 0]
        assert found[split] == sum(value > own[-1] for value in own[:-1])


def test_all_terms_are_overtaken_at_the_first_size_that_beats_them(halves):
    found = claims.overtaking_sizes(halves, "LR, cut 1")
    for split in range(20):
        own = halves.values["chi2-max/chi2-avg lowest-rank", 1][:-1, split, 0]
        of_all = halves.values["df", 1][-1, split, 0]
        above = [size for size, value in zip(VALIDATION_SIZES, own, strict=True) if value > of_all]
        assert found[split] == min(above, default=10_000)


def test_reversals_are_pairs_that_two_measures_order_differently():
    random = np.random.default_rng(3)
    values = random.integers(0, 4, (4, 3, 2, 3)) / 4
    values[:, 2] = np.nan  # a size that was not measured
    found = claims.reversal_shares(values)
    for place, (one, two) in enumerate(((1, 0), (1, 2), (0, 2))):
        for split in range(2):
            reversed_pairs = 0
            for a, b in combinations(range(4), 2):
                for size in range(2):
                    x, y = values[a, size, split], values[b, size, split]
                    reversed_pairs += (x[one] - y[one]) * (x[two] - y[two]) < 0
            assert found[place, split] == pytest.approx(reversed_pairs / (6 * 2))


def test_a_claim_is_confirmed_by_the_one_sided_sign_test():
    values = np.array([3.0, 3, 3, 3, 3])
    test = claims.compared(values, values - 1)
    assert (test.wins, test.losses, test.p_value) == (5, 0, 0.5**5)
    assert claims.compared(values, values - 1, higher=False).wins == 0
    fifteen = np.repeat([1.0, -1.0], [15, 5])
    p = sum(comb(20, wins) for wins in range(15, 21)) / 2**20
    assert claims.compared(fifteen, 0 * fifteen).p_value == pytest.approx(p)
    assert round(p, 3) == 0.021  # as in the paper


def test_each_claim_is_cited_and_said_in_words(grid, halves):
    printed = published_cells(claims.FOLDER / "claims.csv", keys=("claim",))
    shares = np.tile([[0.1], [0.2], [0.3]], 20)
    cells = [
        *claims.claim_cells("grid", claims.grid_claims(grid)),
        *claims.claim_cells("halves", claims.validation_claims(halves)),
        *claims.claim_cells("halves", claims.reversal_claims(shares)),
    ]
    said = {cell.where[0] for cell in cells}
    ours = {claim for claim in said if "nearly" in claim}
    assert {claim for claim, _ in printed} == said - ours
    for cell in cells:
        is_judged = cell.where[-1] == "held" and cell.where[0] not in ours
        assert cell.published == ("1" if is_judged else "")
    sentences = list(claims.sentences(cells))
    assert len(sentences) == len(said)
    assert any("halves 20 to 0, p = 9.5e-07, **confirmed**" in text for text in sentences)
    assert all("confirmed**" in text or "not confirmed**" in text for text in sentences)


def test_claims_on_documents_that_the_paper_never_used_are_shown_and_not_counted(grid):
    cells = list(claims.claim_cells("Reuters-21578", claims.grid_claims(grid), counted=False))
    assert {cell.verdict for cell in cells} == {""}
    assert {cell.published for cell in cells if cell.where[-1] == "held"} == {"1", ""}
    assert [cell.where[-1] for cell in cells[:4]] == ["wins", "losses", "p", "held"]


def test_committed_claims_follow_from_their_wins_and_losses():
    _, rows = read_table(claims.FOLDER / "claims_measured.csv")
    found = {(row["claim"], row["set"], row["result"]): float(row["measured"]) for row in rows}
    for claim, name in dict.fromkeys((row["claim"], row["set"]) for row in rows):
        held, won, lost, p = (found[claim, name, key] for key in ("held", "wins", "losses", "p"))
        n = int(won + lost)
        chance = sum(comb(n, wins) for wins in range(int(won), n + 1)) / 2**n
        assert p == pytest.approx(chance, rel=1e-6)
        assert held == (p < 0.05)


def test_quick_claims_are_those_that_few_methods_can_decide():
    few = [(m, cut) for cut in (1, 5) for m in ("df", "chi2-max", "chi2-max/chi2-avg lowest-rank")]
    found = dict(claims.grid_claims(some_curves(few, SIZES, 2)))
    assert "chi2-max/chi2-avg lowest-rank peaks at fewer terms than chi2-max" in found
    assert not any("highest" in words or "cut 0" in words for words in found)


def test_every_table_of_dots_and_figure_can_be_drawn(grid, halves, monkeypatch, tmp_path):
    monkeypatch.setattr("studies.comparison.FOLDER", tmp_path)
    monkeypatch.setattr("studies.pages.write_readme", lambda: None)
    (tmp_path / "olsson2006").mkdir()
    monkeypatch.setattr(tables, "grid", lambda *_, **__: grid)
    monkeypatch.setattr(tables, "validation", lambda **_: halves)
    for measure in tables.TABLES.values():
        measure().write()
    study._points(np.random.default_rng(0).random((4, 2, 3))).write()
    monkeypatch.setattr(plots, "FOLDER", tmp_path / "olsson2006")
    plots.draw_all(tmp_path / "drawn")
    drawn = {path.stem for path in (tmp_path / "drawn").glob("*.svg")}
    assert (
        drawn == set(plots.DRAWN) == {path.stem for path in (tmp_path / "olsson2006").glob("*.md")}
    )
    _, rows = read_table(tmp_path / "olsson2006" / "figure1_points_measured.csv")
    drawn = [axis for axis in plots.draw_figure_1(rows).axes if axis.lines]
    assert [len(axis.lines[0].get_xdata()) for axis in drawn] == [4, 4, 4]
    # As many dots as cells that were won at least once.
    _, rows = read_table(tmp_path / "olsson2006" / "table2_measured.csv")
    axes = plots.draw_dots(rows).axes
    dots = [axis.collections[0].get_offsets() for axis in axes if axis.get_visible()]
    assert sum(len(own) for own in dots) == len(rows)
