"""Arrays as tensor descriptors and device memory of host code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ...frames import Buffer
from ...text import quoted
from .declarations import Function, Type

#: What a dtype is called at the end of a library's names of dtypes, say `MLUOP_DTYPE_HALF`.
_DTYPES = {
    np.dtype(dtype): name
    for dtype, name in {
        np.float16: "HALF", np.float32: "FLOAT", np.float64: "DOUBLE", np.int8: "INT8", np.int16: "INT16",
        np.int32: "INT32", np.int64: "INT64", np.uint8: "UINT8", np.uint16: "UINT16", np.uint32: "UINT32",
        np.uint64: "UINT64", np.bool_: "BOOL", np.complex64: "COMPLEX_FLOAT", ml_dtypes.bfloat16: "BFLOAT16",
    }.items()
}  # fmt: skip
_TENSOR = "TensorDescriptor_t"


@dataclass(frozen=True, eq=False)
class HostTensor:
    """An array with the layout that its descriptor is to have, a name of the library's without what all begin with."""

    array: np.ndarray
    layout: str = "ARRAY"


@dataclass(frozen=True)
class Extent:
    """The bytes between the first and the last element of an array, and where its elements lie in them."""

    array: np.ndarray
    strides: tuple[int, ...]  # in elements
    size: int  # bytes
    packed: bool  # the bytes are those of the elements in order

    @classmethod
    def of(cls, array: np.ndarray) -> Extent:
        """Arrays that no descriptor can express are packed."""
        size = array.itemsize
        odd = any(stride < 0 or stride % size for stride in array.strides)
        if odd or array.flags.c_contiguous or not array.size:
            steps = np.cumprod([1, *array.shape[:0:-1]], dtype=np.int64)[::-1]
            return cls(array, tuple(map(int, steps[: array.ndim])), array.nbytes, True)
        last = sum((count - 1) * stride for count, stride in zip(array.shape, array.strides, strict=True))
        return cls(array, tuple(stride // size for stride in array.strides), last + size, False)

    def data(self) -> memoryview:
        """The bytes: those of the array itself where they can be."""
        if self.packed:
            elements = np.ascontiguousarray(self.array).reshape(-1)
        else:
            count, size = self.size // self.array.itemsize, self.array.itemsize
            elements = np.lib.stride_tricks.as_strided(self.array, (count,), (size,))
        return elements.view(np.uint8).data

    def store(self, data: Buffer) -> None:
        """Elements from such bytes into the array."""
        elements = np.frombuffer(data, self.array.dtype)
        steps = [stride * self.array.itemsize for stride in self.strides]
        np.copyto(self.array, np.lib.stride_tricks.as_strided(elements, self.array.shape, steps))


def is_tensor(type: Type) -> bool:
    """Whether a type is a tensor descriptor."""
    return type.kind == "opaque" and type.name.endswith(_TENSOR)


def prefix(type: Type, ending: str = _TENSOR) -> str:
    """What the names of a library begin with, from that of one of its types."""
    return type.name.removesuffix(ending)


def setter(functions: Mapping[str, Function], start: str) -> Function:
    """The function that sets a tensor descriptor; ValueError when the library has none that is known."""
    names = [f"{start}SetTensorDescriptor{end}" for end in ("Ex_v2", "Ex", "_v2", "")]
    found = next((functions[name] for name in names if name in functions), None)
    if found is None or len(found.parameters) < 5:
        raise ValueError(f"no source defines {names[1]}; name the one that does, too")
    return found


def numbers(tensor: HostTensor, function: Function) -> tuple[int, int]:
    """The library's numbers of a tensor's layout and dtype; ValueError for one that it does not have."""
    layouts, dtypes = (function.parameters[at].type.values or {} for at in (1, 2))
    return _number(tensor.layout, layouts, "layout"), _number(dtype_name(tensor.array), dtypes, "dtype")


def dtype_name(array: np.ndarray) -> str:
    """What the dtype of an array is called in names of dtypes."""
    if array.dtype not in _DTYPES:
        raise ValueError(
            f"no tensor descriptor holds {array.dtype}; convert the array to one of {', '.join(map(str, _DTYPES))}"
        )
    return _DTYPES[array.dtype]


def _number(name: str, values: Mapping[str, int], what: str) -> int:
    ending = f"_{what.upper()}_{name}"
    found = next((value for full, value in values.items() if full.endswith(ending)), None)
    if found is None:
        known = ", ".join(full.rpartition(f"_{what.upper()}_")[2] for full in values)
        raise ValueError(f"the library has no {what} {quoted(name)}; it has {known}")
    return found


def as_tensor(value: Any) -> HostTensor | None:
    """An array or a tensor as a tensor, None for anything else."""
    if isinstance(value, np.ndarray):
        return HostTensor(value)
    return value if isinstance(value, HostTensor) else None
