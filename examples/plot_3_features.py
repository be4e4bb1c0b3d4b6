"""
3. Features: how many terms are enough
======================================

Which terms predict the labels best, and how many terms are enough? One pass over the terms computes
the scores of a nearest-neighbour classifier for several numbers of terms.
"""

import matplotlib.pyplot as plt
import numpy as np

from labelwise.data import make_corpus
from labelwise.features import TermSelector
from labelwise.learners import OkapiNeighbors
from labelwise.measures import measure_scores
from labelwise.reports import TermCurveDisplay
from labelwise.splitting import assign

corpus = make_corpus(1500, n_terms=3000, n_topics=15, random_state=0)
is_train = assign(corpus.Y, [0.6, 0.4], random_state=0) == 0
train, test = corpus.take(is_train), corpus.take(~is_train)

# %%
# Two forms of chi2 rank the terms, and the lower of its two ranks counts for each term. Terms that
# occur in one document only are excluded first.

selector = TermSelector(5).fit(train.X, train.Y)
selector.ranking_.size, selector.get_feature_names_out(corpus.feature_names)

# %%
# Sets of terms from one ranking are nested, so that the inner products of a larger set are those of
# the smaller set plus those of the added terms. Error bars are standard errors over ten parts of
# the test samples.

model = OkapiNeighbors(n_neighbors=30).fit(train.X, train.Y)
sizes = [20, 50, 100, 200, 400, 800, 1600]
parts = assign(test.Y, 10, random_state=0)
_, ax = plt.subplots()
for name in ("df", "chi2-max/chi2-avg lowest-rank"):
    ranking = TermSelector(**TermSelector.methods()[name]).fit(train.X, train.Y).ranking_
    curve = model.score_curve(test.X, ranking, sizes)
    values = np.array(
        [
            [measure_scores(test.Y[parts == i], s[parts == i], "r-precision") for i in range(10)]
            for s in curve
        ]
    )
    errors = values.std(axis=1, ddof=1) / np.sqrt(10)
    TermCurveDisplay(sizes, values.mean(axis=1), errors, name=name).plot(ax)
