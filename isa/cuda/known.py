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
    "__pipeline_memcpy_async": "copy to shared memory that goes on beside the thread",
    "__pipeline_commit": "close a batch of asynchronous copies",
    "__pipeline_wait_prior": "wait for batches of asynchronous copies",
}
