"""What calibrated label ranking stands on: pairs of labels, and packed forests of pairs."""
