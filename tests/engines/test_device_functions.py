"""Functions of CUDA's device code, compared with NumPy: 16-bit floats, conversions, words and packed numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from ml_dtypes import bfloat16
from mlusim.simulator import Device, Program, load

from tests.support.paths import KERNELS_C

N = 256
WORDS = np.random.default_rng(7).integers(0, 2**32, (N, 3), np.uint32)
#: Instances are named, as no host code launches them.
TYPES = {np.float16: "half, half2", bfloat16: "__nv_bfloat16, __nv_bfloat162"}


@pytest.fixture(scope="module")
def program() -> Program:
    instances = [f"{kernel}<{types}>" for kernel in ("arithmetic", "compared") for types in TYPES.values()]
    return load([KERNELS_C / "device_functions.cu"], device=Device.load("cuda-sm80"), instances=instances)


def rows(program: Program, kernel: str, given: np.ndarray, functions: int, dtype: object, *others: np.ndarray):
    """The columns that the functions of a kernel leave."""
    out = np.zeros((len(given), functions), dtype)
    run = program.launch(kernel, 2, block=N // 2, args=[given, *others, out, len(given)])
    assert run.findings == []
    return out.T


def same(found: np.ndarray, expected: list[np.ndarray]) -> None:
    assert len(found) == len(expected)
    for k, (one, right) in enumerate(zip(found, expected, strict=True)):
        right = np.broadcast_to(right, one.shape)
        wrong = ~((one == right) | (one != one) & (right != right))
        assert not wrong.any(), f"function {k}: {one[wrong][0]!r} instead of {right[wrong][0]!r} at {np.argmax(wrong)}"


def sixteen(dtype: object) -> np.ndarray:
    """Numbers of 16 bits, with the special ones, and sums that are a trace more than half way between two of them."""
    x = (np.random.default_rng(1).standard_normal((N, 3)) * 4).astype(dtype)
    x[0], x[1], x[2], x[3] = (np.nan, 1, 2), (2, np.nan, np.inf), (-np.inf, 3, 1), (0, -0.0, 1)
    # The product has 1 behind the last bit of the type, and nothing after it.
    a, b, trace = (1 + 2**-6, 1 + 2**-5, 2**-24) if dtype is np.float16 else (1 + 2**-4, 1 + 2**-4, 2**-100)
    x[4], x[5] = (a, b, trace), (a, -b, -trace)
    return x


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c, rounded once: to nearest, by trying the neighbours of an estimate."""
    estimate = (a.astype(float) * b.astype(float) + c.astype(float)).astype(a.dtype)
    for i in np.flatnonzero(np.isfinite(estimate.astype(float))):
        exact = Fraction(float(a[i])) * Fraction(float(b[i])) + Fraction(float(c[i]))
        bits = int(estimate[i : i + 1].view(np.uint16)[0])
        near = np.array([bits, bits + 1, max(bits - 1, bits & 0x8000)], np.uint16).view(a.dtype)
        far = [abs(Fraction(float(x)) - exact) for x in near]
        even = [k for k in range(3) if far[k] == min(far)]
        estimate[i] = near[min(even, key=lambda k: int(near[k : k + 1].view(np.uint16)[0]) & 1)]
    return estimate


