"""Blocks of few bits with scales of their own, as ggml lays them out, and numbers that are places in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np

from .problem import Formula, Function, Input, Problem, function, spelled, vague

_Bytes = np.ndarray  # [blocks, bytes of one]

#: Numbers that NF4 and FP4 have for four bits.
_NF4 = np.array([
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
    -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
])  # fmt: skip
_FP4 = np.array([0.0, 0.0625 / 12, 8 / 12, 1.0, 4 / 12, 6 / 12, 2 / 12, 3 / 12])
_TABLES: Mapping[str, np.ndarray] = {"nf4": _NF4, "fp4": np.concatenate([_FP4, -_FP4])}


def _half(blocks: _Bytes, at: int) -> np.ndarray:
    """A number of half precision in each block."""
    found: np.ndarray = blocks[:, at : at + 2].copy().view(np.float16).astype(np.float64)
    return found


def _nibbles(packed: _Bytes) -> np.ndarray:
    """The lower halves of all bytes, and the upper ones behind them."""
    return np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float64)


def _fifth(blocks: _Bytes, at: int) -> np.ndarray:
    """16 for each number whose fifth bit is set, of four bytes."""
    bits = blocks[:, at : at + 4].copy().view(np.uint32)
    found: np.ndarray = 16.0 * (bits >> np.arange(32, dtype=np.uint32) & 1)
    return found


def _signed(part: _Bytes) -> np.ndarray:
    return part.copy().view(np.int8).astype(np.float64)


def _sixes(packed: _Bytes) -> tuple[np.ndarray, np.ndarray]:
    """Eight scales and eight minima of six bits each, of twelve bytes."""
    low, middle, high = (packed[:, at : at + 4].astype(np.int64) for at in (0, 4, 8))
    scales = np.concatenate([low & 63, high & 15 | (low >> 6) << 4], axis=1)
    return scales, np.concatenate([middle & 63, high >> 4 | (middle >> 6) << 4], axis=1)


def _of_eight(b: _Bytes, numbers: np.ndarray) -> np.ndarray:
    """256 numbers by scales and minima of each 32 of them."""
    scales, least = _sixes(b[:, 4:16])
    by, less = (_half(b, at) * one for at, one in ((0, scales), (2, least)))
    found: np.ndarray = (by[..., None] * numbers - less[..., None]).reshape(len(b), 256)
    return found


def _pairs(packed: _Bytes) -> np.ndarray:
    """32 lower halves and 32 upper ones of each 32 bytes, [blocks, 8, 32]."""
    whole = packed.reshape(len(packed), -1, 1, 32).astype(np.float64)
    found: np.ndarray = np.concatenate([whole % 16, whole // 16], axis=2).reshape(len(packed), -1, 32)
    return found


def _q5_k(b: _Bytes) -> np.ndarray:
    fifth = b[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[:, None] & 1
    return _of_eight(b, _pairs(b[:, 48:]) + 16.0 * fifth)


def _q6_k(b: _Bytes) -> np.ndarray:
    low, high, scales = b[:, :128].reshape(-1, 2, 2, 32), b[:, 128:192].reshape(-1, 2, 1, 32), _signed(b[:, 192:208])
    fours = np.concatenate([low & 15, low >> 4], axis=2)
    more = high >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3
    numbers = fours + 16.0 * more - 32
    by = np.repeat(scales, 16, axis=1)
    found: np.ndarray = _half(b, 208) * by * numbers.reshape(len(b), 256)
    return found


def _q2_k(b: _Bytes) -> np.ndarray:
    scales, packed = b[:, :16], b[:, 16:80].reshape(-1, 2, 1, 32)
    numbers = (packed >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3).reshape(len(b), 256)
    by, less = (np.repeat(one.astype(np.float64), 16, axis=1) for one in (scales & 15, scales >> 4))
    return _half(b, 80) * by * numbers - _half(b, 82) * less


#: How many bytes a block has, how many numbers, and what they are.
_FORMATS: Mapping[str, tuple[int, int, Callable[[_Bytes], np.ndarray]]] = {
    "q4 0": (18, 32, lambda b: _half(b, 0) * (_nibbles(b[:, 2:]) - 8)),
    "q4 1": (20, 32, lambda b: _half(b, 0) * _nibbles(b[:, 4:]) + _half(b, 2)),
    "q5 0": (22, 32, lambda b: _half(b, 0) * (_nibbles(b[:, 6:]) + _fifth(b, 2) - 16)),
    "q5 1": (24, 32, lambda b: _half(b, 0) * (_nibbles(b[:, 8:]) + _fifth(b, 4)) + _half(b, 2)),
    "q8 0": (34, 32, lambda b: _half(b, 0) * _signed(b[:, 2:])),
    "q8 1": (36, 32, lambda b: _half(b, 0) * _signed(b[:, 4:])),
    "q2 k": (84, 256, _q2_k), "q4 k": (144, 256, lambda b: _of_eight(b, _pairs(b[:, 16:]))),
    "q5 k": (176, 256, _q5_k), "q6 k": (210, 256, _q6_k),
}  # fmt: skip


def _blocks(problem: Problem, bytes_of_one: int) -> Iterator[tuple[str, _Bytes]]:
    for one in problem.inputs:
        if one.values.dtype.itemsize == 1 and one.size % bytes_of_one == 0:
            yield one.name, one.values.reshape(-1).view(np.uint8).reshape(-1, bytes_of_one)


def _dequantized(name: str) -> Function:
    bytes_of_one, count, form = _FORMATS[name]

    def formulas(problem: Problem) -> Iterator[Formula]:
        for text, blocks in _blocks(problem, bytes_of_one):
            if len(blocks) * count == problem.size:
                yield Formula(f"{name.replace(' ', '_')}({text})", form(blocks).reshape(-1))

    return formulas


def _times_vector(name: str) -> Function:
    """Rows of blocks times a vector."""
    bytes_of_one, count, form = _FORMATS[name]

    def formulas(problem: Problem) -> Iterator[Formula]:
        for (text, blocks), x in product(_blocks(problem, bytes_of_one), problem.floats):
            if len(blocks) * count == problem.size * x.size:
                made = form(blocks).reshape(problem.size, x.size) @ x.flat
                yield Formula(f"{name.replace(' ', '_')}({text}) @ {x.name}", made)

    return formulas


for _name in _FORMATS:
    function(f"dequantize {_name}")(_dequantized(_name))
    spelled(f"dequantize {_name}", f"dequantize block {_name}, dequantize row {_name}, dequantize {_name} block")
    function(f"dequantize gemv {_name}")(_times_vector(_name))
    spelled(f"dequantize gemv {_name}", f"dequantize mul mat vec {_name}, mul mat vec {_name}, gemv {_name}")


def _sizes(problem: Problem, count: int, scales: int) -> Iterator[int]:
    """How many numbers have one scale: as passed, or as many scales say; the last of them may have fewer."""
    passed = (min(n, count) for n in (*problem.whole, -(-count // scales)) if n > 0)
    yield from (n for n in dict.fromkeys(passed) if n and -(-count // n) == scales)


def _looked_up(tables: Callable[[Problem], Iterator[tuple[str, np.ndarray]]]) -> Function:
    """Places in a table, of eight bits or of four, each times the scale of its block."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for places, (name, table) in product(problem.integers, tables(problem)):
            if places.values.dtype.itemsize != 1:
                continue
            at = places.values.reshape(-1).view(np.uint8)
            halves = np.stack([at >> 4, at & 15], axis=1).reshape(-1)
            for how, index in (
                ("", at),
                (", upper half first", halves),
                (", lower half first", halves.reshape(-1, 2)[:, ::-1].reshape(-1)),
            ):
                if index.size < problem.size or index.size > problem.size + 1 or index.max() >= len(table):
                    continue
                index = index[: problem.size]
                yield Formula(f"{name} at {places.name}{how}", table[index])
                for scale in (one for one in problem.floats if 0 < one.size < problem.size):
                    for n in _sizes(problem, problem.size, scale.size):
                        by = np.repeat(scale.flat, n)[: problem.size]
                        yield Formula(f"{scale.name} * {name} at {places.name}{how}, blocks of {n}", by * table[index])

    return formulas


