"""Facts of BANG: pooling and matrices.

Source: bang_isa.md (b). `__bang_maxpool` has no row there; it is in the header like its siblings `__bang_sumpool` and
`__bang_minpool`, whose rows these are: image [height][width][channel], "partial windows discarded; out HWC".
"""

from __future__ import annotations

from fact import Aligned, Fact, Multiple, Within

_PER_WINDOW = "channel * kernel_height * kernel_width * max(2, sizeof)"


def _pool(name: str, types: str, strides: str, across: str, down: str) -> Fact:
    """``across`` and ``down`` are the steps from window to window."""
    rows, columns = f"((height - kernel_height) // {down} + 1)", f"((width - kernel_width) // {across} + 1)"
    return Fact(
        name,
        f"out T dst[{rows} * {columns} * channel], in T src[height * width * channel],"
        f" channel, height, width, kernel_height, kernel_width{strides}",
        types,
        limits=(
            Within("channel", 1),
            Within("kernel_height", 1, "height"),
            Within("kernel_width", 1, "width"),
            *((Within("stride_width", 1), Within("stride_height", 1)) if strides else ()),
            Aligned(64, on="<300"),
            Multiple("channel * sizeof", 128, on="<300"),
        ),
        overlap="apart",
        # Every element of every window is one operation of the vector unit (inferred).
        work=f"{rows} * {columns} * {_PER_WINDOW}",
        call={
            "channel": 64, "height": 5, "width": 7, "kernel_height": 2, "kernel_width": 3,
            "stride_width": 2, "stride_height": 1,
        },
        probes=({"kernel_height": 1, "kernel_width": 2}, {"height": 6}, {"width": 8}),
    )  # fmt: skip


POOLING = tuple(
    form
    for name in ("__bang_maxpool", "__bang_minpool")
    for form in (
        _pool(name, "half", "", "kernel_width", "kernel_height"),
        _pool(name, "half bfloat16 float", ", stride_width, stride_height", "stride_width", "stride_height"),
    )
)
MATRICES = (
    # Pipe "C(TFU)": the compute pipe's tensor unit, paid by multiplications. Its limits follow from the order of WRAM.
    Fact(
        "__bang_matmul",
        "out float dst[M * N], in float left[M * K], in wram float right[N * K], M, K, N",
        limits=(*(Within(name, 1, inferred=True) for name in "MKN"), Multiple("N", 64, inferred=True)),
        overlap="apart",
        engine="tensor",
        work="M * N * K",
        inferred=True,
        call={"M": 3, "K": 8, "N": 64},
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
ROWS = (*POOLING, *MATRICES)
