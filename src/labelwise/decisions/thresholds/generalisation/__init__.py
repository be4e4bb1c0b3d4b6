"""The value on new samples: corrected values, held-out folds, and intervals by resampling."""
