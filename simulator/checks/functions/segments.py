"""Functions of sections of rows, and of the edges of graphs: reductions, places, degrees, products at edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, also, function, spelled, vague

#: Products at edges, and sections, at most.
_MOST_PRODUCTS = 1 << 23
#: What a section holds before its first row, by the reduction of its rows.
_REDUCTIONS: Mapping[str, tuple[np.ufunc, float]] = {
    "sum": (np.add, 0.0), "max": (np.maximum, -np.inf), "min": (np.minimum, np.inf), "prod": (np.multiply, 1.0),
}  # fmt: skip
_EMPTY = (0.0, -np.inf, np.inf, float(np.finfo(np.float32).max), -float(np.finfo(np.float32).max))


def _offsets(problem: Problem) -> Iterator[tuple[Input, np.ndarray]]:
    """Arrays of whole numbers that never fall and may say where sections begin, from 0 on."""
    for one in problem.integers:
        if one.size > 1 and one.may_be_starts():
            yield one, one.index


def _sections(problem: Problem, count: int) -> Iterator[tuple[str, np.ndarray, int]]:
    """The section of each of so many rows, and how many sections there are: by offsets, or by an array of them."""
    for one, starts in _offsets(problem):
        if starts[-1] == count and count:
            yield f"sections {one.name}", np.repeat(np.arange(len(starts) - 1), np.diff(starts)), len(starts) - 1
        elif len(starts) > 1 and starts[-1] < count and count in problem.whole:
            ends = np.append(starts, count)
            yield f"sections from {one.name}", np.repeat(np.arange(len(starts)), np.diff(ends)), len(starts)
    for one in problem.integers:
        if one.size == count and one.index.min() >= 0 and one.index.max() < _MOST_PRODUCTS:
            yield f"places {one.name}", one.index, int(one.index.max()) + 1


def _reduced(rows: np.ndarray, at: np.ndarray, how: str, held: np.ndarray) -> np.ndarray:
    """Rows at their places, together with what is there before."""
    made = held.copy()
    _REDUCTIONS[how][0].at(made, at, rows)
    return made


def _of_sections(*kinds: str) -> Callable[[Problem], Iterator[Formula]]:
    """Reductions of rows by sections; without rows there is nothing, or what the output held."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.inputs:
            for count in dict.fromkeys((x.size, *x.axes[:1], *(len(one.index) for one in problem.integers))):
                if count < 1 or x.size % count or problem.size % (x.size // count):
                    continue
                rows, places = x.flat.reshape(count, -1), problem.size // (x.size // count)
                for text, at, least in _sections(problem, count):
                    if least <= places:
                        yield from _each_reduction(problem, f"{x.name} by {text}", rows, at, (places, kinds))

    return formulas


def _each_reduction(
    problem: Problem, text: str, rows: np.ndarray, at: np.ndarray, wanted: tuple[int, Sequence[str]]
) -> Iterator[Formula]:
    places, kinds = wanted
    shape, counts = (places, rows.shape[1]), np.bincount(at, minlength=places)[:, None]
    held = [
        (f" and {one.name}", one.flat.reshape(shape)) for one in problem.like if one.flat.size == rows[0].size * places
    ]
    for kind in kinds:
        if kind == "mean":
            total = _reduced(rows, at, "sum", np.zeros(shape))
            yield Formula(f"mean of {text}", (total / np.maximum(counts, 1)).reshape(-1))
        elif kind in ("argmax", "argmin"):
            yield from _best(f"{kind} of {text}", rows if kind == "argmax" else -rows, at, places)
        else:
            start = _REDUCTIONS[kind][1]
            made = _reduced(rows, at, kind, np.full(shape, start))
            for empty in dict.fromkeys((start, *_EMPTY)):
                yield Formula(f"{kind} of {text}", np.where(counts, made, empty).reshape(-1))
            for name, before in held:
                yield Formula(f"{kind} of {text}{name}", _reduced(rows, at, kind, before).reshape(-1))


def _best(text: str, rows: np.ndarray, at: np.ndarray, places: int) -> Iterator[Formula]:
    """The number of the first largest row of each section, in each column; or that of the last one."""
    for last in (False, True):
        for empty in (-1, len(rows), 0):
            made = np.full((places, rows.shape[1]), empty, np.float64)
            order = np.arange(len(rows)) if last else np.arange(len(rows))[::-1]
            by = order[np.argsort(rows[order], axis=0, kind="stable")]
            for column in range(rows.shape[1]):
                made[at[by[:, column]], column] = by[:, column]
            yield Formula(f"{text}{', the last of them' * last}", made.reshape(-1))


function("segment sum")(_of_sections("sum"))
function("segment mean", "scatter mean")(_of_sections("mean"))
function("segment max", "scatter max")(_of_sections("max", "argmax"))
function("segment min", "scatter min")(_of_sections("min", "argmin"))
function("segment prod", "scatter mul")(_of_sections("prod"))
function("segment reduce")(_of_sections("sum", "mean", "max", "min", "prod", "argmax", "argmin"))
spelled("segment reduce", "segment csr, segment coo, segmented reduce, segment reduction, csr reduce, scatter reduce")
spelled(
    "segment sum",
    """segment sum csr, segment sum coo, segmented sum, segment add, segment sum pool, unsorted segment sum,
    sum by segment""",
)
spelled("segment max", "segment max csr, segmented max, segment maximum, unsorted segment max")
spelled("segment min", "segment min csr, segmented min")
spelled("segment mean", "segmented mean, segment mean csr, segment avg")
spelled("scatter max", "scatter arg max, scatter maximum, scatter amax")
spelled("scatter min", "scatter arg min, scatter minimum, scatter amin")
spelled("scatter mul", "scatter prod, scatter multiply")
spelled("sum", "segmented sum reduction, multiblock segmented sum reduction")


@function("gather csr")
def _spread(problem: Problem) -> Iterator[Formula]:
    """The row of each section, for each of its places."""
    for x, (one, starts) in product(problem.inputs, _offsets(problem)):
        count = len(starts) - 1
        if x is one or x.size % count or problem.size != starts[-1] * (x.size // count):
            continue
        made = np.repeat(x.flat.reshape(count, -1), np.diff(starts), axis=0)
        yield Formula(f"{x.name} for each place of {one.name}", made.reshape(-1))


spelled("gather csr", "segment broadcast, expand csr, broadcast segments")


@function("csr to coo")
def _rows(problem: Problem) -> Iterator[Formula]:
    """The number of the section of each place."""
    for one, starts in _offsets(problem):
        if starts[-1] == problem.size:
            yield Formula(f"sections of {one.name}", np.repeat(np.arange(len(starts) - 1), np.diff(starts)))


spelled(
    "csr to coo",
    """csr2coo, csr 2 coo, convert csr to coo, convert indices from csr to coo, ptr2ind, indptr to indices,
    rowptr to row, expand row ptr, csr row indices""",
)


@function("coo to csr")
def _starts(problem: Problem) -> Iterator[Formula]:
    """Where each section begins, by the sections of all places; or how many places it has."""
    for one in problem.integers:
        at, count = one.index, problem.size - 1
        if count > 0 and at.min() >= 0 and at.max() < count:
            ends = np.cumsum(np.bincount(at, minlength=count))
            yield Formula(f"offsets of {one.name}", np.concatenate([[0], ends]))


spelled(
    "coo to csr",
    """coo2csr, coo 2 csr, convert coo to csr, convert indices from coo to csr, coo to csr row ptr, ind2ptr,
    indices to indptr, row indices to ptr, row to rowptr, compute row ptr, build row ptr, build csr row ptr,
    build csr""",
)


@function("degree")
def _degrees(problem: Problem) -> Iterator[Formula]:
    """How many edges each vertex has, or each of those that are asked for, by offsets or by their ends; its inverse."""
    found: list[tuple[str, np.ndarray]] = []
    for one, starts in _offsets(problem):
        found.append((one.name, np.diff(starts)))
        found += [
            (f"{one.name} of {some.name}", np.diff(starts)[some.index])
            for some in problem.integers
            if some.size == problem.size and some.index.min() >= 0 and some.index.max() < len(starts) - 1
        ]
    for one in problem.integers:
        if one.index.min() >= 0 and one.index.max() < problem.size:
            counts = np.bincount(one.index, minlength=problem.size)
            found.append((one.name, counts))
            found += [(f"{one.name} and {before.name}", counts + before.flat) for before in problem.like]
    for name, counts in found:
        if len(counts) == problem.size:
            forms = (("", counts), ("1 / ", 1 / np.maximum(counts, 1)), ("1 / sqrt of ", counts**-0.5))
            yield from (Formula(f"{how}degrees by {name}", made) for how, made in forms)
            yield Formula(f"1 / sqrt of degrees by {name}, or 0", np.where(counts, np.maximum(counts, 1) ** -0.5, 0))


spelled("degree", "degrees, out degree, in degree, node degree, csr row nnz, get row nnz, csr get row nnz, row nnz")


def _edges(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The two ends of each edge: two arrays, offsets and ends, or pairs [edges, 2]."""
    for a, b in permutations(problem.integers, 2):
        if a.size == b.size:
            yield f"{a.name}, {b.name}", a.index, b.index
    for (one, starts), ends in product(_offsets(problem), problem.integers):
        if ends is not one and starts[-1] == ends.size:
            yield f"{one.name}, {ends.name}", np.repeat(np.arange(len(starts) - 1), np.diff(starts)), ends.index


def _ends(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray, int]]:
    """Rows of two arrays at the ends of each edge [edges, n], with the length of rows."""
    for text, first, second in _edges(problem):
        if min(first.min(), second.min()) < 0:
            continue
        for (x, y), wide in product(product(problem.floats, repeat=2), dict.fromkeys((*problem.whole, 1))):
            fits = wide > 0 and x.size % wide == 0 and y.size % wide == 0 and len(first) * wide <= _MOST_PRODUCTS
            if fits and first.max() < x.size // wide and second.max() < y.size // wide:
                a, b = x.flat.reshape(-1, wide)[first], y.flat.reshape(-1, wide)[second]
                yield f"{x.name} and {y.name} at {text}", a, b, wide


@function("sddmm")
def _at_edges(problem: Problem) -> Iterator[Formula]:
    """Products of rows at both ends of each edge; also times a value of it."""
    for text, a, b, _ in _ends(problem):
        if problem.size == len(a):
            made = (a * b).sum(axis=1)
            yield Formula(f"products of {text}", made)
            for values in problem.like:
                if values in problem.floats:
                    yield Formula(f"{values.name} * products of {text}", values.flat * made)
        if problem.size == a.size:
            parts = (("+", a + b), ("-", a - b), ("*", a * b), ("/", a / b))
            yield from (Formula(f"{how} of {text}", made.reshape(-1)) for how, made in parts)


spelled(
    "sddmm",
    "sddmm coo, sddmm csr, csr sddmm, sampled dense dense matmul, spmm value bw, spmm value backward, edge dot",
)


@also("spmm")
def _gathered(problem: Problem) -> Iterator[Formula]:
    """Rows at one end of edges, reduced at the other: with values or without, by coordinates or by compressed rows."""
    for text, to, of in _edges(problem):
        if not len(to) or min(to.min(), of.min()) < 0:
            continue
        for x, wide in product(problem.floats, dict.fromkeys((*problem.whole, 1))):
            if wide < 1 or x.size % wide or problem.size % wide or of.max() >= x.size // wide:
                continue
            if to.max() >= problem.size // wide or len(to) * wide > _MOST_PRODUCTS:
                continue
            rows = x.flat.reshape(-1, wide)[of]
            for name, each in _with_edges(problem, x, rows):
                wanted = problem.size // wide, ("sum", "mean", "max", "min")
                yield from _each_reduction(problem, f"{name} at {text}", each, to, wanted)


def _with_edges(problem: Problem, x: Input, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """What each edge carries: rows at its end, its own row, or both, of which one of the edge may be one number."""
    yield x.name, rows
    for one in (one for one in problem.floats if one is not x and one.size in (len(rows), rows.size)):
        own = np.broadcast_to(one.flat.reshape(len(rows), -1), rows.shape)
        forms = (("*", rows * own), ("+", rows + own), ("-", rows - own), ("/", rows / own))
        yield from ((f"{x.name} {how} {one.name}", made) for how, made in forms)
        yield one.name, own


spelled("spmm", "spmm csr, spmm coo, csr spmm, coo spmm, sp mm, sp mm csr, sp mm coo, spmm sum, u mul e sum, gspmm")


@function("segment softmax")
def _softmax(problem: Problem) -> Iterator[Formula]:
    """Of the rows of each section, in each column."""
    for x in problem.like:
        for count in dict.fromkeys((x.size, *x.axes[:1], *(len(one.index) for one in problem.integers))):
            if count < 1 or x.size % count:
                continue
            for text, at, places in _sections(problem, count):
                rows = x.flat.reshape(count, -1)
                most = _reduced(rows, at, "max", np.full((places, rows.shape[1]), -np.inf))
                powers = np.exp(rows - most[at])
                made = powers / _reduced(powers, at, "sum", np.zeros(most.shape))[at]
                yield Formula(f"softmax of {x.name} by {text}", made.reshape(-1))


spelled("segment softmax", "edge softmax, segmented softmax, sparse softmax, csr softmax, scatter softmax")


@vague("pagerank")
def _ranked(problem: Problem) -> Iterator[Formula]:
    """(1 - d) / n + d * what comes over the edges of each vertex, of ranks or of ranks by degrees."""
    for text, first, second in _edges(problem):
        n = problem.size
        if not len(first) or max(first.max(), second.max()) >= n or min(first.min(), second.min()) < 0:
            continue
        for rank, d in product(problem.like, dict.fromkeys((*problem.factors, 0.85))):
            for how, of, to in (("from first to second", first, second), ("from second to first", second, first)):
                sent = rank.flat / np.maximum(np.bincount(of, minlength=n), 1)
                degrees = [one for one in problem.inputs if one.size == n and one is not rank]
                parts = [("", sent), *((f" / {one.name}", rank.flat / one.flat) for one in degrees)]
                for name, share in parts:
                    come = np.bincount(to, share[of], n)
                    for start in ((1 - d) / n, 1 - d):
                        yield Formula(f"ranks {rank.name}{name} {how} of {text}, {d:g} and {start:g}", start + d * come)


spelled("pagerank", "page rank, pagerank step, pagerank iteration, page rank iteration, pagerank pull, pagerank push")


def _batches(problem: Problem) -> Iterator[tuple[int, int]]:
    """How many clouds there may be, and how many numbers a point has."""
    passed = [n for n in problem.whole if n > 0]
    yield from product(dict.fromkeys((1, *passed)), dict.fromkeys((3, *passed)))


@also("gather points", "group points")
def _points_at(problem: Problem) -> Iterator[Formula]:
    """Rows [batch, points, channels] at indices [batch, any] of each batch."""
    for (points, index), (batch, wide) in product(product(problem.floats, problem.integers), _batches(problem)):
        if problem.size != index.size * wide or index.size % batch or points.size % (batch * wide):
            continue
        rows, at = points.flat.reshape(batch, -1, wide), index.index.reshape(batch, -1, 1)
        if at.min() >= 0 and at.max() < rows.shape[1]:
            made = np.take_along_axis(rows, at, 1)
            yield Formula(f"rows of {wide} of {points.name} at {index.name}", made.reshape(-1))


@also("gather points backward", "group points backward")
def _points_back(problem: Problem) -> Iterator[Formula]:
    """What comes back to rows [batch, points, channels], added up at their indices."""
    for (coming, index), (batch, wide) in product(product(problem.floats, problem.integers), _batches(problem)):
        if coming.size != index.size * wide or index.size % batch or problem.size % (batch * wide):
            continue
        made, at = np.zeros((batch, problem.size // (batch * wide), wide)), index.index.reshape(batch, -1)
        if at.min() >= 0 and at.max() < made.shape[1]:
            np.add.at(made, (np.arange(batch)[:, None], at), coming.flat.reshape(batch, -1, wide))
            yield Formula(f"{coming.name} added up at {index.name} in rows of {wide}", made.reshape(-1))


spelled("group points", "group point")
spelled("gather points", "gather point, gatherpoint")
spelled("group points backward", "group point backward")
spelled("gather points backward", "gather point backward, scatteraddpoint, scatter add point, scatter add points")
