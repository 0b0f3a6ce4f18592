"""The tensor unit: matrix product and convolution, and the order of their weights in WRAM."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ...declare import DOCUMENTED, INFERRED, Align, Archs, Instruction, Require, declare, instruction
from ...orders import ORDERS, WRAM_SLICES
from ...rounding import Rounding, narrow, single, to_int

_OLD = Archs("<300")
#: Types of src and of the weights, where both are integers.
INTEGERS = (("int8", "int8"), ("int16", "int8"), ("int16", "int16"))


def times_weights(left: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    """Rows times ``count`` weights [row // slices][row % slices][...]: multiplied as they lie, then put in order."""
    _, slices, length = weights.shape
    product = left @ weights.transpose(1, 0, 2).reshape(-1, length).T
    made: np.ndarray = product.reshape(len(left), slices, -1).transpose(0, 2, 1).reshape(len(left), -1)
    return made[:, :count]


def wide(values: np.ndarray) -> np.ndarray:
    """Types in which a sum of products of integers is exact, and one of floats a float32 sum."""
    return values.astype(np.float64) if values.dtype.kind in "iu" else single(values)


def finish(total: np.ndarray, fix_position: int, dtype: np.dtype) -> np.ndarray:
    """A sum at its scale in the type of dst; integers are rounded to nearest and saturated (inferred)."""
    scaled = np.ldexp(total, fix_position) if fix_position else total
    if scaled.dtype == dtype:
        return scaled
    if dtype.kind == "i":
        return to_int(scaled, dtype, Rounding.NEAREST_AWAY)
    return narrow(scaled, dtype, Rounding.NEAREST_EVEN)


def dealt_evenly(count: str, weights: str) -> Require:
    """A copy deals weights out to the slices in equal parts; one that addresses the slices has no need of that.

    On 3xx and later, the memory has as many rows, and the last of them may be no weights (the guide of 4.5.1).
    """
    condition, when = f"{count} % {WRAM_SLICES} == 0", f"order_{weights} == 'dealt'"
    return Require(condition, _OLD, rule="length", when=when, needed=True)


def _plain(left: np.ndarray, right: np.ndarray, N: int) -> np.ndarray:  # noqa: N803 - as in the prototype
    return times_weights(wide(left), wide(right), N)


def _scaled(left: np.ndarray, right: np.ndarray, N: int, fix_position: int, type_dst: np.dtype) -> np.ndarray:  # noqa: N803
    return finish(_plain(left, right, N), fix_position, type_dst)


def _added(
    left: np.ndarray, right: np.ndarray, addend: np.ndarray, N: int, fix_position: int, type_dst: np.dtype  # noqa: N803
) -> np.ndarray:  # fmt: skip
    return finish(np.ldexp(_plain(left, right, N), fix_position) + wide(addend), 0, type_dst)


def _matmul(
    kinds: Iterable[tuple[str, str, str]], semantics: Callable[..., np.ndarray], provenance: str = INFERRED
) -> Instruction:
    """The form of floats, or one of integers, which has a position; ``kinds`` are types of dst, left and right."""
    fixed, added = semantics is not _plain, semantics is _added
    addend, position = " const D addend[M][N]," if added else "", ", int32 fix_position" if fixed else ""
    return declare(
        f"void __bang_matmul(D dst[M][N], const S left[M][K], const wram W right[N][K] ~ filter,{addend}"
        f" int32 M, int32 K, int32 N{position})",
        doc="dst[m][n] = sum over k of left[m][k] * right[n][k]"
        + (", times 2**fix_position" if fixed else "")
        + (", plus addend" if added else "")
        + "; right lies in WRAM as `__bang_reshape_filter` leaves it, or row by row in the slices of WRAM",
        types=tuple(dict(zip("DSW", kind, strict=True)) for kind in kinds),
        semantics=semantics,
        engine="tensor",
        provenance=provenance,
        overlap="same" if added else "none",
        work="M * N * K",
        rules=(
            *(Require(f"{size} > 0", rule="length", provenance=provenance) for size in "MKN"),
            dealt_evenly("N", "right"),
            *([Require("-127 <= fix_position <= 127", provenance=provenance)] if fixed else []),
        ),
    )


def _integers(*targets: str) -> Iterable[tuple[str, str, str]]:
    return ((dst, *pair) for dst in targets for pair in INTEGERS)


matmuls = (
    _matmul((("float", "float", "float"), ("float", "half", "half"), ("float", "bfloat16", "bfloat16")), _plain),
    _matmul(_integers("half", "float", "int16"), _scaled),
    _matmul(_integers("half", "float"), _added, DOCUMENTED),
)


@instruction(
    "void __bang_reshape_filter(T dst[n][h * w * c], const T src[n][h * w * c], int32 n, int32 h, int32 w, int32 c)",
    types="half float int8 int16 int32 uint8 uint16 uint32",
    overlap="none",
    moves="src",
    rules=(
        Require("n > 0", rule="length"),
        *(Require(f"{count} > 0", rule="length") for count in "hwc"),
        Require(f"n % {WRAM_SLICES} == 0", rule="length", needed=True),
        Align(64, archs=_OLD),
        Require("h * w * c * sizeof_dst % 128 == 0", _OLD, rule="length"),
    ),
    work="n * h * w * c * max(sizeof_dst, 2)",
)
def reshape_filter(src: np.ndarray) -> np.ndarray:
    """The n rows of weights in the order of WRAM: those of equal n % 64 one after the other (inferred)."""
    return ORDERS["filter"].from_rows(src).reshape(src.shape)
