"""Products of matrices, and attention."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from ....isa.orders import ORDERS, WRAM_SLICES
from .along import softmax
from .problem import POINTS, Formula, Input, Problem, function

#: Multiplications of one product of matrices, and of one attention, at most.
_MOST, _MOST_ATTENDED = 1 << 31, 1 << 24
#: Elements of a head, which may be a constant of the kernel.
_DEPTHS = 32, 64, 128
#: Those whose sizes say what the axes are.
OF_MATRICES = frozenset({"matmul", "gemv", "dot", "outer"})


@function("matmul", "gemv", "linear", "matmul backward", "linear backward")
def _matmul(problem: Problem) -> Iterator[Formula]:
    """Of matrices or vectors, of several at a time, scaled, with a third array added, with a bias."""
    sources = [one for one in problem.inputs if one.size > 1]
    for a, b in combinations(sources, 2):
        for batch in dict.fromkeys((1, *a.axes[:1], *problem.whole)):
            if batch < 1 or any(size % batch for size in (a.size, b.size, problem.size)):
                continue
            inner = math.isqrt(a.size * b.size // (problem.size * batch))
            if not inner or inner * inner * problem.size * batch != a.size * b.size or a.size * b.size // inner > _MOST:
                continue
            m, n = a.size // batch // inner, b.size // batch // inner
            if m * inner * batch == a.size and n * inner * batch == b.size:
                others = [one for one in sources if one not in (a, b)]
                yield from _scaled(problem, a, b, (batch, m, inner, n), others)
                if batch == 1 and n % WRAM_SLICES == 0 and n > WRAM_SLICES:
                    lying = b.flat.reshape(WRAM_SLICES, -1, inner)
                    made = a.flat.reshape(m, inner) @ ORDERS["filter"].to_rows(lying).reshape(n, inner).T
                    text = f"{a.name} @ {b.name}.T, of which {b.name} lies as in WRAM"
                    yield from _with_others(problem, text, made[None], others)


def _scaled(
    problem: Problem, a: Input, b: Input, sizes: tuple[int, int, int, int], others: Sequence[Input]
) -> Iterator[Formula]:
    batch, m, k, n = sizes
    for across, down, back in product((False, True), repeat=3):
        left = a.flat.reshape(batch, k, m).transpose(0, 2, 1) if across else a.flat.reshape(batch, m, k)
        right = b.flat.reshape(batch, n, k).transpose(0, 2, 1) if down else b.flat.reshape(batch, k, n)
        if _shaped(a, (k, m) if across else (m, k)) and _shaped(b, (n, k) if down else (k, n)):
            made = left @ right
            text = f"{a.name}{'.T' * across} @ {b.name}{'.T' * down}"
            yield from _with_others(
                problem, f"({text}).T" if back else text, made.transpose(0, 2, 1) if back else made, others
            )


def _shaped(one: Input, sizes: tuple[int, int]) -> bool:
    """Whether an array may be a matrix, or several, of these sizes; a flat one may always be."""
    axes = one.values.shape
    return len(axes) < 2 or axes[-2:] == sizes or axes[-2:] != sizes[::-1]


def _with_others(problem: Problem, text: str, made: np.ndarray, others: Sequence[Input]) -> Iterator[Formula]:
    yield Formula(text, made.reshape(-1))
    for factor in (*problem.factors, *(2.0**n for n in problem.named(*POINTS) if 0 < abs(n) < 32)):
        yield Formula(f"{factor:g} * {text}", factor * made.reshape(-1))
    n = made.shape[-1]
    for other in others:
        if other.size == problem.size:
            for alpha, beta in product((1.0, *problem.factors), repeat=2):
                yield Formula(
                    f"{alpha:g} * {text} + {beta:g} * {other.name}", alpha * made.reshape(-1) + beta * other.flat
                )
        if other.size == n:
            yield Formula(f"{text} + {other.name}", (made + other.flat).reshape(-1))


@function("dot")
def _dot(problem: Problem) -> Iterator[Formula]:
    for a, b in combinations(problem.inputs, 2):
        if a.size == b.size and a.size % problem.size == 0:
            yield Formula(f"dot({a.name}, {b.name})", (a.flat * b.flat).reshape(problem.size, -1).sum(axis=1))


@function("outer")
def _outer(problem: Problem) -> Iterator[Formula]:
    for a, b in combinations(problem.inputs, 2):
        if a.size * b.size == problem.size:
            yield Formula(f"outer({a.name}, {b.name})", np.outer(a.flat, b.flat).reshape(-1))


@function("attention")
def _attention(problem: Problem) -> Iterator[Formula]:
    """softmax(scale * Q @ K.T) @ V of several heads, with a causal mask or without."""
    for q, k, v in combinations(problem.inputs, 3):
        for depth in dict.fromkeys((*q.axes[-1:], *problem.whole, *_DEPTHS)):
            if depth < 1 or q.size % depth or k.size % depth or v.size * depth % k.size:
                continue
            of_values = v.size * depth // k.size
            if of_values != depth and (v.axes[-1:], k.axes[-1:]) != ((of_values,), (depth,)):
                continue  # nothing says that they have another depth
            if of_values < 1 or q.size // depth * of_values != problem.size:
                continue
            for heads in dict.fromkeys((math.prod(q.axes[:-2]), 1, *problem.whole)):
                if heads < 1 or q.size % (heads * depth) or k.size % (heads * depth):
                    continue
                queries, keys = (one.flat.reshape(heads, -1, depth) for one in (q, k))
                values = v.flat.reshape(heads, -1, of_values)
                if heads * queries.shape[1] * keys.shape[1] * depth > _MOST_ATTENDED:
                    continue
                several = "s" * (heads != 1)
                yield from _attended(problem, (queries, keys, values), f"of {heads} head{several} of {depth}")


def _attended(problem: Problem, parts: tuple[np.ndarray, np.ndarray, np.ndarray], text: str) -> Iterator[Formula]:
    queries, keys, values = parts
    products = queries @ keys.transpose(0, 2, 1)
    later = np.arange(keys.shape[1])[None, :] > np.arange(queries.shape[1])[:, None]
    for scale in dict.fromkeys((*problem.factors, queries.shape[2] ** -0.5, 1.0)):
        for masked in (False, True):
            scores = np.where(later, -np.inf, products * scale) if masked else products * scale
            found = softmax(scores.transpose(0, 2, 1)).transpose(0, 2, 1) @ values
            yield Formula(f"{'causal ' * masked}attention, scale {scale:g}, {text}", found.reshape(-1))


@function("spmv", "spmm")
def _sparse(problem: Problem) -> Iterator[Formula]:
    """Of a matrix in compressed rows: offsets, columns, values."""
    real = [one for one in problem.inputs if one.values.dtype.kind == "f"]
    for offsets, columns in permutations(problem.integers, 2):
        starts, at = offsets.index, columns.index
        if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(at) or (np.diff(starts) < 0).any():
            continue
        rows = len(starts) - 1
        for values, x in permutations(real, 2):
            if values.size != len(at) or problem.size % rows or not len(at):
                continue
            width = problem.size // rows
            if x.size % width or int(at.max()) >= x.size // width or int(at.min()) < 0:
                continue
            dense = x.flat.reshape(-1, width)
            made = np.zeros((rows, width))
            np.add.at(made, np.repeat(np.arange(rows), np.diff(starts)), values.flat[:, None] * dense[at])
            text = f"sparse({offsets.name}, {columns.name}, {values.name}) @ {x.name}"
            yield Formula(text, made.reshape(-1))
            for before in (one for one in real if one not in (values, x) and one.size == problem.size):
                yield Formula(f"{text} + {before.name}", made.reshape(-1) + before.flat)


@function("spmv coo")
def _of_coordinates(problem: Problem) -> Iterator[Formula]:
    """Of a matrix as rows, columns and values of its elements, added to what the output held."""
    real = [one for one in problem.inputs if one.values.dtype.kind == "f"]
    for (rows, columns), (values, x) in product(permutations(problem.integers, 2), permutations(real, 2)):
        at, of = (one.index for one in (rows, columns))
        inside = min(at.min(), of.min()) >= 0 and at.max() < problem.size and of.max() < x.size
        if inside and rows.size == columns.size == values.size:
            made = np.bincount(at, values.flat * x.flat[of], problem.size)
            text = f"sparse({rows.name}, {columns.name}, {values.name}) @ {x.name}"
            for before in (one for one in problem.like if one not in (values, x)):
                yield Formula(f"{text} + {before.name}", made + before.flat)
            yield Formula(text, made)


@function("diag matmul")
def _diagonal(problem: Problem) -> Iterator[Formula]:
    """The rows of a matrix, each times a number."""
    for numbers, x in permutations(problem.inputs, 2):
        if x.size == problem.size and numbers.size and x.size % numbers.size == 0:
            made = numbers.flat[:, None] * x.flat.reshape(numbers.size, -1)
            yield Formula(f"diag({numbers.name}) @ {x.name}", made.reshape(-1))


@function("lower triangular matmul", "upper triangular matmul")
def _triangular(problem: Problem) -> Iterator[Formula]:
    """Of the triangles of square matrices."""
    n = math.isqrt(problem.size)
    for a, b in permutations(problem.like, 2) if n * n == problem.size else ():
        for name, part in (("tril", np.tril), ("triu", np.triu)):
            made = part(a.flat.reshape(n, n)) @ part(b.flat.reshape(n, n))
            yield Formula(f"{name}({a.name}) @ {name}({b.name})", made.reshape(-1))
