"""At most k labels for each sample, for the highest expected value of a measure.

Modules here import measures, shared packages and `expected_f._probabilities`; estimators do not
use them.
"""
