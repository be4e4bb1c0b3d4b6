"""Search the bands of labels: for a precision, a recall, the size of the queue, or the least cost.

`_queue_search` finds both ends of the queue for given rates or sizes, `_equal_rate` the highest
rate of both, and `_review_cost` the least cost. `_whole_hulls` has the hulls of the labels and the
frontier on which both ends lie, `_sides` searches one end by itself for one of the `_side_values`,
and `_band_choice` is what a search returns. Modules here import `thresholds`, and are used by the
modules of `bands`.
"""
