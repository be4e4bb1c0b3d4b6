"""What thresholds are tuned for: the request, and the objectives that choose the best cuts.

`_request` declares the options of a request. Each objective takes cuts (or the problem, if it needs
more than the cuts of each label) and returns a `Choice`; `_choice` defines both interfaces. Modules
here import `_curves`, `_counts` and the room `problem`; the rooms above use them.
"""
