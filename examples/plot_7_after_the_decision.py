"""
7. After the decision: a year with thresholds
=============================================

A model is fitted, its thresholds are certified and deployed. A person audits them with 300 answers,
a monitor watches them, and after a drift they are adapted and certified again.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression

from labelwise.decisions import adapt_thresholds, best_thresholds
from labelwise.deployment import Monitor, audit_report, check_promises, expect, plan_audit
from labelwise.learners import BinaryRelevance
from labelwise.measures import count, f_measure, micro
from labelwise.reports import MonitorDisplay

random = np.random.default_rng(0)
USUAL, LATER = np.full(6, 0.3), np.array([0.08, 0.08, 0.08, 0.3, 0.3, 0.3])


def draw(n_samples, frequencies=USUAL):
    """Two features of each label, and the labels."""
    Y = (random.random((n_samples, 6)) < frequencies).astype(int)
    return np.repeat(1.5 * Y, 2, axis=1) + random.normal(size=(n_samples, 12)), Y


# %%
# January: fit on 2,000 samples, and certify a precision of 0.75 on 4,000 others.

model = BinaryRelevance(LogisticRegression()).fit(*draw(2000))


def scored(n_samples, frequencies=USUAL):
    """Scores of the model, and labels."""
    X, Y = draw(n_samples, frequencies)
    return model.predict_proba(X), Y


calibrate = scored(4000)
certified = best_thresholds(*calibrate, min_precision=0.75, guarantee=0.95, random_state=0)
print(certified)

# %%
# February: 4,000 samples were decided, and nobody knows their labels. What is to be expected?

scores, truth = scored(4000)
expected = expect(certified, scores, calibrate=calibrate, random_state=0)
print(expected)

# %%
# A person looks at 300 cells, which are drawn by their influence on precision. The answers prove
# that the promise is kept on these samples, as the expectation said.

plan = plan_audit(
    certified, scores, 300, goal="micro-precision", calibrate=calibrate, random_state=0
)
answers = truth[np.array(plan.ids, dtype=int), plan.labels]
report = audit_report(plan, answers, at_least={"micro-precision": 0.7})
print(report)

# %%
# March to May: 60 samples a day get labels. From the 50th day on, the first three labels become
# rare. Decisions are then wrong more often, and the monitor raises an alarm.

monitor = Monitor(certified)
for day in range(1, 91):
    monitor.update(*scored(60, USUAL if day < 50 else LATER), name=f"day {day}")
    if monitor.alarm:
        break
print(monitor)

# %%
# The picture of the evidence, with the estimated day of the change.

display = MonitorDisplay.from_monitor(monitor)

# %%
# June: new samples have no labels yet. Their scores show that frequencies have moved, and the
# thresholds follow. Adapted thresholds have no guarantee, so that those without one are adapted.

new_scores, new_labels = scored(4000, LATER)
plain = best_thresholds(*calibrate)
adaptation = adapt_thresholds(plain, new_scores, calibrate=calibrate)
values = [
    float(micro(f_measure, count(new_labels, one.decide(new_scores))))
    for one in (plain, adaptation.thresholds)
]
print(f"micro F before {values[0]:.3f}, adapted {values[1]:.3f}")
print(adaptation)

# %%
# July: the samples of June have labels now. They confirm in one test that the old promise is
# broken, and certify a precision again. New samples prove that it is kept.

broken = check_promises(certified, new_scores, new_labels)
again = best_thresholds(new_scores, new_labels, min_precision=0.75, guarantee=0.95, random_state=0)
kept = check_promises(again, *scored(8000, LATER))
print(broken)
print(kept)
