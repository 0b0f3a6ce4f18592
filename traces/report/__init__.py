"""A report of launches in one HTML file that needs neither network nor server, and the columns in it.

`Shown` launches become `facts` (JSON) and columns of their records (`docs/report.md` says how they are written); the
page that reads them is built from TypeScript (`report/` at the root of the repository).
"""

from .page import LaunchShown, ReportPage, write_report

__all__ = ["LaunchShown", "ReportPage", "write_report"]
