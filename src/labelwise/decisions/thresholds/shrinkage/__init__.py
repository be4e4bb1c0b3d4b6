"""Shrinkage: thresholds between those of each label alone and one threshold for all labels."""
