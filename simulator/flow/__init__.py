"""What a log says of memory: who touches which bytes, who has written them last, and what of it is in an order.

Here belongs what several readers of a log ask of its accesses. Not what follows from the answers: which of it is a
fault, and how that is said, is for the checks.
"""

from ..log.recorder import distinct
from .accesses import Accesses, Pieces
from .causes import Cause, Found, Kind, causes_of
from .history import History, read_operands
from .order import Clock
from .ranges import Ranges, Span, common, merged, overlap
from .threads import Feeds, ThreadHistory, ThreadPart, any_feeds
from .writers import Writers

__all__ = [
    "Accesses",
    "Cause",
    "Clock",
    "Feeds",
    "Found",
    "History",
    "Kind",
    "Pieces",
    "Ranges",
    "Span",
    "ThreadHistory",
    "ThreadPart",
    "Writers",
    "any_feeds",
    "causes_of",
    "common",
    "distinct",
    "merged",
    "overlap",
    "read_operands",
]
