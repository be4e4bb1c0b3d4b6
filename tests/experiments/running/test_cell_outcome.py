"""`CellOutcome`: what the measures of a user see of a cell."""

from tests.experiments.small_studies import NoScores, study


def test_a_model_without_scores_fails_where_scores_are_measured(tmp_path):
    results = study(models={"bad": NoScores()}).run(tmp_path / "s.sqlite")
    assert "must have decision_function or predict_proba for coverage" in results.failed[0].error
    own = study(models={"bad": NoScores()}, measures={"none": lambda o: float(o.scores is None)})
    assert {row["value"] for row in own.run(tmp_path / "o.sqlite").rows()} == {1.0}


def test_own_measures_see_model_rows_and_truth(tmp_path):
    def own(outcome):
        assert outcome.train.n_samples == outcome.train_indices.size
        assert (outcome.truth != outcome.test.Y).nnz == 0
        return {"fold": outcome.fold, "mean": outcome.model.means_.mean()}

    results = study(measures=["micro-f", {"own": own, "rows": lambda o: o.test_indices.size}]).run(
        tmp_path / "s.sqlite"
    )
    assert not results.failed
    assert results.measures == ("micro-f", "own/fold", "own/mean", "rows")
    assert all(r["value"] == r["fold"] for r in results.rows() if r["measure"] == "own/fold")
