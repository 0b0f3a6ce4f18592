"""Kernels written in Python: the names and pointers that they see."""
