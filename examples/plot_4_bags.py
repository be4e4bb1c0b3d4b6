"""
4. Bags: who spoke for which label
==================================

A bag holds several pictures, and only the digits in it are known, not which picture is which.
``BagPlugin`` finds out, and decides the labels of new bags for the measure that counts.
"""

import numpy as np

from labelwise.data import load
from labelwise.learners import BagPlugin, BagSummary, BinaryRelevance
from labelwise.measures import count, f_measure, macro
from labelwise.reports import BagDisplay

data = load("digit-bags")
training, unseen = data.take(data.train), data.take(data.test)
model = BagPlugin(random_state=0).fit(training)

# %%
# The macro F on held-out bags, round by round. The first round takes any picture of a bag for any
# of its labels.

print(np.round(model.history_, 3))

# %%
# New bags: each label stands above the picture that spoke for it.

BagDisplay.from_estimator(model, unseen)

# %%
# Each picture by itself: its highest label is its digit, learned from labels of bags alone.

digits = [int(digit) for text in unseen.ids["digits"] for digit in text.split()]
found = model.predict_instances(unseen)
print(f"{np.mean(found.scores.argmax(axis=1) == digits):.3f} of the pictures are told right")

# %%
# Beside binary relevance on the mean and the highest of each pixel in a bag.

summary = BagSummary(["mean", "max"])
plain = BinaryRelevance().fit(summary.fit_transform(training), training.Y)
for name, decided in {
    "BagPlugin": model.predict(unseen),
    "on summaries": plain.predict(summary.transform(unseen)),
}.items():
    print(f"{name:<13} macro F {macro(f_measure, count(unseen.Y, decided)):.3f}")
