"""The plan of a study: data and splits that cannot be run are refused before any work."""

import numpy as np
import pytest
from sklearn.model_selection import LeavePOut, ShuffleSplit

from labelwise.data import Dataset
from tests.experiments.small_studies import rows, study


def test_what_data_lacks_is_said_before_any_work(tmp_path):
    unlabelled = Dataset(np.zeros((2, 1)), None, name="blank")
    with pytest.raises(ValueError, match=r"datasets\['blank'\] must have labels"):
        study(datasets=[unlabelled]).run(tmp_path / "s.sqlite")
    whole = Dataset(np.zeros((4, 1)), np.eye(4, dtype=int), name="whole")
    with pytest.raises(ValueError, match="has no training and test samples"):
        study(datasets=[whole], splits={"s": "train-test"}).run(tmp_path / "s.sqlite")
    assert not (tmp_path / "s.sqlite").exists()


@pytest.mark.parametrize("splitter", [ShuffleSplit(10**9), LeavePOut(6)])
def test_more_folds_than_anybody_runs_are_refused_before_they_are_planned(tmp_path, splitter):
    endless = study(splits={"many": splitter}, datasets=[rows(n_samples=200)])
    with pytest.raises(ValueError, match=r"splits\['many'\] must have at most 1,000,000 folds"):
        endless.run(tmp_path / "s.sqlite")
    assert not (tmp_path / "s.sqlite").exists()
