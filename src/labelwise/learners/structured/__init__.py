"""The structured hinge loss of RML and SML: solver, kernels, and what both learners share."""
