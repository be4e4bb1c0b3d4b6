"""Parts of `BagPlugin` and `BagSummary`: input checks, scores of bags, hidden labels, rounds.

Only the two bag learners import from here; the modules import data, decisions and `_estimators`.
"""
