"""The browser, and the page of a small desk, for the tests of pages."""

import pytest

from labelwise.reports import Desk, write_report
from tests.reports.browser import OpenPage, launched
from tests.reports.small_desk import SMALL


@pytest.fixture(scope="session")
def chromium():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def desk_file(tmp_path_factory):
    """The page of the small desk."""
    path = tmp_path_factory.mktemp("desk") / "report.html"
    write_report(Desk(**SMALL), path)
    return path


@pytest.fixture(scope="module")
def open_desk(chromium, desk_file):
    with chromium.new_context(viewport={"width": 1280, "height": 900}) as context:
        yield OpenPage(context, desk_file)


@pytest.fixture
def desk(open_desk):
    """The page of the small desk as it opens; at the end, nothing may have gone wrong on it."""
    open_desk.tab.emulate_media(media="screen", color_scheme="light")
    open_desk.go("")
    yield open_desk
    assert open_desk.errors == []
    assert {url.split("?")[0] for url in open_desk.requests} <= {open_desk.url}
