"""
4. Learners: the highest expected F needs joint probabilities
=============================================================

The label set with the highest expected F depends on the dependence between labels. ``ExactFPlugin``
(EFP) learns it, ``IndependentFPlugin`` (LFP) assumes independent labels. The data are generated, so
that the best possible value is known.
"""

import matplotlib.pyplot as plt
import numpy as np

from labelwise.data import make_multilabel
from labelwise.decisions import maximize_expected_f
from labelwise.learners import BinaryRelevance, ExactFPlugin, IndependentFPlugin

# %%
# Each sample belongs to one of two hidden groups, with three labels and with one. The features
# leave some doubt about the group: either all three labels are on, or none of them.

sizes = [100, 300, 1000, 3000, 10_000]
data, posterior = make_multilabel(
    sizes[-1] + 2000,
    n_features=10,
    n_labels=4,
    n_groups=2,
    cardinality=2.0,
    separation=1.0,
    noise=0.0,
    random_state=0,
)
unseen = np.arange(sizes[-1], sizes[-1] + 2000)
truth = posterior.take(unseen)
best = maximize_expected_f(truth.joint, truth.p_empty)[1].mean()


def true_value(decided):
    """Return the mean expected F of decisions, under the true distribution."""
    n_decided = decided.sum(axis=1, keepdims=True)
    weights = 2 / (np.arange(1, truth.joint.shape[2] + 1) + n_decided)
    hits = np.einsum("ijs,ij->is", truth.joint, decided)
    return np.where(n_decided[:, 0] == 0, truth.p_empty, (hits * weights).sum(axis=1)).mean()


# %%
# The penalty of each regression is chosen by log-loss on held-out folds. With more and more
# samples EFP approaches the best value. LFP does not: the probability of each label becomes exact,
# but labels are not independent.

learners = {
    "EFP": ExactFPlugin(),
    "LFP": IndependentFPlugin(),
    "BR, at 0.5": BinaryRelevance(),
}
values = {name: [] for name in learners}
for n_samples in sizes:
    for name, learner in learners.items():
        learner.fit(data.X[:n_samples], data.Y[:n_samples])
        values[name].append(true_value(learner.predict(data.X[unseen])))

print(f"best {best:.4f}")
for name, reached in values.items():
    print(f"{name:<11}", "  ".join(f"{value:.4f}" for value in reached))

# %%
figure, axes = plt.subplots(layout="constrained")
axes.axhline(best, color="black", linestyle=":", label="best possible")
for name, reached in values.items():
    axes.plot(sizes, reached, marker="o", label=name)
axes.set(xscale="log", xlabel="training samples", ylabel="expected F on unseen samples")
axes.legend()
