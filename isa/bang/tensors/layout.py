"""Matrices and images in another arrangement: transposed, turned, padded."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declare import INFERRED, Align, Archs, Instruction, Require, declare, family, instruction

_OLD = Archs("<300")
_WORDS = "half float int8 int16 int32 uint8 uint16 uint32"
_ROWS = Require("width * sizeof_dst % 128 == 0", _OLD, rule="length")
_COLUMNS = Require("height * sizeof_dst % 128 == 0", _OLD, rule="length")
_SIZES = (Require("height > 0", rule="length"), Require("width > 0", rule="length"))
_FACTS: dict[str, Any] = {"overlap": "none", "work": "height * width * max(sizeof_dst, 2)"}
_TURN: dict[str, Any] = {**_FACTS, "moves": "src", "rules": (*_SIZES, Align(64, archs=_OLD), _COLUMNS, _ROWS)}

_ACROSS = "void __bang_{op}(T dst[width][height], const T src[height][width], int32 height, int32 width)"
_ALONG = "void __bang_{op}(T dst[height][width], const T src[height][width], int32 height, int32 width)"


def _transpose(src: np.ndarray) -> np.ndarray:
    return src.T


def _rotate90(src: np.ndarray) -> np.ndarray:
    return src[::-1].T


def _rotate180(src: np.ndarray) -> np.ndarray:
    return src[::-1, ::-1]


def _rotate270(src: np.ndarray) -> np.ndarray:
    return src[:, ::-1].T


transpose = declare(
    _ACROSS.format(op="transpose"),
    doc="dst[column][row] = src[row][column]",
    types=_WORDS,
    inferred_types="bfloat16 int64 uint64",
    semantics=_transpose,
    **_TURN,
)
rotations = (
    *family(
        _ACROSS,
        {
            "rotate90": (_rotate90, "A matrix turned by 90 degrees, clockwise"),
            "rotate270": (_rotate270, "A matrix turned by 270 degrees, clockwise"),
        },
        types=_WORDS,
        inferred_types="bfloat16",
        archs=">=200",
        **_TURN,
    ),
    declare(
        _ALONG.format(op="rotate180"),
        doc="A matrix turned by 180 degrees",
        types=_WORDS,
        inferred_types="bfloat16",
        archs=">=200",
        semantics=_rotate180,
        **_TURN,
    ),
)


@instruction(
    _ALONG.format(op="mirror"),
    types="half int8 int16 uint8 uint16 uint32",
    inferred_types="bfloat16 float int32",
    archs=">=200",
    moves="src",
    **{**_FACTS, "rules": (*_SIZES, Align(64, archs=_OLD), _ROWS)},
)
def mirror(src: np.ndarray) -> np.ndarray:
    """dst[row][i] = src[row][width - 1 - i]"""
    return src[:, ::-1]


def _swap(src: np.ndarray) -> np.ndarray:
    return src.transpose(0, 2, 1)


#: Channels last, and channels first. A public header has the prototypes; what they do is in their names.
_LAYOUTS = {"nhwc2nchw": ("[h * w][c]", "[c][h * w]"), "nchw2nhwc": ("[c][h * w]", "[h * w][c]")}
reshapes = tuple(
    declare(
        f"void __bang_reshape_{name}(T dst[n]{target}, const T src[n]{source}, int32 n, int32 h, int32 w, int32 c)",
        doc=f"n images from {name[:4].upper()} to {name[5:].upper()}",
        types=_WORDS,
        archs=">=200",
        provenance=INFERRED,
        semantics=_swap,
        overlap="none",
        moves="src",
        rules=(*(Require(f"{size} > 0", rule="length") for size in "nhwc"), Align(64, archs=_OLD)),
        work="n * h * w * c * max(sizeof_dst, 2)",
    )
    for name, (source, target) in _LAYOUTS.items()
)


#: The arguments that say how much is added, and what each side gets.
_SIDES = {
    "int32 pad_height, int32 pad_width": ("pad_height", "pad_height", "pad_width", "pad_width"),
    "int32 pad_top, int32 pad_bottom, int32 pad_left, int32 pad_right": (
        "pad_top", "pad_bottom", "pad_left", "pad_right",
    ),
}  # fmt: skip


def _pad_zeros(src: np.ndarray, top: int, bottom: int, left: int, right: int) -> np.ndarray:
    return np.pad(src, ((top, bottom), (left, right), (0, 0)))


def _pad_value(src: np.ndarray, top: int, bottom: int, left: int, right: int, pad_value: float) -> np.ndarray:
    height, width, channel = src.shape
    made = np.full((height + top + bottom, width + left + right, channel), pad_value).astype(src.dtype)
    made[top : top + height, left : left + width] = src
    return made


def _pad(arguments: str, value: str, **facts: Any) -> Instruction:
    """One form: the sides by themselves or alike in pairs, with zeros or a value of the kernel's."""
    sides = dict(zip(("top", "bottom", "left", "right"), _SIDES[arguments], strict=True))
    return declare(
        f"void __bang_pad(T dst[height + top + bottom][width + left + right][channel],"
        f" const T src[height][width][channel], int32 channel, int32 height, int32 width, {arguments}{value})",
        doc=f"An image [height, width, channel] with {'pad_value' if value else 'zeros'} around it",
        semantics=_pad_value if value else _pad_zeros,
        let=sides,
        overlap="none",
        moves="src",
        rules=(
            *(Require(f"{size} > 0", rule="length") for size in ("channel", "height", "width")),
            *(Require(f"{size} >= 0", rule="length") for size in dict.fromkeys(sides.values())),
            Align(64, archs=_OLD),
            Require("channel * width * sizeof_dst % 128 == 0", _OLD, rule="length"),
            *(
                Require(f"{side} * channel * sizeof_dst % 128 == 0", _OLD, rule="length")
                for side in dict.fromkeys((sides["left"], sides["right"]))
            ),
        ),
        work="(height + top + bottom) * (left + right + width) * channel * max(sizeof_dst, 2)",
        **facts,
    )


pads = tuple(
    _pad(arguments, value, **facts)
    for arguments in _SIDES
    for value, facts in (
        ("", {"types": _WORDS, "inferred_types": "bfloat16"}),
        (", T pad_value", {"types": "half bfloat16 float int8 int16 int32"}),
    )
)
