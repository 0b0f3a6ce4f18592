"""What a launch should have computed: which elements are wrong, and how they came about."""

from .agreement import Count, TileSize, disagreements, of_grids, of_locals, of_places
from .by_threads import Follow
from .expectations import Expectations, limit_of
from .left import Left, offset_of
from .numbered import Numbered
from .references import Beside, References
from .shares import rooms_for
from .wrong import differing, wrong_results

__all__ = [
    "Beside",
    "Count",
    "Expectations",
    "Follow",
    "Left",
    "Numbered",
    "References",
    "TileSize",
    "differing",
    "disagreements",
    "limit_of",
    "of_grids",
    "of_locals",
    "of_places",
    "offset_of",
    "rooms_for",
    "wrong_results",
]
