"""The guarantee of bands is written in sentences."""

from labelwise.decisions.bands._band_guarantee import BandGuarantee


def test_only_the_rates_that_were_asked_for_are_named():
    found = BandGuarantee(0.9, None, 0.8, float("nan"), 0.85, 40.0, 60, 50)
    assert found.lines() == [
        "guaranteed on new samples with probability 0.9: recall at least 0.8",
        "tested on 50 samples, no cell accepted and recall 0.8500 there; bands chosen on 60 others",
    ]
    both = found._replace(min_precision=0.95, precision=0.97).lines()
    assert both[0].endswith("precision of accepted cells at least 0.95 and recall at least 0.8")
    assert "precision 0.9700 and recall 0.8500 there" in both[1]
