"""Every measure of counts has one name in tables, scorers, functions and commands."""

import pytest

from labelwise.measures._catalogue import COUNT_MEASURES, catalogue, count_measure_named


def test_names_of_tables_are_the_names_of_averages_and_measures():
    names = [name for name, one in catalogue().items() if one.needs == "decided"]
    averaged = [name for name in names if name.partition("-")[0] in ("micro", "macro", "sample")]
    assert len(averaged) == 3 * len(COUNT_MEASURES)
    for name in averaged:
        average, measure = count_measure_named(name)
        assert name == f"{average}-{next(k for k, v in COUNT_MEASURES.items() if v is measure)}"


@pytest.mark.parametrize("name", ["f", "micro", "micro-", "micro-auc", "all-f", "micro-f "])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="--maximize must be micro-, macro- or sample- and one of"):
        count_measure_named(name, "--maximize")


def test_a_name_must_be_text():
    with pytest.raises(TypeError, match='maximize must be a name such as "micro-f", got 3'):
        count_measure_named(3)
