"""Facts of BANG: the tensor unit. Source: bang_isa.md (b)."""

from __future__ import annotations

from tests.isa.facts.fact import Aligned, Fact, Multiple, Within

_INTEGERS = ("int8/int8", "int16/int8", "int16/int16")


def _dealt(rows: str) -> str:
    """Rows of weights in memory: "the `N` dimension of memory space must be 64 aligned", behind which none is read."""
    return f"(({rows} < 64) * {rows} + ({rows} >= 64) * -(-{rows} // 64) * 64)"


def _integers(targets: str) -> str:
    """src and weights by the table of types; any of these with any dst."""
    return " ".join(f"{target}/{pair}" for target in targets.split() for pair in _INTEGERS)


MATRICES = (
    # Pipe "C(TFU)": the compute pipe's tensor unit, paid by multiplications. Its limits follow from the order of WRAM.
    # Kernels pass floats and halves, and integers with a position.
    *(
        Fact(
            "__bang_matmul",
            f"out D dst[M * N], in S left[M * K], in wram W right[{_dealt('N')} * K],{added} M, K, N{position}",
            types,
            limits=(
                *(Within(name, 1, inferred=not added) for name in "MKN"),
                Multiple("N", 64, on="<300"),
                *limits,
            ),
            overlap="same" if added else "apart",
            engine="tensor",
            work="M * N * K",
            inferred=not added,
            call={"M": 3, "K": 8, "N": 64, "fix_position": 1},
        )
        for types, position, added, limits in (
            ("float/float/float float/half/half float/bfloat16/bfloat16", "", "", ()),
            (
                _integers("half float int16"),
                ", fix_position",
                "",
                (Within("fix_position", -127, 127, rule="argument", inferred=True),),
            ),
            # The user's guide (4.5.1), which has it with no floats in WRAM and no int16 as the sum.
            (
                _integers("half float"),
                ", fix_position",
                " in D addend[M * N],",
                (Within("fix_position", -127, 127, rule="argument"),),
            ),
        )
    ),
    # "n%64==0, h*w*c*sizeof %128 (3xx rule may be looser)": none there.
    Fact(
        "__bang_reshape_filter",
        "out T dst[n * h * w * c], in T src[n * h * w * c], n, h, w, c",
        "half float int8 int16 int32 uint8 uint16 uint32",
        limits=(
            Within("n", 1),
            Within("h", 1),
            Within("w", 1),
            Within("c", 1),
            Multiple("n", 64),
            Aligned(64, on="<300"),
            Multiple("h * w * c * sizeof", 128, on="<300"),
        ),
        overlap="apart",
        work="n * h * w * c * max(2, sizeof)",
        call={"n": 64, "h": 128, "w": 1, "c": 1},
        probes=({"h": 64, "w": 2}, {"h": 64, "c": 2}, {"h": 32, "w": 2, "c": 2}),
        room=3 << 16,
    ),
)
#: (b): "HWC conv; no padding"; "32 B aligned kernel, co%64, ci*sizeof(kernel) 64 B aligned (3xx), strides 1..1023".
_GEOMETRY = "channel_input, height, width, kernel_height, kernel_width, stride_width, stride_height, channel_output"
_FLOATS = (
    "float/float/float float/half/half float/float/half float/half/float float/bfloat16/float float/float/bfloat16"
    " float/bfloat16/bfloat16"
)
_CONV_CALL = {
    "channel_input": 64, "height": 4, "width": 7, "kernel_height": 2, "kernel_width": 3, "stride_width": 2,
    "stride_height": 1, "channel_output": 64, "indilation_width": 2, "indilation_height": 1, "fix_position": 1,
    "outdilation_width": 1, "outdilation_height": 1,
}  # fmt: skip


