"""Findings as reports: what is suppressed, and the formats of terminals, editors and CI."""

from .report import Checked, Report, report_of
from .suppressions import Suppression, suppressed_in_sources

__all__ = [
    "Checked",
    "Report",
    "Suppression",
    "report_of",
    "suppressed_in_sources",
]
