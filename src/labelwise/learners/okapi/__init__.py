"""Label sums over the nearest documents of `OkapiNeighbors`, and their kernels."""
