"""Evaluations out of core are those of all rows in memory.

Sums over blocks and over pieces of the positives are tested through them.
"""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labelwise import measures
from labelwise._curves import _gaps
from tests.blocks.row_files import WRITERS, block_rows as rows_at_a_time, open_source
from tests.decisions.problems import problems


def assert_same_evaluation(found, wanted):
    """Bit for bit, except for means over samples, whose sums are rounded in another order."""
    assert list(found) == list(wanted)
    assert found.n_undefined == wanted.n_undefined
    for name, one in wanted.measured.items():
        tolerance = 1e-14 if one.by == "sample" else 0
        np.testing.assert_allclose(found[name], one.value, rtol=tolerance, err_msg=name)
    assert list(found.per_label) == list(wanted.per_label)
    for name, values in wanted.per_label.items():
        np.testing.assert_array_equal(found.per_label[name], values, name)
    assert repr(found) == repr(wanted)


@settings(max_examples=60, deadline=None)
@given(
    problems(most_samples=9),
    st.integers(1, 9),
    st.sampled_from(["nan", "skip", "zero", 0.5]),
    st.sampled_from([np.float32, np.float64]),
    st.data(),
)
def test_every_measure_is_that_of_all_rows(problem, block_rows, undefined, kind, data):
    scores, Y = problem[0].astype(kind), problem[1]
    both = {"scores": scores, "decided": scores > 0.1}
    chosen = data.draw(st.sampled_from([["scores"], ["decided"], ["scores", "decided"]]))
    given = {name: both[name] for name in chosen}
    together = mock.patch.object(_gaps, "_PIECE", data.draw(st.integers(1, 4)))
    with rows_at_a_time(block_rows), together:
        found = measures.evaluate(open_source(Y, "Y"), **given, undefined=undefined, beta=2.0)
    assert_same_evaluation(found, measures.evaluate(Y, **given, undefined=undefined, beta=2.0))


@pytest.mark.parametrize("kind", WRITERS)
def test_files_are_evaluated_like_arrays(kind, tmp_path):
    random = np.random.default_rng(5)
    Y = random.random((600, 6)) < 0.3
    scores = (Y + random.normal(size=Y.shape)).round(2)
    matrices = {"Y": Y, "scores": scores, "decided": scores > 0.7}
    paths = {name: WRITERS[kind](tmp_path, name, one) for name, one in matrices.items()}
    with rows_at_a_time(71):
        found = measures.evaluate(paths.pop("Y"), **paths)
    wanted = measures.evaluate(
        Y, scores=scores, decided=scores > 0.7, label_names=found.label_names
    )
    assert_same_evaluation(found, wanted)


def test_something_must_be_evaluated():
    with pytest.raises(ValueError, match="scores or decided must be given"):
        measures.evaluate([[1]])


@pytest.mark.parametrize(
    "option", [{"n_bootstrap": 2}, {"sample_weight": [1]}, {"also": ["macro-f-at-1"]}]
)
def test_options_that_need_rows_are_refused_by_name(option, tmp_path):
    path = WRITERS["npy"](tmp_path, "Y", np.ones((1, 1)))
    with pytest.raises(ValueError, match=f"{next(iter(option))} needs all rows in memory"):
        measures.evaluate(path, decided=path, **option)
