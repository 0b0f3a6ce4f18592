"""What a launch should have computed: which elements are wrong, and how they came about."""

from .expectations import Expectations
from .wrong import wrong_results

__all__ = ["Expectations", "wrong_results"]
