"""``python -m mlusim.simulator.native``: builds the C++ of mlusim into the cache, before anything asks for it.

With the word ``threads`` that of kernels in CUDA, too. That needs none of the libraries that mlusim is installed with.
"""

from __future__ import annotations

import sys

from .build import threads_runtime
from .compiler import Compiler
from .library import runtime_and_passes

if __name__ == "__main__":
    runtime_and_passes(Compiler())
    if "threads" in sys.argv:
        threads_runtime(Compiler())
