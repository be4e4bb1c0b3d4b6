"""Paths of threshold vectors, and what each sample and all samples show at their points.

`_threshold_path` makes a path. `_row_counts` counts the decisions of each row at each point,
`_row_statistics` turns the counts into one number for each constraint, `_units` are the rows or
groups that are independent of each other, and `_path_summary` has the value and the moments at
each point. Modules here import `thresholds`; the tests of `guarantees` use them.
"""
