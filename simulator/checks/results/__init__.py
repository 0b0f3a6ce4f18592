"""What a launch should have computed: which elements are wrong, and how they came about."""

from .agreement import Left, disagreements
from .expectations import Expectations
from .wrong import wrong_results

__all__ = ["Expectations", "Left", "disagreements", "wrong_results"]
