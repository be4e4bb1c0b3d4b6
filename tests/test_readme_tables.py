"""The tables of README.md are those that were measured, and its links lead to files."""

import re

import pytest

from docs.readme_tables import README, ROOT, filled

TEXT = README.read_text(encoding="utf-8")


def test_the_tables_of_the_readme_are_the_measured_ones():
    assert filled(TEXT) == TEXT


def test_a_readme_without_a_place_for_a_table_is_refused():
    with pytest.raises(ValueError, match="one place for speeds, got 0"):
        filled(TEXT.replace("<!-- speeds -->", ""))


def test_the_links_of_the_readme_lead_to_files():
    paths = re.findall(r"\]\(([^)#]+)", TEXT)
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []
