"""K. Sechidis et al., "On the Stratification of Multi-Label Data", ECML PKDD 2011."""