def _conv(name: str, types: str, extra: str = "", fixed: bool = True, dilated: bool = False, **facts: object) -> Fact:
    steps = {side: f"indilation_{side}" if dilated else "1" for side in ("height", "width")}
    rows, columns = (f"(({s} - (kernel_{s} - 1) * {steps[s]} - 1) // stride_{s} + 1)" for s in ("height", "width"))
    added = {
        "": "",
        "bias": "in D bias[channel_output], ",
        "partial": f"in D partial[{rows} * {columns} * channel_output], ",
    }[extra]
    products = "channel_output * kernel_height * kernel_width * channel_input"
    # The user's guide (4.5.1): the channels of the weights in memory are multiples of 64 bytes on 3xx, or of 32 or 16
    # where an element of src is two or four times as wide.
    bytes_ = "(16 if sizeof_src == 4 * sizeof_kernel else 32 if sizeof_src == 2 * sizeof_kernel else 64)"
    pitch = f"(-(-channel_input * sizeof_kernel // {bytes_}) * {bytes_} // sizeof_kernel)"
    weights = f"{_dealt('channel_output')} * kernel_height * kernel_width"
    weights += f" * ({pitch} if 300 <= arch < 392 else channel_input)"
    limits = (
        *(Within(size, 1) for size in ("channel_input", "channel_output", "kernel_height", "kernel_width")),
        Within("stride_width", 1, 1023),
        Within("stride_height", 1, 1023),
        *((Within("indilation_width", 1, 1023), Within("indilation_height", 1, 1023)) if dilated else ()),
        *(Within(s, f"(kernel_{s} - 1) * {steps[s]} + 1") for s in ("height", "width")),
        *(
            Within(f"outdilation_{side}", 1, 1, rule="argument", inferred=True)
            for side in ("width", "height")
            if dilated and not fixed
        ),
        *((Within("fix_position", -127, 127, rule="argument"),) if fixed else ()),
        Multiple("channel_output", 64, on="<300"),
        Aligned(32, "kernel"),
        *(Aligned(64, o, on="<300") for o in ("dst", "src", *([extra] if extra else []))),
        Multiple("channel_input * sizeof_src", 64, on="<300"),
    )  # fmt: skip
    return Fact(
        f"__bang_{name}",
        f"out D dst[{rows} * {columns} * channel_output], in S src[height * width * channel_input],"
        f" in wram K kernel[{weights}], {added}{_GEOMETRY}"
        + (", fix_position" if fixed else "")
        + (", indilation_width, indilation_height" if dilated else "")
        + (", outdilation_width, outdilation_height" if dilated and not fixed else ""),
        types,
        limits=limits,
        overlap="same" if extra == "partial" else "apart",
        engine="tensor",
        work=f"{rows} * {columns} * {products}",
        call=_CONV_CALL,
        # The largest dilation, between no two weights: the others of a call would not fit into an image with it.
        probes=tuple({f"kernel_{s}": 1, f"indilation_{s}": 1023} for s in ("height", "width") if dilated),
        room=7 << 16,  # the largest kernel of a probe fits; of NRAM they take more than there is
        **facts,  # type: ignore[arg-type]
    )


CONVOLUTIONS = (
    *(
        _conv("conv", _integers("half float int16"), extra, dilated=dilated)
        for extra in ("", "bias")
        for dilated in (False, True)
    ),
    _conv("conv", f"half/half/half {_FLOATS}", fixed=False, archs=">=300 !=322"),
    _conv("conv", _FLOATS, fixed=False, dilated=True, archs=">=300 !=322", inferred=True),
    *(
        _conv("conv_partial", _integers("half float"), "partial", dilated=dilated, archs=">=200")
        for dilated in (False, True)
    ),
    _conv("conv_partial", _FLOATS, "partial", fixed=False, archs=">=300 !=322"),
    # The user's guide (4.5): "__BANG_ARCH__ >= 592".
    *(
        _conv("conv_tf32", "float/float/float", fixed=False, dilated=dilated, archs=">=592")
        for dilated in (False, True)
    ),
)


def _mlp(types: str, bias: str = "", fixed: bool = True, archs: str = "") -> Fact:
    return Fact(
        "__bang_mlp",
        f"out D dst[height], in S src[width], {bias}in wram K weight[{_dealt('height')} * width], height, width"
        + (", fix_position" if fixed else ""),
        types,
        archs,
        limits=(
            Within("height", 1),
            Within("width", 1),
            *([Within("fix_position", -127, 127, rule="argument")] if fixed else []),
            Multiple("height", 64, on="<300"),
            Aligned(32, "weight"),
            *(Aligned(64, o, on="<300") for o in ("dst", "src", *(["bias"] if bias else []))),
        ),
        overlap="apart",
        engine="tensor",
        work="height * width",
        call={"height": 64, "width": 24},
    )


#: "[inferred]" throughout; kernels call both in place.
def _expand(name: str, more: str) -> Fact:
    rows = "[row_count * channel]"
    return Fact(
        f"__bang_{name}",
        f"out T dst{rows}, in T weight[row_count], work wram T scratch[row_count], in T src{rows},"
        f"{more} row_count, channel",
        "half float", ">=592", (Within("row_count", 1, inferred=True), Within("channel", 1, inferred=True)),
        engine="tensor", work="row_count * channel", inferred=True, call={"row_count": 6, "channel": 32},
    )  # fmt: skip


PRODUCTS = (
    _mlp(_integers("half float int16")),
    _mlp(_integers("half float int16"), "in D bias[height], "),
    # The user's guide (4.5.1).
    _mlp("float/half/half float/float/float float/bfloat16/bfloat16", fixed=False, archs=">=300 !=322"),
    _expand("expand_channel_mul", ""),
    _expand("expand_channel_mul_add", " in T addend[row_count * channel],"),
)
ROWS = (*MATRICES, *CONVOLUTIONS, *PRODUCTS)
