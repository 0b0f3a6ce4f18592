"""Kernels as native code: images, the runtime below them, its Python side, and the sandbox."""
