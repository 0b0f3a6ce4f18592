"""References of matrices and images in another arrangement."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import encode, rounded, size_of
from .values import mixed, scalars

#: (row, column) of the result, and the sides of the matrix before -> where it comes from.
Source = Callable[[int, int, int, int], tuple[int, int]]
_TURNS: dict[str, tuple[bool, Source]] = {  # whether the sides change places
    "transpose": (True, lambda row, column, height, width: (column, row)),
    "rotate90": (True, lambda row, column, height, width: (height - 1 - column, row)),
    "rotate180": (False, lambda row, column, height, width: (height - 1 - row, width - 1 - column)),
    "rotate270": (True, lambda row, column, height, width: (column, width - 1 - row)),
    "mirror": (False, lambda row, column, height, width: (row, width - 1 - column)),
}


def _turn(swapped: bool, source: Source) -> Callable[..., None]:
    def compute(memory: Memory, dst: Pointer, src: Pointer, height: int, width: int) -> None:
        size = size_of(src.kind)
        rows, columns = (width, height) if swapped else (height, width)
        for number in range(rows * columns):
            y, x = source(number // columns, number % columns, height, width)
            memory.put(dst + number, memory.raw(src + (y * width + x), size))

    return compute


def _matrices(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    beat = 128 // size_of(kind)
    for height, width in ((1, 1), (1, 7), (5, 1), (3, 4), (8, 8), (2, beat - 1), (beat, 3), (beat + 1, 2)):
        values = mixed(kind, height * width, (height, width))
        contents = packed([(kind, values), (kind, [0] * len(values))], "nram")
        (src, _), (dst, _) = contents
        yield Call((dst, src, height, width), tuple(contents[:1]), f"{height} x {width}", length_of(contents))


def _reshape(first: bool) -> Callable[..., None]:
    """Images whose channels come ``first`` afterwards, and last before, or the other way round."""

    def compute(memory: Memory, dst: Pointer, src: Pointer, n: int, h: int, w: int, c: int) -> None:
        size = size_of(src.kind)
        for image, y, x, channel in itertools.product(range(n), range(h), range(w), range(c)):
            last = ((image * h + y) * w + x) * c + channel
            plane = ((image * c + channel) * h + y) * w + x
            target, source = (plane, last) if first else (last, plane)
            memory.put(dst + target, memory.raw(src + source, size))

    return compute


def _images(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    for n, h, w, c in ((1, 1, 1, 1), (1, 2, 3, 5), (2, 3, 2, 7), (3, 1, 4, 33), (2, 5, 1, 3)):
        values = mixed(kind, n * h * w * c, (n, h, w, c))
        contents = packed([(kind, values), (kind, [0] * len(values))], "nram")
        (src, _), (dst, _) = contents
        yield Call((dst, src, n, h, w, c), tuple(contents[:1]), f"{n} {h} {w} {c}", length_of(contents))


def pad(memory: Memory, dst: Pointer, src: Pointer, channel: int, height: int, width: int, *given: Any) -> None:
    """`__bang_pad`: the image with rows and columns around it; two amounts, or four; then a value, or zero."""
    amounts, value = given[: len(given) // 2 * 2], (given[-1] if len(given) % 2 else 0)
    top, bottom, left, right = amounts if len(amounts) == 4 else (amounts[0], amounts[0], amounts[1], amounts[1])
    element = encode(src.kind, [rounded(src.kind, value)])
    place = dst
    for y in range(-top, height + bottom):
        for x in range(-left, width + right):
            for c in range(channel):
                inside = 0 <= y < height and 0 <= x < width
                data = memory.raw(src + ((y * width + x) * channel + c), len(element)) if inside else element
                memory.put(place, data)
                place = place + 1


def _padded(pairs: bool, value: bool) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        fills = [v for v in scalars(kind) if v == v] if value else [None]  # a NaN has many patterns
        sides = ((0, 0), (1, 2), (3, 0)) if pairs else ((0, 0, 0, 0), (1, 2, 3, 4), (0, 1, 0, 5), (2, 0, 1, 0))
        for number, ((channel, height, width), around) in enumerate(
            (sizes, around) for sizes in ((1, 1, 1), (3, 2, 4), (65, 2, 1)) for around in sides
        ):
            values = mixed(kind, channel * height * width, around)
            total = (height + 2 * max(around)) * (width + 2 * max(around)) * channel * 2
            contents = packed([(kind, values), (kind, [0] * total)], "nram")
            (src, _), (dst, _) = contents
            fill = fills[number % len(fills)]
            given = (*around, *([fill] if fill is not None else []))
            label = f"{channel} {height} {width} {given}"
            yield Call((dst, src, channel, height, width, *given), tuple(contents[:1]), label, length_of(contents))

    return calls


_IMAGE = ("dst", "src", "channel", "height", "width")
_PAIRS, _ALL = ("pad_height", "pad_width"), ("pad_top", "pad_bottom", "pad_left", "pad_right")
FORMS = [
    Form("__bang_reshape_nhwc2nchw", ("dst", "src", "n", "h", "w", "c"), _reshape(True), _images),
    Form("__bang_reshape_nchw2nhwc", ("dst", "src", "n", "h", "w", "c"), _reshape(False), _images),
    *(
        Form(f"__bang_{name}", ("dst", "src", "height", "width"), _turn(*turn), _matrices)
        for name, turn in _TURNS.items()
    ),
    *(
        Form("__bang_pad", (*_IMAGE, *sides, *(["pad_value"] if value else [])), pad, _padded(sides is _PAIRS, value))
        for sides in (_PAIRS, _ALL)
        for value in (False, True)
    ),
]
