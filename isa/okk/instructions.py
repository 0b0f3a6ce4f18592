"""All instructions of OKKernel, in the order of their pages."""

from __future__ import annotations

from ..instruction import collect
from . import control, elements, functions, gdma, matrix, windows

INSTRUCTIONS = collect(control, gdma, elements, functions, windows, matrix)
