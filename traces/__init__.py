"""What one sees of a run: the trace for Perfetto and the summary for the terminal, both from a timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..isa.late import late

if TYPE_CHECKING:
    from .perfetto import write_program_trace, write_trace
    from .shown import Shown
    from .summary import LineUse, Peak, PipeUse, PipeWait, Summary, Traffic, summarise
    from .tables import print_summary
    from .transactions import LineTransactions

#: Module -> the names of it that are this package's.
_HOMES = {
    "perfetto": "write_program_trace write_trace",
    "shown": "Shown",
    "summary": "LineUse Peak PipeUse PipeWait Summary Traffic summarise",
    "tables": "print_summary",
    "transactions": "LineTransactions",
}
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

__getattr__, __dir__ = late(__name__, _HOMES)
