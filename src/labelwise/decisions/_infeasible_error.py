"""The error of requests that the data cannot meet."""


class InfeasibleError(ValueError):
    """The arguments are right, but these data cannot meet the constraints that they set."""
