"""Learners and transformers under scikit-learn's configuration of output."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import clone, config_context
from sklearn.pipeline import make_pipeline

from labelwise import learners
from labelwise.features import OkapiWeights, TermSelector
from labelwise.learners import BagPlugin, BagSummary
from tests.model_register import CHECKED

LEARNERS = {name: one for name, one in CHECKED.items() if name in learners.__all__}
PREDICTING = {name: one for name, one in LEARNERS.items() if hasattr(one, "predict")}


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame])
@pytest.mark.parametrize(
    "learner", [*PREDICTING.values(), BagPlugin()], ids=[*PREDICTING, "BagPlugin by default"]
)
def test_learners_do_not_depend_on_the_configured_output_of_transformers(learner, form, output):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (60, 5)).astype(float)
    Y = (rng.random((60, 3)) < 0.4).astype(int)
    X = form(counts) if form is not pd.DataFrame else pd.DataFrame(counts, columns=list("abcde"))
    seeded = clone(learner)
    if "random_state" in learner.get_params():
        seeded.set_params(random_state=0)
    expected = clone(seeded).fit(X, Y).predict(X)
    with config_context(transform_output=output):
        assert np.array_equal(seeded.fit(X, Y).predict(X), expected)


@pytest.mark.parametrize(("output", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_transformers_give_the_configured_frame_of_the_same_numbers(output, kind):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 4, (60, 5)).astype(float), rng.random((60, 3)) < 0.4
    chain = make_pipeline(OkapiWeights(), TermSelector(4), BagSummary())
    expected = chain.fit_transform(X, Y)
    with config_context(transform_output=output):
        found = chain.fit_transform(X, Y)
    assert isinstance(found, kind)
    assert np.array_equal(np.asarray(found), expected)
    assert list(found.columns) == chain.get_feature_names_out().tolist()
