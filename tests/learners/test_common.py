"""Learners and transformers under scikit-learn's configuration of output."""

from inspect import isclass, signature
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import clone, config_context
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, GroupKFold, GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

from labelwise import learners
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.features import OkapiWeights, TermSelector
from labelwise.learners import (
    BagPlugin,
    BagSummary,
    BestLearner,
    BinaryRelevance,
    ChainEnsemble,
    ExactFPlugin,
    IndependentFPlugin,
    ReverseMultilabel,
    SampledFPlugin,
    SubmodularMultilabel,
)
from labelwise.splitting import MultilabelStratifiedKFold
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


class GroupFolds(BaseEstimator):
    """Two folds of groups; `seen` has the groups that each call of `split` was given."""

    seen: ClassVar[list] = []
    __metadata_request__split: ClassVar = {"groups": True}

    def split(self, X, y=None, groups=None):
        GroupFolds.seen.append(groups)
        yield from GroupKFold(2).split(X, y, groups)

    def get_n_splits(self, X=None, y=None, groups=None):  # noqa: ARG002
        return 2


FEW = [0.01, 1.0]
WITH_FOLDS = {
    "BinaryRelevance": BinaryRelevance(penalty=FEW, cv=GroupFolds()),
    "squared hinges": BinaryRelevance(loss="squared_hinge", penalty=FEW, cv=GroupFolds()),
    "ExactFPlugin": ExactFPlugin(penalty=FEW, cv=GroupFolds()),
    "ReverseMultilabel": ReverseMultilabel(penalty=FEW, tol=0.1, cv=GroupFolds(), random_state=0),
    "SubmodularMultilabel": SubmodularMultilabel(
        penalty=FEW, tol=0.1, cv=GroupFolds(), random_state=0
    ),
    "IndependentFPlugin": IndependentFPlugin(BinaryRelevance(penalty=FEW, cv=GroupFolds())),
    "CalibratedLabels": CalibratedLabels(BinaryRelevance(penalty=0.1), cv=GroupFolds()),
    "search": GridSearchCV(BinaryRelevance(), {"penalty": FEW}, cv=GroupFolds()),
    "pipeline": make_pipeline(StandardScaler(), BinaryRelevance(penalty=FEW, cv=GroupFolds())),
    "nested": make_pipeline(
        StandardScaler(),
        CalibratedLabels(BinaryRelevance(penalty=FEW, cv=GroupFolds()), cv=GroupFolds()),
    ),
}


def grouped_data():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 5)
    X = rng.normal(size=(60, 3)) + rng.normal(size=(12, 3))[groups]
    return X, (rng.random((60, 2)) < 0.5).astype(int), np.array(list("abcdefghijkl"))[groups]


@pytest.mark.parametrize("is_routed", [False, True])
@pytest.mark.parametrize("learner", WITH_FOLDS.values(), ids=WITH_FOLDS)
@pytest.mark.parametrize(
    "around",
    [
        lambda one: TunedThresholds(one, cv=3, shrink=0),
        lambda one: CalibratedLabels(one, cv=3, method="sigmoid"),
        lambda one: BestLearner([one], cv=3, random_state=0),
        lambda one: TunedThresholds(one, cv=GroupShuffleSplit(1, random_state=0), refit=False),
    ],
    ids=["TunedThresholds", "CalibratedLabels", "BestLearner", "one split"],
)
def test_folds_inside_a_learner_get_the_groups_of_its_samples(around, learner, is_routed):
    X, Y, groups = grouped_data()
    with config_context(enable_metadata_routing=is_routed):
        GroupFolds.seen.clear()
        around(clone(learner)).fit(X, Y, groups=groups)
    # A regression whose held-out scores come with its choice of penalties has no other folds.
    assert GroupFolds.seen or isinstance(learner, BinaryRelevance)
    for given in GroupFolds.seen:
        assert given is not None
        assert len(given) < 60 or set(given) == set(groups)


TAKE_GROUPS = [
    one
    for one in (getattr(learners, name) for name in learners.__all__)
    if isclass(one) and hasattr(one, "fit") and "groups" in signature(one.fit).parameters
]


@pytest.mark.parametrize("learner", TAKE_GROUPS)
def test_groups_are_routed_to_learners_that_take_them_without_a_request(learner):
    assert get_routing_for_object(learner()).consumes("fit", ["groups"]) == {"groups"}


def test_penalties_are_chosen_on_folds_of_groups():
    X, Y, groups = grouped_data()
    splitter = MultilabelStratifiedKFold(5, method="iterative")
    folds = list(splitter.split(X, Y, groups))
    expected = BinaryRelevance(cv=folds).fit(X, Y)
    found = BinaryRelevance().fit(X, Y, groups=groups)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    chains = ChainEnsemble(n_chains=1, random_state=0).fit(X, Y, groups=groups)
    relevance = BinaryRelevance(tol=1e-5).fit(X, Y, groups=groups)
    np.testing.assert_array_equal(chains.penalties_, relevance.penalties_)
    drawn = SampledFPlugin(chains, max_draws=8, random_state=0).fit(X, Y, groups=groups)
    np.testing.assert_array_equal(drawn.estimator_.penalties_, relevance.penalties_)
    sizes = [set(groups[test]) & set(groups[train]) for train, test in folds]
    assert not any(sizes)


def test_fewer_groups_than_folds_make_fewer_folds_of_penalties():
    X, Y, groups = grouped_data()
    three = np.array(["a", "b", "c"])[np.arange(60) % 3]
    for learner in (
        BinaryRelevance(),
        ExactFPlugin(),
        ReverseMultilabel(tol=0.1, penalty=FEW, random_state=0),
    ):
        learner.fit(X, Y, groups=three)
        with pytest.raises(ValueError, match="groups must be at least 2 to choose a penalty"):
            learner.fit(X, Y, groups=np.zeros(60))
    gaps = Y.astype(float)
    gaps[groups > "b", 0] = np.nan
    assert BinaryRelevance().fit(X, gaps, groups=groups).coef_.shape == (2, 3)


def test_groups_of_bags_stay_together():
    rng = np.random.default_rng(0)
    X, Y = [rng.normal(size=(2, 3)) for _ in range(24)], rng.random((24, 2)) < 0.5
    GroupFolds.seen.clear()
    learner = BagPlugin(BinaryRelevance(penalty=0.1), n_iter=1, cv=GroupFolds(), random_state=0)
    learner.fit(X, Y, groups=np.arange(24) // 2)
    assert GroupFolds.seen[0].tolist() == (np.arange(24) // 2).tolist()
