"""Parts of `ChainEnsemble` and `SampledFPlugin`: models of chains, draws, and F of draws.

Only these learners import from here. The modules import regression and the packages below learners.
"""
