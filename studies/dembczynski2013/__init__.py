"""K. Dembczyński et al., "Optimizing the F-Measure in Multi-Label Classification", ICML 2013."""
