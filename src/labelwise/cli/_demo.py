"""`labelwise demo`: the whole way of the data in one minute."""


def run_demo() -> None:
    """Describe, split, score, decide and measure bundled data."""
