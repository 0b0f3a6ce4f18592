"""Facts of BANG: pooling of images [height][width][channel].

Source: bang_isa.md (b), and of the names that mlu-ops does not use the vendor's header, from which its rows come.
"""

from __future__ import annotations

from tests.isa.facts.fact import Aligned, Fact, Limit, Multiple, Within

_FLOATS = "half bfloat16 float"
_SIZES = "channel, height, width, kernel_height, kernel_width"
_STEPS = ", stride_width, stride_height"
#: "Partial windows discarded"; without strides they are the kernel's sides.
_DOWN, _ACROSS = "((height - kernel_height) // {} + 1)", "((width - kernel_width) // {} + 1)"
_STRIDED = f"{_DOWN.format('stride_height')} * {_ACROSS.format('stride_width')}"
_TILED = f"{_DOWN.format('kernel_height')} * {_ACROSS.format('kernel_width')}"
#: "2 trailing dilation pairs optional", said of value and index; public kernels call the pooling of the largest so.
_APART = ", indilation_height, indilation_width, outdilation_height, outdilation_width"
_GAPS = " * ".join(
    f"(({side} - (kernel_{side} - 1) * indilation_{side} - 1) // stride_{side} + 1)" for side in ("height", "width")
)
_IMAGE, _SMALL, _SIDE = "height * width * channel", f"{_STRIDED} * channel", f"{_TILED} * channel"
_BASE: tuple[Limit, ...] = (
    Within("channel", 1),
    Within("kernel_height", 1, "height"),
    Within("kernel_width", 1, "width"),
)
_STRIDES: tuple[Limit, ...] = (Within("stride_width", 1), Within("stride_height", 1))
_ALIGNED = Aligned(64, on="<300")
#: "channel*sizeof %128 always in the doc", which kernels of 3xx do not keep.
_CHANNELS = Multiple("channel * sizeof", 128, on="<300")
_CALL = {
    "channel": 64, "height": 5, "width": 7, "kernel_height": 2, "kernel_width": 3, "stride_width": 2,
    "stride_height": 1, "index": 4, "shared": 0, "value_index_stride": 8192, "indilation_height": 3,
    "indilation_width": 2, "outdilation_height": 1, "outdilation_width": 1,
}  # fmt: skip
_PROBES = ({"kernel_height": 1, "kernel_width": 2}, {"height": 6}, {"width": 8})


def _work(windows: str) -> str:
    """Every element of every window is one operation of the vector unit (inferred)."""
    return f"{windows} * channel * kernel_height * kernel_width * max(2, sizeof)"


def _row(name: str, arguments: str, types: str, strides: bool, **facts: object) -> Fact:
    given = {
        "limits": (*_BASE, *(_STRIDES if strides else ()), _ALIGNED, _CHANNELS),
        "overlap": "apart",
        "work": _work(_STRIDED if strides else _TILED),
        "call": _CALL,
        "probes": _PROBES,
        **facts,
    }
    return Fact(f"__bang_{name}", arguments, types, **given)  # type: ignore[arg-type]


def _pool(name: str, overlap: str = "apart") -> tuple[Fact, ...]:
    image = f"in T src[{_IMAGE}], {_SIZES}"
    return (
        _row(name, f"out T dst[{_SIDE}], {image}", "half", False, overlap=overlap),
        _row(name, f"out T dst[{_SMALL}], {image}{_STEPS}", _FLOATS, True, overlap=overlap),
        _row(
            name,
            f"out T dst[{_GAPS} * channel], {image}{_STEPS}{_APART}",
            _FLOATS,
            True,
            archs=">=322",
            limits=(
                *_BASE,
                *_STRIDES,
                Within("indilation_height", 1),
                Within("indilation_width", 1),
                Within("height", "(kernel_height - 1) * indilation_height + 1"),
                Within("width", "(kernel_width - 1) * indilation_width + 1"),
                Within("outdilation_height", 1, 1, rule="argument", inferred=True),
                Within("outdilation_width", 1, 1, rule="argument", inferred=True),
            ),
            work=_work(_GAPS),
            overlap=overlap,
            inferred=True,
        ),
    )


