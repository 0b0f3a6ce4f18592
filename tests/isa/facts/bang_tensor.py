"""Facts of BANG: the tensor unit. Source: bang_isa.md (b)."""

from __future__ import annotations

from fact import Aligned, Fact, Multiple, Within

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
ROWS = MATRICES
