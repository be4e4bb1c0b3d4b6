"""
2. Splitting: the same share of every label in every fold
=========================================================

Ten folds of a generated corpus with rare topics, dealt in four ways.
"""

import matplotlib.pyplot as plt
import numpy as np

from labelwise.data import make_corpus
from labelwise.splitting import assign, split_quality

corpus = make_corpus(n_documents=1000, n_terms=500, n_topics=40, random_state=0)
methods = ("random", "labelset", "iterative", "balanced")
folds = {method: assign(corpus.Y, 10, method=method, random_state=0) for method in methods}

# %%
# How far each fold's share of each topic is from the share in all data. Topics run from frequent to
# rare; iterative stratification keeps their shares, and `balanced` keeps the sizes of folds too.

figure, axes = plt.subplots(1, 4, figsize=(10, 3.2), sharey=True, layout="constrained")
counts = np.asarray(corpus.Y.sum(axis=0)).ravel()
for axis, method in zip(axes, methods, strict=True):
    for fold in range(10):
        inside = np.asarray(corpus.Y[folds[method] == fold].sum(axis=0)).ravel()
        axis.plot(10 * inside / np.maximum(counts, 1), ".", color="C0", alpha=0.4)
    quality = split_quality(corpus.Y, folds[method])
    axis.set_title(f"{method}\nLD {quality.ld:.4f}, ED {quality.ed:.1f}", size=10)
    axis.set_xlabel("topic")
axes[0].set_ylabel("fold's share / fair share")
