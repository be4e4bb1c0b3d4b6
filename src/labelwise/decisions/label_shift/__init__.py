"""Thresholds for label frequencies that have moved: new priors, a test, and adapted thresholds.

`_adapt_thresholds` has the public function and its result. `_label_priors` estimates the frequency
of each label from probabilities without labels, and tests whether it moved. `_expected_optimum`
finds the thresholds that maximise a measure of the counts expected at the new frequencies.
`_score_scale` is for scores that are not probabilities.
"""
