"""Sequences of different lengths: what of them is kept, where they lie, and masks of what they have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .. import SHAPE_ENTRIES
from .masked import LEAST
from .problem import Formula, Input, Problem, also, function, of_few, spelled, vague

#: Numbers of what a mask leaves out.
_LEAST = *LEAST, -1e5


def _lengths(problem: Problem) -> Iterator[tuple[Input, np.ndarray]]:
    """Lengths of sequences, as passed or as the differences of where these begin."""
    for one in problem.integers:
        index = one.index
        if index.min() >= 0:
            yield one, index
            if len(index) > 1 and one.may_be_starts():
                yield one, np.diff(index)


def _depths(problem: Problem) -> list[int]:
    return [n for n in dict.fromkeys((*problem.shape[-1:], *problem.whole, 1)) if n > 0 and problem.size % n == 0]


def _tokens(lengths: np.ndarray, longest: int) -> np.ndarray:
    """The places of all tokens in sequences that are padded to one length."""
    starts = np.arange(len(lengths)) * longest
    return np.concatenate([start + np.arange(n) for start, n in zip(starts, lengths, strict=True)])


def _places(problem: Problem, count: int) -> Iterator[tuple[str, np.ndarray]]:
    """Where so many tokens lie in padded sequences: by how many numbers of padding are before each, or by lengths."""
    for one in problem.integers:
        if len(one.index) >= count > 0:
            yield f"{one.name} + i", one.index[:count] + np.arange(count)
            yield one.name, one.index[:count]
    for one, lengths in _lengths(problem):
        for longest in (n for n in problem.whole if lengths.max() <= n < 1 << 31 and lengths.sum() == count):
            yield f"the lengths {one.name} of {longest}", _tokens(lengths, longest)


@vague("remove padding", unless=of_few(2))
def _removed(problem: Problem) -> Iterator[Formula]:
    """Rows of padded sequences, one after the other; rows behind them are left as they are."""
    for x, depth in product(problem.floats, _depths(problem)):
        if x.size % depth == 0:
            rows, count = x.flat.reshape(-1, depth), problem.size // depth
            for text, at in _places(problem, count):
                if at.min() >= 0 and at.max() < len(rows):
                    yield Formula(f"{x.name} at {text}", rows[at].reshape(-1))
            for one, lengths in _lengths(problem):
                for longest in (n for n in problem.whole if lengths.max() <= n < 1 << 31 and lengths.sum() < count):
                    at = _tokens(lengths, longest)
                    for held in (np.zeros((count, depth)), *(y.flat.reshape(count, depth) for y in problem.like)):
                        if at.max(initial=-1) < len(rows):
                            made = np.concatenate([rows[at], held[len(at) :]])
                            yield Formula(f"{x.name} at the lengths {one.name} of {longest}", made.reshape(-1))


@vague("rebuild padding", unless=of_few(2))
def _rebuilt(problem: Problem) -> Iterator[Formula]:
    """Rows one after the other at their places in padded sequences, where other rows are 0 or left as they are."""
    for x, depth in product(problem.floats, _depths(problem)):
        count = problem.size // depth
        if x.size % depth or x.size > problem.size:
            continue
        rows = x.flat.reshape(-1, depth)
        for text, at in _places(problem, len(rows)):
            if at.min() >= 0 and at.max() < count:
                for held in (np.zeros((count, depth)), *(y.flat.reshape(count, depth) for y in problem.like)):
                    made = held.copy()
                    made[at] = rows
                    yield Formula(f"{x.name} placed at {text}", made.reshape(-1))


spelled(
    "remove padding",
    "unpad, remove pad, compact tokens, unpad input, remove padding data, sequence unpad, unpad sequence",
)
spelled(
    "rebuild padding",
    """rebuild sequence length padding, restore padding, add padding back, sequence pad, pad sequence, rebuild pad,
    sequence padding""",
)


def _parts(problem: Problem, rows: int) -> Iterator[tuple[Input, np.ndarray, np.ndarray]]:
    """The first row of each part and how many rows it has, of so many."""
    for one in problem.integers:
        first = one.index
        if one.may_be_starts() and first[-1] <= rows:
            yield one, first, np.diff(np.append(first, rows))
            if first[-1] == rows and len(first) > 1:
                yield one, first[:-1], np.diff(first)


@function("packed to padded", "padded to packed")
def _padded(problem: Problem) -> Iterator[Formula]:
    """Rows of parts, each part as long as the longest, with zeros; and back."""
    for x, width in product(problem.floats, dict.fromkeys((1, *problem.whole))):
        if width < 1 or x.size % width or problem.size % width:
            continue
        for rows, packing in ((x.size // width, False), (problem.size // width, True)):
            for one, first, count in _parts(problem, rows):
                whole = problem.size if not packing else x.size
                longest = whole // (width * len(first))
                if whole % (width * len(first)) or count.max() > longest:
                    continue
                place = _tokens(count, longest)
                if packing:
                    made = x.flat.reshape(-1, width)[place]
                else:
                    made = np.zeros((len(first) * longest, width))
                    made[place] = x.flat.reshape(-1, width)
                text = f"{x.name} {'packed' if packing else 'padded'} by {one.name}"
                yield Formula(text, made.reshape(-1))


spelled("packed to padded", "packed2padded, pack to padded, packed to padded tensor, packed to padded d")
spelled("padded to packed", "padded2packed, padded to packed tensor, padded to packed d")


@function("padding offset")
def _offsets(problem: Problem) -> Iterator[Formula]:
    """How much padding lies before each token, or where each sequence begins."""
    for one, lengths in _lengths(problem):
        starts = np.append(0, np.cumsum(lengths))
        for text, made in (("starts", starts), ("starts", starts[:-1]), ("ends", starts[1:])):
            yield Formula(f"{text} of {one.name}", made)
        lists = [n for n in (*problem.whole, int(lengths.max())) if lengths.max() <= n < 1 << 31]
        for longest in dict.fromkeys(lists) if lengths.sum() <= problem.size else ():
            padding = np.append(0, np.cumsum(longest - lengths)[:-1]).repeat(lengths)
            for held in (np.zeros(problem.size), *(y.flat for y in problem.like)):
                if len(padding) <= problem.size:
                    yield Formula(f"padding before {one.name} of {longest}", np.append(padding, held[len(padding) :]))
    if problem.size == 1:
        for one, lengths in _lengths(problem):
            yield Formula(f"sum of {one.name}", lengths.sum(keepdims=True))


spelled(
    "padding offset",
    """get padding offset, build padding offset, compute padding offset, cu seqlens, get cu seqlens, cu seq lens, get
    cu seq lens, get padding offset and cu seq lens, seqlens to offsets, get trt padding offset, compute cu seqlens,
    lengths to offsets, get padding offset and cu seqlens, calc cu seqlens, build cu seqlens""",
)


def _masks(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """[sequences, tokens] or [sequences, queries, keys]: what lies inside of a sequence, and before a token or not."""
    for one, lengths in _lengths(problem):
        if one.size <= SHAPE_ENTRIES and problem.size % len(lengths):
            continue
        each, count = problem.size // len(lengths), len(lengths)
        if not each:
            continue
        for keys in (n for n in dict.fromkeys((*problem.shape[-1:], each, *problem.whole)) if n > 0 and each % n == 0):
            queries = each // keys
            i, j = np.arange(queries)[:, None], np.arange(keys)
            inside = np.broadcast_to((j < lengths[:, None])[:, None], (count, queries, keys))
            of_queries = i < lengths[:, None, None]
            for text, mask in (
                ("", inside), (" of queries, too", inside & of_queries), (", not later", inside & (j <= i)),
                (" of queries, too, not later", inside & of_queries & (j <= i)),
            ):  # fmt: skip
                yield f"{keys} tokens inside of {one.name}{text}", mask.reshape(-1)


@vague("sequence mask", unless=of_few(1))
def _masked(problem: Problem) -> Iterator[Formula]:
    """1 inside of sequences and 0 outside, the other way round, or a number that is added to scores."""
    for text, inside in _masks(problem):
        yield Formula(text, inside.astype(np.float64))
        yield Formula(f"not {text}", 1.0 - inside)
        for least in (*_LEAST, *problem.factors):
            yield Formula(f"{least:g} but {text}", np.where(inside, 0.0, least))
    for tokens, number in product(problem.integers, (*problem.whole, 0)):
        if tokens.size == problem.size:
            yield Formula(f"{tokens.name} is {number}", (tokens.index == number).astype(np.float64))
            yield Formula(f"{tokens.name} is not {number}", (tokens.index != number).astype(np.float64))
            for least in _LEAST:
                yield Formula(
                    f"{least:g} where {tokens.name} is {number}", np.where(tokens.index == number, least, 0.0)
                )
    for x, (text, mask) in product(problem.floats, _laid(problem)):
        for least in (0.0, *_LEAST, *problem.factors, *map(float, problem.named("value", "pad"))):
            made = np.where(mask, x.flat.reshape(mask.shape), least) if x.size == mask.size == problem.size else None
            if made is not None:
                yield Formula(f"{x.name}, {least:g} but {text}", made.reshape(-1))


@also("sequence mask")
def _counted(problem: Problem) -> Iterator[Formula]:
    """How many keys each query of each head sees: the length, or no later ones."""
    for one, lengths in _lengths(problem):
        each = problem.size // len(lengths)
        for queries in (
            n for n in dict.fromkeys(problem.whole) if 0 < n <= each and each * len(lengths) == problem.size
        ):
            whole = np.broadcast_to(lengths[:, None], (len(lengths), each)).reshape(-1)
            yield Formula(f"lengths {one.name} of each query", whole)
            for text, at in (
                (", heads first", np.arange(problem.size) % each % queries),
                (", queries first", np.arange(problem.size) % each // queries),
            ):
                yield Formula(f"lengths {one.name} of each query, not later{text}", np.minimum(whole, at + 1))


def _laid(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """[sequences, tokens, depth] or [tokens, sequences, depth]: the tokens inside of a sequence."""
    for one, lengths in _lengths(problem):
        count = len(lengths)
        for tokens in (n for n in dict.fromkeys((*problem.shape[:2], *problem.whole)) if n > 0):
            if count * tokens <= problem.size and problem.size % (count * tokens) == 0:
                shape = count, tokens, problem.size // (count * tokens)
                inside = np.broadcast_to((np.arange(tokens) < lengths[:, None])[..., None], shape)
                yield f"inside of {one.name} of {tokens}", inside
                yield f"inside of {one.name} of {tokens}, tokens first", inside.swapaxes(0, 1)


spelled(
    "sequence mask",
    """length mask, build attention mask, build encoder attention mask, build decoder attention mask, attention mask
    from lengths, make attention mask, create attention mask, create padding mask, padding mask, mask padding,
    lengths to mask, mask from lengths, seq mask, build padding mask, prepare length mask, generate attention mask,
    build mask""",
)


@function("last token")
def _last(problem: Problem) -> Iterator[Formula]:
    """The last row of each sequence, which are padded or one after the other."""
    for x, depth in product(problem.floats, _depths(problem)):
        count = problem.size // depth
        rows = x.flat.reshape(-1, depth) if x.size % depth == 0 else np.zeros((0, depth))
        for one, lengths in _lengths(problem):
            if len(lengths) != count or not len(rows):
                continue
            longest = len(rows) // count
            for text, at in (
                (f"ends of {one.name} of {longest}", np.arange(count) * longest + lengths - 1),
                (f"ends of {one.name}", np.cumsum(lengths) - 1),
            ):
                if at.min() >= 0 and at.max() < len(rows):
                    yield Formula(f"{x.name} at the {text}", rows[at].reshape(-1))
        if len(rows) and len(rows) % count == 0:
            yield Formula(f"last rows of {x.name}", rows.reshape(count, -1, depth)[:, -1].reshape(-1))


spelled(
    "last token",
    """gather last token, get last token, select last token, lookup hidden state of last token, extract last token,
    take last token, gather last tokens, last token pooling, gather last token logits""",
)


@vague("gather tree", unless=of_few(2))
def _tree(problem: Problem) -> Iterator[Formula]:
    """The tokens of each beam from its end on, [steps, beams], by the beam that each one comes from."""
    for tokens, parents in permutations([one for one in problem.integers if one.size == problem.size], 2):
        for beams in (n for n in problem.whole if n > 0 and problem.size % n == 0):
            for batches in dict.fromkeys((1, *(n for n in problem.whole if n > 0))):
                if problem.size % (beams * batches):
                    continue
                shape = -1, batches, beams
                of, by = tokens.index.reshape(shape), parents.index.reshape(shape)
                if by.min() < 0 or by.max() >= beams:
                    continue
                made, at = of.copy(), np.broadcast_to(np.arange(beams), of.shape[1:])
                for step in range(len(of) - 1, -1, -1):
                    made[step] = np.take_along_axis(of[step], at, 1)
                    at = np.take_along_axis(by[step], at, 1)
                yield Formula(f"{tokens.name} of {beams} beams by {parents.name}", made.reshape(-1))


spelled("gather tree", "beam gather tree, gathertree")
