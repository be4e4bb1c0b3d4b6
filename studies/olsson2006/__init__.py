"""J. S. Olsson and D. W. Oard, "Exploring Feature Selection for Multi-Label Text", 2006."""
