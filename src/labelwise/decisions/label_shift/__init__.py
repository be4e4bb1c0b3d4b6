"""Thresholds for label frequencies that have moved: new priors, a test, and adapted thresholds.

`_adapt_thresholds` is the public function and `_adaptation` its result. `_label_priors` estimates
the frequency of each label from probabilities without labels, and tests whether it moved.
`_expected_counts` computes expected counts of decisions under the new frequencies, and
`_expected_optimum` finds the thresholds that maximise a measure of these counts.
"""
