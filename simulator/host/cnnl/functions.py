"""What the functions of the operator library compute, in NumPy; rounding is that of the result's dtype.

Source: the public calls of mlu-ops' host code, and the library's public guide for what an argument means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .operation import NotModelled, Operation

Views = Mapping[str, np.ndarray]
Function = Callable[[Operation, Views], None]

_OP_TENSOR = (np.add, np.subtract, np.multiply)
_REDUCE = (np.sum, np.mean, np.prod, np.max, np.min)
_SCATTER_UPDATE = 3
_SCATTER = (np.add, np.subtract, np.multiply)


def call(operation: Operation, views: Views) -> None:
    """Carry out a function on views of device memory. ValueError for arguments that do not fit, NotModelled."""
    if operation.function not in _FUNCTIONS:
        raise NotModelled(f"{operation.function} is not modelled")
    try:
        with np.errstate(all="ignore"):
            _FUNCTIONS[operation.function](operation, views)
    except (ValueError, IndexError) as error:
        shapes = ", ".join(f"{name} {list(view.shape)}" for name, view in views.items())
        raise ValueError(f"{operation.function} does not take {shapes}: {error}") from None


def _wide(array: np.ndarray) -> np.ndarray:
    """Small floating types are computed with as float32."""
    small = array.dtype.itemsize == 2 and array.dtype.kind not in "iu"
    return array.astype(np.float32) if small else array


def _store(output: np.ndarray, values: np.ndarray) -> None:
    if values.shape != output.shape and values.size == output.size:
        values = values.reshape(output.shape)
    np.copyto(output, values, casting="unsafe")


def _fill(operation: Operation, views: Views) -> None:
    views["output"][...] = operation.number("value")


def _copy(operation: Operation, views: Views) -> None:
    _store(views["output"], views["input"].copy())


def _transform(operation: Operation, views: Views) -> None:
    alpha, beta = operation.number("alpha"), operation.number("beta")
    _store(views["output"], _wide(views["input"]) * alpha + beta)


def _transpose(operation: Operation, views: Views) -> None:
    permute = operation.given["permute"]
    if sorted(permute) != list(range(views["input"].ndim)):
        raise ValueError(f"the permutation {permute}")
    _store(views["output"], views["input"].transpose(permute).copy())


def _op_tensor(operation: Operation, views: Views) -> None:
    alpha1, alpha2, beta = (operation.number(name) for name in ("alpha1", "alpha2", "beta"))
    combine = _OP_TENSOR[operation.given["op"]]
    result = combine(alpha1 * _wide(views["a"]), alpha2 * _wide(views["b"]))
    _store(views["output"], result + beta * _wide(views["output"]) if beta else result)


def _inputs(operation: Operation, views: Views) -> list[np.ndarray]:
    return [views[str(number)] for number in range(operation.given["count"])]


def _add_n(operation: Operation, views: Views) -> None:
    total = sum(_wide(view) for view in _inputs(operation, views))
    _store(views["output"], np.asarray(total))


def _concat(operation: Operation, views: Views) -> None:
    _store(views["output"], np.concatenate(_inputs(operation, views), axis=operation.given["axis"]))


def _product(operation: Operation, views: Views) -> None:
    a, b = (
        np.swapaxes(_wide(views[name]), -1, -2) if flip else _wide(views[name])
        for name, flip in zip("ab", operation.given["transposed"], strict=True)
    )
    alpha, beta = operation.number("alpha"), operation.number("beta")
    result = alpha * np.matmul(a, b)
    _store(views["output"], result + beta * _wide(views["c"]) if beta and "c" in views else result)


def _conj(operation: Operation, views: Views) -> None:
    _store(views["output"], np.conj(views["input"]))


def _gather_nd(operation: Operation, views: Views) -> None:
    if operation.given["batch_dims"]:
        raise NotModelled("cnnlGatherNd_v2 with batch dimensions is not modelled")
    at, kept = _indices(views["indices"], views["params"].shape)
    found = views["params"][at].copy()
    found[~kept] = 0
    _store(views["output"], found)


def _scatter_nd(operation: Operation, views: Views) -> None:
    output, mode = views["output"], operation.given["mode"]
    if "input" not in views:
        output[...] = 0
    elif operation.tensors["input"].address != operation.tensors["output"].address:
        _store(output, views["input"].copy())
    at, kept = _indices(views["indices"], output.shape)
    at, updates = tuple(index[kept] for index in at), views["updates"][kept]
    if mode == _SCATTER_UPDATE:
        output[at] = updates
    else:
        _SCATTER[mode].at(output, at, updates)


def _indices(indices: np.ndarray, shape: tuple[int, ...]) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Indices along each dimension, and which of them lie inside; the others are passed over (inferred)."""
    kept = np.ones(indices.shape[:-1], bool)
    for number in range(indices.shape[-1]):
        kept &= (indices[..., number] >= 0) & (indices[..., number] < shape[number])
    return tuple(np.where(kept, indices[..., number], 0) for number in range(indices.shape[-1])), kept


