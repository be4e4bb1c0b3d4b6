"""J. Bogatinovski et al., "Comparative study of multi-label classification methods", 2022."""
