"""What does the same to every element of NRAM vectors, and fills of memory.

    vectors       prototypes, rules and work that the modules share
    arithmetic    sums, products, quotients, extremes
    compare       the six comparisons, to elements and to bits
    logic         logic and bits
    mathematics   functions of one vector
    active        functions of the activation unit
    fusion        chains of operations in one instruction
    library       the device library, `__cn_vector_*`
    fills         memory set to a value, copies and sequences inside of NRAM

Sources: the vendor's published headers (BANG 3.x) for what is ``documented``; the use in public kernels for what is
``inferred``. Imports the language of declarations alone.
"""

from __future__ import annotations

from ...instruction import collect
from . import active, arithmetic, compare, fills, fusion, library, logic, mathematics

__all__ = ["ELEMENTWISE"]

ELEMENTWISE = collect(arithmetic, compare, logic, mathematics, active, fusion, library, fills)
