"""Small arenas in which candidates are tried."""

import numpy as np

from labelwise._estimators import splits_of
from labelwise._tuning import Request, Samples
from labelwise.data import make_multilabel
from labelwise.learners.selection._trials import Arena


def arena_of(n_samples, maximize="micro-f"):
    data, _ = make_multilabel(n_samples, n_features=4, n_labels=3, random_state=0)
    Y = data.Y.toarray().astype(np.int64)
    samples = Samples(data.X, Y, None, None, {})
    request = Request(maximize=maximize)
    return Arena(samples, splits_of(2, data.X, Y), request, 0, None)
