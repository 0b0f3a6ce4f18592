"""The C++ of mlusim, in folders beside this file, and what builds C++: the compiler, its limits, the cache.

Here belongs every line that is compiled, and how it is. Not what a library or an image does once it is loaded: that is
the room's that calls it.
"""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
#: The headers that kernels are compiled against, a folder for each language.
INCLUDE = _HERE / "include"
#: Below kernels that run as tasks, and below kernels that run as blocks of threads.
RUNTIME, THREADS = _HERE / "runtime", _HERE / "threads"
#: Linked into images that need it.
IMAGES = _HERE / "images"
#: The runtime libraries of host programs.
HOST = _HERE / "host"
#: Passes over logs.
PASSES = _HERE / "passes"
#: Stands before the names of files that a source states without a folder, as in `#line 7 "grammar.y"`.
STATED = "/<stated>/"
#: A section of an image that has code which no compiler has made.
FOREIGN = "mlusim_foreign"

__all__ = ["FOREIGN", "HOST", "IMAGES", "INCLUDE", "PASSES", "RUNTIME", "STATED", "THREADS"]
