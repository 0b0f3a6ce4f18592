"""Kernels as native code: images, the runtime below them, and its Python side. Imports: machine and below."""

from .abi import load_runtime
from .image import LoadedImage, load_image
from .lines import SourceLines
from .runner import SIGNALS, NativeRunner

__all__ = ["SIGNALS", "LoadedImage", "NativeRunner", "SourceLines", "load_image", "load_runtime"]
