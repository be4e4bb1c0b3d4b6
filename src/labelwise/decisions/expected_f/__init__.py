"""Label sets of the highest expected F, from joint or from marginal probabilities.

Uses measures and the shared packages only; nothing here knows of thresholds.
"""
