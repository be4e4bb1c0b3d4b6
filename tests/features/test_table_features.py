"""Tables become the same features as in data sets, in the model and after loading it."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

import labelwise
from labelwise.data import Dataset, read_table
from labelwise.features import TableFeatures, TextTerms
from labelwise.learners import BinaryRelevance

ROWS = {
    "size": [1.5, 2.0, None, 4.0],
    "colour": ["red", "blue", "red", "green"],
    "new": ["yes", "no", None, "yes"],
    "code": ["p1", "p2", "p3", "p4"],
    "note": ["a ship at sea", "the war at sea", "sky over the city", None],
}


@pytest.fixture(params=[pa.table, pd.DataFrame, pl.DataFrame], ids=["pyarrow", "pandas", "polars"])
def frame(request):
    return request.param


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def test_features_are_those_of_a_data_set_and_the_terms_of_texts(frame, tmp_path):
    pd.DataFrame(ROWS).assign(label=[0, 1, 0, 1]).to_csv(tmp_path / "t.csv", index=False)
    read = read_table(tmp_path / "t.csv", labels=["label"])
    encoder = TableFeatures(scale_numbers=False)
    X = encoder.fit(frame(ROWS)).transform(frame(ROWS))
    np.testing.assert_array_equal(dense(X)[:, : read.n_features], read.X)
    weights = make_pipeline(TextTerms(), TfidfTransformer(sublinear_tf=True))
    texts = weights.fit_transform([text or "" for text in ROWS["note"]])
    np.testing.assert_array_equal(dense(X)[:, read.n_features :], texts.toarray())
    same = Dataset(frame(ROWS), [[0], [1], [0], [1]])
    np.testing.assert_array_equal(same.X, read.X)
    assert same.feature_names == read.feature_names
    assert same.texts == read.texts == ("note",)
    assert set(same.ids) == set(read.ids) == {"code"}


def test_numbers_beside_texts_are_scaled(frame):
    encoder = TableFeatures().fit(frame(ROWS))
    size = dense(encoder.transform(frame(ROWS)))[:, 0]
    assert np.nanmean(size) == pytest.approx(0)
    assert np.nanstd(size) == pytest.approx(1)
    assert np.isnan(size).tolist() == [False, False, True, False]
    later = {name: values[1:2] for name, values in ROWS.items()}
    assert dense(encoder.transform(frame(later)))[0, 0] == size[1]
    alone = {"size": ROWS["size"], "colour": ROWS["colour"]}
    np.testing.assert_array_equal(
        TableFeatures().fit_transform(frame(alone))[:, 0], [1.5, 2, np.nan, 4]
    )
    assert np.nanstd(
        TableFeatures(scale_numbers=True).fit_transform(frame(alone))[:, 0]
    ) == pytest.approx(1)


def test_years_beside_texts_do_not_change_what_is_learned():
    words = ["ships sail the open sea", "armies fight a long war", "clouds cross a grey sky"]
    topics = np.random.default_rng(0).integers(0, 3, 90)
    texts = [f"{words[topic]} in report {i}" for i, topic in enumerate(topics)]
    years = np.random.default_rng(1).integers(1950, 2020, 90)
    Y = np.eye(3, dtype=int)[topics]
    model = make_pipeline(TableFeatures(text="text"), BinaryRelevance(penalty=0.01))
    for columns in ({"text": texts}, {"text": texts, "year": years, "same": [7] * 90}):
        table = pa.table(columns)
        assert model.fit(table[:60], Y[:60]).score(table[60:], Y[60:]) == 1


def test_columns_are_found_by_name_and_others_are_ignored(frame):
    table = frame({name: ROWS[name] for name in ("size", "colour")})
    encoded = TableFeatures().fit(table)
    new = frame({"extra": [1], "colour": ["green"], "size": [7]})
    assert encoded.transform(new).tolist() == [[7, 0, 1, 0]]
    assert encoded.get_feature_names_out().tolist() == [
        "size", "colour=blue", "colour=green", "colour=red",
    ]  # fmt: skip


def test_a_value_that_was_not_seen_is_none_of_the_known_ones(frame):
    encoded = TableFeatures().fit(frame({name: ROWS[name] for name in ("colour", "new")}))
    new = frame({"colour": ["pink", "red"], "new": ["yes", "perhaps"]})
    with pytest.warns(UserWarning, match="'colour' has 'pink'; 'new' has 'perhaps'"):
        assert encoded.transform(new).tolist() == [[0, 0, 0, 1], [0, 0, 1, 0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoded.transform(frame({"colour": ["red"], "new": ["no"]}))


def test_a_saved_pipeline_predicts_from_a_single_row(frame, tmp_path):
    model = make_pipeline(TableFeatures(text=["note"]), BinaryRelevance(penalty=0.1))
    rows = {name: ROWS[name] for name in ("colour", "note")}
    model.fit(frame(rows), np.array([[1, 0], [1, 1], [0, 1], [0, 0]]))
    labelwise.save(model, tmp_path / "m.skops")
    one = frame({name: values[:1] for name, values in rows.items()})
    loaded = labelwise.load(tmp_path / "m.skops")
    np.testing.assert_array_equal(loaded.predict_proba(one), model.predict_proba(one))


def test_what_cannot_be_encoded_is_refused(frame):
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        TableFeatures().fit([1.0])
    with pytest.raises(ValueError, match="X must have the column 'x', which is missing"):
        TableFeatures(text="x").fit(frame({"size": [1.0]}))
    with pytest.raises(ValueError, match="a column that is a feature, got identifiers only"):
        TableFeatures().fit(frame({"code": ["p1", "p2"]}))
    encoded = TableFeatures().fit(frame({"size": [1.0, 2.5]}))
    with pytest.raises(
        TypeError, match="X must have numbers in column 'size', as in fit, got text"
    ):
        encoded.transform(frame({"size": ["big"]}))
