"""GDMA: the copy engine, between system memory and the lanes of a core's local memory."""

from __future__ import annotations

from typing import Any

from ..declare import Completion, Copy, Require, declare
from .tensors import sizes, strided

_TYPES = "float half bfloat16 int8 uint8 int16 uint16 int32 uint32"
#: Bytes from one element of a row to the next, at most.
_WIDEST_STEP = 128
_COPY: dict[str, Any] = {
    "space": "local",
    "types": _TYPES,
    "type_arguments": {"T": "dtype"},
    "pipe": "gdma",
    "effect": Copy(Completion.QUEUED),
    "overlap": "any",
    "work": "bytes_dst_addr",
}
_ARGUMENTS = "dim4 *shape, dim4 *dst_stride?, dim4 *src_stride?, data_type dtype"


def _steps(**strides: str) -> tuple[Require, ...]:
    """Operand = stride argument: rows are read and written in steps that the engine has."""
    return tuple(
        Require(f"0 < {stride}.w * sizeof_{operand} <= {_WIDEST_STEP}", when=stride)
        for operand, stride in strides.items()
    )


_RULES = (*sizes(), *_steps(dst_addr="dst_stride", src_addr="src_stride"))
system_to_local = declare(
    "void tpu_gdma_cpy_S2L(tensor<T> dst_addr[shape @ dst_stride], const system<T> src_addr[shape @ src_stride],"
    f" {_ARGUMENTS})",
    doc="Copy a tensor from system to local memory",
    rules=(*_RULES, *strided("nch", dst_addr="dst_stride")),
    **_COPY,
)
local_to_system = declare(
    "void tpu_gdma_cpy_L2S(system<T> dst_addr[shape @ dst_stride], const tensor<T> src_addr[shape @ src_stride],"
    f" {_ARGUMENTS})",
    doc="Copy a tensor from local to system memory",
    rules=(*_RULES, *strided("nch", src_addr="src_stride")),
    **_COPY,
)
