"""Thresholds with the bootstrap interval of their value as evidence."""

from dataclasses import replace

from labelwise.decisions import best_thresholds, confidence_interval


def tuned_with_interval(
    scores,
    Y,
    n_bootstrap,
    confidence=0.95,
    random_state=None,
    groups=None,
    sample_weight=None,
    **options,
):
    """Tune thresholds, and add the interval and the spreads to their evidence."""
    samples = {"random_state": random_state, "groups": groups, "sample_weight": sample_weight}
    tuned = best_thresholds(scores, Y, **samples, **options)
    found = confidence_interval(
        tuned, scores, Y, n_bootstrap=n_bootstrap, confidence=confidence, **samples
    )
    evidence = replace(tuned.evidence, interval=found.value, intervals=found.thresholds)
    return replace(tuned, evidence=evidence)
