"""Kernels written in Python. Imports: launches and below."""

from .kernel import launch

__all__ = ["launch"]
