"""What says where tokens are: sines and cosines of their places, and biases of their distances."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from .. import SHAPE_ENTRIES
from .problem import Formula, Input, Problem, function, of_few, spelled, vague

#: The longest wave where none is passed.
_BASE = 10000.0


def _bases(problem: Problem) -> list[float]:
    passed = (*problem.factors, *map(float, problem.named("period", "base", "theta")))
    return [*dict.fromkeys((*(one for one in passed if one > 1), _BASE))]


def _waves(problem: Problem, places: np.ndarray, depth: int) -> Iterator[tuple[str, np.ndarray]]:
    """[places, depth]: sines and cosines in pairs or in halves; 0 behind an even number of them."""
    half = depth // 2
    if not half:
        return
    for base, (how, by) in product(
        _bases(problem), (("", depth / 2), (" of half - 1", half - 1), (" of a half", half))
    ):
        if not by:
            continue
        angles = places[:, None] * base ** (-np.arange(-(-depth // 2)) / by)
        sin, cos = np.sin(angles), np.cos(angles)
        for first, second, order in ((sin, cos, "sines first"), (cos, sin, "cosines first")):
            pairs, halves = np.zeros((len(places), depth)), np.zeros((len(places), depth))
            pairs[:, ::2], pairs[:, 1::2] = first, second[:, :half]
            halves[:, :half], halves[:, half : 2 * half] = first[:, :half], second[:, :half]
            yield f"base {base:g}{how}, pairs, {order}", pairs
            yield f"base {base:g}{how}, halves, {order}", halves


def _depths(problem: Problem) -> list[int]:
    named = (*problem.shape[-1:], *problem.whole)
    return [n for n in dict.fromkeys(named) if n > 1 and problem.size % n == 0]


def _places(problem: Problem, count: int) -> Iterator[tuple[str, np.ndarray]]:
    """The numbers of rows, from 0 or another one on, in each sequence of so many; or those of an array."""
    for length in (n for n in dict.fromkeys((count, *problem.whole)) if min(2, count) <= n <= count and count % n == 0):
        for first in dict.fromkeys((0, *problem.named("offset", "start", "past", "step"), 1)):
            if abs(first) < 1 << 31:
                text = f"{length} places from {first} on"
                yield text, np.tile(np.arange(first, first + length, dtype=np.float64), count // length)
    for at in problem.named("step", "pos", "offset"):
        for place in (at, at - 1) if 0 < at < 1 << 31 else ():
            yield f"place {place}", np.full(count, float(place))
    for one in problem.inputs:
        if one.size == count and one.size != problem.size:
            yield one.name, one.flat
            yield from ((f"{factor:g} * {one.name}", factor * one.flat) for factor in problem.factors)


@vague("positional encoding", unless=of_few(2))
def _encoded(problem: Problem) -> Iterator[Formula]:
    """Waves of places alone, or added to an array as it is, times a factor or times the root of the depth."""
    for depth in _depths(problem):
        for where, places in _places(problem, problem.size // depth):
            for how, waves in _waves(problem, places, depth):
                yield Formula(f"waves of {where}, {how}", waves.reshape(-1))
                for x in problem.like:
                    for factor in dict.fromkeys((1.0, *problem.factors, math.sqrt(depth))):
                        text = f"{factor:g} * {x.name} + waves of {where}, {how}"
                        yield Formula(text, factor * x.flat + waves.reshape(-1))
    yield from _learned(problem)


spelled(
    "positional encoding",
    """position encoding, add positional encoding, sinusoidal positional encoding, sinusoidal position encoding,
    sinusoidal encoding, sinusoidal embedding, sinusoidal position embedding, sinusoidal positional embedding, add
    position encoding, timestep embedding, time step embedding, time embedding, sinusoid encoding, pos encoding,
    positional embedding sinusoidal, generate positional encoding, sinusoidal timestep embedding, pos enc, add pos
    encoding, apply positional encoding, sin cos position embedding""",
)


@vague("add position embedding")
def _learned(problem: Problem) -> Iterator[Formula]:
    """Rows of one table for tokens plus rows of another one for their places; or an array plus these."""
    for depth in _depths(problem):
        count = problem.size // depth
        for table in (one for one in problem.floats if one.size % depth == 0):
            rows = table.flat.reshape(-1, depth)
            for where, places in _places(problem, count):
                if places.min() < 0 or places.max() >= len(rows) or (places % 1).any():
                    continue
                taken, said = rows[places.astype(np.int64)], f"{table.name} at {where}"
                for x in (one for one in problem.like if one is not table):
                    yield Formula(f"{x.name} + {said}", x.flat + taken.reshape(-1))
                for name, made in _embedded(problem, table, count, depth):
                    yield Formula(f"{name} + {said}", (made + taken).reshape(-1))


def _embedded(problem: Problem, places: Input, count: int, depth: int) -> Iterator[tuple[str, np.ndarray]]:
    """Rows of tables at tokens, times a factor or not."""
    for tokens, table in product(problem.integers, problem.floats):
        index = tokens.index
        if table is places or table.size % depth or len(index) != count or not 0 <= index.min() <= index.max():
            continue
        if index.max() < table.size // depth:
            for factor in dict.fromkeys((1.0, *problem.factors, math.sqrt(depth))):
                made = factor * table.flat.reshape(-1, depth)[index]
                yield f"{factor:g} * {table.name} at {tokens.name}", made


spelled(
    "add position embedding",
    """add positional embedding, add pos embedding, add pos embed, add posembed, position embedding, positional
    embedding, pos embedding, add position embeddings, embedding with position, embedding position, embed tokens and
    positions, token position embedding, embedding lookup pos encoding, embeddings with positions, wte wpe,
    embedding pos""",
)


def _slopes_of(heads: int, most: float = 8.0) -> np.ndarray:
    """2^(-8 / n), its square and so on, of a power of two n; of other numbers as ALiBi has it."""
    count = 1 << (heads.bit_length() - 1)
    first = 2.0 ** (-most / count * np.arange(1, count + 1))
    return np.append(first, 2.0 ** (-most / 2 / count * np.arange(1, 2 * (heads - count), 2)))


def _all_slopes(problem: Problem, heads: int) -> Iterator[tuple[str, np.ndarray]]:
    for one in problem.floats:
        if one.size == heads:
            yield one.name, one.flat
    for most in dict.fromkeys((8.0, *(f for f in problem.factors if f > 0))):
        yield f"slopes of {most:g}", _slopes_of(heads, most)
        yield f"slopes of {most:g} in one row", 2.0 ** (-most / heads * np.arange(1, heads + 1))


@function("alibi slopes")
def _slopes(problem: Problem) -> Iterator[Formula]:
    for text, slopes in _all_slopes(problem, problem.size):
        yield Formula(text, slopes)


@vague("alibi", unless=of_few(2))
def _alibi(problem: Problem) -> Iterator[Formula]:
    """Slopes of heads times distances of tokens, [batch, heads, queries, keys]; alone, or added to scores."""
    sizes = dict.fromkeys((*problem.shape[-3:], *problem.whole))
    lengths = [n for n in sizes if 0 < n <= problem.size and problem.size % n == 0]
    yield from _held_biases(problem)
    for heads, queries, keys in product(lengths, (*lengths, 1), lengths):
        if problem.size % (heads * queries * keys):
            continue
        batch = problem.size // (heads * queries * keys)
        i, j = np.arange(queries)[:, None], np.arange(keys)
        distances = {
            "j": j + 0 * i, "j - i": j - i, "-|j - i|": -np.abs(j - i),
            "j - i from the end on": j - i - (keys - queries),
            "j - keys + 1": j - (keys - 1) + 0 * i, "min(j - i, 0)": np.minimum(j - i, 0),
        }  # fmt: skip
        for (name, slopes), (text, off) in product(_all_slopes(problem, heads), distances.items()):
            bias = np.broadcast_to(slopes[:, None, None] * off, (batch, heads, queries, keys)).reshape(-1)
            yield Formula(f"{name} * ({text}), {heads} heads", bias)
            for x, factor in product(problem.like, (1.0, *problem.factors)):
                yield Formula(f"{factor:g} * {x.name} + {name} * ({text}), {heads} heads", factor * x.flat + bias)


def _held_biases(problem: Problem) -> Iterator[Formula]:
    """Scores plus biases [heads, keys] that are passed, from a key on."""
    for x, table in product(problem.like, problem.floats):
        for heads, queries, keys in product(problem.counts, repeat=3) if table is not x else ():
            if table.size % heads or x.size % (heads * queries * keys) or not keys <= table.size // heads:
                continue
            rows = table.flat.reshape(heads, 1, -1)
            for first in dict.fromkeys((0, *problem.named("offset", "start"), rows.shape[2] - keys)):
                if 0 <= first <= rows.shape[2] - keys:
                    made = x.flat.reshape(-1, heads, queries, keys) + rows[..., first : first + keys]
                    yield Formula(f"{x.name} + {table.name} of {heads} heads from {first} on", made.reshape(-1))


spelled(
    "alibi slopes", "generate alibi slopes, compute alibi slopes, build alibi slopes, get alibi slopes, alibi slope"
)
spelled(
    "alibi", "alibi add, add alibi, alibi bias, build alibi, apply alibi, alibi mask, compute alibi, add alibi bias"
)


def _bucket(off: np.ndarray, buckets: int, farthest: int, both_ways: bool) -> np.ndarray:
    """The bucket of each distance (key less query), as T5 has it."""
    found = np.zeros(off.shape, np.int64)
    if both_ways:
        buckets //= 2
        found += buckets * (off > 0)
        off = np.abs(off)
    else:
        off = np.maximum(-off, 0)
    exact = buckets // 2
    far = exact + np.log(np.maximum(off, 1) / exact) / np.log(farthest / exact) * (buckets - exact)
    return found + np.where(off < exact, off, np.minimum(far, buckets - 1).astype(np.int64))


@vague("relative position bias", unless=of_few(2))
def _relative(problem: Problem) -> Iterator[Formula]:
    """[heads, queries, keys] of a table [places, heads] at an index, or of a table at the bucket of each distance."""
    for table in problem.floats:
        for at in problem.integers:
            index, heads = at.index, problem.size // at.size
            if at.size <= SHAPE_ENTRIES or not heads or table.size % heads or index.min() < 0:
                continue
            for how, rows in (("", table.flat.reshape(-1, heads)), (".T", table.flat.reshape(heads, -1).T)):
                if index.max() < len(rows) and at.size * heads == problem.size:
                    yield Formula(f"{table.name}{how} at {at.name}, by heads", rows[index].T.reshape(-1))
                    yield Formula(f"{table.name}{how} at {at.name}", rows[index].reshape(-1))
        whole = [n for n in problem.whole if 1 < n <= problem.size]
        for buckets, heads in product(whole, whole):
            length = math.isqrt(problem.size // heads)
            if buckets * heads != table.size or length * length * heads != problem.size or buckets < 4:
                continue
            off = np.arange(length) - np.arange(length)[:, None]
            for farthest, both in product((n for n in (*whole, 128) if n > buckets // 2), problem.says("bidirection")):
                for how, away in (("", off), *([] if both else [("|", -np.abs(off))])):
                    places = _bucket(away, buckets, farthest, both)
                    for turned, rows in (("", table.flat.reshape(heads, -1)), (".T", table.flat.reshape(-1, heads).T)):
                        text = f"{table.name}{turned} at {buckets} buckets of {how}distances{how} to {farthest}"
                        yield Formula(text, rows[:, places].reshape(-1))


spelled(
    "relative position bias",
    """relative pos bias, gen relative pos bias, generate relative position bias, build relative attention bias,
    relative attention bias, relative bias, build relative position bias, compute relative position bias, rel pos
    bias, t5 relative position bias, compute relative attention bias, t5 relative attention bias""",
)
