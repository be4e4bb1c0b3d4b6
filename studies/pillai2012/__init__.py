"""I. Pillai, G. Fumera and F. Roli, "F-Measure Optimisation in Multi-label Classifiers", 2012."""
