"""Parts of `BestLearner`: candidates and their costs, held-out trials, the race and its table."""
