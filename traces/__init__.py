"""What one sees of a run: the trace for Perfetto and the summary for the terminal, both from a timeline."""

from .perfetto import write_trace
from .report import print_summary
from .summary import LineUse, Peak, PipeUse, Summary, Traffic, Wait, summarise
from .transactions import LineTransactions

__all__ = [
    "LineTransactions",
    "LineUse",
    "Peak",
    "PipeUse",
    "Summary",
    "Traffic",
    "Wait",
    "print_summary",
    "summarise",
    "write_trace",
]
