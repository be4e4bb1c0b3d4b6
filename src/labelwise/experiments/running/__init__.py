"""Run the cells of a study: settings, workers, measurements, and the store that keeps them."""
