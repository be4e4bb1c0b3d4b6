"""The compiled loops behind the Okapi nearest-neighbour learner."""
