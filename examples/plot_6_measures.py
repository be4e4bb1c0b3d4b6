"""
6. Measures: all measures at once
=================================

``evaluate`` computes all measures of scores, here the true probabilities, and of decisions.
"""

import numpy as np

from labelwise.data import make_multilabel
from labelwise.measures import evaluate

data, posterior = make_multilabel(n_samples=2000, random_state=0)
scores = posterior.marginals
evaluate(data.Y, scores=scores, decided=scores >= 0.5)

# %%
# Intervals come from a bootstrap over samples, for measures that are sums or means over samples.

evaluation = evaluate(
    data.Y, decided=scores >= np.quantile(scores, 0.7), n_bootstrap=200, random_state=0
)
print(evaluation)
