"""A real Chromium for the tests of pages, and a page that remembers what went wrong on it."""

import os
import shutil
from contextlib import contextmanager

import pytest

# Nothing of the browser itself may use the network.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def give_up(reason):
    """Skip what needs a browser; in continuous integration, fail."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def chromium_path():
    """The program of the browser."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    return found or give_up(f"needs one of the programs {', '.join(PROGRAMS)}")


@contextmanager
def launched():
    """A browser, from Debian's package or another one on the path."""
    path = chromium_path()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        give_up("needs playwright")
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


class OpenPage:
    """A page in the browser; its errors and the addresses that it asked for are kept."""

    def __init__(self, context, path, address=""):
        self.tab = context.new_page()
        self.errors, self.requests = [], []
        self.tab.on("console", lambda message: self.errors.append(message.text))
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.url, self.n_opened = path.as_uri(), 0
        self.go(address)

    def go(self, address):
        """Open the page anew with a state in its address."""
        self.n_opened += 1
        # Another query makes the browser load the file again, not only change the address.
        self.tab.goto(f"{self.url}?{self.n_opened}#{address}")
        self.tab.wait_for_selector("html[data-ready]")

    def settle(self):
        """Wait until the changes of the last action are drawn, and in the address.

        The page draws in the next frame and writes its address 50 ms later. On a busy machine a
        frame can take longer than any fixed time, so that frames are waited for.
        """
        self.tab.evaluate(
            "() => new Promise((done) => requestAnimationFrame("
            "() => requestAnimationFrame(() => setTimeout(done, 80))))"
        )

    def number(self, selector):
        """A number with all its digits."""
        text = self.tab.get_attribute(selector, "data-value")
        return float(text.replace("Infinity", "inf"))

    def numbers(self, column):
        """A column of the table of labels by label number, with all digits."""
        found = self.tab.eval_on_selector_all(
            "#labels-body tr[data-label]",
            "(rows, name) => rows.map((row) => [row.dataset.label, "
            "row.querySelector(`[data-name=${name}]`).dataset.value])",
            column,
        )
        return {int(label): float(text.replace("Infinity", "inf")) for label, text in found}

    def labels(self):
        """Labels in the table, from top to bottom."""
        return self.tab.eval_on_selector_all(
            "#labels-body tr[data-label]", "(rows) => rows.map((row) => Number(row.dataset.label))"
        )

    def fill(self, selector, text):
        """Type into a field, and wait."""
        self.tab.fill(selector, str(text))
        self.tab.keyboard.press("Tab")
        self.settle()

    def saved(self, selector, folder):
        """Press a button, and return the file that it saves."""
        with self.tab.expect_download() as waiting:
            self.tab.click(selector)
        path = folder / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path

    def close(self):
        self.tab.close()
