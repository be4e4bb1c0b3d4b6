"""Many logistic regressions at once: design, objective, solver, and the choice of penalties."""
