"""The checks, each by itself; nothing else names one. Imports: issue and below."""

from ..issue import Check
from .coherence import Coherence
from .guards import Architecture, Arguments, Overlap
from .initialized import Initialized
from .memory_core import MemoryCore
from .precision import Precision
from .shared import ClusterMemory
from .values import Values

#: How much is checked: all there is, what a launch tests on its way, nothing but what keeps memory whole.
LEVELS = ("all", "fast", "none")
#: What a machine subscribes unless told otherwise, in the order in which an instruction meets them.
STANDARD: tuple[type[Check], ...] = (
    Architecture,
    Arguments,
    Overlap,
    Initialized,
    Coherence,
    MemoryCore,
    ClusterMemory,
)

__all__ = ["LEVELS", "STANDARD", "Precision", "Values"]
