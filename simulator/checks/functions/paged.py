"""Attention to keys and values that lie in pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from .problem import Formula, Input, Problem, function

#: Layouts of pages of values: how their axes become page, place, head and element. Those of keys are the same, or have
#: so many elements together behind the places.
_LAYOUTS: Mapping[str, Sequence[int]] = {
    "[page, head, place, element]": (0, 2, 1, 3), "[page, place, head, element]": (0, 1, 2, 3),
    "[page, head, element, place]": (0, 3, 1, 2),
}  # fmt: skip
_TOGETHER = 4, 8, 16
#: How large a size may be.
_MOST = 1024


class _Sizes(NamedTuple):
    heads: int
    of_keys: int  # heads of keys and values
    depth: int
    page: int  # places


class _Sequences(NamedTuple):
    """Which pages each sequence has, how many of their places, and where its queries begin, and end."""

    pages: np.ndarray  # [sequences, pages]
    lengths: np.ndarray  # [sequences]
    starts: np.ndarray  # [sequences + 1]


@function("paged attention")
def _paged(problem: Problem) -> Iterator[Formula]:
    """softmax(scale * Q @ K.T) @ V of each sequence, by a table of its pages; of several queries each sees its past.

    What nothing is seen of is 0.
    """
    real = problem.floats
    for sizes in _sizes(problem):
        for k, v in permutations(real, 2):
            each = sizes.of_keys * sizes.depth * sizes.page
            slopes: list[Input | None] = [one for one in real if one.size == sizes.heads]
            if not any(one and ("slope" in one.name.lower() or "alibi" in one.name.lower()) for one in slopes):
                slopes = [None, *slopes]
            queries = [q for q in problem.like if q not in (k, v)]
            if k.size != v.size or k.size % each or not queries:
                continue
            tokens = problem.size // sizes.heads // sizes.depth
            for (text, keys, values), (name, sequences) in product(
                _pages(k, v, sizes), _sequences(problem.integers, tokens, k.size // each, sizes.page)
            ):
                scales = dict.fromkeys((*problem.factors, sizes.depth**-0.5))
                for q, scale, slope in product(queries, scales, slopes):
                    rows = scale * q.flat.reshape(tokens, sizes.heads, sizes.depth)
                    made = _attended(rows, keys, values, sequences, slope.flat if slope else 0)
                    bias = f" + {slope.name} * distance" if slope else ""
                    said = f"attention of {q.name} to pages {text} by {name}, scale {scale:g}{bias}"
                    yield Formula(said, made.reshape(-1))


def _sizes(problem: Problem) -> Iterator[_Sizes]:
    said = {n: None for name, n in problem.numbers.items() if isinstance(n, int) and "[" not in name and 0 < n <= _MOST}
    for depth, heads, of_keys, page in product(said, repeat=4):
        if depth > 1 and heads % of_keys == 0 and problem.size % (depth * heads) == 0:
            yield _Sizes(heads, of_keys, depth, page)


def _sequences(whole: Sequence[Input], tokens: int, pages: int, page: int) -> Iterator[tuple[str, _Sequences]]:
    """By a table and lengths; and by where the queries of each sequence begin, if each has not just one."""
    for table, lengths in permutations(whole, 2):
        count = lengths.size
        if not count or table.size % count or int(table.values.max()) >= pages or int(lengths.values.min()) < 0:
            continue
        of_each = table.values.reshape(count, -1).astype(np.int64)
        places = lengths.index
        if int(places.max()) > of_each.shape[1] * page:
            continue
        for starts in (one for one in whole if one.size == count + 1):
            at = starts.index
            if starts.may_be_starts() and at[-1] == tokens and (np.diff(at) <= places).all():
                yield f"{table.name}, {lengths.name}, {starts.name}", _Sequences(of_each, places, at)
        if count == tokens:
            yield f"{table.name}, {lengths.name}", _Sequences(of_each, places, np.arange(count + 1))


def _pages(k: Input, v: Input, sizes: _Sizes) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Keys and values [page, place, head, element]."""
    for text, order in _LAYOUTS.items():
        keys, values = (_in_order(one, sizes, order) for one in (k, v))
        yield f"{text} of {k.name}, {v.name}", keys, values
    for n in (n for n in _TOGETHER if sizes.depth % n == 0):  # with the last layout
        parts = k.flat.reshape(-1, sizes.of_keys, sizes.depth // n, sizes.page, n).transpose(0, 3, 1, 2, 4)
        yield f"of {k.name} by {n} elements, {v.name}", parts.reshape(values.shape), values


def _in_order(one: Input, sizes: _Sizes, order: Sequence[int]) -> np.ndarray:
    """[page, place, head, element] of an array whose axes lie in another order."""
    lengths = (-1, sizes.page, sizes.of_keys, sizes.depth)
    lies = np.argsort(order)
    return one.flat.reshape([lengths[axis] for axis in lies]).transpose(order)


def _attended(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, of: _Sequences, slope: np.ndarray | float
) -> np.ndarray:
    made, (_, _, heads, depth) = np.zeros_like(queries), keys.shape
    group = queries.shape[1] // heads
    for sequence, length in enumerate(of.lengths):
        pages = of.pages[sequence, : -(-length // keys.shape[1])]
        k, v = (np.repeat(one[pages].reshape(-1, heads, depth)[:length], group, axis=1) for one in (keys, values))
        for token in range(of.starts[sequence], of.starts[sequence + 1]):
            seen = length - (of.starts[sequence + 1] - 1 - token)
            if seen < 1:
                continue
            scores = np.einsum("hd,nhd->hn", queries[token], k[:seen])
            scores += np.multiply.outer(slope, np.arange(1 - seen, 1))
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            made[token] = np.einsum("hn,nhd->hd", powers / powers.sum(axis=1, keepdims=True), v[:seen])
    return made
