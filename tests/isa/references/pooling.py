"""References of the pooling of images [height][width][channel]."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import FORMATS, size_of
from .values import corners, mixed, of_numbers


def windows(length: int, kernel: int, stride: int, clipped: bool = False, apart: int = 1) -> list[range]:
    """Where a window of ``kernel`` elements, so far ``apart``, lies along one side, step by step.

    The last one, of which a part would lie outside, is discarded, or ``clipped`` to what is inside.
    """
    found = []
    begin = 0
    while begin + (kernel - 1) * apart < length:
        found.append(range(begin, begin + (kernel - 1) * apart + 1, apart))
        begin += stride
    if clipped and begin < length and (not found or found[-1].stop < length):
        found.append(range(begin, length))
    return found


def pool(
    values: Sequence[Any], channel: int, height: int, width: int, kernel: tuple[int, int], stride: tuple[int, int],
    combine: Callable[[list[Any]], Any], clipped: bool = False, apart: tuple[int, int] = (1, 1),
) -> list[Any]:  # fmt: skip
    """Pooling over [height][width][channel]; ``kernel``, ``stride`` and ``apart`` are (height, width)."""
    return [
        combine([values[(y * width + x) * channel + c] for y in rows for x in columns])
        for rows in windows(height, kernel[0], stride[0], clipped, apart[0])
        for columns in windows(width, kernel[1], stride[1], clipped, apart[1])
        for c in range(channel)
    ]


def _geometry(kernel_height: int, kernel_width: int, strides: Sequence[int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Kernel and stride as (height, width); without strides they are alike. A kernel passes the width's first."""
    kernel = kernel_height, kernel_width
    return kernel, ((strides[1], strides[0]) if strides else kernel)


def pooled(combine: Callable[[list[Any]], Any], rounding: float = 0) -> Callable[..., None]:
    """The poolings forward; partial windows are discarded. A result may be off by ``rounding`` steps of rounding.

    In which order, and how exactly, hardware adds is not known.
    """

    def compute(
        memory: Memory, dst: Pointer, src: Pointer, channel: int, height: int, width: int, kernel_height: int,
        kernel_width: int, *steps: int,
    ) -> None:  # fmt: skip
        values = memory.read(src, channel * height * width)
        kernel, stride = _geometry(kernel_height, kernel_width, steps[:2])
        down, across = steps[2:4] or (1, 1)
        found = pool(values, channel, height, width, kernel, stride, combine, apart=(down, across))
        memory.write(dst, found, rounding, zeros=False)

    return compute


def indexed(choose: Callable[[list[Any]], Any]) -> Callable[..., None]:
    """`__bang_maxpool_index`: where in its window the first best element is, row by row."""

    def compute(
        memory: Memory, dst: Pointer, src: Pointer, channel: int, height: int, width: int, kernel_height: int,
        kernel_width: int, *strides: int,
    ) -> None:  # fmt: skip
        values = memory.read(src, channel * height * width)
        kernel, stride = _geometry(kernel_height, kernel_width, strides)
        first = lambda window: window.index(choose(window))  # noqa: E731
        memory.write(dst, pool(values, channel, height, width, kernel, stride, first))

    return compute


def value_indexed(choose: Callable[[list[Any]], Any]) -> Callable[..., None]:
    """`__bang_maxpool_value_index`: both, windows at the edge clipped; a place counts in a whole window."""

    def compute(
        memory: Memory, dst: Pointer, src: Pointer, channel: int, height: int, width: int, kernel_height: int,
        kernel_width: int, stride_width: int, stride_height: int, distance: int,
    ) -> None:  # fmt: skip
        values = memory.read(src, channel * height * width)
        places = Pointer(dst.space, dst.offset + distance, f"uint{8 * size_of(src.kind)}")
        number = 0
        for rows in windows(height, kernel_height, stride_height, clipped=True):
            for columns in windows(width, kernel_width, stride_width, clipped=True):
                for c in range(channel):
                    spots = [(y - rows.start) * kernel_width + x - columns.start for y in rows for x in columns]
                    window = [values[(y * width + x) * channel + c] for y in rows for x in columns]
                    best = choose(window)
                    memory.write(dst + number, [best], zeros=False)
                    memory.write(places + number, [spots[window.index(best)]])
                    number += 1

    return compute


