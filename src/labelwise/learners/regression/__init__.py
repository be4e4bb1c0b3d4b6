"""Many logistic regressions on the same features: design, log-loss, solver, choice of penalties.

`BinaryRelevance` and `ExactFPlugin` use these modules, which import splitting and `_validation`.
"""
