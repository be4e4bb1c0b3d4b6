"""The frame of HTML reports: one file with its data, style and script, and nothing from outside."""

from labelwise.reports.page._encoding import as_script, packed, packed_small
from labelwise.reports.page._rendering import Page, rendered

__all__ = ["Page", "as_script", "packed", "packed_small", "rendered"]