def backward(largest: bool) -> Callable[..., None]:
    """`__bang_avgpool_bp`, `__bang_maxpool_bp`: what a window spreads is added, or (overlap 1) the last one counts."""

    def compute(memory: Memory, dst: Pointer, src: Pointer, *given: Any) -> None:
        marks, given = (given[0], given[1:]) if largest else (None, given)
        channel, height, width, kernel_height, kernel_width, stride_width, stride_height, *cover = given
        found = [0.0] * (height * width * channel)
        number = 0
        for rows in windows(height, kernel_height, stride_height):
            for columns in windows(width, kernel_width, stride_width):
                for c in range(channel):
                    (value,) = memory.read(src + number, 1)
                    (mark,) = memory.read(marks + number, 1) if marks else (0,)
                    number += 1
                    for y, x in ((y, x) for y in rows for x in columns):
                        place = (y - rows.start) * kernel_width + x - columns.start
                        share = (value if place == mark else 0.0) if largest else value / len(rows) / len(columns)
                        at = (y * width + x) * channel + c
                        found[at] = share if cover and cover[0] else found[at] + share
        memory.write(dst, found, 4, zeros=False)

    return compute


def unpool(
    memory: Memory, dst: Pointer, src: Pointer, channel: int, height: int, width: int, kernel_height: int,
    kernel_width: int, stride_width: int, stride_height: int, index: int,
) -> None:  # fmt: skip
    """`__bang_unpool`: zeros to every window but for place ``index``; elements that no window has stay."""
    number = 0
    values: dict[int, float] = {}
    for rows in windows(height, kernel_height, stride_height):
        for columns in windows(width, kernel_width, stride_width):
            for c in range(channel):
                (value,) = memory.read(src + number, 1)
                number += 1
                for y, x in ((y, x) for y in rows for x in columns):
                    is_place = (y - rows.start) * kernel_width + x - columns.start == index
                    at = (y * width + x) * channel + c
                    values[at] = value if is_place else values.get(at, 0.0)
    for at, value in values.items():
        memory.write(dst + at, [value])


#: channel, height, width, kernel height and width, stride of the width and of the height.
_IMAGES = (
    (3, 5, 7, 2, 3, 1, 2),  # everything different; a rest on both sides
    (2, 6, 4, 3, 2, 2, 3),  # windows side by side, none left over
    (1, 7, 9, 2, 2, 4, 3),  # strides beyond the kernel: elements that no window holds
    (5, 4, 3, 4, 3, 1, 1),  # one window
    (4, 3, 4, 1, 1, 1, 1),  # a copy
    (65, 3, 2, 2, 1, 1, 1),  # more channels than a beat
    (1, 1, 24, 1, 24, 24, 1),  # a row summed up
)
_SMALL = (-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0)


def _values(kind: str, count: int, seed: object, plain: bool) -> list[Any]:
    """Any; ``plain``: numbers whose sums are exact in every order, or of one sign."""
    if not plain:
        return [*corners(kind), *mixed(kind, 2 * count, seed)][-count:]
    chance = random.Random(f"{kind} {count} {seed}")
    if chance.randrange(2):
        return [chance.choice(_SMALL) for _ in range(count)]
    return [FORMATS[kind].round(chance.uniform(0.1, 40)) for _ in range(count)]


