"""
6. Measures: everything at once
===============================

Scores of any model, decisions at 0.5, and all that can be said of them.
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
