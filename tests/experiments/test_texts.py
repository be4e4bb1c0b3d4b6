"""A study takes data sets of texts, and tells different texts apart."""

from dataclasses import replace

from sklearn.pipeline import make_pipeline

from labelwise.data import load
from labelwise.experiments import Study
from labelwise.experiments.running._fingerprint import data_fingerprint
from labelwise.features import TableFeatures
from labelwise.learners import BinaryRelevance
from labelwise.splitting import MultilabelStratifiedKFold


def test_a_pipeline_of_texts_is_measured(tmp_path):
    data = load("abstracts").take(slice(0, 120))
    results = Study(
        name="texts",
        datasets=[data],
        models={"terms": make_pipeline(TableFeatures(), BinaryRelevance(penalty=0.001))},
        splits={"cv": MultilabelStratifiedKFold(2)},
        measures=["micro-f"],
    ).run(tmp_path / "texts.sqlite")
    assert not results.failed
    assert all(row["value"] > 0.5 for row in results.rows())


def test_other_texts_are_other_data():
    data = load("abstracts")
    changed = data.frame.set_column(0, "title", [["another title"] * len(data)])
    assert data_fingerprint(replace(data, frame=changed)) != data_fingerprint(data)
