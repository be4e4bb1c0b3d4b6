"""The frame of HTML reports: one file with its data, style and script, and nothing from outside."""

from labelwise.reports.page._page import Page, as_script, packed, packed_small, rendered

__all__ = ["Page", "as_script", "packed", "packed_small", "rendered"]
