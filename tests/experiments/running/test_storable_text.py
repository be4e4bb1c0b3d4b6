"""Texts of models and users are stored without NUL and lone surrogates, and not too long."""

import pytest

from labelwise.experiments.running._cells import storable_text
from tests.experiments.small_studies import Frequent, rows, study


def test_names_are_storable_text_too(tmp_path):
    odd = "\ud800"
    parts = {"models": {odd: Frequent()}, "datasets": {odd: rows()}, "name": odd, "seeds": (0,)}
    results = study(measures={odd: lambda _: {odd: 1.0}}, **parts).run(tmp_path / "s.sqlite")
    assert results.measures == ("\\ud800/\\ud800",)
    assert {row["model"] for row in results.rows()} == {"\\ud800"}


@pytest.mark.parametrize("n", [0, 1, 19_999, 20_000, 20_001, 100_000])
def test_long_texts_keep_both_ends(n):
    text = "".join(chr(97 + i % 26) for i in range(n))
    short = storable_text(text)
    assert short.endswith(text[-16_000:])
    assert short.startswith(text[:4_000])
    assert (short == text) == (n <= 20_000)
