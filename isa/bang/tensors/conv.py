"""Convolution and matrix times vector; weights lie in WRAM as `__bang_reshape_filter` leaves them, or in its slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...declare import INFERRED, Align, Archs, Instruction, Require, declare
from .matmul import INTEGERS, dealt_evenly, finish, times_weights, wide

_OLD = Archs("<300")
_FLOATS = (
    ("float", "float", "float"), ("float", "half", "half"), ("float", "float", "half"), ("float", "half", "float"),
    ("float", "bfloat16", "float"), ("float", "float", "bfloat16"), ("float", "bfloat16", "bfloat16"),
)  # fmt: skip

#: Those of one type on both sides.
_ALIKE = [row for row in _FLOATS if row[1] == row[2]]

#: Type variable -> element type, of every overload.
Bindings = tuple[Mapping[str, str], ...]


def _bindings(*rows: tuple[str, ...]) -> Bindings:
    return tuple(dict(zip("DSK", row, strict=True)) for row in rows)


def _integers(*targets: str) -> Bindings:
    return _bindings(*((target, *pair) for target in targets for pair in INTEGERS))


def _convolve(
    src: np.ndarray, kernel: np.ndarray, channels: int, size: tuple[int, int], stride: tuple[int, int],
    step: tuple[int, int],
) -> np.ndarray:  # fmt: skip
    """Sums [out_height, out_width, channels]; ``size``, ``stride``, ``step`` (dilation) as (height, width)."""
    if size == (1, 1):
        windows = wide(src[:: stride[0], :: stride[1]])
    else:
        reach = tuple((k - 1) * d + 1 for k, d in zip(size, step, strict=True))
        windows = np.lib.stride_tricks.sliding_window_view(wide(src), reach, (0, 1))
        windows = windows[:: stride[0], :: stride[1], :, :: step[0], :: step[1]].transpose(0, 1, 3, 4, 2)
    rows, columns = windows.shape[:2]
    used = kernel.reshape(*kernel.shape[:-1], size[0] * size[1], -1)[..., : src.shape[-1]]  # without gaps
    weights = wide(used.reshape(*kernel.shape[:-1], -1))
    sums = times_weights(windows.reshape(rows * columns, -1), weights, channels)
    return sums.reshape(rows, columns, channels)


def _as_tf32(x: np.ndarray) -> np.ndarray:
    """Floats with the 11 digits of a tf32, to nearest even (inferred); wider ones as they are."""
    digits, exponent = np.frexp(x)
    made: np.ndarray = np.ldexp(np.rint(np.ldexp(digits, 11)), exponent - 11) if x.dtype == np.float32 else x
    return made


_GEOMETRY = (
    "int32 channel_input, int32 height, int32 width, int32 kernel_height, int32 kernel_width,"
    " int32 stride_width, int32 stride_height, int32 channel_output"
)
_POSITION, _DILATION = ", int32 fix_position", ", int32 indilation_width, int32 indilation_height"
#: Behind those of floats; where outputs that lie apart would lie is not known.
_OUTPUTS = ", int32 outdilation_width, int32 outdilation_height"


#: The channels of a weight in the memory of 3xx are a multiple of it (the guide of 4.5.1), by how many times wider the
#: elements of src are. Rows in the slices begin at multiples of 64 bytes (mlu-ops) and have no gaps.
_PITCH = "(16 if sizeof_src == 4 * sizeof_kernel else 32 if sizeof_src == 2 * sizeof_kernel else 64) // sizeof_kernel"


def _let(fixed: bool, dilated: bool) -> dict[str, str]:
    down, across = ("indilation_height", "indilation_width") if dilated else ("1", "1")
    return {
        "step_height": down,
        "step_width": across,
        "out_height": "(height - (kernel_height - 1) * step_height - 1) // stride_height + 1",
        "out_width": "(width - (kernel_width - 1) * step_width - 1) // stride_width + 1",
        "scale": "fix_position" if fixed else "0",
        "pitch": f"(channel_input + {_PITCH} - 1) // ({_PITCH}) * ({_PITCH})"
        " if 300 <= arch < 392 and order_kernel == 'dealt' else channel_input",
    }


def _rules(fixed: bool, dilated: bool, extra: str) -> Iterator[Align | Require]:
    for size in ("channel_input", "channel_output", "kernel_height", "kernel_width"):
        yield Require(f"{size} > 0", rule="length")
    steps = ("stride_width", "stride_height", *(("indilation_width", "indilation_height") if dilated else ()))
    for step in steps:
        yield Require(f"1 <= {step} <= 1023", rule="length")
    for side in ("height", "width"):
        step = f"indilation_{side}" if dilated else "1"
        yield Require(f"{side} > (kernel_{side} - 1) * {step}", rule="length")
    if dilated and not fixed:
        yield Require("outdilation_width == 1 and outdilation_height == 1", provenance=INFERRED)
    if fixed:
        yield Require("-127 <= fix_position <= 127")
    yield dealt_evenly("channel_output", "kernel")
    yield Align(32, ("kernel",))
    yield Align(64, ("dst", "src", *([extra] if extra else [])), _OLD)
    yield Require("channel_input * sizeof_src % 64 == 0", _OLD, rule="length")


def _conv(
    name: str, types: Bindings, extra: str = "", fixed: bool = True, dilated: bool = False, tf32: bool = False,
    **facts: Any,
) -> Instruction:  # fmt: skip
    """One form; ``extra``, a bias for each channel or a partial result, is added to sums; ``tf32`` rounds factors."""
    kernel = "const wram K kernel[channel_output][kernel_height * kernel_width][pitch : channel_input] ~ filter"
    added = {
        "": "",
        "bias": ", const D bias[channel_output]",
        "partial": ", const D partial[out_height][out_width][channel_output]",
    }[extra]
    tail = (_POSITION if fixed else "") + (_DILATION if dilated else "") + ("" if fixed or not dilated else _OUTPUTS)

    def plain(
        src: np.ndarray, kernel: np.ndarray, channel_output: int, kernel_height: int, kernel_width: int,
        stride_height: int, stride_width: int, step_height: int, step_width: int, scale: int, type_dst: np.dtype,
    ) -> np.ndarray:  # fmt: skip
        size, stride = (kernel_height, kernel_width), (stride_height, stride_width)
        if tf32:
            src, kernel = _as_tf32(src), _as_tf32(kernel)
        return finish(_convolve(src, kernel, channel_output, size, stride, (step_height, step_width)), scale, type_dst)

    def biased(
        src: np.ndarray, kernel: np.ndarray, bias: np.ndarray, channel_output: int, kernel_height: int,
        kernel_width: int, stride_height: int, stride_width: int, step_height: int, step_width: int, scale: int,
        type_dst: np.dtype,
    ) -> np.ndarray:  # fmt: skip
        size, stride = (kernel_height, kernel_width), (stride_height, stride_width)
        total = np.ldexp(_convolve(src, kernel, channel_output, size, stride, (step_height, step_width)), scale)
        return finish(total + wide(bias), 0, type_dst)

    def continued(
        src: np.ndarray, kernel: np.ndarray, partial: np.ndarray, channel_output: int, kernel_height: int,
        kernel_width: int, stride_height: int, stride_width: int, step_height: int, step_width: int, scale: int,
        type_dst: np.dtype,
    ) -> np.ndarray:  # fmt: skip
        return biased(
            src, kernel, partial, channel_output, kernel_height, kernel_width, stride_height, stride_width,
            step_height, step_width, scale, type_dst,
        )  # fmt: skip

    does = "Convolution of an image [height, width, channel_input] with kernels in WRAM, without padding"
    plus = {"": "", "bias": ", plus bias", "partial": ", plus partial"}[extra]
    plus += "; factors are rounded to tf32, to nearest even (inferred)" if tf32 else ""
    return declare(
        f"void {name}(D dst[out_height][out_width][channel_output], const S src[height][width][channel_input],"
        f" {kernel}{added}, {_GEOMETRY}{tail})",
        doc=does + (" and times 2**fix_position" if fixed else "") + plus,
        types=types,
        semantics={"": plain, "bias": biased, "partial": continued}[extra],
        let=_let(fixed, dilated),
        rules=tuple(_rules(fixed, dilated, extra)),
        engine="tensor",
        work="out_height * out_width * channel_output * kernel_height * kernel_width * channel_input",
        overlap="same" if extra == "partial" else "none",
        **facts,
    )


_FLOAT_FACTS: dict[str, Any] = {"fixed": False, "archs": ">=300 !=322"}
convolutions = (
    *(
        _conv("__bang_conv", _integers("half", "float", "int16"), extra, dilated=dilated)
        for extra in ("", "bias")
        for dilated in (False, True)
    ),
    _conv("__bang_conv", _bindings(("half", "half", "half"), *_FLOATS), **_FLOAT_FACTS),
    _conv("__bang_conv", _bindings(*_FLOATS), dilated=True, provenance=INFERRED, **_FLOAT_FACTS),
    *(
        _conv("__bang_conv_partial", _integers("half", "float"), "partial", dilated=dilated, archs=">=200")
        for dilated in (False, True)
    ),
    _conv("__bang_conv_partial", _bindings(*_FLOATS), "partial", **_FLOAT_FACTS),
    *(
        _conv("__bang_conv_tf32", _bindings(_FLOATS[0]), fixed=False, dilated=dilated, tf32=True, archs=">=592")
        for dilated in (False, True)
    ),
)


def _mlp(types: Bindings, bias: str = "", fixed: bool = True, **facts: Any) -> Instruction:
    def floats(src: np.ndarray, weight: np.ndarray, height: int) -> np.ndarray:
        total: np.ndarray = times_weights(wide(src)[None], wide(weight), height)[0]
        return total

    def plain(src: np.ndarray, weight: np.ndarray, height: int, fix_position: int, type_dst: np.dtype) -> np.ndarray:
        return finish(floats(src, weight, height), fix_position, type_dst)

    def biased(
        src: np.ndarray, bias: np.ndarray, weight: np.ndarray, height: int, fix_position: int, type_dst: np.dtype
    ) -> np.ndarray:
        return finish(np.ldexp(floats(src, weight, height), fix_position) + wide(bias), 0, type_dst)

    return declare(
        f"void __bang_mlp(D dst[height], const S src[width],{bias} const wram K weight[height][width] ~ filter,"
        f" int32 height, int32 width{_POSITION if fixed else ''})",
        doc="dst = weight times src"
        + (" and times 2**fix_position" if fixed else "")
        + (", plus bias" if bias else ""),
        types=types,
        semantics=biased if bias else plain if fixed else floats,
        rules=(
            Require("height > 0", rule="length"),
            Require("width > 0", rule="length"),
            *([Require("-127 <= fix_position <= 127")] if fixed else []),
            dealt_evenly("height", "weight"),
            Align(32, ("weight",)),
            Align(64, ("dst", "src", *(["bias"] if bias else [])), _OLD),
        ),
        engine="tensor",
        work="height * width",
        overlap="none",
        **facts,
    )


products = (
    _mlp(_integers("half", "float", "int16")),
    _mlp(_integers("half", "float", "int16"), " const D bias[height],"),
    _mlp(_bindings(*_ALIKE), **_FLOAT_FACTS),
)


def _by_channel(src: np.ndarray, weight: np.ndarray) -> Any:
    return src * weight[:, None]


def _by_channel_add(src: np.ndarray, weight: np.ndarray, addend: np.ndarray) -> Any:
    return src * weight[:, None] + addend


_ROWS = "[row_count][channel]"
expansions = tuple(
    declare(
        f"void __bang_expand_channel_mul{suffix}(T dst{_ROWS}, const T weight[row_count],"
        f" work wram T scratch[row_count], const T src{_ROWS},{more} int32 row_count, int32 channel)",
        doc="dst[i][c] = src[i][c] * weight[i]" + (" + addend[i][c]" if more else ""),
        types="half float",
        archs=">=592",
        provenance=INFERRED,
        engine="tensor",
        semantics=semantics,
        rules=(
            Require("row_count > 0", rule="length", provenance=INFERRED),
            Require("channel > 0", rule="length", provenance=INFERRED),
        ),
        work="row_count * channel",
    )
    for suffix, more, semantics in (("", "", _by_channel), ("_add", f" const T addend{_ROWS},", _by_channel_add))
)
