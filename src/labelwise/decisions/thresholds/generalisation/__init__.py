"""Estimates of the value on new samples: held-out folds, corrected values and intervals.

Modules here import `curves`, `objectives` and splitting; `_solve`, `_fbr`, `shrinkage` and the
estimators use them.
"""
