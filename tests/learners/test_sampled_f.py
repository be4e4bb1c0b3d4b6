"""`SampledFPlugin` decides as well as the model that it draws from knows the labels."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from labelwise.data import Posterior, make_multilabel
from labelwise.decisions import maximize_expected_f
from labelwise.learners import BinaryRelevance, ChainEnsemble, IndependentFPlugin, SampledFPlugin


class TrueModel(BaseEstimator):
    """Draws from the true posterior; X has the numbers of the samples."""

    def __init__(self, posterior):
        self.posterior = posterior

    def fit(self, X, y):  # noqa: ARG002
        self.n_features_in_ = 1
        return self

    def sample(self, X, n_draws, random_state=None):
        rows = np.asarray(X)[:, 0].astype(int)
        return Posterior(self.posterior.groups[rows], self.posterior.rates).sample(
            n_draws, random_state
        )


def expected_f(posterior, decided):
    """Expected F of decided label sets under the true posterior."""
    n_decided = decided.sum(axis=1)
    sizes = np.arange(1, posterior.joint.shape[2] + 1)
    weights = 2 / (sizes + n_decided[:, None, None])
    value = (posterior.joint * decided[:, :, None] * weights).sum(axis=(1, 2))
    return np.where(n_decided == 0, posterior.p_empty, value)


def true_problem(n_samples=300):
    data, posterior = make_multilabel(n_samples, random_state=0)
    return np.arange(n_samples)[:, None], data.Y, posterior


def test_more_draws_of_the_true_posterior_come_nearer_to_the_bayes_value():
    rows, Y, posterior = true_problem()
    best = maximize_expected_f(posterior.joint, posterior.p_empty)[1].mean()
    lost = []
    for n_draws in (4, 40, 2000):
        options = {"max_error": None, "max_draws": n_draws}
        model = SampledFPlugin(TrueModel(posterior), random_state=0, **options)
        lost.append(best - expected_f(posterior, model.fit(rows, Y).predict(rows)).mean())
    assert lost[0] > lost[1] > lost[2] > -1e-12
    assert lost[2] < 0.001


def test_chosen_numbers_of_draws_reach_the_error_asked_for():
    rows, Y, posterior = true_problem()
    model = SampledFPlugin(TrueModel(posterior), max_error=0.01, max_draws=4096, random_state=0)
    model.fit(rows, Y)
    assert model.expected_f_error(rows).max() <= 0.01
    best = maximize_expected_f(posterior.joint, posterior.p_empty)[1]
    assert best.mean() - expected_f(posterior, model.predict(rows)).mean() < 0.005
    # Six standard errors, of 300 samples that are decided by the same draws.
    assert np.abs(model.expected_f(rows) - best).max() < 0.06


def test_chains_come_nearer_to_the_bayes_value_than_independent_labels():
    data, posterior = make_multilabel(3000, n_features=10, noise=0.1, random_state=0)
    train, test = slice(1500), slice(1500, 3000)
    truth = Posterior(posterior.groups[test], posterior.rates)
    chains = SampledFPlugin(ChainEnsemble(penalty=0.01, random_state=0), random_state=0)
    alone = IndependentFPlugin(BinaryRelevance(penalty=0.01))
    by_chains, by_labels = (
        expected_f(truth, one.fit(data.X[train], data.Y[train]).predict(data.X[test])).mean()
        for one in (chains, alone)
    )
    best = maximize_expected_f(truth.joint, truth.p_empty)[1].mean()
    assert by_labels < by_chains <= best


def test_labels_that_are_always_on_count_in_the_size_of_label_sets():
    data, _ = make_multilabel(150, random_state=0)
    Y = data.Y.toarray().astype(int)
    Y[:, 1], Y[:, 2] = 1, 0
    model = SampledFPlugin(ChainEnsemble(n_chains=2, penalty=0.1, random_state=0), random_state=0)
    with pytest.warns(UserWarning, match="one class only"):
        decided = model.fit(data.X, Y).predict(data.X)
    assert decided[:, 1].all()
    assert not decided[:, 2].any()
    drawn = model.estimator_.sample(data.X, 1)
    assert drawn.shape[2] == 4


def test_constants_alone_need_no_draws():
    with pytest.warns(UserWarning, match="one class only"):
        model = SampledFPlugin(random_state=0).fit(np.zeros((5, 2)), [[0, 1]] * 5)
    assert model.predict(np.zeros((2, 2))).tolist() == [[0, 1]] * 2
    assert model.expected_f(np.zeros((2, 2))).tolist() == [1.0, 1.0]


def test_beta_may_be_changed_after_fitting():
    data, _ = make_multilabel(200, random_state=0)
    model = SampledFPlugin(ChainEnsemble(n_chains=2, penalty=0.1, random_state=0), random_state=0)
    few = model.fit(data.X, data.Y).predict(data.X).sum()
    assert few < model.set_params(beta=3.0).predict(data.X).sum()


def test_predictions_of_a_sample_do_not_depend_on_the_others():
    data, _ = make_multilabel(150, random_state=0)
    model = SampledFPlugin(ChainEnsemble(n_chains=2, penalty=0.1, random_state=0), random_state=0)
    whole = model.fit(data.X, data.Y).predict(data.X)
    np.testing.assert_array_equal(whole[20:50], model.predict(data.X[20:50]))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_draws": 1}, ValueError, "max_draws must be at least 2"),
        ({"max_draws": 0, "max_error": None}, ValueError, "max_draws must be at least 1"),
        ({"max_error": 0.0}, ValueError, "max_error must be between 0 and 1"),
        ({"beta": 0}, ValueError, "beta must be a positive number"),
        ({"estimator": BinaryRelevance()}, TypeError, "estimator must have sample, but BinaryRel"),
    ],
)
def test_bad_parameters_are_refused_by_name(options, error, message):
    data, _ = make_multilabel(50, random_state=0)
    with pytest.raises(error, match=message):
        SampledFPlugin(**options).fit(data.X, data.Y)
