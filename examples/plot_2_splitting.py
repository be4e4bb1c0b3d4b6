"""
2. Splitting: the same share of every label in every fold
=========================================================

Ten folds of a generated corpus with rare topics, assigned by four methods.
"""

import matplotlib.pyplot as plt
import numpy as np

from labelwise.data import make_corpus
from labelwise.splitting import assign, split_quality

corpus = make_corpus(n_documents=1000, n_terms=500, n_topics=40, random_state=0)
methods = ("random", "labelset", "iterative", "balanced")
folds = {method: assign(corpus.Y, 10, method=method, random_state=0) for method in methods}

# %%
# The figure shows the share of each topic in each fold, divided by its share in all data, so that
# 1 is best. Topics run from frequent to rare. Iterative stratification keeps these ratios near 1,
# and `balanced` also gives all folds the same size.

figure, axes = plt.subplots(1, 4, figsize=(10, 3.2), sharey=True, layout="constrained")
counts = np.asarray(corpus.Y.sum(axis=0)).ravel()
for axis, method in zip(axes, methods, strict=True):
    for fold in range(10):
        inside = np.asarray(corpus.Y[folds[method] == fold].sum(axis=0)).ravel()
        axis.plot(10 * inside / np.maximum(counts, 1), ".", color="C0", alpha=0.4)
    quality = split_quality(corpus.Y, folds[method])
    axis.set_title(f"{method}\nLD {quality.ld:.4f}, ED {quality.ed:.1f}", size=10)
    axis.set_xlabel("topic")
axes[0].set_ylabel("share in fold / share in data")
