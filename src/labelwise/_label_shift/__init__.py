"""Label frequencies that have moved: their estimate, a test, and the best thresholds for them.

`estimate_shift` estimates the frequency of each label from probabilities without labels, and tests
whether it moved. `ExpectedCounts` are the counts expected at the new frequencies, for which
`micro_thresholds`, `macro_thresholds` and `shared_threshold` find the best thresholds. For scores
that are not probabilities, `score_scale` fits sigmoids on other samples.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._label_shift._expected_optimum import (
        ExpectedCounts as ExpectedCounts,
        at_priors as at_priors,
        macro_thresholds as macro_thresholds,
        micro_thresholds as micro_thresholds,
        shared_threshold as shared_threshold,
    )
    from labelwise._label_shift._label_priors import (
        LabelShift as LabelShift,
        estimate_shift as estimate_shift,
    )
    from labelwise._label_shift._score_scale import (
        calibration_samples as calibration_samples,
        score_scale as score_scale,
    )

publish(__name__)
