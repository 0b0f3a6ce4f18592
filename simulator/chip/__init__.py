"""What is known of chips: shapes, rates and the files that hold them. Imports nothing of the simulator.

Only shapes come from here: who runs kernels needs no more.
"""

from .shape import Shape, Space, Threads

__all__ = ["Shape", "Space", "Threads"]
