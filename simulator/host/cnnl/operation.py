"""One call of a function of the operator library, as host code puts it into a queue."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

#: The numbers of dtypes in cnnl.h; a complex number of halves is a pair of them.
DTYPES: Mapping[int, np.dtype[Any]] = {
    number: np.dtype(dtype)
    for number, dtype in {
        1: np.float16, 2: np.float32, 3: np.int8, 4: np.int16, 6: np.int32, 7: np.uint8, 8: np.bool_, 9: np.int64,
        11: np.uint32, 12: np.uint64, 13: np.uint16, 14: np.float64, 16: np.complex64, 17: ml_dtypes.bfloat16,
    }.items()
}  # fmt: skip


#: The tensors that a function writes.
_WRITTEN = frozenset({"output", "count", "inverse", "counts"})


class NotModelled(Exception):  # noqa: N818 - says what it is
    """What the library's function is asked for is not modelled; the text says what, and what to do."""


@dataclass(frozen=True)
class LibraryTensor:
    """A tensor of a call: where it lies, what it holds, strides in elements."""

    address: int
    dtype: np.dtype[Any]
    dims: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def extent(self) -> int:
        """Bytes from its first to its last."""
        if not all(self.dims):
            return 0
        last = sum((dim - 1) * stride for dim, stride in zip(self.dims, self.strides, strict=True))
        return (last + 1) * self.dtype.itemsize

    @property
    def bytes(self) -> int:
        """Bytes of its elements."""
        return int(np.prod(self.dims, dtype=np.int64)) * self.dtype.itemsize

    def view(self, memory: np.ndarray) -> np.ndarray:
        """The tensor in the bytes of its extent."""
        elements = memory.view(self.dtype)
        steps = [stride * self.dtype.itemsize for stride in self.strides]
        return np.lib.stride_tricks.as_strided(elements, self.dims, steps)


@dataclass(frozen=True)
class Operation:
    """A function of the library, its tensors by the names of its parameters, and what else it is given."""

    function: str
    tensors: Mapping[str, LibraryTensor]
    given: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: bytes) -> Operation:
        """From what native/host/cnnl_desc.cpp writes. NotModelled for a dtype that is not."""
        said = json.loads(text)
        function, tensors = said.pop("function"), said.pop("tensors")
        return cls(function, {name: _tensor(function, name, entry) for name, entry in tensors.items()}, said)

    @property
    def inputs(self) -> list[LibraryTensor]:
        """What it reads: not the summand of a product whose factor is zero (inferred, as BLAS has it)."""
        dropped = {"c"} if "c" in self.tensors and not self.number("beta") else set()
        return [tensor for name, tensor in self.tensors.items() if name not in _WRITTEN | dropped]

    @property
    def outputs(self) -> list[LibraryTensor]:
        """What it writes."""
        return [tensor for name, tensor in self.tensors.items() if name in _WRITTEN]

    def number(self, name: str) -> Any:
        """A number that lay in host memory."""
        dtype, bytes = self.given[name]
        return np.frombuffer(bytearray(bytes), DTYPES[dtype])[0]

    def views(self, memory: Callable[[int, int], np.ndarray]) -> dict[str, np.ndarray]:
        """Its tensors in device memory; ``memory`` gives the bytes at an address."""
        return {name: tensor.view(memory(tensor.address, tensor.extent)) for name, tensor in self.tensors.items()}


def _tensor(function: str, name: str, entry: list[Any]) -> LibraryTensor:
    address, dtype, dims, strides = entry
    if dtype not in DTYPES:
        raise NotModelled(f"{function}: the dtype {dtype} of {name} is not modelled; convert it before")
    return LibraryTensor(address, DTYPES[dtype], tuple(dims), tuple(strides))
