"""Functions of CUDA's device code that compile and are not modelled."""

from __future__ import annotations

_WARP = {
    "__syncwarp": "wait for the threads of a warp",
    "__activemask": "mask of the threads of a warp that run",
    "__ballot_sync": "mask of the threads of a warp for which a condition holds",
    "__all_sync": "whether a condition holds for all threads of a warp",
    "__any_sync": "whether a condition holds for any thread of a warp",
    "__shfl_sync": "value of another thread of the warp",
    "__shfl_up_sync": "value of a thread before in the warp",
    "__shfl_down_sync": "value of a thread behind in the warp",
    "__shfl_xor_sync": "value of the thread whose number differs by a mask",
    "__match_any_sync": "mask of the threads of a warp with the same value",
    "__match_all_sync": "mask of the warp if all its threads have the same value",
    "__reduce_add_sync": "sum over a warp",
    "__reduce_min_sync": "minimum over a warp",
    "__reduce_max_sync": "maximum over a warp",
}
_OTHERS = {
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
    "__pipeline_memcpy_async": "copy to shared memory that goes on beside the thread",
    "__pipeline_commit": "close a batch of asynchronous copies",
    "__pipeline_wait_prior": "wait for batches of asynchronous copies",
}
KNOWN = {**_WARP, **_OTHERS}
