"""Functions of CUDA's device code that compile and are not modelled."""

from __future__ import annotations

KNOWN = {
    "__syncthreads_count": "barrier that counts the threads for which a condition holds",
    "__syncthreads_and": "barrier, and whether a condition holds for all threads",
    "__syncthreads_or": "barrier, and whether a condition holds for any thread",
    "clock": "cycles of the multiprocessor",
    "clock64": "cycles of the multiprocessor, 64 bits",
    "__nanosleep": "wait for some time",
    "tex1Dfetch": "element of a texture",
    "tex1D": "sample of a texture of one dimension",
    "tex2D": "sample of a texture of two dimensions",
    "tex3D": "sample of a texture of three dimensions",
    "surf2Dread": "element of a surface",
    "surf2Dwrite": "write an element of a surface",
    "__cvta_generic_to_shared": "number of an address in shared memory",
    "cooperative_groups::exclusive_scan": "sum of what the threads of a group before one give",
    "cooperative_groups::inclusive_scan": "the same, with the thread itself",
    "grid_group::is_valid": "whether all blocks of a grid run at a time",
    "grid_group::sync": "barrier of all blocks of a grid",
    "tiled_partition of more than 32 threads": "tiles of several warps",
}
