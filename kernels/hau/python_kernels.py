"""The kernels of sort.c in Python: the same instructions, in the same order, as `mlusim.simulator.launch` runs them."""

from __future__ import annotations

from typing import Any

__all__ = ["topk_kernel"]


def topk_kernel(
    tpu: Any, values: Any, indices: Any, x: Any, rows: int, length: int, k: int, room: int, largest: bool, dtype: int
) -> None:
    """`hau_topk` of sort.c: x points to [rows, length] elements, values and indices to [cores, room] each."""
    tpu.tpu_initialize()
    piece = -(-rows // tpu.tpu_core_num())
    begin = min(piece * tpu.tpu_core_index(), rows)
    for row in range(begin, min(begin + piece, rows)):
        out = tpu.tpu_core_index() * room + (row - begin) * k
        tpu.tpu_hau_sort_natural_index(values + out, indices + out, x + row * length, length, k, largest, dtype)
    tpu.tpu_hau_poll()
    tpu.tpu_sync_all()
