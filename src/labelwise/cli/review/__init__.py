"""What commands do with three states: tune bands, write the review queue, measure the decisions.

`tune --review`, `decide` and `evaluate` use these modules.
"""