@pytest.mark.parametrize("dtype", TYPES)
def test_arithmetic_of_16_bits(program: Program, dtype: type) -> None:
    x = sixteen(dtype)
    a, b, c = x.T
    with np.errstate(all="ignore"):

        def clipped(v: np.ndarray) -> np.ndarray:
            return np.where(v != v, 0, np.clip(v.astype(float), 0, 1))

        fma, scaled = fused(a, b, c), (-(b + c)).astype(dtype)
        real, imaginary = fused(a, b, a), fused(a, c, b)
        same(
            rows(program, f"arithmetic<{TYPES[dtype]}>", x, 19, dtype),
            [
                a + b, clipped(a - b), a * b, a / b, fma, clipped(fma), np.where(fma <= 0, dtype(0), fma),
                np.fmax(a, b), np.minimum(a, b), fused(b, c, b), fused(-b, c, real), fused(b, b, imaginary),
                a + b, scaled * c, np.sqrt(a.astype("f")).astype(dtype), np.floor(b), (1 / a.astype("f")).astype(dtype),
                np.tanh(a.astype("f")).astype(dtype) > 0.5, (a == a) & (c == c),
            ],
        )  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_comparisons_of_16_bits(program: Program, dtype: type) -> None:
    x = sixteen(dtype)
    a, b, c = x.T
    a, b, c = (v.astype("f") for v in (a, b, c))
    apart, other = (a != a) | (b != b), (b != b) | (c != c)
    masks = np.where(a <= b, 0xFFFF, 0) | np.where(b <= c, 0xFFFF0000, 0)
    infinite = np.where(np.isinf(a.astype(float)), np.where(a > 0, 1, 2**32 - 1), 0)
    same(
        rows(program, f"compared<{TYPES[dtype]}>", x, 9, np.uint32),
        [
            a < b, (a < b) | apart, (a != b) & ~apart, a != b, (a >= b) & (b >= c),
            ((a >= b) | apart) & ((b >= c) | other), masks, a == b, infinite,
        ],
    )  # fmt: skip


def directed(x: float, dtype: object, mode: str) -> float:
    """The number of a type next to x: towards zero (z), down (d) or up (u)."""
    up = mode == "u" or (mode == "z" and x < 0)
    with np.errstate(all="ignore"):
        near = np.array([x]).astype("f").astype(dtype)
        if float(near[0]) == x or (float(near[0]) > x) == up:
            return float(near[0])
        return float(np.nextafter(near, np.array([np.inf if up else -np.inf], dtype))[0])


def test_numbers_made_narrow(program: Program) -> None:
    x = np.random.default_rng(2).standard_normal(N) * 10.0 ** np.random.default_rng(3).integers(-9, 6, N)
    x[:5] = 65519.9, -7e4, 1e-9, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40
    halves = np.zeros((N, 4), np.float16)
    brains = rows(program, "narrowed", x, 4, bfloat16, halves)
    single = x.astype("f").astype(float)
    for found, dtype in ((halves.T, np.float16), (brains, bfloat16)):
        for mode, column in zip("zdu", found, strict=False):
            assert [float(v) for v in column] == [directed(v, dtype, mode) for v in single]
    with np.errstate(over="ignore"):
        assert halves[:, 3].tolist() == x.astype(np.float16).tolist()
    assert float(brains[3][4]) == 1 + 2.0**-7  # as a float first, it would be half way, and 1


def test_pairs(program: Program) -> None:
    x = np.random.default_rng(4).standard_normal((N, 2)).astype("f")
    h, b = x.astype(np.float16).T, x.astype(bfloat16).T
    expected = [h[1], b[1], b[0], h[1], b[1], h[1], 1.0, 65504, b[0], np.float16(1 / 3)]
    same(rows(program, "paired", x, 10, np.float32), [np.asarray(e, "f") for e in expected])


def test_floats_to_integers_saturate(program: Program) -> None:
    """A NaN is 0, or the number with its first bit alone: of doubles, and in 64 bits."""
    x = np.array([0.5, 1.5, -2.5, 300, -7.25, 3e9, -3e9, 1e19, 2e19, np.inf, -np.inf, np.nan] + [0] * (N - 12), "f")

    def to(bits: int, signed: bool, rounding: Callable, nan: int, values: np.ndarray = x) -> np.ndarray:
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        exact = [nan if v != v else most if v > most else least if v < least else int(rounding(v)) for v in values]
        return np.array([(v + 2**63) % 2**64 - 2**63 for v in exact])

    with np.errstate(over="ignore"):
        h, b = x.astype(np.float16).astype("f"), x.astype(bfloat16).astype("f")
    low = -(2**63)
    same(
        rows(program, "to_integers", x, 12, np.int64),
        [
            to(32, True, np.rint, 0), to(32, False, np.ceil, 0), to(64, True, np.floor, low),
            to(64, False, np.trunc, low), to(32, True, np.trunc, -(2**31)), to(32, False, np.rint, 2**31),
            to(64, True, np.ceil, low), to(32, True, np.rint, 0, h), to(16, True, np.floor, 0, h),
            to(8, False, np.trunc, 0, h), to(32, True, np.ceil, 0, b), to(64, True, np.trunc, low, b),
        ],
    )  # fmt: skip


