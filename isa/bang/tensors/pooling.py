"""Pooling of images [height, width, channel], forward and backward."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...declare import INFERRED, Align, Archs, Compute, Instruction, Require, declare
from ...instruction import Wider
from ...results import Partial
from ...rounding import single

_OLD = Archs("<300")
_FLOATS = "half bfloat16 float"
_KERNEL = "int32 channel, int32 height, int32 width, int32 kernel_height, int32 kernel_width"
_STRIDES = ", int32 stride_width, int32 stride_height"
_POSITIVE = (Require("stride_width > 0", rule="length"), Require("stride_height > 0", rule="length"))
_RULES = (
    Require("channel > 0", rule="length"),
    Require("0 < kernel_height <= height", rule="length"),
    Require("0 < kernel_width <= width", rule="length"),
    Align(64, archs=_OLD),
    Require("channel * sizeof_src % 128 == 0", _OLD, rule="length"),
)
_STRIDED = {
    "out_height": "(height - kernel_height) // stride_height + 1",
    "out_width": "(width - kernel_width) // stride_width + 1",
}
#: Elements of a window may lie apart; where outputs would, is not known.
_STEPS = ", int32 indilation_height, int32 indilation_width, int32 outdilation_height, int32 outdilation_width"
_DILATED = {
    "reach_height": "(kernel_height - 1) * indilation_height + 1",
    "reach_width": "(kernel_width - 1) * indilation_width + 1",
    "out_height": "(height - reach_height) // stride_height + 1",
    "out_width": "(width - reach_width) // stride_width + 1",
}
_DILATED_RULES = (
    Require("indilation_height > 0", rule="length"),
    Require("indilation_width > 0", rule="length"),
    Require("reach_height <= height", rule="length"),
    Require("reach_width <= width", rule="length"),
    Require("outdilation_height == 1 and outdilation_width == 1", provenance=INFERRED),
)
_TILED = {"out_height": "height // kernel_height", "out_width": "width // kernel_width"}
#: With indices, a window at the edge is clipped to the image and not left out.
_CLIPPED = {
    "whole_height": _STRIDED["out_height"],
    "whole_width": _STRIDED["out_width"],
    "out_height": "whole_height + (1 if whole_height * stride_height < height"
    " and (whole_height - 1) * stride_height + kernel_height < height else 0)",
    "out_width": "whole_width + (1 if whole_width * stride_width < width"
    " and (whole_width - 1) * stride_width + kernel_width < width else 0)",
}
_WORK = "out_height * out_width * channel * kernel_height * kernel_width * max(sizeof_src, 2)"
_SMALL, _IMAGE = "[out_height][out_width][channel]", "[height][width][channel]"
#: As the vendor's maximum and minimum of vectors; public kernels leave NaN in what they pool.
_NUMBER_WINS = " (a NaN only where there is no number; inferred)"
#: What an index is held in: as wide as the element.
_INDEXED = ({"I": "uint16", "T": "half"}, {"I": "uint16", "T": "bfloat16"}, {"I": "uint32", "T": "float"})

Pair = tuple[int, int]  # height, width
Reduce = Callable[[np.ndarray, Pair, Pair, Pair], np.ndarray]
_DENSE = 1, 1


def _outputs(src: np.ndarray, kernel: Pair, stride: Pair, step: Pair) -> Pair:
    """How many windows there are; ``step`` is from one element of a window to the next."""
    rows, columns = (
        (size - (k - 1) * d - 1) // s + 1 for size, k, s, d in zip(src.shape, kernel, stride, step, strict=False)
    )
    return rows, columns


def _positions(src: np.ndarray, kernel: Pair, stride: Pair, step: Pair = _DENSE) -> Iterator[np.ndarray]:
    """For every place in a window, the elements that lie there in all windows: [out_height, out_width, channel]."""
    rows, columns = ((n - 1) * s + 1 for n, s in zip(_outputs(src, kernel, stride, step), stride, strict=True))
    for y, x in itertools.product(range(0, kernel[0] * step[0], step[0]), range(0, kernel[1] * step[1], step[1])):
        yield src[y : y + rows : stride[0], x : x + columns : stride[1]]


def _reducing(ufunc: np.ufunc, mean: bool = False) -> Reduce:
    """Window by window, or place by place, whichever is the shorter way; sums of 16-bit floats are float32 sums."""

    def reduce(src: np.ndarray, kernel: Pair, stride: Pair, step: Pair) -> np.ndarray:
        source = single(src) if ufunc is np.add else src
        rows, columns = _outputs(src, kernel, stride, step)
        made = np.empty((rows, columns, src.shape[2]), source.dtype)
        if rows * columns < kernel[0] * kernel[1]:
            for y, x in itertools.product(range(rows), range(columns)):
                top, left = y * stride[0], x * stride[1]
                down, across = kernel[0] * step[0], kernel[1] * step[1]
                window = source[top : top + down : step[0], left : left + across : step[1]]
                ufunc.reduce(window, axis=(0, 1), out=made[y, x])
        else:
            places = _positions(source, kernel, stride, step)
            made[...] = next(places)
            for place in places:
                ufunc(made, place, out=made)
        return made / np.float32(kernel[0] * kernel[1]) if mean else made

    return reduce


def _best(ufunc: np.ufunc, src: np.ndarray, kernel: Pair, stride: Pair) -> Any:
    """The best element of every window, and its place in the window: the first of equals; NaN where all are."""
    places = _positions(src, kernel, stride)
    values = next(places).copy()
    index = np.zeros(values.shape, f"u{src.itemsize}")
    for number, place in enumerate(places, 1):
        better = (ufunc(values, place) != values) & ~np.isnan(place)
        values[better], index[better] = place[better], number
    return values, index


def _windowed(reduce: Reduce) -> tuple[Callable[..., np.ndarray], Callable[..., np.ndarray]]:
    """The function of the form with strides, and that of the one whose windows lie side by side."""

    def strided(
        src: np.ndarray, kernel_height: int, kernel_width: int, stride_height: int, stride_width: int
    ) -> np.ndarray:
        return reduce(src, (kernel_height, kernel_width), (stride_height, stride_width), _DENSE)

    def tiled(src: np.ndarray, kernel_height: int, kernel_width: int) -> np.ndarray:
        return reduce(src, (kernel_height, kernel_width), (kernel_height, kernel_width), _DENSE)

    return strided, tiled


def _pool(op: str, what: str, reduce: Reduce, overlap: str = "none") -> tuple[Instruction, ...]:
    """A pooling with strides, one whose windows have gaps, and the older form whose windows lie side by side."""

    strided, tiled = _windowed(reduce)

    def dilated(
        src: np.ndarray, kernel_height: int, kernel_width: int, stride_height: int, stride_width: int,
        indilation_height: int, indilation_width: int,
    ) -> np.ndarray:  # fmt: skip
        step = (indilation_height, indilation_width)
        return reduce(src, (kernel_height, kernel_width), (stride_height, stride_width), step)

    head = f"void __bang_{op}(T dst{_SMALL}, const T src{_IMAGE}, {_KERNEL}"
    facts: dict[str, Any] = {"work": _WORK, "overlap": overlap}
    return (
        declare(
            f"{head}{_STRIDES})",
            doc=f"{what} of every window of an image [height, width, channel]; partial windows are left out",
            types=_FLOATS,
            semantics=strided,
            let=_STRIDED,
            rules=(*_RULES, *_POSITIVE),
            **facts,
        ),
        declare(
            f"{head}{_STRIDES}{_STEPS})",
            doc=f"{what} of every window, with elements indilation_height rows and indilation_width columns "
            "apart; partial windows are left out",
            types=_FLOATS,
            archs=">=322",
            semantics=dilated,
            let=_DILATED,
            rules=(*_RULES, *_POSITIVE, *_DILATED_RULES),
            provenance=INFERRED,
            **facts,
        ),
        declare(
            f"{head})",
            doc=f"{what} of every window; windows lie side by side",
            types="half",
            semantics=tiled,
            let=_TILED,
            rules=_RULES,
            **facts,
        ),
    )


def _indexed(op: str, what: str, ufunc: np.ufunc) -> tuple[Instruction, ...]:
    """Poolings that give the place in the window, by itself or behind the values."""

    strided, tiled = _windowed(lambda src, kernel, stride, _: _best(ufunc, src, kernel, stride)[1])

    def both(
        src: np.ndarray, kernel_height: int, kernel_width: int, stride_height: int, stride_width: int,
        out_height: int, out_width: int,
    ) -> np.ndarray:  # fmt: skip
        rows = (out_height - 1) * stride_height + kernel_height - src.shape[0]
        columns = (out_width - 1) * stride_width + kernel_width - src.shape[1]
        image = np.pad(
            src, ((0, max(rows, 0)), (0, max(columns, 0)), (0, 0)), constant_values=np.nan
        )  # which no number loses against
        values, index = _best(ufunc, image, (kernel_height, kernel_width), (stride_height, stride_width))
        return np.stack([values.reshape(-1), index.reshape(-1).view(values.dtype)])

    head = f"void __bang_{op}_index(I dst{_SMALL}, const T src{_IMAGE}, {_KERNEL}"
    return (
        declare(
            f"{head}{_STRIDES})",
            doc=f"Where in every window the {what} element is: row * kernel_width + column, of equals the first; "
            "a NaN only where there is no number (inferred)",
            types=_INDEXED,
            semantics=strided,
            let=_STRIDED,
            rules=(*_RULES, *_POSITIVE),
            work=_WORK,
            overlap="none",
        ),
        declare(
            f"{head})",
            doc=f"Where in every window the {what} element is; windows lie side by side",
            types=_INDEXED[:1],
            semantics=tiled,
            let=_TILED,
            rules=_RULES,
            work=_WORK,
            overlap="none",
        ),
        declare(
            f"void __bang_{op}_value_index(T dst[2 @ value_index_stride][out_height * out_width * channel],"
            f" const T src{_IMAGE}, {_KERNEL}{_STRIDES}, int32 value_index_stride)",
            doc=f"The {what} elements, and value_index_stride bytes behind them their places in the windows;"
            " windows at the edge are clipped",
            types=_FLOATS,
            archs=">=322",
            semantics=both,
            wider=Wider.BITS,
            let=_CLIPPED,
            rules=(*_RULES[:3], *_POSITIVE),
            work=_WORK,
            overlap="any",
        ),
    )


def _spread(
    shape: tuple[int, ...], kernel: tuple[int, int], stride: tuple[int, int], cover: int,
    dtype: np.dtype, given: Callable[[int], np.ndarray],
) -> np.ndarray:  # fmt: skip
    """An image of zeros to which every window adds ``given`` of each of its places, or onto which it lays them."""
    made = np.zeros(shape, dtype)
    if not cover:
        for number, place in enumerate(_positions(made, kernel, stride)):
            place += given(number)
        return made
    parts = np.stack([given(number) for number in range(kernel[0] * kernel[1])], axis=2)
    for y, x in np.ndindex(parts.shape[:2]):
        top, left = y * stride[0], x * stride[1]
        made[top : top + kernel[0], left : left + kernel[1]] = parts[y, x].reshape(*kernel, -1)
    return made


def _average(
    src: np.ndarray, height: int, width: int, kernel_height: int, kernel_width: int, stride_height: int,
    stride_width: int, cover: int,
) -> np.ndarray:  # fmt: skip
    part = single(src) / np.float32(kernel_height * kernel_width)
    kernel, stride = (kernel_height, kernel_width), (stride_height, stride_width)
    return _spread((height, width, src.shape[2]), kernel, stride, cover, part.dtype, lambda number: part)


def _largest(
    src: np.ndarray, mask: np.ndarray, height: int, width: int, kernel_height: int, kernel_width: int,
    stride_height: int, stride_width: int, cover: int,
) -> np.ndarray:  # fmt: skip
    wide, zero = single(src), np.float32(0)
    kernel, stride = (kernel_height, kernel_width), (stride_height, stride_width)
    shape = height, width, src.shape[2]
    return _spread(shape, kernel, stride, cover, wide.dtype, lambda number: np.where(mask == number, wide, zero))


def _backward(op: str, argument: str, cover: str) -> Instruction:
    """A backward pooling: windows that share elements add to them, or ``cover`` them."""
    is_max = op == "maxpool"
    mask = f", const I mask{_SMALL}" if is_max else ""
    where = "the place of its window that mask tells, zeros elsewhere" if is_max else "all of its window in equal parts"
    shared = "windows that share elements add to them" + (", or the last one counts" if argument else "")
    return declare(
        f"void __bang_{op}_bp(T dst{_IMAGE}, const T src{_SMALL}{mask}, {_KERNEL}{_STRIDES}{argument})",
        doc=f"Every element of src goes to {where}; {shared}",
        types=({"T": "half", "I": "int16"}, {"T": "bfloat16", "I": "uint16"}, {"T": "float", "I": "int32"})
        if is_max
        else _FLOATS,
        semantics=_largest if is_max else _average,
        let={**_STRIDED, "cover": cover},
        rules=(*_RULES, *_POSITIVE),
        work=_WORK,
        overlap="none",
    )


def _unpool(
    src: np.ndarray, height: int, width: int, kernel_height: int, kernel_width: int, stride_height: int,
    stride_width: int, index: int,
) -> Partial:  # fmt: skip
    made = np.zeros((height, width, src.shape[2]), src.dtype)
    inside = np.zeros((height, width, 1), bool)
    for place in _positions(inside, (kernel_height, kernel_width), (stride_height, stride_width)):
        place[...] = True
    for number, place in enumerate(_positions(made, (kernel_height, kernel_width), (stride_height, stride_width))):
        if number == index:
            place[...] = src
    return Partial(made.reshape(height * width, -1), inside.reshape(-1))


# Against the manual, kernels add up an image in place, and the rows of one into its last row (inferred).
sumpool = _pool("sumpool", "Sum", _reducing(np.add), overlap="any")
avgpool = _pool("avgpool", "Mean", _reducing(np.add, mean=True))
maxpool = _pool("maxpool", f"Largest element{_NUMBER_WINS}", _reducing(np.fmax))
minpool = _pool("minpool", f"Smallest element{_NUMBER_WINS}", _reducing(np.fmin))
indexed = (*_indexed("maxpool", "largest", np.fmax), *_indexed("minpool", "smallest", np.fmin))
backward = tuple(
    _backward(op, argument, cover)
    for op in ("avgpool", "maxpool")
    for argument, cover in (("", "0"), (", pool_overlap shared", "shared"))
)
unpool = declare(
    f"void __bang_unpool(T dst[height * width][channel], const T src{_SMALL}, {_KERNEL}{_STRIDES}, int32 index)",
    doc="Every element of src goes to place index of its window, zeros to the others; what is in no window stays",
    types=_FLOATS,
    semantics=_unpool,
    let=_STRIDED,
    rules=(
        *_RULES[:4],
        Require("channel % 64 == 0", _OLD, rule="length"),
        *_POSITIVE,
        Require("0 <= index < kernel_height * kernel_width"),
    ),
    work=_WORK,
    overlap="none",
    effect=Compute(partial=True),
)
