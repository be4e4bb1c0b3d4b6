"""The cut above the k best values is exact, with ties and extreme values."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from labelwise.learners._okapi_kernels import cut_of_best


@given(
    arrays.arrays(
        np.float64,
        st.integers(1, 40),
        elements=st.floats(-1e90, 1e90) | st.sampled_from([0.0, 1.0, -1.0, 5e-324]),
    ),
    st.data(),
)
def test_the_cut_of_the_best_has_k_above_or_is_the_kth(values, data):
    k = data.draw(st.integers(1, values.size))
    kth = np.sort(values)[-k]
    low = data.draw(st.sampled_from([-np.inf, kth, kth - abs(kth) / 2]))
    cut = cut_of_best(values, k, k, low)
    assert cut == kth or (values >= cut).sum() == k
    some = cut_of_best(values, k, 2 * k, low)
    assert some == kth or k <= (values >= some).sum() <= 2 * k
