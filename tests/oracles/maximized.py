"""The average and the measure that the options of `best_thresholds` ask for."""

from labelwise import measures


def maximized(options):
    """The average, and the function of counts."""
    given = options.get("maximize", "micro-f")
    if isinstance(given, str):
        average, _, name = given.partition("-")
        return average, getattr(measures, "f_measure" if name == "f" else name.replace("-", "_"))
    return options.get("average", "micro"), given
