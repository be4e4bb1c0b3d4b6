"""Evaluations out of core are those of all rows in memory.

The sums of `_block_measures` and the ranks among the `_hit_views` are tested through them.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelwise import engine, measures
from tests.decisions.problems import problems
from tests.engine.row_files import WRITERS


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
    found = engine.evaluate(Y, **given, undefined=undefined, beta=2.0, block_rows=block_rows)
    assert_same_evaluation(found, measures.evaluate(Y, **given, undefined=undefined, beta=2.0))


@pytest.mark.parametrize("kind", WRITERS)
def test_files_are_evaluated_like_arrays(kind, tmp_path):
    random = np.random.default_rng(5)
    Y = random.random((600, 6)) < 0.3
    scores = (Y + random.normal(size=Y.shape)).round(2)
    matrices = {"Y": Y, "scores": scores, "decided": scores > 0.7}
    paths = {name: WRITERS[kind](tmp_path, name, one) for name, one in matrices.items()}
    found = engine.evaluate(paths.pop("Y"), **paths, block_rows=71)
    wanted = measures.evaluate(
        Y, scores=scores, decided=scores > 0.7, label_names=found.label_names
    )
    assert_same_evaluation(found, wanted)


def test_something_must_be_evaluated():
    with pytest.raises(ValueError, match="scores or decided must be given"):
        engine.evaluate([[1]])
