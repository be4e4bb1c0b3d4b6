"""Speed and memory beside the peers, each pair in one process on the same data."""
