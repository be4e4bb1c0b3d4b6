"""What bag learners stand on: checks, scores of bags, hidden labels, and training rounds."""
