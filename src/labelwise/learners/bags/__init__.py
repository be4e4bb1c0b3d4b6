"""What the bag learners stand on: bags of instances, their scores, rounds of training."""
