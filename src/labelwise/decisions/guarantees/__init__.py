"""Thresholds whose precision or recall is guaranteed on new samples.

`_certify` splits the samples into a part for tuning and a part for calibration, and returns
certified thresholds with their `_guarantee`. For micro and sample averages, `_certified_path` tests
points of a path (`paths`) by betting (`_betting`), or `_risk_control` chooses one; `_f_bound` is a
lower bound of micro F. For single labels, `_certified_labels` uses binomial tests. `_options` are
the arguments of the caller. `thresholds._solve` calls `_certify`.
"""
