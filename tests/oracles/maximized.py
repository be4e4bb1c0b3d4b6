"""The average and the measure that the options of `best_thresholds` ask for."""

from labelwise._counts import average_and_measure


def maximized(options):
    """The average, and the function of counts."""
    given = options.get("maximize", "micro-f")
    if isinstance(given, str):
        return average_and_measure(given)
    return options.get("average", "micro"), given
