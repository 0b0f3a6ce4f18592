"""Functions of CUDA's device code that compile and are not modelled."""

from __future__ import annotations

KNOWN = {
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
    "dynamic parallelism: a launch by a kernel": "launch of a kernel by a thread of another one",
    "grid_group::is_valid": "whether all blocks of a grid run at a time",
    "grid_group::sync": "barrier of all blocks of a grid",
    "tiled_partition of more than 32 threads": "tiles of several warps",
}
