"""Each record of the register says the truth about its measure."""

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labelwise._counts import (
    _records,
    average_and_measure,
    averaged_records,
    function_of,
    ratio,
    record_of,
)
from labelwise._measuring import measure_named, named_measures
from labelwise.decisions import best_thresholds
from labelwise.measures import (
    Counts,
    evaluate,
    f_measure,
    jaccard,
    macro,
    measure_scores,
    scorer,
)

COUNTED = list(averaged_records().values())
EACH = pytest.mark.parametrize("record", COUNTED, ids=lambda record: record.name)
CELLS = st.integers(0, 20)


def values_with_beta(record, beta):
    return partial(record.function, beta=beta) if record.takes_beta else record.function


@pytest.mark.parametrize(
    "record", [one for one in COUNTED if one.weights], ids=lambda record: record.name
)
@given(tp=CELLS, fp=CELLS, fn=CELLS, tn=CELLS, beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_the_weights_of_a_record_give_the_values_of_its_function(record, tp, fp, fn, tn, beta):
    counts = Counts(tp, fp, fn, tn)
    value = float(values_with_beta(record, beta)(counts))
    above, below = (
        sum(weight * cells for weight, cells in zip(part, counts, strict=True))
        for part in record.weights(beta, tp + fn, fp + tn)
    )
    if below > 0:
        assert value == pytest.approx(above / below)
    else:
        assert np.isnan(value) or value == 1


@EACH
@given(tp=CELLS, fp=CELLS, fn=CELLS, tn=st.integers(1, 20))
def test_what_optimisers_may_assume_is_true(record, tp, fp, fn, tn):
    now = record.function(Counts(tp, fp, fn, tn))
    one_more_decision = record.function(Counts(tp, fp + 1, fn, tn - 1))
    if record.falls_with_decisions or record.gains_from_hits:
        assert np.isnan(now) or np.isnan(one_more_decision) or one_more_decision <= now + 1e-12
    if record.gains_from_hits and fp > 0 and fn > 0:
        one_more_hit = record.function(Counts(tp + 1, fp - 1, fn - 1, tn + 1))
        assert np.isnan(now) or one_more_hit >= now - 1e-12


def test_names_of_measures_are_distinct():
    assert len(named_measures(cutoffs=[1, 3])) == len(COUNTED) * 3 + 3 + 6 + 4 + 2 * 9


def test_a_measure_is_found_by_its_function_with_or_without_beta():
    assert record_of(f_measure)[0].name == "f"
    record, beta = record_of(partial(f_measure, beta=2.0))
    assert (record.name, beta) == ("f", 2.0)
    assert record_of(partial(f_measure, 3)) is None
    assert record_of(partial(f_measure, 3, beta=2.0)) is None
    assert record_of(partial(f_measure, beta=2.0, counts=3)) is None
    assert record_of(lambda counts: counts.tp) is None
    assert record_of([]) is None


def test_a_name_is_an_average_and_a_measure():
    assert average_and_measure("sample-jaccard") == ("sample", jaccard)
    with pytest.raises(ValueError, match=r"--maximize must be micro-, .* got 'macro-speed'"):
        average_and_measure("macro-speed", "--maximize")
    with pytest.raises(ValueError, match="maximize must be micro-, macro- or sample-"):
        average_and_measure("f-of-means")
    with pytest.raises(TypeError, match="maximize must be a name such as 'micro-f', got None"):
        average_and_measure(None)


def tversky(counts):
    """Compute ``TP / (TP + 0.3 FP + 0.7 FN)``; 1 where both sets are empty."""
    tp, fp, fn, _ = counts
    return ratio(tp, tp + 0.3 * fp + 0.7 * fn, 1.0)


def test_a_function_and_a_record_are_all_that_a_new_measure_needs(monkeypatch):
    record = _records.MeasureRecord(
        "tversky",
        tversky,
        weights=_records.constant_weights((1, 0, 0, 0), (1, 0.3, 0.7, 0)),
        falls_with_decisions=True,
    )
    monkeypatch.setattr(_records, "COUNT_MEASURES", (*_records.COUNT_MEASURES, record))
    Y, scores = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[0.9, 0.2], [0.5, 0.1], [0.3, 0.8]])
    decided = scores > 0.25
    found = evaluate(Y, decided=decided)
    # Label 0: two hits, one false positive. Label 1: one hit, one miss.
    assert found.per_label["tversky"].tolist() == pytest.approx([2 / 2.3, 1 / 1.7])
    assert "tversky" in str(found)
    assert {"micro-tversky", "macro-tversky", "sample-tversky"} <= set(found)
    assert "sample-tversky" in {one.name for one in scorer().measures}
    assert measure_named("macro-tversky").higher_is_better
    assert average_and_measure("micro-tversky") == ("micro", tversky)
    assert macro("tversky", Counts(*np.ones((4, 2)))) == 0.5
    # The weights let the optimiser prove its optimum.
    assert best_thresholds(scores, Y, maximize=tversky).evidence.gap == 0


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("macro-f1", "'macro-f'"),
        ("micro_f1", "'micro-f'"),
        ("f1-micro", "'micro-f'"),
        ("f1_macro", "'macro-f'"),
        ("samples-f1", "'sample-f'"),
        ("F1_samples", "'sample-f'"),
        ("jaccard-macro", "'macro-jaccard'"),
        ("macro-mcc", "'macro-matthews'"),
        ("micro-jacard", "'micro-jaccard'"),
        ("f1", "'micro-f', 'macro-f' or 'sample-f'"),
        ("mcc", "'micro-matthews', 'macro-matthews' or 'sample-matthews'"),
    ],
)
def test_names_of_other_packages_and_near_misses_are_answered_by_ours(name, meant):
    end = re.escape(f"got {name!r}, did you mean {meant}?") + "$"
    with pytest.raises(ValueError, match=end):
        measure_named(name)
    with pytest.raises(ValueError, match=end):
        average_and_measure(name)


def test_names_that_are_like_no_other_get_no_suggestion():
    with pytest.raises(ValueError, match=r"got 'speed'\.$"):
        measure_named("speed")
    with pytest.raises(ValueError, match=r"got 'f1', did you mean 'f'\?$"):
        function_of("f1")


def test_a_name_that_is_not_a_text_is_refused():
    Y = [[1, 0], [0, 1]]
    with pytest.raises(TypeError, match="name must be a str, got list"):
        measure_scores("micro-auc", Y, [[0.5, 0.1], [0.2, 0.3]])
