"""
5. Decisions: the thresholds for the measure that counts
========================================================

A model gives scores; labels are decided where a score reaches its threshold. Thresholds are tuned
on samples that the model has not seen, and judged on others again.
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
# The thresholds with the highest micro F of all. The certificate proves it: every label by itself
# maximises its true positives less this many times its decisions.

exact = best_thresholds(scores, held_out.Y, label_names=data.label_names)
print(exact)

# %%
# Each label's threshold between the scores of samples with it and without it.

ThresholdDisplay.from_predictions(
    scores, held_out.Y, thresholds=exact, label_names=data.label_names
)

# %%
# No thresholds have more precision at the same recall than this line.

FrontierDisplay.from_predictions(scores, held_out.Y, name="logistic regression")

# %%
# On unseen samples: 0.5 for all labels, the best shared threshold, a threshold for each label, and
# the amount between these two that cross-validation over the tuning samples advises.

new_scores = model.predict_proba(unseen.X)
ways = {
    "0.5": new_scores >= 0.5,
    "shared": best_thresholds(scores, held_out.Y, shared=True).decide(new_scores),
    "exact": exact.decide(new_scores),
    'shrink="auto"': best_thresholds(scores, held_out.Y, shrink="auto", random_state=0).decide(
        new_scores
    ),
}
print(f"{'':<15}{'micro F':>8}{'macro F':>9}")
for name, decided in ways.items():
    counts = count(unseen.Y, decided)
    print(f"{name:<15}{micro(f_measure, counts):>8.4f}{macro(f_measure, counts):>9.4f}")