def test_integers_to_floats(program: Program) -> None:
    x = np.random.default_rng(5).integers(-(2**62), 2**62, N) >> np.random.default_rng(6).integers(0, 50, N)
    x[:3] = 2**62 + 2**54 + 1, 65535, -1  # the first one is more than half way between two numbers of bfloat16

    def next_to(value: int, dtype: type, mode: str) -> float:
        near = dtype(value)
        up = mode == "u" or (mode == "z" and value < 0)
        if int(near) == value or (int(near) > value) == up:
            return float(near)
        return float(np.nextafter(near, dtype(np.inf if up else -np.inf)))

    low = x.astype(np.int32)
    with np.errstate(over="ignore"):
        narrow = [float(np.clip(directed(float(v), np.float16, "z"), -65504, 65504)) for v in low]
    modes = [[next_to(int(v), np.float32, mode) for v in x] for mode in "zdu"]
    found = rows(program, "of_integers", x, 10, np.float64)
    same(
        found[[0, 1, 2, 3, 4, 5, 6, 7, 9]],
        [
            x.astype("f"), *(np.array(m) for m in modes), np.array([next_to(int(v), np.float64, "u") for v in x]),
            np.array([next_to(int(v) % 2**64, np.float64, "z") for v in x]),
            np.array([next_to(int(v), np.float32, "u") for v in low]), np.array(narrow), 1.0 / x,
        ],
    )  # fmt: skip
    assert found[8][0] == 2.0**62 + 2.0**55


def test_arithmetic_with_a_stated_rounding(program: Program) -> None:
    x = np.random.default_rng(8).standard_normal((N, 3)).astype("f")
    expected = []
    for a, b, c in x.tolist():
        p, q, r = Fraction(a), Fraction(b), Fraction(c)
        expected.append(
            [
                towards(p + q, "z"), towards(p - q, "d"), towards(p * q, "u"), towards(p / q, "z"), towards(1 / p, "d"),
                None, towards(p * q + r, "d"), towards(p + q, "n"), None, None, towards(p * q, "z"),
                towards(p + q, "n"),
            ]
        )  # fmt: skip
    found = rows(program, "directed", x, 12, np.float32).T
    for row, right, (a, b, c) in zip(found.tolist(), expected, x.tolist(), strict=True):
        assert [v for v, w in zip(row, right, strict=True) if w is not None] == [w for w in right if w is not None]
        root, p = row[5], abs(Fraction(a))
        assert Fraction(root) ** 2 >= p > Fraction(float(np.nextafter(np.float32(root), np.float32(0)))) ** 2
        assert row[8] == pytest.approx(a + b)
        assert row[9] == pytest.approx(a * b + c, rel=1e-6, abs=1e-7)


def towards(exact: Fraction, mode: str) -> float:
    """A fraction as a float."""
    near = np.float32(float(exact))
    up = mode == "u" or (mode == "z" and exact < 0)
    if mode == "n" or Fraction(float(near)) == exact or (Fraction(float(near)) > exact) == up:
        return float(near)
    return float(np.nextafter(near, np.float32(np.inf if up else -np.inf)))


