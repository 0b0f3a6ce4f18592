"""``python -m mlusim.simulator.native``: builds the C++ of mlusim into the cache, before anything asks for it.

That needs none of the libraries that mlusim is installed with.
"""

from __future__ import annotations

from .compiler import Compiler
from .library import runtime_and_passes

if __name__ == "__main__":
    runtime_and_passes(Compiler())
