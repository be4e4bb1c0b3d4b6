"""What the structured learners stand on: linear model, structured hinge loss, kernels."""
