"""What a launch should have computed: which elements are wrong, and how they came about."""

from .agreement import TileSize, disagreements, of_grids, of_locals
from .by_threads import Follow
from .expectations import Expectations
from .left import Left
from .shares import share_of_task
from .wrong import wrong_results

__all__ = [
    "Expectations",
    "Follow",
    "Left",
    "TileSize",
    "disagreements",
    "of_grids",
    "of_locals",
    "share_of_task",
    "wrong_results",
]
