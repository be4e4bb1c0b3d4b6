"""The algorithms that assign rows to subsets: random, labelset, iterative and balanced."""
