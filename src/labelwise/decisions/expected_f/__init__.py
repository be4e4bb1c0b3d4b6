"""Label sets with the highest expected F-measure, from probabilities of the labels.

Modules here import only shared packages (`_validation`, `_parallel`), nothing about thresholds.
"""
