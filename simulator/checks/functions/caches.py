"""Caches of keys and values, scores that are changed before words are chosen, and states of attention."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product

import numpy as np

from .along import log_sum_exp, softmax
from .problem import Formula, Input, Problem, also, function, of_all_results, spelled

#: Slots of a cache, at most.
_MOST_SLOTS = 1 << 24


def _slots(problem: Problem) -> Iterator[tuple[str, np.ndarray, int]]:
    """For each token a slot or -1, and how many slots there are in a block; 1 if nothing says that there are blocks."""
    for slot in problem.integers:
        index = slot.index
        for block in dict.fromkeys((*(problem.named("block_size", "page") or problem.whole), 1)):
            if 0 < block < _MOST_SLOTS and index.max() >= 0:
                yield slot.name, index, block
    yield from _slots_of_sequences(problem)


def _slots_of_sequences(problem: Problem) -> Iterator[tuple[str, np.ndarray, int]]:
    """The same of tokens of sequences one after the other: by a table of their blocks, and by how long they are."""
    for table, lengths in permutations(problem.integers, 2):
        count, each = lengths.size, lengths.index
        tokens = int(each.sum())
        if table.size % count or int(each.min()) < 0 or not 0 < tokens < _MOST_SLOTS:
            continue
        blocks, sequence = table.index.reshape(count, -1), np.repeat(np.arange(count), each)
        place = np.arange(tokens) - np.repeat(np.cumsum(each) - each, each)
        for block in dict.fromkeys(problem.named("block_size", "page") or problem.whole):
            if 1 < block < _MOST_SLOTS and place.max() // block < blocks.shape[1]:
                at = blocks[sequence, place // block]
                yield f"{table.name}, {lengths.name}", np.where(at < 0, -1, at * block + place % block), block


@function("reshape and cache")
def _cached(problem: Problem) -> Iterator[Formula]:
    """Rows [heads, depth] of tokens at their slots of a cache, of which other slots stay as they are.

    A cache has [blocks, slots, heads, depth], [blocks, heads, slots, depth], [blocks, heads, depth, slots] or
    [blocks, heads, depth / x, slots, x].
    """
    for (name, index, block), x in product(_slots(problem), problem.inputs):
        width = x.size // len(index)
        if (x.values.dtype.kind in "iu" and x.size == len(index)) or not width or width * len(index) != x.size:
            continue
        slots = problem.size // width
        if slots * width != problem.size or slots % block or index.max() >= slots:
            continue
        inside = index >= 0
        rows, at = x.flat.reshape(len(index), width)[inside], index[inside]
        for held in problem.like:
            for text, axes, places in _layouts(problem, width, slots, block):
                turned = held.flat.reshape(axes).transpose(places)
                by_slot = turned.reshape(slots, width).copy()
                by_slot[at] = rows
                made = by_slot.reshape(turned.shape).transpose(np.argsort(places))
                yield Formula(f"{held.name} with {x.name} at {name}, {text}", made.reshape(-1))


def _layouts(
    problem: Problem, width: int, slots: int, block: int
) -> Iterator[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    """The axes of a cache, and the order in which blocks, slots, heads and depth are among these."""
    blocks = slots // block
    yield f"slots of {width}", (blocks, block, width), (0, 1, 2)
    for heads in (n for n in problem.whole if n > 0 and width % n == 0) if block > 1 else ():
        depth = width // heads
        yield f"{heads} heads of {block} slots", (blocks, heads, block, depth), (0, 2, 1, 3)
        yield f"{heads} heads of {depth} in columns of {block}", (blocks, heads, depth, block), (0, 3, 1, 2)
        for x in (n for n in dict.fromkeys((*problem.whole, 16, 8, 4)) if 1 < n < depth and depth % n == 0):
            yield f"{heads} heads, {x} by {x}", (blocks, heads, depth // x, block, x), (0, 3, 1, 2, 4)


spelled(
    "reshape and cache",
    """reshape and cache flash, store kv cache, store cache, paged caching, write kv cache, kv cache store, set kv
    buffer, store kvcache, update kv cache, append kv cache, write cache kv, reshape paged cache, write kv, kv
    cache write, cache kv, copy to cache, context kv cache memcpy, kv cache memcpy, decoding cache kv memcpy, decode kv
    cache memcpy, kv memcpy, context cache kv memcpy""",
)


@function("copy blocks")
def _copied(problem: Problem) -> Iterator[Formula]:
    """Blocks of a cache at other places of it, as pairs of source and target say."""
    for pairs in (one for one in problem.integers if one.size > 1):
        index = pairs.index
        for block in (n for n in dict.fromkeys(problem.whole) if n > 0 and problem.size % n == 0):
            if len(index) % 2 or index.min() < 0 or index.max() >= problem.size // block:
                continue
            for held, source in product(problem.like, repeat=2):
                rows, made = source.flat.reshape(-1, block), held.flat.reshape(-1, block).copy()
                for a, b in index.reshape(-1, 2):
                    made[b] = rows[a]
                yield Formula(f"{held.name} with blocks of {source.name} by {pairs.name}", made.reshape(-1))


@function("kv caching")
def _appended(problem: Problem) -> Iterator[Formula]:
    """Rows [batch, heads, new, depth] in a cache [batch, heads, most, depth], behind so many of each batch."""
    for past, x in product(problem.integers, problem.floats):
        batch = past.size
        behind = past.index
        for heads, new, depth in dict.fromkeys(permutations((*problem.counts, 1), 3)):
            most = problem.size // (batch * heads * depth) if min(heads, new, depth) > 0 else 0
            fits = batch * heads * new * depth == x.size and batch * heads * most * depth == problem.size
            if fits and behind.min() >= 0 and behind.max() + new <= most:
                for held in (one for one in problem.like if one is not x):
                    for how, axes in (("heads first", (0, 1, 2, 3)), ("tokens first", (0, 2, 1, 3))):
                        shape = (batch, heads, most, depth), (batch, heads, new, depth)
                        made, rows = (
                            one.flat.reshape([s[at] for at in axes]).transpose(axes).copy()
                            for one, s in ((held, shape[0]), (x, shape[1]))
                        )
                        for n in range(batch):
                            made[n, :, behind[n] : behind[n] + new] = rows[n]
                        text = f"{held.name} with {x.name} behind {past.name}, {heads} heads, {how}"
                        yield Formula(text, made.transpose(axes).reshape(-1))


of_all_results("reshape and cache", "copy blocks", "kv caching")
spelled("kv caching", "kvcaching, append to cache, concat kv cache")


@function("repetition penalty")
def _penalized(problem: Problem) -> Iterator[Formula]:
    """Scores of tokens that were there already divided by a number if above 0, else times it."""
    for x in problem.like:
        for tokens, mask in _seen(problem, x):
            rates = [(f"{f:g}", np.full((1, 1), f)) for f in problem.factors if f > 0]
            rates += [(p.name, p.flat[:, None]) for p in problem.floats if p.size == len(mask) and p is not x]
            for name, rate in rates:
                rows = x.flat.reshape(mask.shape)
                made = np.where(mask, np.where(rows > 0, rows / rate, rows * rate), rows)
                yield Formula(f"{x.name} by {name} where {tokens}", made.reshape(-1))


def _seen(problem: Problem, x: Input) -> Iterator[tuple[str, np.ndarray]]:
    """Which scores [rows, words] are of words that were there: in lists of words, or in masks."""
    for words in (n for n in dict.fromkeys((*x.axes[-1:], *problem.whole, x.size)) if n > 1 and x.size % n == 0):
        count = x.size // words
        masks = [one for one in problem.inputs if one.size == x.size and one.values.dtype.kind in "biu"]
        for a in masks:
            yield f"{a.name} is set", a.flat.reshape(count, words) != 0
        for a, b in combinations(masks, 2):
            yield f"{a.name} or {b.name} is set", ((a.flat != 0) | (b.flat != 0)).reshape(count, words)
        for listed in problem.integers:
            if listed.size % count == 0:
                at = listed.index.reshape(count, -1)
                inside, mask = (at >= 0) & (at < words), np.zeros((count, words), bool)
                row = np.broadcast_to(np.arange(count)[:, None], at.shape)
                mask[row[inside], at[inside]] = True
                yield f"words of {listed.name}", mask


spelled(
    "repetition penalty",
    """apply repetition penalty, apply repetition penalties, repetition penalties, batch apply repetition penalty""",
)


@function("apply temperature")
def _warmed(problem: Problem) -> Iterator[Formula]:
    """Scores divided by a number, or by one of each row; or their softmax."""
    for x in problem.like:
        numbers = [(f"{f:g}", np.full(1, f)) for f in problem.factors if f]
        numbers += [(t.name, t.flat) for t in problem.floats if t is not x and x.size % t.size == 0]
        for name, by in numbers:
            made = x.flat.reshape(len(by), -1) / by[:, None]
            yield Formula(f"{x.name} / {name}", made.reshape(-1))
            yield Formula(f"softmax({x.name} / {name})", softmax(made[:, :, None]).reshape(-1))
            for little in (1e-6, 1e-5, 1e-8):
                soft = x.flat.reshape(len(by), -1) / (by[:, None] + little)
                yield Formula(f"{x.name} / ({name} + {little:g})", soft.reshape(-1))


spelled(
    "apply temperature",
    """temperature scale, scale temperature, temperature scaling, apply temperature scaling,
    temperature softmax""",
)


@also("log softmax")
@function("token log probs")
def _log_probs(problem: Problem) -> Iterator[Formula]:
    """The logarithms of the shares of chosen words."""
    for x, at in product(problem.floats, problem.integers):
        if at.size == problem.size and x.size % at.size == 0 and x.size > at.size:
            rows, index = x.flat.reshape(at.size, -1), at.index
            if index.min() >= 0 and index.max() < rows.shape[1]:
                logs = rows - log_sum_exp(rows[:, :, None])[:, :, 0]
                yield Formula(f"log_softmax({x.name}) at {at.name}", logs[np.arange(at.size), index])


spelled("token log probs", "token logprobs, gather log probs, gather logprobs, selected log softmax")


@function("merge attention states")
def _merged(problem: Problem) -> Iterator[Formula]:
    """Two results of attention by the logarithms of their sums, and the logarithm of both sums."""
    for a, b in permutations(problem.floats, 2):
        if a.size != b.size:
            continue
        if a.size == problem.size:
            yield Formula(f"log(exp({a.name}) + exp({b.name}))", np.logaddexp(a.flat, b.flat))
            yield Formula(f"log2(2**{a.name} + 2**{b.name})", np.logaddexp2(a.flat, b.flat))
        for first, second in permutations(problem.floats, 2):
            if first.size == second.size and a.size % first.size == 0 and first.size < a.size == problem.size:
                for how, base, of in _sums_by_head(problem, a, first, second):
                    share = 1 / (1 + base ** (of[1] - of[0]))
                    rows = a.flat.reshape(*share.shape, -1), b.flat.reshape(*share.shape, -1)
                    made = share[..., None] * rows[0] + (1 - share[..., None]) * rows[1]
                    text = f"{a.name} and {b.name} by {first.name} and {second.name}{how}"
                    yield Formula(text, made.reshape(-1))


def _sums_by_head(
    problem: Problem, of: Input, first: Input, second: Input
) -> Iterator[tuple[str, float, tuple[np.ndarray, np.ndarray]]]:
    """Logarithms [tokens, heads] as they lie, or of [heads, tokens]; of the base e or 2."""
    for base in (float(np.e), 2.0):
        yield f", base {base:g}", base, (first.flat, second.flat)
        for heads in (n for n in dict.fromkeys((*of.axes[1:2], *problem.whole)) if n > 1 and first.size % n == 0):
            turned = (first.flat.reshape(heads, -1).T, second.flat.reshape(heads, -1).T)
            yield f", {heads} heads first, base {base:g}", base, turned


spelled("merge attention states", "merge attn states, merge state, merge states, merge attention state")
