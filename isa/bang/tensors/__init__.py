"""What works on more than one element at a time.

    select     what a mask keeps of a vector
    gather     rows that lie anywhere
    layout     matrices and images in another arrangement
    pooling    windows of images, forward and backward
    matmul     matrix products, and the order of their weights in WRAM
    conv       convolutions

Sources: the vendor's published header (BANG 3.x) for what is ``documented``; the use in public kernels for what is
``inferred``. Imports the language of declarations, and the directions of copies.
"""

from __future__ import annotations

from ...instruction import collect
from . import conv, gather, layout, matmul, pooling, select

__all__ = ["TENSORS"]

TENSORS = collect(select, gather, layout, pooling, matmul, conv)
