"""Facts of BANG: matrices and images in another arrangement. Source: bang_isa.md (b); bounds: the vendor's header."""

from __future__ import annotations

from tests.isa.facts.fact import Aligned, Fact, Multiple, Within

_WORDS = "half float int8 int16 int32 uint8 uint16 uint32"
_SIZES = (Within("height", 1), Within("width", 1))
_ALIGNED = Aligned(64, on="<300")
#: "n*sz%128": of both sides.
_COLUMNS, _ROWS = Multiple("height * sizeof", 128, on="<300"), Multiple("width * sizeof", 128, on="<300")
_MATRIX = "out T dst[height * width], in T src[height * width], height, width"


def _matrix(name: str, types: str, archs: str = "", rows_only: bool = False) -> Fact:
    limits = (*_SIZES, _ALIGNED, _ROWS) if rows_only else (*_SIZES, _ALIGNED, _COLUMNS, _ROWS)
    return Fact(
        f"__bang_{name}", _MATRIX, types, archs, limits, overlap="apart", work="height * width * max(2, sizeof)",
        call={"height": 128, "width": 128}, room=1 << 19,
    )  # fmt: skip


MATRICES = (
    # "Element sizes 1/2/4 (8 via reinterpret)"; kernels turn bfloat16 too.
    _matrix("transpose", f"{_WORDS}, inferred bfloat16 int64 uint64"),
    *(_matrix(f"rotate{angle}", f"{_WORDS}, inferred bfloat16", ">=200") for angle in (90, 180, 270)),
    # float is what fft calls it with; of the vendor's table of types it is not.
    _matrix("mirror", "half int8 int16 uint8 uint16 uint32, inferred bfloat16 float int32", ">=200", rows_only=True),
)


def _pad(arguments: str, top: str, bottom: str, left: str, right: str) -> tuple[Fact, ...]:
    across, down = f"({left} + {right} + width)", f"(height + {top} + {bottom})"
    image = f"out T dst[{down} * {across} * channel], in T src[height * width * channel], channel, height, width"
    limits = (
        *(Within(size, 1) for size in ("channel", "height", "width")),
        *(Within(side, 0) for side in dict.fromkeys((top, bottom, left, right))),
        _ALIGNED,
        Multiple("channel * width * sizeof", 128, on="<300"),
        *(Multiple(f"{side} * channel * sizeof", 128, on="<300") for side in dict.fromkeys((left, right))),
    )
    facts = {
        "limits": limits, "overlap": "apart", "work": f"{down} * {across} * channel * max(2, sizeof)",
        "call": {
            "channel": 128, "height": 2, "width": 3, "pad_top": 2, "pad_bottom": 0, "pad_left": 1, "pad_right": 3,
            "pad_height": 1, "pad_width": 2, "pad_value": 1,
        },
        "variants": ({"channel": 32, "width": 4, "pad_left": 4, "pad_right": 0, "pad_width": 4},),
        "room": 1 << 17,
    }  # fmt: skip
    return (
        Fact("__bang_pad", f"{image}, {arguments}", f"{_WORDS}, inferred bfloat16", **facts),  # type: ignore[arg-type]
        Fact(
            "__bang_pad", f"{image}, {arguments}, T pad_value", "half bfloat16 float int8 int16 int32",
            **facts,  # type: ignore[arg-type]
        ),
    )  # fmt: skip


PADS = (
    *_pad("pad_height, pad_width", "pad_height", "pad_height", "pad_width", "pad_width"),
    *_pad("pad_top, pad_bottom, pad_left, pad_right", "pad_top", "pad_bottom", "pad_left", "pad_right"),
)
#: A public copy of the vendor's header has the names, under __BANG_ARCH__ >= 200, and says no more of them.
IMAGES = tuple(
    Fact(
        f"__bang_reshape_{name}", "out T dst[n * h * w * c], in T src[n * h * w * c], n, h, w, c", _WORDS, ">=200",
        (*(Within(size, 1) for size in "nhwc"), _ALIGNED), overlap="apart", work="n * h * w * c * max(2, sizeof)",
        call={"n": 2, "h": 4, "w": 8, "c": 32}, inferred=True,
    )
    for name in ("nhwc2nchw", "nchw2nhwc")
)  # fmt: skip
ROWS = (*MATRICES, *PADS, *IMAGES)
