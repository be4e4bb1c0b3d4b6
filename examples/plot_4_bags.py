"""
4. Bags: which instance has which label
=======================================

A sample is a bag of several pictures of digits. The labels of a bag are its digits; which picture
shows which digit is not known. ``BagPlugin`` learns the digit of each picture, and tunes thresholds
for the labels of new bags.
"""

import numpy as np

from labelwise.data import load
from labelwise.learners import BagPlugin, BagSummary, BinaryRelevance
from labelwise.measures import count, f_measure, macro
from labelwise.reports import BagDisplay

data = load("digit-bags")
training, unseen = data.take(data.train), data.take(data.test)
model = BagPlugin(maximize="macro-f", random_state=0).fit(training)

# %%
# The macro F on held-out bags after each round. In the first round, every picture of a bag counts
# as an example of every label of the bag.

print(np.round(model.history_, 3))

# %%
# New bags: each predicted label is above the picture with the highest score for it.

BagDisplay.from_estimator(model, unseen)

# %%
# The label with the highest score of a single picture is its predicted digit.

digits = [int(digit) for text in unseen.ids["digits"] for digit in text.split()]
found = model.predict_instances(unseen)
correct = np.mean(found.scores.argmax(axis=1) == digits)
print(f"{correct:.3f} of the predicted digits are correct")

# %%
# For comparison: binary relevance on the mean and the maximum of each pixel over a bag.

summary = BagSummary(["mean", "max"])
plain = BinaryRelevance().fit(summary.fit_transform(training), training.Y)
for name, decided in {
    "BagPlugin": model.predict(unseen),
    "on summaries": plain.predict(summary.transform(unseen)),
}.items():
    print(f"{name:<13} macro F {macro(f_measure, count(unseen.Y, decided)):.3f}")