def _reduce(operation: Operation, views: Views) -> None:
    axes = tuple(operation.given["axes"])
    _store(views["output"], _REDUCE[operation.given["op"]](_wide(views["input"]), axis=axes, keepdims=True))


def _unique(operation: Operation, views: Views) -> None:
    axis = operation.given["dim"] % views["input"].ndim  # of a vector the elements, of a matrix its rows, say
    found, inverse, counts = np.unique(views["input"], return_inverse=True, return_counts=True, axis=axis)
    number = found.shape[axis]
    for name, room in (("output", views["output"].shape[axis]), ("counts", views.get("counts", counts).size)):
        if number > room:
            raise ValueError(f"{number} different entries do not fit into {name}, which holds {room}")
    np.moveaxis(views["output"], axis, 0)[:number] = np.moveaxis(found, axis, 0)
    views["count"][0] = number
    if "inverse" in views:
        _store(views["inverse"], inverse)
    if "counts" in views:
        views["counts"].reshape(-1)[: counts.size] = counts


def _pad(operation: Operation, views: Views) -> None:
    pairs = np.reshape(operation.given["paddings"], (-1, 2))
    _store(views["output"], np.pad(views["input"], pairs, constant_values=operation.number("value")))


def _strided_slice(operation: Operation, views: Views) -> None:
    begin, end, stride = (operation.given[name] for name in ("begin", "end", "stride"))
    cut = tuple(map(_cut, begin, end, stride, views["input"].shape))
    _store(views["output"], views["input"][cut].copy())


def _cut(begin: int, end: int, stride: int, size: int) -> Any:
    """Negative numbers count from the end; a slice that runs backwards may reach before the first element."""
    if stride < 0 and end < -size:
        return slice(begin, None, stride)
    return slice(begin, end, stride)


_FUNCTIONS: Mapping[str, Function] = {
    "cnnlAddN_v2": _add_n,
    "cnnlBatchMatMulEx": _product,
    "cnnlCastDataType": _copy,
    "cnnlConcat": _concat,
    "cnnlConj": _conj,
    "cnnlCopy": _copy,
    "cnnlCopy_v2": _copy,
    "cnnlFill_v3": _fill,
    "cnnlGatherNd_v2": _gather_nd,
    "cnnlMatMul_v2": _product,
    "cnnlOpTensor": _op_tensor,
    "cnnlPad": _pad,
    "cnnlReduce_v2": _reduce,
    "cnnlScatterNd_v2": _scatter_nd,
    "cnnlStrideBatchMatMul_v3": _product,
    "cnnlStridedSlice_v2": _strided_slice,
    "cnnlTransform_v2": _transform,
    "cnnlTranspose_v2": _transpose,
    "cnnlUnique_v2": _unique,
}
