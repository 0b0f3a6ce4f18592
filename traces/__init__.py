"""What one sees of a run: the trace for Perfetto and the summary for the terminal, both from a timeline."""

from .perfetto import write_program_trace, write_trace
from .shown import Shown
from .summary import LineUse, Peak, PipeUse, PipeWait, Summary, Traffic, summarise
from .tables import print_summary
from .transactions import LineTransactions

__all__ = [
    "LineTransactions",
    "LineUse",
    "Peak",
    "PipeUse",
    "PipeWait",
    "Shown",
    "Summary",
    "Traffic",
    "print_summary",
    "summarise",
    "write_program_trace",
    "write_trace",
]
