"""What is known of chips: shapes, rates and the files that hold them.

Here belongs every number of a chip and what checks it. Not what is done with the numbers: memory is `core`'s, time is
`timing`'s.

Only shapes come from here: who runs kernels needs no more.
"""

from .shape import Shape, Space, Threads

__all__ = ["Shape", "Space", "Threads"]
