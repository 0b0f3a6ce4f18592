"""Kernels as native code: images, the runtime below them, its Python side, and the sandbox."""

from .abi import load_runtime
from .faults import process_finding
from .image import Description, ImageFault, LoadedImage, load_image
from .lines import LineTable
from .runner import NativeRunner

__all__ = [
    "Description", "ImageFault", "LineTable", "LoadedImage", "NativeRunner", "load_image", "load_runtime",
    "process_finding",
]  # fmt: skip
