"""Every benchmark set is read as its published figures say."""

import numpy as np
import pytest

from labelwise.data import load, read_arff
from tests.benchmark_sets import ABSENT, FACTS, HOME


@pytest.mark.skipif(not FACTS, reason=ABSENT)
@pytest.mark.parametrize("facts", FACTS, ids=lambda facts: facts["name"])
def test_a_benchmark_set_agrees_with_its_figures(facts):
    data = load(facts["name"], data_home=HOME)
    found = data.describe()
    per_label = np.diff(data.Y.indptr)
    assert found.n_samples == facts["examples"]
    assert found.n_labels == facts["labels"]
    assert found.n_label_sets == facts["distinct_labelsets"]
    assert found.cardinality == pytest.approx(facts["cardinality"], abs=5e-5)
    assert found.label_least == facts["label_count_min"]
    assert found.label_mean == pytest.approx(facts["label_count_avg"], abs=5e-3)
    assert found.label_most == per_label.max() == facts["label_count_max"]
    assert found.n_without_labels == facts["examples_without_label"]
    sizes = [None if rows is None else rows.size for rows in (data.train, data.test)]
    assert sizes == [facts["train"], facts["test"]]
    if isinstance(facts["features"], int):
        # Identifiers count among the attributes of the file, except that of a bag.
        n_ids = len(data.ids) if data.bags is None else 0
        assert data.n_features + n_ids == facts["features"]
    if "instances" in facts:
        assert data.X.shape[0] == facts["instances"]


def test_the_two_versions_of_enron_have_the_same_rows(benchmark_home):
    mulan = load("enron", data_home=benchmark_home)
    meka = load("meka-enron", data_home=benchmark_home)
    assert set(mulan.label_names) == set(meka.label_names)
    order = [meka.label_names.index(name) for name in mulan.label_names]
    of_mulan, of_meka = mulan.Y.toarray(), meka.Y.toarray()[:, order]
    assert sorted(map(bytes, of_mulan)) == sorted(map(bytes, of_meka))


def test_a_file_whose_labels_are_all_missing_is_for_prediction(benchmark_home):
    known = load("meka-music", data_home=benchmark_home)
    unknown = read_arff(benchmark_home / "meka-music" / "Music_missing_classes.arff.gz")
    assert unknown.Y is None
    assert unknown.label_names == known.label_names
    assert unknown.X.shape == known.X.shape
