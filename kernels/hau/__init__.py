"""Operators on HAU, Sophgo's engine for sorting and gathering, computed by TPU-KERNEL C kernels; see docs/hau.md."""

from __future__ import annotations

from .gather import embedding
from .python_kernels import topk_kernel
from .sort import Sorted, TopK, argsort, sort_by_key, topk

__all__ = ["Sorted", "TopK", "argsort", "embedding", "sort_by_key", "topk", "topk_kernel"]
