"""Accelerator kernels without the accelerator. `mlusim.simulator` has the public names."""

__version__ = "0.1.0"
