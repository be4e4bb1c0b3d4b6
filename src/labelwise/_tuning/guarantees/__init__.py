"""Thresholds whose precision or recall is guaranteed on new samples.

`_certify` splits the samples into a part for tuning and a part for calibration, and returns
certified thresholds with their `_guarantee`. For micro and sample averages, `_paths` chooses a path
of threshold vectors and the points to test, `_unit_statistics` has the numbers that are tested, and
`_certified_path` tests them by betting (`_betting`) or by conformal risk control. For single
labels, `_certified_labels` uses binomial tests. `thresholds._solve` calls `_certify`, and `bands`
uses the tests along paths.
"""
