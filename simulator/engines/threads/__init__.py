"""Kernels that run as grids of blocks of threads.

A block runs alone, its threads one after the other, each to its end or to a barrier; native/threads/ does that and
looks at every access. Findings and the log are made of what it kept when all blocks have run.
"""

from .grid import Grid, make_grid
from .runner import SimtRunner

__all__ = ["Grid", "SimtRunner", "make_grid"]
