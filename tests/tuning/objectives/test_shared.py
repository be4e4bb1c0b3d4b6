"""One threshold for all labels is the same whether all scores are sorted or only the positives'."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelwise._tuning import Problem
from labelwise._tuning.objectives import _shared
from labelwise.measures import f_measure, jaccard
from tests.decisions.problems import problems


@pytest.mark.parametrize("measure", [f_measure, jaccard])
@settings(max_examples=60)
@given(problem=problems(most_samples=12, most_labels=4), data=st.data())
def test_many_scores_give_the_same_threshold_as_few(measure, problem, data):
    scores, Y = problem[0] + 5.0, sparse.csc_array(problem[1])
    stored = data.draw(hnp.arrays(bool, scores.shape))
    entries = sparse.csr_array((scores[stored], np.nonzero(stored)), scores.shape)
    times = data.draw(hnp.arrays(np.int64, len(scores), elements=st.integers(0, 3)).filter(np.any))
    for one in (scores, entries):
        checked = Problem(one, Y, None)
        for weights in (checked.everyone, times):
            expected = _shared.SharedTuner(checked, measure, "micro")(weights)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_shared, "_MANY_SCORES", 0)
                found = _shared.SharedTuner(checked, measure, "micro")(weights)
            for part, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(part, other)
