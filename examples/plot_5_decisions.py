"""
5. Decisions: thresholds that maximize a measure
================================================

A model gives scores; labels are decided where a score reaches its threshold. Thresholds are tuned
on samples that the model was not fitted to, and evaluated on further samples.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from labelwise.data import make_multilabel
from labelwise.decisions import best_thresholds
from labelwise.measures import count, f_measure, macro, micro
from labelwise.reports import FrontierDisplay, ThresholdDisplay
from labelwise.splitting import assign

data, _ = make_multilabel(n_samples=6000, n_labels=12, random_state=0)
parts = assign(data.Y, [0.3, 0.3, 0.4], random_state=0)
training, held_out, unseen = (data.take(parts == part) for part in range(3))

model = OneVsRestClassifier(LogisticRegression())
model.fit(training.X, training.Y.toarray().astype(np.int64))
scores = model.predict_proba(held_out.X)

# %%
# These thresholds have the highest micro F of all thresholds. The certificate c proves it: the
# threshold of every label maximizes its number of true positives minus c times its decisions.

exact = best_thresholds(scores, held_out.Y, label_names=data.label_names)
print(exact)

# %%
# For each label: its threshold, and the scores of samples with and without the label.

ThresholdDisplay.from_predictions(
    held_out.Y, scores, thresholds=exact, label_names=data.label_names
)

# %%
# The line shows the highest micro precision that any thresholds reach at each micro recall.

FrontierDisplay.from_predictions(held_out.Y, scores, name="logistic regression")

# %%
# On unseen samples: 0.5 for all labels, the best shared threshold, a threshold for each label, and
# thresholds between these two, by an amount that cross-validation over the tuning samples selects.

new_scores = model.predict_proba(unseen.X)
rules = {
    "0.5": new_scores >= 0.5,
    "shared": best_thresholds(scores, held_out.Y, shared=True).decide(new_scores),
    "exact": exact.decide(new_scores),
    'shrink="auto"': best_thresholds(scores, held_out.Y, shrink="auto", random_state=0).decide(
        new_scores
    ),
}
print(f"{'':<15}{'micro F':>8}{'macro F':>9}")
for name, decided in rules.items():
    counts = count(unseen.Y, decided)
    print(f"{name:<15}{micro(f_measure, counts):>8.4f}{macro(f_measure, counts):>9.4f}")