def test_words(program: Program) -> None:
    def bytes_of(x: int) -> list[int]:
        return [x >> 8 * i & 0xFF for i in range(4)]

    def signed(x: int, bits: int) -> int:
        return (x & (1 << bits) - 1) - ((x >> bits - 1 & 1) << bits)

    expected = []
    for a, b, c in WORDS.tolist():
        both, wide, other = b << 32 | a, a << 32 | b, b << 32 | c
        sa, sb, sources = signed(a, 32), signed(b, 32), bytes_of(a) + bytes_of(b)
        chosen = sum(sources[c >> 4 * i & 7] << 8 * i for i in range(4))
        dots = [sum(signed(p, 8) * signed(q, 8) for p, q in zip(bytes_of(a), bytes_of(b), strict=True)),
                sum(p * q for p, q in zip(bytes_of(a), bytes_of(b), strict=True)),
                signed(a, 16) * signed(b, 8) + signed(a >> 16, 16) * signed(b >> 8, 8),
                (a & 0xFFFF) * (b >> 16 & 0xFF) + (a >> 16) * (b >> 24)]  # fmt: skip
        places = [i for i in range(32) if a >> i & 1]
        expected.append([
            chosen, both << (c & 31) >> 32, both << min(c & 63, 32) >> 32, both >> (c & 31), both >> min(c & 63, 32),
            int(f"{wide:064b}"[::-1], 2) >> 32, wide * other >> 96, signed(wide, 64) * signed(other, 64) >> 96,
            (a & 0xFFFFFF) * (b & 0xFFFFFF), abs(sa - sb) + c, abs(a - b) + c, (sa + sb) >> 1, (sa + sb + 1) >> 1,
            (a + b) >> 1, (a + b + 1) >> 1, *(dot + c for dot in dots), min(a, b), places[2], 255 + 9 + c,
        ])  # fmt: skip
    found = rows(program, "words", WORDS, 22, np.uint32)
    same(found, list(np.array([[v % 2**32 for v in row] for row in expected]).T))


def test_numbers_packed_in_a_word(program: Program) -> None:
    def each(dtype: type, function: Callable) -> np.ndarray:
        a, b = (np.ascontiguousarray(WORDS[:, k]).view(dtype).astype(int) for k in range(2))
        return function(a, b).astype(np.dtype(f"u{np.dtype(dtype).itemsize}")).view(np.uint32)

    def within(dtype: type, x: np.ndarray) -> np.ndarray:
        return np.clip(x, np.iinfo(dtype).min, np.iinfo(dtype).max)

    b1, u1, b2, u2 = np.int8, np.uint8, np.int16, np.uint16
    same(
        rows(program, "packed", WORDS, 22, np.uint32),
        [
            each(u1, lambda a, b: a + b), each(u2, lambda a, b: a - b), each(b1, lambda a, b: within(b1, a + b)),
            each(u2, lambda a, b: within(u2, a - b)), each(u1, lambda a, b: abs(a - b)),
            each(b2, lambda a, b: abs(a - b)), each(u1, lambda a, b: (a + b + 1) // 2),
            each(u2, lambda a, b: (a + b) // 2), each(b1, np.maximum), each(u2, np.minimum), each(b1, lambda a, b: -a),
            each(b2, lambda a, b: abs(a)),
            each(b1, lambda a, b: within(b1, -a)), each(b2, lambda a, b: within(b2, abs(a))),
            each(u1, lambda a, b: np.where((a == b) | (np.arange(a.size) % 4 == 2), -1, 0)),
            each(b2, lambda a, b: -(a < b).astype(int)), each(u1, lambda a, b: -(a > b).astype(int)),
            each(b1, lambda a, b: a >= b), each(u2, lambda a, b: a <= b),
            each(u1, lambda a, b: abs(a - b)).view(u1).reshape(-1, 4).sum(1),
            each(b2, lambda a, b: abs(a - b)).view(u2).reshape(-1, 2).sum(1, dtype=np.uint32),
            each(b1, lambda a, b: (a + b + (a + b >= 0)) >> 1),
        ],
    )  # fmt: skip
