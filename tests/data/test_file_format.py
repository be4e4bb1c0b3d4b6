"""What a file format declares, and arguments of `load` that it does not use."""

import pytest

from labelwise.data._file_format import ReadRequest, refuse_unused


def test_a_format_accepts_the_arguments_that_it_uses_and_refuses_others():
    uses = frozenset({"labels"})
    refuse_unused(ReadRequest("mine", labels=2, max_bytes=10), "a list", uses)
    with pytest.raises(ValueError, match="bags must be left out for 'mine', a list, got 'group'"):
        refuse_unused(ReadRequest("mine", bags="group"), "a list", uses)
