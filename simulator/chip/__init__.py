"""What is known of chips: shapes, rates and the files that hold them.

Here belongs every number of a chip, what checks it, and how the tasks of a launch are dealt to its cores. Not what is
done with the numbers: memory is `core`'s, time is `timing`'s.

Only shapes come from here: who runs kernels needs no more.
"""

from .shape import Shape, Space, Threads

__all__ = ["Shape", "Space", "Threads"]
