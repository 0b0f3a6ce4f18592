"""What BDC's products and convolutions do, stated again in float64, of values whose sums are exact.

Source: tpu_api.md, sections 3 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from tests.isa.lane_cases import CODES, Case, Struct
from tests.isa.references.lanes import Four, Tensor
from tests.isa.references.numbers import INTEGERS, encode, rounded, size_of
from tests.isa.tpu.bench import COMPACT, STRIDED, Bench, dim4

#: Output and factors of products by the cube, and of convolutions.
PAIRS = (("half", "half"), ("float", "half"), ("bfloat16", "bfloat16"), ("float", "bfloat16"),
         ("float8e4m3", "float8e4m3"), ("half", "float8e5m2"), ("float", "float8e4m3"))  # fmt: skip
FLOATS = (*PAIRS, ("float", "float"))


def _pair(bench: Bench, pairs: tuple[tuple[str, str], ...]) -> tuple[str, str]:
    older = bench.lanes < 64 or bench.chip != "bm1690"
    return bench.chance.choice([p for p in pairs if not (older and "float8" in "".join(p))])


def _drawn(bench: Bench, tensor: Tensor, values: range) -> np.ndarray:
    """Small numbers, written to a tensor; halves where they are floats."""
    whole = tensor.kind in INTEGERS
    drawn = [bench.chance.choice(values) * (1 if whole else 0.5) for _ in tensor.indices()]
    bench.local.write(tensor, drawn)
    return np.array(drawn, np.float64).reshape(tensor.shape)


def _put(bench: Bench, dst: Tensor, result: np.ndarray) -> None:
    bench.local.put(dst, [encode(dst.kind, [rounded(dst.kind, float(x))]) for x in result.ravel()])


def _case(bench: Bench, name: str, dst: Tensor, result: np.ndarray, arguments: list[object]) -> Case:
    case = bench.case(name, replace(dst, shape=(0, 0, 0, 0)), False, lambda i: b"", arguments)
    _put(bench, dst, result)
    return case


def _cube(name: str, trans: str, adds: bool) -> Callable[[Bench, Four], Case]:
    """``trans``: which factors are stored transposed."""

    def make(bench: Bench, shape: Four) -> Case:
        out, factor = _pair(bench, PAIRS if adds else FLOATS)
        m, k, n = (bench.chance.choice((1, 5, lanes, lanes + 6)) for lanes in (bench.lanes, 10, 10))
        left = bench.inside((1, k, 1, m) if "l" in trans else (1, m, 1, k), lane=0, kind=factor)
        right = bench.inside((1, n, 1, k) if "r" in trans else (1, k, 1, n), lane=0, kind=factor)
        dst = bench.inside((1, m, 1, n), lane=0, kind=out)
        a, b, before = (_drawn(bench, tensor, range(-3, 4))[0, :, 0] for tensor in (left, right, dst))
        added = bool(adds and bench.chance.random() < 0.5)
        sums = (a.T if "l" in trans else a) @ (b.T if "r" in trans else b) + (before if added else 0)
        return _case(
            bench, name, dst, sums,
            [dst.address, left.address, right.address, left.shape[1], left.shape[3],
             right.shape[1] if "r" in trans else right.shape[3], CODES[out], CODES[factor],
             *([int(added)] if adds else [])],
        )  # fmt: skip

    return make


def _cube_with_bias(name: str, trans: str) -> Callable[[Bench, Four], Case]:
    """A row in every lane, an element of every column, or a value is added."""

    def make(bench: Bench, shape: Four) -> Case:
        chance, (out, factor) = bench.chance, _pair(bench, FLOATS)
        wide = {"half": ("half", "float"), "bfloat16": ("bfloat16", "float"), "float": ("float",)}
        kind = chance.choice(wide.get(factor, ("half", "float")))
        m, k, n = (chance.choice((1, 5, lanes, lanes + 6)) for lanes in (bench.lanes, 10, 10))
        left = bench.inside((1, k, 1, m) if "l" in trans else (1, m, 1, k), lane=0, kind=factor)
        right = bench.inside((1, n, 1, k) if "r" in trans else (1, k, 1, n), lane=0, kind=factor)
        dst, constant, relu = bench.inside((1, m, 1, n), lane=0, kind=out), chance.random() < 0.3, chance.random() < 0.5
        across = trans == "lr"
        bias = bench.inside((1, n, 1, 1) if across else (1, min(m, bench.lanes), 1, n), lane=0, kind=kind)
        bias = replace(bias, stride=(1, 1, 1, 1)) if across else bias
        a, b, before = (_drawn(bench, tensor, range(-3, 4))[0, :, 0] for tensor in (left, right, dst))
        given = _drawn(bench, bias, range(-9, 10))[0, :, 0]
        rows = given[:, 0] if across else given[np.arange(m) % len(given)]
        added = chance.random() < 0.5
        sums = (a.T if "l" in trans else a) @ (b.T if "r" in trans else b) + (before if added else 0)
        sums = sums + (1.5 if constant else rows)
        return _case(
            bench, name, dst, np.maximum(sums, 0) if relu else sums,
            [dst.address, left.address, right.address, left.shape[1], left.shape[3],
             right.shape[1] if "r" in trans else right.shape[3], CODES[out], CODES[factor],
             CODES["float" if constant else kind], int(added), int(constant),
             (1, 0x3FC00000) if constant else (2 if across else 0, bias.address), int(relu)],
        )  # fmt: skip

    return make


class _Dealt:
    """A matrix whose columns are dealt to channels."""

    def __init__(self, bench: Bench, rows: int, columns: int, each: int, kind: str, lane: int) -> None:
        whole = bench.inside((rows, -(-columns // each), 1, each), lane=lane, kind=kind)
        self._bench, self.address = bench, whole.address
        self._places = [
            [bench.local.place(whole, (row, column // each, 0, column % each)) for column in range(columns)]
            for row in range(rows)
        ]
        self._kind = kind

    def put(self, values: np.ndarray) -> np.ndarray:
        for places, row in zip(self._places, values, strict=True):
            for (lane, byte), value in zip(places, row, strict=True):
                number = int(value) if self._kind in INTEGERS else float(value)
                self._bench.local.held[lane][byte : byte + size_of(self._kind)] = encode(self._kind, [number])
        return values


def _dealt(name: str, turned: bool, bytes_: bool) -> Callable[[Bench, Four], Case]:
    """Of floats, or of bytes; ``turned``: the left factor is stored as K x M."""

    def make(bench: Bench, shape: Four) -> Case:
        chance = bench.chance
        m, k, n = chance.randrange(1, 5), chance.choice((1, 7, 13)), chance.choice((1, 9, bench.lanes + 3))
        each = [chance.choice((1, 2, 5)), chance.choice((1, 3, 8))]
        kinds, signed, relu = ["float"] * 4, False, bool(bytes_ and chance.random() < 0.4)
        if bytes_:
            factors = [chance.choice(("int8", "uint8")) for _ in range(2)] + [chance.choice(("int32", "uint32"))]
            biased = chance.random() < 0.5
            signed = not relu and any(kind.startswith("i") for kind in factors[: 3 if biased else 2])
            kinds = [("int" if signed else "uint") + chance.choice(("8", "16", "32")), *factors]
        else:
            biased = chance.random() < 0.5
        stored = (k, m) if turned else (m, k)
        left = _Dealt(bench, *stored, each[0], kinds[1], chance.randrange(bench.lanes))
        right = _Dealt(bench, k, n, each[1], kinds[2], bench.start)
        bias = _Dealt(bench, 1, n, each[1], kinds[3], bench.start)
        dst = _Dealt(bench, m, n, each[1], kinds[0], bench.start)
        ranges = [(-3 if kind[0] != "u" else 0) for kind in kinds]
        a = left.put(np.array([[chance.randrange(ranges[1], 90) for _ in range(stored[1])] for _ in range(stored[0])]))
        b = right.put(np.array([[chance.randrange(ranges[2], 7) for _ in range(n)] for _ in range(k)]))
        c = bias.put(np.array([[chance.randrange(ranges[3], 50) for _ in range(n)]]))
        before = dst.put(np.array([[chance.randrange(0, 100) for _ in range(n)] for _ in range(m)]))
        added = bool(not bytes_ and chance.random() < 0.5)
        arguments = [dst.address, left.address, right.address, bias.address, *stored, n, *each]
        if bytes_:
            arguments += [*(CODES[kind] for kind in kinds), 0, 0]
        arguments += [int(biased), int(added), *([int(relu)] if bytes_ else [])]
        image = bench.local.image()
        sums = (a.T if turned else a) @ b + (c if biased else 0) + (before if added else 0)
        if bytes_:
            width, _ = INTEGERS[kinds[0]]
            low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
            sums = np.clip(sums, low, high)
        dst.put(sums)
        held = Tensor(dst.address, (0, 0, 0, 0), kinds[0])
        system = bytes(bench.system)
        return Case(
            f"tpu_{name}", (held,), image, bench.local, arguments=tuple(arguments), system_before=system, system=system
        )  # fmt: skip

    return make


_GEOMETRY: tuple[dict[str, tuple[int, ...] | None], ...] = (
    {"kernel": (2, 2), "padding": None, "stride": None, "dilation": None},
    {"kernel": (1, 2), "padding": (1, 0, 2, 1), "stride": (2, 1), "dilation": (1, 2)},
    {"kernel": (3, 1), "padding": (0, 2, 0, 0), "stride": (1, 3), "dilation": None},
    {"kernel": (2, 1), "padding": None, "stride": None, "dilation": (3, 1)},
)


def _windows(source: np.ndarray, given: Mapping[str, tuple[int, ...] | None], ky: int, kx: int) -> np.ndarray:
    """Of every window the element at (ky, kx)."""
    top, bottom, left, right = given["padding"] or (0, 0, 0, 0)
    (step_h, step_w), (apart_h, apart_w) = given["stride"] or (1, 1), given["dilation"] or (1, 1)
    kernel = given["kernel"] or (1, 1)
    n, c, h, w = source.shape
    whole = np.zeros((n, c, h + top + bottom, w + left + right))
    whole[:, :, top : top + h, left : left + w] = source
    high = (whole.shape[2] - (kernel[0] - 1) * apart_h - 1) // step_h + 1
    wide = (whole.shape[3] - (kernel[1] - 1) * apart_w - 1) // step_w + 1
    rows = [y * step_h + ky * apart_h for y in range(high)]
    return whole[:, :, rows][:, :, :, [x * step_w + kx * apart_w for x in range(wide)]]


def _structs(given: Mapping[str, tuple[int, ...] | None]) -> list[Struct]:
    return [
        Struct("padding_t" if name == "padding" else "dim2", given[name])
        for name in ("kernel", "padding", "stride", "dilation")
    ]


def conv2d(bench: Bench, shape: Four) -> Case:
    out, kind = _pair(bench, FLOATS)
    chance, given = bench.chance, bench.chance.choice(_GEOMETRY)
    n, made, ic = shape[0], bench.chance.choice((1, bench.lanes, bench.lanes + 6)), bench.chance.choice((1, 3, 33))
    high, wide = given["kernel"] or (1, 1)
    block = 1 if kind == "float" else bench.lanes // size_of(kind)
    blocks = -(-ic // block)
    source = bench.inside(
        (n, ic, 4, 3), chance.choice(("aligned", STRIDED)), chance.randrange(bench.lanes) * (kind == "float"), kind
    )
    weights = bench.inside((1, made, 1, 1), kind=kind)  # in front of them, so that they begin at a whole beat
    weights = bench.inside((1, made, 1, blocks * high * wide * block), "aligned", kind=kind)
    taps = weights.shape[3]
    weights = replace(weights, stride=(taps, taps, taps, 1))
    bias = bench.inside((1, made, 1, 1), COMPACT, kind="float")
    values = _drawn(bench, source, range(-2, 3))
    flat = _drawn(bench, weights, range(-2, 3)).reshape(made, blocks, high, wide, block)
    per = flat.transpose(0, 1, 4, 2, 3).reshape(made, blocks * block, high, wide)[:, :ic]
    added = _drawn(bench, bias, range(-5, 6))
    sums = sum(
        np.einsum("nchw,oc->nohw", _windows(values, given, ky, kx), per[:, :, ky, kx])
        for ky in range(high)
        for kx in range(wide)
    )
    dst = bench.inside(sums.shape, kind=out)
    before = _drawn(bench, dst, range(-3, 4))
    biased, adds = (chance.random() < 0.5 for _ in range(2))
    sums = sums + (added if biased else 0) + (before if adds else 0)
    return _case(
        bench, "bdc_fp_conv2d", dst, sums,
        [dst.address, source.address, weights.address, bias.address, dim4(source.shape), dim4(source.stride), made,
         *_structs(given), CODES[out], CODES[kind], int(biased), int(adds)],
    )  # fmt: skip


def depthwise2d(bench: Bench, shape: Four) -> Case:
    given, (n, c, _, _) = bench.chance.choice(_GEOMETRY), shape
    high, wide = given["kernel"] or (1, 1)
    source = bench.inside((n, c, 4, 3))
    weights, bias = (bench.inside((1, c, *size), COMPACT) for size in ((high, wide), (1, 1)))
    values, per, added = (_drawn(bench, tensor, range(-2, 3)) for tensor in (source, weights, bias))
    sums = sum(
        _windows(values, given, ky, kx) * per[:, :, ky, kx][:, :, None, None]
        for ky in range(high)
        for kx in range(wide)
    )
    biased = bench.chance.random() < 0.5
    dst = bench.inside(sums.shape)
    return _case(
        bench, "bdc_fp_depthwise2d", dst, sums + (added if biased else 0),
        [dst.address, source.address, weights.address, bias.address, dim4(source.shape), *_structs(given),
         CODES[bench.kind], int(biased)],
    )  # fmt: skip


#: Name -> how a call is made, and the types to draw from; of most, it draws them itself.
MOVES: Mapping[str, tuple[Callable[[Bench, Four], Case], tuple[str, ...]]] = {
    "bdc_fp_mm": (_cube("bdc_fp_mm", "", True), ("float",)),
    "bdc_fp_mm_R_trans": (_cube("bdc_fp_mm_R_trans", "r", False), ("float",)),
    "bdc_fp_mm_all_trans": (_cube("bdc_fp_mm_all_trans", "lr", True), ("float",)),
    **{
        f"bdc_fp_mm{form}_with_bias": (_cube_with_bias(f"bdc_fp_mm{form}_with_bias", trans), ("float",))
        for form, trans in (("", ""), ("_R_trans", "r"), ("_all_trans", "lr"))
    },
    "bdc_fp32_mm": (_dealt("bdc_fp32_mm", False, False), ("float",)),
    "bdc_fp32_mm_L_trans": (_dealt("bdc_fp32_mm_L_trans", True, False), ("float",)),
    "bdc_int8_mm": (_dealt("bdc_int8_mm", False, True), ("int8",)),
    "bdc_int8_mm_L_trans": (_dealt("bdc_int8_mm_L_trans", True, True), ("int8",)),
    "bdc_fp_conv2d": (conv2d, ("float",)),
    "bdc_fp_depthwise2d": (depthwise2d, ("float", "half", "bfloat16")),
}