def _calls(plain: bool, *extra: int, in_place: bool = False) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[1]
        for sizes in _IMAGES:
            channel, height, width, *_ = sizes
            count = channel * height * width
            contents = packed([(kind, _values(kind, count, sizes, plain)), (kinds[0], [0] * 2 * count)], "nram")
            (src, _), (dst, _) = contents
            given = (*(sizes[: len(kinds) - 2] if not extra else sizes), *(e * size_of(kind) * count for e in extra))
            if len(kinds) == len(_APART):
                given = (*given, 2 if height > 4 and sizes[3] == 2 else 1, 3 if width > 6 and sizes[4] < 4 else 1, 1, 1)
            yield Call((dst, src, *given), tuple(contents[:1]), f"{sizes}", length_of(contents))
            if in_place:
                yield Call((src, src, *given), tuple(contents[:1]), f"{sizes} in place", length_of(contents))

    return calls


def _back_calls(masked: bool, shared: bool) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        for sizes, last in itertools.product(_IMAGES, range(2) if shared else (None,)):
            channel, height, width, kernel_height, kernel_width, stride_width, stride_height = sizes
            rows = windows(height, kernel_height, stride_height)
            count = channel * len(rows) * len(windows(width, kernel_width, stride_width))
            chance = random.Random(f"{sizes}")
            marks = [chance.randrange(kernel_height * kernel_width) for _ in range(count)]
            values = [FORMATS[kinds[1]].round(chance.uniform(0.1, 40)) for _ in range(count)]  # sums cancel nothing
            pieces = [(kinds[1], values), (kinds[0], [0] * channel * height * width)]
            contents = packed([*pieces, (kinds[2] if masked else "int16", marks)], "nram")
            (src, _), (dst, _), (mask, _) = contents
            given = (*sizes, *([] if last is None else [last]))
            arguments = (dst, src, *([mask] if masked else []), *given)
            yield Call(arguments, (contents[0], contents[2]), f"{given}", length_of(contents))

    return calls


def _unpool_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for call in _back_calls(False, False)(kinds):
        for index in (0, call.arguments[5] * call.arguments[6] - 1):
            yield Call((*call.arguments, index), call.contents, f"{call.label} {index}", call.length)


_ROLES = ("dst", "src", "channel", "height", "width", "kernel_height", "kernel_width")
_STEPS = (*_ROLES, "step_width", "step_height")
_APART = (*_STEPS, "apart_height", "apart_width", "out_height", "out_width")
#: Half a step of the float32 sum for each of up to 24 elements, and one of the result.
_SUM = 13.0
largest, smallest = of_numbers(max), of_numbers(min)
maxpool, minpool = pooled(largest), pooled(smallest)
_FORWARD: dict[str, tuple[Callable[..., None], bool]] = {
    "sumpool": (pooled(sum, _SUM), True),
    "avgpool": (pooled(lambda window: sum(window) / len(window), _SUM), True),
    "maxpool": (maxpool, False),
    "minpool": (minpool, False),
    "maxpool_index": (indexed(largest), False),
    "minpool_index": (indexed(smallest), False),
}
FORMS = [
    *(
        Form(f"__bang_{name}", roles, compute, _calls(plain, in_place=name == "sumpool"))
        for name, (compute, plain) in _FORWARD.items()
        for roles in ((_ROLES, _STEPS) if "index" in name else (_ROLES, _STEPS, _APART))
    ),
    Form("__bang_maxpool_value_index", (*_STEPS, "distance"), value_indexed(largest), _calls(False, 1)),
    Form("__bang_minpool_value_index", (*_STEPS, "distance"), value_indexed(smallest), _calls(False, 1)),
    *(
        Form(
            f"__bang_{name}_bp",
            (*_STEPS[:2], *mask, *_STEPS[2:], *more),
            backward(bool(mask)),
            _back_calls(bool(mask), bool(more)),
        )
        for name, mask in (("avgpool", ()), ("maxpool", ("src_mask",)))
        for more in ((), ("shared",))
    ),
    Form("__bang_unpool", (*_STEPS, "index"), unpool, _unpool_calls),
]
