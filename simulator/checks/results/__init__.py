"""What a launch should have computed: which elements are wrong, and how they came about."""

from .agreement import Left, TileSize, disagreements
from .expectations import Expectations
from .wrong import wrong_results

__all__ = ["Expectations", "Left", "TileSize", "disagreements", "wrong_results"]
