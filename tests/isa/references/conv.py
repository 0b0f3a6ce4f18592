"""References of convolution, and of matrix times vector, in the tensor unit."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from fractions import Fraction
from operator import mul
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import FORMATS, INTEGERS, is_floating, two_to
from .weights import finish, slot

#: Every float is a multiple of 2**-149, and sums of whole numbers are soon exact.
_UNITS = 1 << 149


def _units(values: list[Any]) -> list[int]:
    return [over * (_UNITS // under) for over, under in (value.as_integer_ratio() for value in values)]


def conv(extra: str, fixed: bool) -> Callable[..., None]:
    """`__bang_conv`: [height][width][ci] with [co][kernel_height][kernel_width][ci] in WRAM order, without padding.

    times 2**fix_position where there is one; plus a bias for each channel, or a partial result for each element.
    """

    def compute(memory: Memory, dst: Pointer, src: Pointer, kernel: Pointer, *given: Any) -> None:
        more, given = (given[0], given[1:]) if extra else (None, given)
        ci, height, width, kh, kw, across, down, co, *rest = given
        position = rest.pop(0) if fixed else 0
        step_x, step_y = rest[:2] or (1, 1)
        image, weights = (
            _units(memory.read(place, n)) for place, n in ((src, height * width * ci), (kernel, co * kh * kw * ci))
        )
        number = 0
        for y in range(0, height - (kh - 1) * step_y, down):
            for x in range(0, width - (kw - 1) * step_x, across):
                for c in range(co):
                    row = slot(c, co) * kh * kw * ci
                    units = 0
                    for i in range(kh):
                        for j in range(kw):
                            at = ((y + i * step_y) * width + x + j * step_x) * ci
                            first = row + (i * kw + j) * ci
                            units += sum(map(mul, image[at : at + ci], weights[first : first + ci]))
                    total = Fraction(units, _UNITS**2) * two_to(position)
                    if more is not None:
                        (value,) = memory.read(more + (c if extra == "bias" else number), 1)
                        total += Fraction(value)
                    finish(memory, dst + number, total)
                    number += 1

    return compute


def conv_tf32(memory: Memory, dst: Pointer, src: Pointer, kernel: Pointer, *given: Any) -> None:
    """`__bang_conv_tf32`: as `__bang_conv`, of factors that keep the upper 19 bits of a float, to nearest even."""
    ci, height, width, kh, kw, _, _, co, *_ = given
    before = [
        (place, memory.raw(place, 4 * n)) for place, n in ((src, height * width * ci), (kernel, co * kh * kw * ci))
    ]
    for place, held in before:
        short = ((bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFF for (bits,) in struct.iter_unpack("<I", held))
        memory.put(place, b"".join(bits.to_bytes(4, "little") for bits in short))
    conv("", False)(memory, dst, src, kernel, *given)
    for place, held in before:
        memory.put(place, held)


def mlp(memory: Memory, dst: Pointer, src: Pointer, *given: Any) -> None:
    """`__bang_mlp`: weights [height][width] in WRAM order times src [width], then 2**fix_position, then bias."""
    bias, (weight, height, width, *position) = (given[0], given[1:]) if len(given) == 5 else (None, given)
    values, weights = memory.read(src, width), memory.read(weight, height * width)
    for row in range(height):
        first = slot(row, height) * width
        total = sum((Fraction(v) * Fraction(w) for v, w in zip(values, weights[first:], strict=False)), Fraction(0))
        total *= Fraction(2) ** sum(position)
        finish(memory, dst + row, total + (Fraction(memory.read(bias + row, 1)[0]) if bias else 0))


def _numbers(kind: str, count: int, chance: random.Random) -> list[Any]:
    """Small numbers, whose sums no order of additions rounds; of integers, large ones at times."""
    if is_floating(kind):
        return [FORMATS[kind].round(chance.randrange(-8, 9) / 4) for _ in range(count)]
    bits, _ = INTEGERS[kind]
    top = 1 << bits - 1
    return [chance.choice((chance.randrange(-9, 10), chance.randrange(-top, top), -top, 0)) for _ in range(count)]


def _long(kind: str, count: int, chance: random.Random) -> list[Any]:
    """Numbers of more digits than a tf32 has, ties among them, and few enough that no sum is rounded."""
    digits = (2049, 2051, -2053, 4097 / 2, -4099 / 2, 3)
    return [chance.choice(digits) / 1024 if chance.random() < 0.2 else 0.0 for _ in range(count)]


#: channel_input, height, width, kernel height and width, stride of the width and of the height.
_IMAGES = ((64, 1, 1, 1, 1, 1, 1), (8, 3, 1, 1, 1, 1, 1), (2, 4, 5, 2, 3, 1, 2), (3, 5, 4, 3, 1, 2, 1))


def _conv_calls(
    extra: str, fixed: bool, dilated: bool, numbers: Any = _numbers
) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        dst_kind, src_kind, kernel_kind = kinds[:3]
        for number, sizes in enumerate(_IMAGES):
            ci, height, width, kh, kw, *_ = sizes
            co = 128 if number == 1 else 64
            chance = random.Random(f"{kinds[:3]} {sizes}")
            step = (1, 2) if dilated and height > 3 and kh == 2 else (1, 1)
            many = height * width * co
            pieces = [
                (src_kind, numbers(src_kind, height * width * ci, chance)),
                (dst_kind, _numbers(dst_kind, many, chance)),
                (dst_kind, [0] * many),
            ]
            contents = packed(pieces, "nram")
            weights = packed(
                [("int8", [0] * 24), (kernel_kind, numbers(kernel_kind, co * kh * kw * ci, chance))], "wram"
            )
            (src, _), (more, _), (dst, _) = contents
            kernel = Pointer("wram", 64, kernel_kind)
            placed = (*contents[:2], (kernel, weights[1][1]))
            position = (0, -3, -12, 2)[number]
            given = (
                *sizes,
                co,
                *([position] if fixed else []),
                *(step if dilated else ()),
                *(() if fixed or not dilated else (1, 1)),
            )
            arguments = (dst, src, kernel, *([more] if extra else []), *given)
            length = length_of([*contents, placed[2]])
            yield Call(arguments, placed, f"{given}", length)
            if extra == "partial":
                yield Call((more, *arguments[1:]), placed, f"{given} in place", length)

    return calls


def _mlp_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    dst_kind, src_kind, weight_kind = kinds[0], kinds[1], kinds[3 if len(kinds) == 7 else 2]
    for height, width, position in ((64, 1, 0), (128, 33, -3), (64, 7, -10)):
        chance = random.Random(f"{kinds} {height} {width}")
        pieces = [
            (src_kind, _numbers(src_kind, width, chance)), (dst_kind, _numbers(dst_kind, height, chance)),
            (dst_kind, [0] * height),
        ]  # fmt: skip
        contents = packed(pieces, "nram")
        (src, _), (bias, _), (dst, _) = contents
        weight = Pointer("wram", 64, weight_kind)
        held = packed([(weight_kind, _numbers(weight_kind, height * width, chance))], "wram")[0][1]
        placed = (*contents[:2], (weight, held))
        more, scale = [bias] * (len(kinds) == 7), [position] * (len(kinds) > 5)
        arguments = (dst, src, *more, weight, height, width, *scale)
        yield Call(arguments, placed, f"{height} {width} {position}", length_of([*contents, placed[2]]))


def expand(memory: Memory, dst: Pointer, weight: Pointer, scratch: Pointer, src: Pointer, *given: Any) -> None:
    """`__bang_expand_channel_mul`: every row times its own number, plus another row; the scratch is lost."""
    addend, (rows, channel) = (None, given) if len(given) == 2 else (given[0], given[1:])
    weights, values = memory.read(weight, rows), memory.read(src, rows * channel)
    added = memory.read(addend, rows * channel) if addend else [0.0] * rows * channel
    memory.forget(scratch, rows * (2 if src.kind == "half" else 4))
    found = [v * weights[i // channel] + a for i, (v, a) in enumerate(zip(values, added, strict=True))]
    memory.write(dst, found, zeros=False)


def _expand_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    for rows, channel in ((1, 1), (3, 31), (5, 64), (33, 2)):
        chance = random.Random(f"{kind} {rows}")
        pieces = [(kind, _numbers(kind, n, chance)) for n in (rows, rows * channel, rows * channel, rows * channel)]
        contents = packed(pieces, "nram")
        (weight, _), (src, _), (addend, _), (dst, _) = contents
        for place in (dst, src):
            more = [addend] if len(kinds) == 7 else []
            arguments = (place, weight, Pointer("wram", 64, kind), src, *more, rows, channel)
            yield Call(arguments, tuple(contents[:3]), f"{rows} {channel}", length_of(contents))


_GEOMETRY = ("ci", "height", "width", "kh", "kw", "across", "down", "co")
_FIXED, _STEPS = ("position",), ("step_x", "step_y")
_OUTPUTS = ("apart_x", "apart_y")
FORMS = [
    *(
        Form(
            f"__bang_{name}",
            ("dst", "src", "src_kernel", *([f"src_{extra}"] if extra else []), *_GEOMETRY, *tail),
            conv(extra, "position" in tail), _conv_calls(extra, "position" in tail, "step_x" in tail),
        )
        for name, extra, tails in (
            ("conv", "", ((), (*_STEPS, *_OUTPUTS), _FIXED, (*_FIXED, *_STEPS))),
            ("conv", "bias", (_FIXED, (*_FIXED, *_STEPS))),
            ("conv_partial", "partial", ((), _FIXED, (*_FIXED, *_STEPS))),
        )
        for tail in tails
    ),
    *(
        Form(
            "__bang_conv_tf32", ("dst", "src", "src_kernel", *_GEOMETRY, *tail), conv_tf32,
            _conv_calls("", False, bool(tail), _long),
        )
        for tail in ((), (*_STEPS, *_OUTPUTS))
    ),
    Form("__bang_mlp", ("dst", "src", "src_weight", "height", "width"), mlp, _mlp_calls),
    Form("__bang_mlp", ("dst", "src", "src_weight", "height", "width", "position"), mlp, _mlp_calls),
    Form("__bang_mlp", ("dst", "src", "src_bias", "src_weight", "height", "width", "position"), mlp, _mlp_calls),
    *(
        Form(
            f"__bang_expand_channel_mul{suffix}",
            ("dst", "src_weight", "dst_scratch", "src", *more, "rows", "channel"), expand, _expand_calls,
        )
        for suffix, more in (("", ()), ("_add", ("src_addend",)))
    ),
]  # fmt: skip
