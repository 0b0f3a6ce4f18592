"""Whole numbers of four bits that lie in larger ones, and the numbers that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from .problem import Formula, Input, Problem, function, spelled

#: Numbers in a word of 32 bits, and the order in which AWQ has them there.
_EACH, _AWQ = 8, (0, 4, 1, 5, 2, 6, 3, 7)


def _unpacked(one: Input, order: Sequence[int]) -> np.ndarray:
    """Eight numbers of each word, [words, 8], the one with the lowest bits first or in another order."""
    words = one.values.reshape(-1).view(np.uint32).astype(np.int64)
    found: np.ndarray = (words[:, None] >> (4 * np.array(order))) & 15
    return found


def _words(problem: Problem) -> list[Input]:
    return [one for one in problem.integers if one.values.dtype.itemsize == 4]


def _in_groups(rows: np.ndarray, count: int, width: int) -> Iterator[tuple[str, np.ndarray]]:
    """Rows of groups [groups, width], one for each of so many rows that follow each other."""
    if rows.size % width == 0 and count % (rows.size // width) == 0:
        groups = rows.size // width
        yield f"{groups} groups", rows.reshape(groups, width).repeat(count // groups, axis=0)


@function("awq dequantize")
def _awq(problem: Problem) -> Iterator[Formula]:
    """(w - zero) * scale of [rows, columns / 8] words, by groups of rows; words lie as AWQ has them."""
    for words, zeros in product(_words(problem), repeat=2):
        if words is zeros or words.size * _EACH != problem.size:
            continue
        for scales, width in product(problem.floats, (n for n in _widths(problem) if n % _EACH == 0)):
            if words.size * _EACH % width or scales.size != zeros.size * _EACH:
                continue
            rows = _unpacked(words, _AWQ).reshape(-1, width)
            for (text, scale), (_, zero) in product(
                _in_groups(scales.flat, len(rows), width),
                _in_groups(_unpacked(zeros, _AWQ).reshape(-1), len(rows), width),
            ):
                made = (rows - zero) * scale
                yield Formula(f"({words.name} - {zeros.name}) * {scales.name}, {text}", made.reshape(-1))


@function("gptq dequantize")
def _gptq(problem: Problem) -> Iterator[Formula]:
    """(w - zero - 1) * scale of [rows / 8, columns] words, or without the 1; by groups of rows, or one of each row."""
    for words, zeros in product(_words(problem), repeat=2):
        if words is zeros or words.size * _EACH != problem.size:
            continue
        for scales, width in product(problem.floats, _widths(problem)):
            if words.size % width or scales.size != zeros.size * _EACH or scales.size % width:
                continue
            in_order = _unpacked(words, range(_EACH)).reshape(-1, width, _EACH)
            rows = in_order.transpose(0, 2, 1).reshape(-1, width)
            scale, zero = scales.flat.reshape(-1, width), _unpacked(zeros, range(_EACH)).reshape(-1, width)
            of_rows = [(f" by {g.name}", g.values.reshape(-1)) for g in _words(problem) if g.size == len(rows)]
            if len(rows) % len(scale) == 0:
                of_rows.append(("", np.arange(len(rows)) // (len(rows) // len(scale))))
            for (text, group), one in product(of_rows, (1, 0)):
                if group.min() >= 0 and group.max() < len(scale):
                    made = (rows - zero[group] - one) * scale[group]
                    yield Formula(f"({words.name} - {zeros.name} - {one}) * {scales.name}{text}", made.reshape(-1))


def _widths(problem: Problem) -> list[int]:
    return [
        n for n in dict.fromkeys((*problem.shape[-1:], *problem.whole, *(n * _EACH for n in problem.whole))) if n > 0
    ]


def _grouped(problem: Problem, scales: Input, width: int, rows: int) -> Iterator[tuple[str, np.ndarray]]:
    """The group of each row: of equally many rows, or as passed."""
    groups = scales.size // width
    if scales.size % width or not groups:
        return
    if rows % groups == 0:
        yield "", np.arange(rows) // (rows // groups)
    for one in (one for one in _words(problem) if one.size == rows):
        if one.index.min() >= 0 and one.index.max() < groups:
            yield f" by {one.name}", one.index


def _weights(problem: Problem, words: Input, width: int, bits: int) -> Iterator[tuple[str, np.ndarray]]:
    """Scaled numbers [rows, width] of words [rows / numbers in a word, width], less zeros that are packed or not."""
    each, most = 32 // bits, (1 << bits) - 1
    parts = words.values.reshape(-1, 1, width).view(np.uint32) >> (bits * np.arange(each, dtype=np.uint32)[:, None])
    rows = (parts & most).reshape(-1, width).astype(np.float64)
    for scales, zeros in product(problem.floats, problem.inputs):
        for text, group in _grouped(problem, scales, width, len(rows)) if zeros is not scales else ():
            scale = scales.flat.reshape(-1, width)[group]
            name = f"{words.name} of {bits} bits by {scales.name}, {zeros.name}{text}"
            if zeros.size == scales.size and zeros in problem.floats:
                yield name, scale * rows - zeros.flat.reshape(-1, width)[group]
            is_packed = zeros.size * each == scales.size and width % each == 0
            if is_packed and zeros in _words(problem) and zeros is not words:
                packed = zeros.values.reshape(-1, 1).view(np.uint32) >> (bits * np.arange(each, dtype=np.uint32))
                zero = (packed & most).reshape(-1, width).astype(np.float64)[group]
                for one in ((zero + 1) % (most + 1), zero + 1, zero):
                    yield name, scale * (rows - one)


@function("packed matmul")
def _times_packed(problem: Problem) -> Iterator[Formula]:
    """x [batch, rows] @ weights of few bits, as GPTQ packs them; added to what is there or not."""
    for words, x, bits in product(_words(problem), problem.floats, (4, 8, 2)):
        for width in dict.fromkeys(_widths(problem)):
            if words.size % width or problem.size % width:
                continue
            for text, weights in _weights(problem, words, width, bits):
                made = x.flat.reshape(-1, len(weights)) @ weights if x.size % len(weights) == 0 else np.zeros(0)
                there = [(f"{one.name} + ", one.flat) for one in problem.like if one is not x]
                for name, held in [("", np.zeros(1)), *there] if made.size == problem.size else []:
                    yield Formula(f"{name}{x.name} @ {text}", held + made.reshape(-1))


spelled(
    "packed matmul",
    """vec quant 4 matmul, vec quant 8 matmul, vec quant 2 matmul, vecquant4matmul, vecquant8matmul, vecquant2matmul,
    vec quant 4 mat mul, vec quant 8 mat mul, vec quant 2 mat mul, gptq matmul, gptq gemv""",
)


@function("unpack int4")
def _int4(problem: Problem) -> Iterator[Formula]:
    """Both numbers of each byte, that of the low bits first or last; with a sign, less 8, or neither."""
    for x in (one for one in problem.inputs if one.values.dtype.itemsize == 1 and 2 * one.size == problem.size):
        byte = x.values.reshape(-1).view(np.uint8).astype(np.int64)
        for how, parts in (("low bits first", (byte & 15, byte >> 4)), ("high bits first", (byte >> 4, byte & 15))):
            both = np.stack(parts, axis=1).reshape(-1)
            for sign, made in (("", both), (", less 8", both - 8), (", with sign", (both ^ 8) - 8)):
                yield Formula(f"{x.name}, {how}{sign}", made)
                for scale in problem.factors:
                    yield Formula(f"{scale:g} * {x.name}, {how}{sign}", scale * made)


spelled(
    "awq dequantize",
    "dequantize awq, awq dequant, dequant awq, dequantize weights, dequantize weights awq, awq dequantize weights",
)
spelled("gptq dequantize", "dequantize gptq, gptq dequant, dequant gptq, gptq dequantize weights")
spelled("unpack int4", "int4 unpack, unpack int 4, dequantize int4, int4 dequantize, unpack 4bit, unpack nibbles")


@function("active rotated filter")
def _rotated(problem: Problem) -> Iterator[Formula]:
    """Weights [out, in, places] for each turn, [out, turns, in, places]; indices [places, turns] begin with 1."""
    for weights, turns in product(problem.floats, problem.integers):
        count = problem.size // weights.size
        if count < 1 or count * weights.size != problem.size or turns.size % count:
            continue
        places, at = turns.size // count, turns.values.reshape(-1, count).astype(np.int64) - 1
        if weights.size % places or at.min() < 0 or at.max() >= places:
            continue
        for planes in (n for n in dict.fromkeys((*weights.axes[1:2], *problem.whole)) if n > 0):
            if weights.size % (places * planes) == 0:
                rows = weights.flat.reshape(-1, planes, places)
                made = np.zeros((len(rows), count, planes, places))
                for turn in range(count):
                    made[:, turn, :, at[:, turn]] = rows.transpose(2, 0, 1)
                yield Formula(f"{weights.name} turned by {turns.name}, {planes} planes", made.reshape(-1))