#: "The type of the index": as wide as the value.
_INDEXED = "uint16/half uint16/bfloat16 uint32/float"
#: "Edge windows are clipped, not discarded": one more where elements are left.
_CLIPPED = (
    "(({0} - kernel_{0}) // stride_{0} + 1 + (({0} - kernel_{0}) % stride_{0} > 0)"
    " * ((({0} - kernel_{0}) // stride_{0} + 1) * stride_{0} < {0}))"
)
_ALL = f"{_CLIPPED.format('height')} * {_CLIPPED.format('width')}"


def _index(name: str) -> tuple[Fact, ...]:
    image = f"in T src[{_IMAGE}], {_SIZES}"
    typed = {"work": _work(_STRIDED).replace("sizeof", "sizeof_src")}
    side = {"work": _work(_TILED).replace("sizeof", "sizeof_src")}
    return (
        _row(f"{name}_index", f"out I dst[{_SIDE}], {image}", "uint16/half", False, **side),
        _row(f"{name}_index", f"out I dst[{_SMALL}], {image}{_STEPS}", _INDEXED, True, **typed),
        _row(
            f"{name}_value_index",
            f"out T dst{{{_ALL} * channel * sizeof, 1 x value_index_stride}}, {image}{_STEPS}, value_index_stride",
            _FLOATS,
            True,
            archs=">=322",
            limits=(*_BASE, *_STRIDES),
            work=_work(_STRIDED).replace(_STRIDED, _ALL),
            # "When value_index_stride > 0, dst and src can be homologous operands": so kernels call it.
            overlap="any",
            room=1 << 17,
            probes=(
                *_PROBES,
                {"width": 9},
                {"width": 8, "stride_width": 3},
                {"value_index_stride": 12288},
                # A step beyond the last whole window leads out of the image, or to its end: none is clipped.
                {"kernel_height": 1, "stride_height": 3},
                {"kernel_width": 1, "stride_width": 4},
                {"kernel_height": 1, "stride_height": 3, "height": 6},
                {"kernel_width": 1, "stride_width": 4, "width": 8},
                # The last whole window ends with the image, and a step less would not.
                {"kernel_height": 3, "stride_height": 2},
            ),
        ),
    )


_MASKED = "half/int16 bfloat16/uint16 float/int32"


def _back(name: str, types: str, mask: str) -> tuple[Fact, ...]:
    arguments = f"out T dst[{_IMAGE}], in T src[{_SMALL}]{mask}, {_SIZES}{_STEPS}"
    return (
        _row(f"{name}_bp", arguments, types, True, room=1 << 17),
        _row(f"{name}_bp", f"{arguments}, shared", types, True, room=1 << 17),
    )


POOLING = (
    # "mlu-ops calls it in place (dst==src) on 3xx despite the doc saying N"; and with the last row of src as dst.
    *_pool("sumpool", "any"),
    *_pool("avgpool"),
    *_pool("maxpool"),
    *_pool("minpool"),
    *_index("maxpool"),
    *_index("minpool"),
)
BACKWARD = (
    *_back("avgpool", _FLOATS, ""),
    *_back("maxpool", _MASKED, f", in I mask[{_SMALL}]"),
    # "channel must be divisible by 64 on 2xx"; elements of no window stay, but windows lie side by side here.
    _row(
        "unpool",
        f"out T dst[{_IMAGE}], in T src[{_SMALL}], {_SIZES}{_STEPS}, index",
        _FLOATS,
        True,
        limits=(
            *_BASE,
            *_STRIDES,
            _ALIGNED,
            Multiple("channel", 64, on="<300"),
            Within("index", 0, "kernel_height * kernel_width - 1", rule="argument"),
        ),
        room=1 << 17,
    ),
)
ROWS = (*POOLING, *BACKWARD)
