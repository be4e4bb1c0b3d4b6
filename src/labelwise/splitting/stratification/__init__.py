"""Methods that assign samples to subsets: random, label set, iterative and balanced.

`splitting._assign` chooses among them. They work on checked label matrices and use only
`_proportions` and `_quality` of the stage.
"""
