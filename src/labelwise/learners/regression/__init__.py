"""Many linear models on the same features: design, losses, solvers, choice of penalties."""
