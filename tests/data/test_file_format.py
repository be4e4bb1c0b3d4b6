"""What a file format declares, and arguments of `load` that it does not use."""

import pytest

from labelwise.data._file_format import FileFormat, ReadRequest


def test_a_format_accepts_the_arguments_that_it_uses_and_refuses_others():
    form = FileFormat("a list", (".list",), read=lambda *_: None, uses=frozenset({"labels"}))
    form.check_request(ReadRequest("mine", labels=2, max_bytes=10))
    with pytest.raises(ValueError, match="bags must be left out for 'mine', a list, got 'group'"):
        form.check_request(ReadRequest("mine", bags="group"))
