"""Accelerator kernels without the accelerator. `mlusim.simulator` has the public names."""

import os

__version__ = "0.1.0"

# In a clone the packages lie beside this folder, and a script there finds it before the one that is installed.
if not os.path.isdir(os.path.join(__path__[0], "simulator")):
    __path__.append(os.path.dirname(os.path.abspath(__path__[0])))
