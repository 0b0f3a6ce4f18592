"""The checks, each by itself; nothing else names one. Imports: issue and below."""

from ..issue import Check
from .coherence import Coherence
from .guards import Architecture, Arguments, Overlap
from .hazards import Hazards
from .initialized import Initialized
from .memory_core import MemoryCore
from .precision import Precision
from .shared import ClusterMemory
from .values import Values

#: What a machine subscribes unless told otherwise, in the order in which an instruction meets them.
STANDARD: tuple[type[Check], ...] = (
    Architecture,
    Arguments,
    Overlap,
    Initialized,
    Coherence,
    Hazards,
    MemoryCore,
    ClusterMemory,
)

__all__ = ["STANDARD", "Precision", "Values"]
