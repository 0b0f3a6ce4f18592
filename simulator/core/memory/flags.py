"""Which bytes of a result are initialized, told from flags [..., bytes of an element] of what it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....isa import Partial

#: The flags of an element all of whose bytes are initialized, as one number, by its bytes.
_WHOLE = {size: np.frombuffer(b"\1" * size, f"u{size}")[0] for size in (2, 4, 8)}


def lanes(sources: Sequence[np.ndarray]) -> np.ndarray:
    """For elements whether all bytes of all their inputs are initialized, shape [..., 1]; inputs broadcast."""
    found, *others = map(_all_bytes, sources)
    for other in others:
        found = found & other
    return np.asarray(found)


def _all_bytes(flags: np.ndarray) -> np.ndarray:
    whole = _WHOLE.get(flags.shape[-1])
    if whole is None or flags.strides[-1] != 1:
        return np.asarray(np.logical_and.reduce(flags, axis=-1, keepdims=True))
    return np.asarray(flags.view(whole.dtype) == whole)  # a loop over elements, where reducing is one for each


def assign(flags: np.ndarray, initialized: np.ndarray) -> None:
    """Set the flags of elements, [..., bytes of one], to what broadcasts to them."""
    whole = _WHOLE.get(flags.shape[-1])
    if whole is None or flags.strides[-1] != 1 or initialized.shape[-1:] != (1,):
        flags[...] = initialized
    else:
        np.multiply(initialized, whole, out=flags.view(whole.dtype))


def outside(positions: np.ndarray, table: np.ndarray, initialized: np.ndarray) -> bool:
    """Whether some of the positions that are not ``initialized``, [..., 1], are none of a table."""
    found = positions.view(f"u{positions.itemsize}")[~initialized[..., 0]] < len(table)  # negative ones are very large
    return not found.all()


def masked(bits: np.ufunc, *sources: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """For bytes of and, or of bits whether they are the same whatever the uninitialized bytes of the inputs are."""
    given = [(np.ascontiguousarray(values).view(np.uint8).reshape(flags.shape), flags) for values, flags in sources]
    low, high = (bits(*(np.where(flags, values, np.uint8(fill)) for values, flags in given)) for fill in (0, 255))
    return np.asarray(low == high)


def packed_lanes(sources: Sequence[np.ndarray]) -> np.ndarray:
    """As `lanes`, for an output whose bytes hold a bit for each of eight elements, shape [bytes, 1].

    A byte in which padding follows elements that are there counts as initialized: who uses the padding is not seen.
    """
    found = lanes(sources)
    bits = np.pad(found, ((0, -len(found) % 8), (0, 0)), mode="edge").reshape(-1, 8)
    return np.asarray(bits[:, :1] & (bits[:, :-1] >= bits[:, 1:]).all(axis=1, keepdims=True))


def marks(flags: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Elements whose uninitialized bytes have all bits set, and those without any; flags have [..., bytes of one]."""
    marked = np.where(flags, np.uint8(0), np.uint8(255)).view(dtype)[..., 0]
    return marked, np.zeros_like(marked)


def alike(marked: Any, clear: Any) -> np.ndarray:
    """For every byte of an output whether it comes from no mark: it is the same with the marks and without them."""
    one, other = (np.ascontiguousarray(_values(result)).view(np.uint8) for result in (marked, clear))
    return np.equal(one, other)


def _values(result: Any) -> np.ndarray:
    """The new contents in what a function of an instruction returns."""
    values = result[0] if isinstance(result, tuple) else result
    return np.asarray(values.values if isinstance(values, Partial) else values)
