"""Only numbers of the right kind and range pass the door."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from labelwise._validation import (
    check_groups,
    check_n_bootstrap,
    check_real,
    check_share,
    check_weights,
    check_whole,
)


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_whole_number_of_any_type_becomes_an_int(value):
    assert type(check_whole(value, "n")) is int
    assert check_whole(value, "n", least=3) == 3


@pytest.mark.parametrize("value", [True, np.True_, 3.0, "3", None, [3]])
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(TypeError, match=r"^n must be a whole number, got .*\.$"):
        check_whole(value, "n")


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1), Fraction(1, 2)])
def test_number_within_bounds_becomes_a_float(value):
    assert type(check_real(value, "share", least=0, most=1)) is float
    assert check_real(value, "share", least=0, most=1) == value


@pytest.mark.parametrize("value", [-1e-9, 1.001, np.inf, -np.inf, np.nan, np.float32(2)])
def test_number_out_of_bounds_is_refused(value):
    with pytest.raises(ValueError, match=r"^share must be from 0 to 1, got .*\.$"):
        check_real(value, "share", least=0, most=1)


@pytest.mark.parametrize("value", [True, "0.5", None, 1j])
def test_what_is_no_real_number_is_refused(value):
    with pytest.raises(TypeError, match=r"^share must be a number, got .*\.$"):
        check_real(value, "share", least=0, most=1)


@pytest.mark.parametrize("value", [0.9, np.float32(0.9), np.float64(0.9), Fraction(9, 10)])
def test_a_share_of_any_real_type_becomes_a_float(value):
    assert type(check_share(value, "confidence")) is float
    assert check_share(value, "confidence") == pytest.approx(0.9)


@pytest.mark.parametrize("value", [0, 1, -0.5, 95, np.float32(2), np.nan])
def test_a_share_lies_strictly_between_0_and_1(value):
    with pytest.raises(ValueError, match=f"alpha must be between 0 and 1, got {value}"):
        check_share(value, "alpha")


@pytest.mark.parametrize("value", ["0.5", None, True, 0.5j])
def test_a_share_must_be_a_number(value):
    with pytest.raises(TypeError, match="alpha must be a number, got "):
        check_share(value, "alpha")


def test_a_number_of_resamples_is_0_or_at_least_2():
    assert [check_n_bootstrap(value) for value in (0, 2, np.int64(200))] == [0, 2, 200]
    with pytest.raises(ValueError, match="n_bootstrap must be 0 or at least 2, got 1"):
        check_n_bootstrap(1)
    with pytest.raises(ValueError, match="n_bootstrap must be at least 0, got -1"):
        check_n_bootstrap(-1)
    with pytest.raises(TypeError, match="n_bootstrap must be a whole number"):
        check_n_bootstrap(2.0)


@pytest.mark.parametrize(
    "groups",
    [
        ["a", None],
        np.array([0.0, np.nan]),
        pd.Series(["a", pd.NA], dtype="string"),
        pd.Series([1, pd.NA], dtype="Int64"),
        pd.Series(["a", None], dtype="category"),
        pl.Series(["a", None]),
    ],
    ids=lambda one: str(getattr(one, "dtype", "list")),
)
def test_a_sample_without_a_group_is_named(groups):
    with pytest.raises(ValueError, match="every sample, got none at sample 1"):
        check_groups(groups, 2)


@pytest.mark.parametrize(
    ("weights", "got"),
    [([1, -2], "-2 at row 1"), ([np.nan, 1], "nan at row 0"), ([0, 0], "only 0")],
)
def test_a_weight_that_does_not_count_is_named(weights, got):
    with pytest.raises(ValueError, match=f"not zero everywhere, got {got}\\."):
        check_weights(weights, 2)
