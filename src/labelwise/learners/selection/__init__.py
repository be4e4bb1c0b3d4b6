"""What `BestLearner` stands on: candidates and their costs, decision rules, trials, the race."""
