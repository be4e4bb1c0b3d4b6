"""Cells of a study: a failure stops it, and finished cells stay."""

import pytest

import studies
from studies.stores import results_of
from tests.experiments.small_studies import NoScores, study


def test_cells_are_run_into_a_new_folder_and_kept(tmp_path):
    store = tmp_path / "new" / "s.sqlite"
    first = results_of(study(), store)
    assert first.n_done == 24
    assert results_of(study(), store).rows() == first.rows()


def test_a_cell_that_failed_is_an_error_with_the_name_of_its_study(tmp_path):
    broken = study(models={"bad": NoScores()}, name="Table 9")
    with pytest.raises(RuntimeError, match=r"^Table 9: a cell failed"):
        results_of(broken, tmp_path / "s.sqlite")


def test_cells_of_earlier_code_are_kept_where_that_is_asked_for(tmp_path, monkeypatch):
    store = tmp_path / "s.sqlite"
    first = results_of(study(), store)
    digest = "labelwise.experiments.running._fingerprint.package_digest"
    monkeypatch.setattr(digest, lambda _: "another labelwise")
    monkeypatch.setattr(studies, "RESUME", "any-code")
    assert results_of(study(), store).rows() == first.rows()
