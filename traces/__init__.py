"""What one sees of a run: the trace for Perfetto and the summary for the terminal, both from a timeline."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .perfetto import write_program_trace, write_trace
    from .shown import Shown
    from .summary import LineUse, Peak, PipeUse, PipeWait, Summary, Traffic, summarise
    from .tables import print_summary
    from .transactions import LineTransactions

#: Where each public name lives. It is imported when it is asked for: who wants a summary need not wait for traces.
_HOMES = {
    "LineTransactions": "transactions",
    "LineUse": "summary",
    "Peak": "summary",
    "PipeUse": "summary",
    "PipeWait": "summary",
    "Shown": "shown",
    "Summary": "summary",
    "Traffic": "summary",
    "print_summary": "tables",
    "summarise": "summary",
    "write_program_trace": "perfetto",
    "write_trace": "perfetto",
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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