def _passed_tables(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    yield from ((one.name, one.flat) for one in problem.floats if one.size in (16, 256))
    yield from _TABLES.items()


function("dequantize blockwise")(_looked_up(_passed_tables))
function("dequantize nf4")(_looked_up(lambda problem: iter([("nf4", _NF4), *_passed_tables(problem)][:2])))
function("dequantize fp4")(_looked_up(lambda problem: iter([("fp4", _TABLES["fp4"])])))
spelled(
    "dequantize blockwise", "blockwise dequantize, block wise dequantize, dequantize block wise, dequantize codebook"
)
spelled("dequantize nf4", "nf4 dequantize, dequant nf 4, d dequantize nf4, dequantize nf4 blockwise")
spelled("dequantize fp4", "fp4 dequantize, dequant fp 4, dequantize fp4 blockwise")


@function("quantize blockwise")
def _nearest(problem: Problem) -> Iterator[Formula]:
    """The place of the nearest number of a table to each number of a block by its largest; or these."""
    for x in problem.floats:
        sizes = [n for n in dict.fromkeys(problem.whole) if 1 < n <= x.size]
        for n in sizes:
            whole = np.pad(x.flat, (0, -x.size % n)).reshape(-1, n)
            most = np.abs(whole).max(axis=1)
            if len(most) == problem.size:
                yield Formula(f"largest magnitudes of {n} of {x.name}", most)
            shares = (whole / np.where(most > 0, most, 1)[:, None]).reshape(-1)[: x.size]
            for name, table in (("", np.zeros(0)), *_passed_tables(problem)):
                if len(table) and x.size == problem.size:
                    order = np.argsort(table, kind="stable")
                    middles = (table[order][1:] + table[order][:-1]) / 2
                    for side in ("left", "right"):
                        at = order[np.searchsorted(middles, shares, side)]
                        yield Formula(f"nearest of {name} to {n} of {x.name} by their largest", at)


spelled("quantize blockwise", "blockwise quantize, block wise quantize, quantize block wise")


def _ranges(problem: Problem) -> list[tuple[float, float]]:
    """The least and the greatest number: as passed, or of so many bits."""
    numbers = problem.named("min", "max", "low", "high", "bound")
    pairs = [(low, high) for low, high in product(numbers, numbers) if low < high]
    bits = [n for n in (*problem.named("bit"), 8, 4) if 1 < n <= 16]
    usual = [
        one
        for n in bits
        for one in ((-(2 ** (n - 1)), 2 ** (n - 1) - 1), (1 - 2 ** (n - 1), 2 ** (n - 1) - 1), (0, 2**n - 1))
    ]
    return [*dict.fromkeys(pairs or usual)]


def _scales(problem: Problem, x: Input) -> Iterator[tuple[str, np.ndarray]]:
    """A scale of all, of each row, of each column or of each channel, or the largest magnitude of what has it."""
    yield from ((f"{f:g}", np.full(1, f)) for f in problem.factors if f > 0)
    for one in problem.floats:
        if one is x or x.size % one.size or (one.flat <= 0).any():
            continue
        if one.size == 1:
            yield one.name, one.flat
        else:
            yield f"{one.name} of each row", np.repeat(one.flat, x.size // one.size)
            yield f"{one.name} of each column", np.tile(one.flat, x.size // one.size)
            for _, rows in problem.along_axes(x):
                if rows.shape[1] == one.size and rows.shape[0] > 1 < rows.shape[2]:
                    yield f"{one.name} of each channel", np.broadcast_to(one.flat[:, None], rows.shape).reshape(-1)
    for text, rows in problem.along_axes(x) if not problem.factors else ():
        most = np.abs(rows).max(axis=1, keepdims=True)
        for top in (127.0, 7.0):
            by = np.broadcast_to(np.where(most > 0, most, 1) / top, rows.shape)
            yield f"the largest of {x.name} / {top:g} {text}", by.reshape(-1)


@vague("fake quantize", unless=lambda problem: len(problem.inputs) < 2 and bool(problem.factors))
def _fake(problem: Problem) -> Iterator[Formula]:
    """(clip(round(x / s) + z) - z) * s; or where nothing is clipped; or by 127 and the largest that is passed."""
    for x in problem.floats if problem.size > 1 else ():
        zeros = [*map(float, problem.named("zero", "zp", "offset")), 0.0]
        zeros_of_all = [np.full(1, z) for z in dict.fromkeys(zeros)]
        zeros_of_all += [one.flat for one in problem.inputs if one is not x and one.size == 1]
        if x.size != problem.size:
            continue
        for (name, s), z, (low, high) in product(_scales(problem, x), zeros_of_all, _ranges(problem)):
            for by, said in ((s, name), (s / high if high else s, f"{name} / {high:g}")):
                for how, near in (("", np.rint), (", half away", lambda v: np.sign(v) * np.floor(np.abs(v) + 0.5))):
                    text = f"{x.name} by {said}, zero {z[0]:g}, in {low:g}..{high:g}{how}"
                    for whole in (near(x.flat / by) + z, near(x.flat / by + z)):
                        yield Formula(text, (np.clip(whole, low, high) - z) * by)
                        yield Formula(f"whether {text}", ((whole >= low) & (whole <= high)).astype(np.float64))


spelled(
    "fake quantize",
    """fake quantize per tensor, fake quant, fakequant, fake quantize per channel, fakequantize, quantize dequantize,
    fake quantize dequantize, quant dequant, fake channel wise quantize dequantize, fake quantize forward""",
)
