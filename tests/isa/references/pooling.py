"""References of the pooling of images [height][width][channel]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .values import corners, mixed


def windows(length: int, kernel: int, stride: int, clipped: bool = False) -> list[range]:
    """Where a window of ``kernel`` lies along one side, step by step.

    The last one, of which a part would lie outside, is discarded, or ``clipped`` to what is inside.
    """
    found = []
    begin = 0
    while begin + kernel <= length:
        found.append(range(begin, begin + kernel))
        begin += stride
    if clipped and begin < length and (not found or found[-1].stop < length):
        found.append(range(begin, length))
    return found


def pool(
    values: Sequence[Any], channel: int, height: int, width: int, kernel: tuple[int, int], stride: tuple[int, int],
    combine: Callable[[list[Any]], Any], clipped: bool = False,
) -> list[Any]:  # fmt: skip
    """Pooling over [height][width][channel]; ``kernel`` and ``stride`` are (height, width)."""
    return [
        combine([values[(y * width + x) * channel + c] for y in rows for x in columns])
        for rows in windows(height, kernel[0], stride[0], clipped)
        for columns in windows(width, kernel[1], stride[1], clipped)
        for c in range(channel)
    ]


def pooled(combine: Callable[[list[Any]], Any]) -> Callable[..., None]:
    """`__bang_maxpool`, `__bang_minpool`: without strides they are the kernel's sides; partial windows are discarded.

    So `__bang_sumpool` and `__bang_minpool` are described; the form with indices clips instead.
    What a NaN among the values does is not known.
    """

    def compute(
        memory: Memory, dst: Pointer, src: Pointer, channel: int, height: int, width: int, kernel_height: int,
        kernel_width: int, stride_width: int = 0, stride_height: int = 0,
    ) -> None:  # fmt: skip
        values = memory.read(src, channel * height * width)
        kernel = (kernel_height, kernel_width)
        stride = (stride_height or kernel_height, stride_width or kernel_width)
        memory.write(dst, pool(values, channel, height, width, kernel, stride, combine), zeros=False)

    return compute


#: channel, height, width, kernel height and width, stride of the width and of the height.
_IMAGES = (
    (3, 5, 7, 2, 3, 1, 2),  # everything different; a rest on both sides
    (2, 6, 4, 3, 2, 2, 3),  # windows side by side, none left over
    (1, 7, 9, 2, 2, 4, 3),  # strides beyond the kernel: elements that no window holds
    (5, 4, 3, 4, 3, 1, 1),  # one window
    (4, 3, 4, 1, 1, 1, 1),  # a copy
    (65, 3, 2, 2, 1, 1, 1),  # more channels than a beat
)


def _calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    for sizes in _IMAGES:
        channel, height, width, *_ = sizes
        count = channel * height * width
        values = [v for v in [*corners(kind), *mixed(kind, 2 * count, sizes)] if v == v][-count:]  # no NaN
        contents = packed([(kind, values), (kind, [0] * count)], "nram")
        (src, _), (dst, _) = contents
        arguments = (dst, src, *sizes)[: len(kinds)]
        yield Call(arguments, tuple(contents[:1]), f"{sizes}", length_of(contents))


_ROLES = ("dst", "src", "channel", "height", "width", "kernel_height", "kernel_width")
maxpool, minpool = pooled(max), pooled(min)
FORMS = [
    Form(name, roles, compute, _calls)
    for name, compute in (("__bang_maxpool", maxpool), ("__bang_minpool", minpool))
    for roles in (_ROLES, (*_ROLES, "step_width", "step_height"))
]
