"""Run the cells of a study: keys, executors, scheduling, measurement, and the store.

`Study` and `Results` use this package. Its modules import data, splitting and measures, and
nothing of `statistics` and `study_files`.
"""
