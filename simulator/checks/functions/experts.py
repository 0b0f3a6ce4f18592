"""Steps of language models: experts and their tokens, caches of keys and values, scores that are changed and sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations, product

import numpy as np

from .along import log_sum_exp, softmax
from .pointwise import sigmoid
from .problem import Formula, Input, Problem, also, function, of_all_results, spelled, vague

#: Slots of a cache, at most.
_MOST_SLOTS = 1 << 24


def whole_of(problem: Problem, least: int = 1) -> list[Input]:
    """Arrays of whole numbers of so many elements at least."""
    return [one for one in problem.inputs if one.values.dtype.kind in "iu" and one.size >= least]


def as_index(one: Input) -> np.ndarray:
    """Its elements as indices, in a row."""
    return one.values.reshape(-1).astype(np.int64)


#: Scores of experts as shares, of rows [tokens, experts].
_SHARES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "softmax": lambda x: softmax(x[:, :, None])[:, :, 0], "sigmoid": sigmoid,
}  # fmt: skip


def _routed(problem: Problem, kinds: Sequence[str]) -> Iterator[Formula]:
    """The largest shares of each token, their experts, all shares; divided by their sum, times a factor, with a bias."""
    for x in problem.floats:
        for experts in (n for n in dict.fromkeys((*x.axes[-1:], *problem.whole)) if n > 1 and x.size % n == 0):
            rows = x.flat.reshape(-1, experts)
            count = problem.size // len(rows)
            if count * len(rows) != problem.size or not 0 < count <= experts:
                continue
            for kind in kinds:
                shares = _SHARES[kind](rows)
                biases = [("", 0 * shares), *((b.name, b.flat[None]) for b in problem.floats if b.size == experts)]
                for name, bias in biases:
                    at = np.argsort(-(shares + bias), axis=1, kind="stable")[:, :count]
                    best = np.take_along_axis(shares, at, 1)
                    text = f"{count} largest of {kind}({x.name})" + f" with {name}" * bool(name)
                    yield Formula(text, best.reshape(-1))
                    yield Formula(f"places of the {text}", at.reshape(-1))
                    for little in (0.0, 1e-9, 1e-20):
                        normed = best / (best.sum(axis=1, keepdims=True) + little)
                        for factor in (1.0, *problem.factors):
                            yield Formula(f"{factor:g} * {text} by their sum", factor * normed.reshape(-1))
                    for factor in problem.factors:
                        yield Formula(f"{factor:g} * {text}", factor * best.reshape(-1))
                yield Formula(f"{kind}({x.name})", shares.reshape(-1))
            at = np.argsort(-rows, axis=1, kind="stable")[:, :count]
            chosen = _SHARES["softmax"](np.take_along_axis(rows, at, 1))
            yield Formula(f"softmax of the {count} largest of {x.name}", chosen.reshape(-1))


function("topk softmax")(partial(_routed, kinds=["softmax"]))
function("topk sigmoid")(partial(_routed, kinds=["sigmoid"]))
vague("topk gating")(partial(_routed, kinds=["softmax", "sigmoid"]))
spelled("topk softmax", "softmax topk", "top k softmax", "softmax top k", "topk gating softmax", "moe topk softmax",
        "topk softmax gating", "moe softmax topk", "topksoftmax", "topk gating softmax kernel")  # fmt: skip
spelled("topk sigmoid", "sigmoid topk", "moe topk sigmoid", "topk gating sigmoid", "sigmoid top k", "topksigmoid")
spelled("topk gating", "moe topk", "moe gating", "moe gate", "topk router", "topkrouter", "moe fused gate", "router topk",
        "gating topk", "top k gating", "expert gating", "moe top k")  # fmt: skip


@function("moe softmax")
def _moe_softmax(problem: Problem) -> Iterator[Formula]:
    for x in problem.like:
        for experts in (n for n in dict.fromkeys((*x.axes[-1:], *problem.whole)) if n > 1 and x.size % n == 0):
            yield Formula(
                f"softmax({x.name}) of {experts}", _SHARES["softmax"](x.flat.reshape(-1, experts)).reshape(-1)
            )


@function("moe sum", "moe combine")
def _summed(problem: Problem) -> Iterator[Formula]:
    """The sum of the rows that experts made of each token, [tokens, top k, depth], by a weight of each or not."""
    for x in problem.floats:
        for depth in (n for n in dict.fromkeys((*problem.shape[-1:], *x.axes[-1:], *problem.whole)) if n > 0):
            tokens = problem.size // depth
            each = x.size // problem.size
            if tokens * depth == problem.size and each * problem.size == x.size and each > 1:
                rows = x.flat.reshape(tokens, each, depth)
                yield Formula(f"sum of {each} rows of {x.name}", rows.sum(axis=1).reshape(-1))
                for w in (one for one in problem.floats if one.size == tokens * each and one is not x):
                    made = (rows * w.flat.reshape(tokens, each, 1)).sum(axis=1)
                    yield Formula(f"sum of {each} rows of {x.name} * {w.name}", made.reshape(-1))
    for x, at in product(problem.floats, whole_of(problem)):  # of rows in the order of their experts
        for depth in (
            n for n in dict.fromkeys((*problem.shape[-1:], *problem.whole)) if n > 0 and problem.size % n == 0
        ):
            tokens, index = problem.size // depth, as_index(at)
            if x.size % depth or at.size % tokens or index.min() < 0 or index.max() >= x.size // depth:
                continue
            taken = x.flat.reshape(-1, depth)[index]
            for order, shape in (("", (tokens, -1)), (", by rank", (-1, tokens))):
                rows = taken.reshape(*shape, depth)
                axis = 0 if order else 1
                yield Formula(f"sum of {x.name} at {at.name}{order}", rows.sum(axis=axis).reshape(-1))
                for w in (one for one in problem.floats if one.size == at.size):
                    weights = (w.flat.reshape(tokens, -1).T if order else w.flat.reshape(tokens, -1))[..., None]
                    made = (rows * weights).sum(axis=axis)
                    yield Formula(f"sum of {w.name} * {x.name} at {at.name}{order}", made.reshape(-1))


spelled("moe sum", "moe sum reduce", "moe reduce", "topk reduce")
spelled("moe combine", "moe unpermute", "unpermute tokens", "moe finalize", "combine experts", "moe finalize routing",
        "finalize moe routing")  # fmt: skip


@function("moe permute")
def _permuted(problem: Problem) -> Iterator[Formula]:
    """Rows of tokens, each at the place of an array, or taken from there; a token may have several."""
    for x, at in product(problem.floats, whole_of(problem)):
        index = as_index(at)
        depth = problem.size // len(index)
        if depth * len(index) != problem.size or not depth or x.size % depth:
            continue
        rows = x.flat.reshape(-1, depth)
        each = len(index) // len(rows)
        if index.min() >= 0:
            for times in dict.fromkeys((1, max(each, 1), *problem.whole)):
                if times > 0 and index.max() // times < len(rows):
                    yield Formula(f"{x.name} at {at.name} / {times}", rows[index // times].reshape(-1))
            if index.max() < len(index) and each and each * len(rows) == len(index):
                made = np.zeros((len(index), depth))
                made[index] = rows.repeat(each, axis=0)
                yield Formula(f"{x.name} sent to {at.name}", made.reshape(-1))


spelled(
    "moe permute", "permute tokens", "expand input rows", "moe expand", "shuffle rows", "pre reorder", "moe scatter"
)


@function("expert counts")
def _counts(problem: Problem) -> Iterator[Formula]:
    """How many tokens each expert has, or where the first one of each lies."""
    for at in whole_of(problem):
        index = as_index(at)
        for less in (0, 1):
            inside = index[(index >= 0) & (index < problem.size - less)]
            counts = np.bincount(inside, minlength=problem.size - less)
            if less:
                yield Formula(f"starts of {at.name}", np.append(0, np.cumsum(counts)))
            else:
                yield Formula(f"counts of {at.name}", counts)
                yield Formula(f"ends of {at.name}", np.cumsum(counts))


spelled("expert counts", "count experts", "count expert tokens", "expert count", "number count", "compute expert counts",
        "expert histogram", "tokens per expert", "count tokens per expert", "expert offsets", "compute expert offsets")  # fmt: skip


@vague("moe align block size")
def _aligned(problem: Problem) -> Iterator[Formula]:
    """Tokens in the order of their experts, each of which has whole blocks; the expert of each block; how many there are."""
    for at, (experts, block) in product(whole_of(problem), permutations((n for n in problem.whole if n > 0), 2)):
        index = as_index(at)
        if index.min() < 0 or index.max() >= experts or experts > 4096:
            continue
        counts = np.bincount(index, minlength=experts)
        padded = -(-counts // block) * block
        start, total = np.cumsum(padded) - padded, int(padded.sum())
        held = [one.flat for one in problem.like] or [np.zeros(problem.size)]
        text = f"{at.name} of {experts} experts in blocks of {block}"
        if problem.size == 1:
            yield Formula(f"places of {text}", np.array([float(total)]))
        if problem.size >= total:
            for before in (*held, np.full(problem.size, float(len(index)))):
                sent, place = before.copy(), start.copy()
                sent[:total] = len(index)
                for token in np.argsort(index, kind="stable"):
                    sent[place[index[token]]] = token
                    place[index[token]] += 1
                yield Formula(f"tokens by {text}", sent)
        of_blocks = np.repeat(np.arange(experts), padded // block)
        if problem.size >= len(of_blocks):
            for before in (*held, np.zeros(problem.size), np.full(problem.size, -1.0)):
                yield Formula(f"experts of blocks of {text}", np.append(of_blocks, before[len(of_blocks) :]))


spelled("moe align block size", "moe align", "moe align block size small batch expert", "align block size")


def _slots(problem: Problem) -> Iterator[tuple[str, np.ndarray, int]]:
    """For each token a slot or -1, and how many slots there are in a block; 1 if nothing says that there are blocks."""
    for slot in whole_of(problem):
        index = as_index(slot)
        for block in dict.fromkeys((*(problem.named("block_size", "page") or problem.whole), 1)):
            if 0 < block < _MOST_SLOTS and index.max() >= 0:
                yield slot.name, index, block


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


spelled("reshape and cache", "reshape and cache flash", "store kv cache", "store cache", "paged caching", "write kv cache",
        "kv cache store", "set kv buffer", "store kvcache", "update kv cache", "append kv cache", "write cache kv",
        "reshape paged cache", "write kv", "kv cache write", "cache kv", "copy to cache")  # fmt: skip


@function("copy blocks")
def _copied(problem: Problem) -> Iterator[Formula]:
    """Blocks of a cache at other places of it, as pairs of source and target say."""
    for pairs in whole_of(problem, 2):
        index = as_index(pairs)
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
    for past, x in product(whole_of(problem), problem.floats):
        batch = past.size
        behind = as_index(past)
        for heads, new, depth in permutations((*problem.whole, 1), 3):
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
spelled("kv caching", "kvcaching", "append to cache", "concat kv cache")


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
        for listed in whole_of(problem):
            if listed.size % count == 0:
                at = as_index(listed).reshape(count, -1)
                inside, mask = (at >= 0) & (at < words), np.zeros((count, words), bool)
                row = np.broadcast_to(np.arange(count)[:, None], at.shape)
                mask[row[inside], at[inside]] = True
                yield f"words of {listed.name}", mask


spelled("repetition penalty", "apply repetition penalty", "apply repetition penalties", "repetition penalties",
        "batch apply repetition penalty")  # fmt: skip


@function("temperature")
def _warmed(problem: Problem) -> Iterator[Formula]:
    """Scores divided by a number, or by one of each row, with a bias of each word or without."""
    for x in problem.like:
        for name, by in [*((f"{f:g}", np.full(1, f)) for f in problem.factors if f),
                         *((t.name, t.flat) for t in problem.floats if t is not x and x.size % t.size == 0)]:  # fmt: skip
            made = x.flat.reshape(len(by), -1) / by[:, None]
            yield Formula(f"{x.name} / {name}", made.reshape(-1))
            yield Formula(f"softmax({x.name} / {name})", softmax(made[:, :, None]).reshape(-1))
            for little in (1e-6, 1e-5, 1e-8):
                soft = x.flat.reshape(len(by), -1) / (by[:, None] + little)
                yield Formula(f"{x.name} / ({name} + {little:g})", soft.reshape(-1))


spelled("temperature", "apply temperature", "temperature scale", "scale temperature", "temperature scaling",
        "apply temperature scaling", "temperature softmax")  # fmt: skip


@also("log softmax")
@function("token log probs")
def _log_probs(problem: Problem) -> Iterator[Formula]:
    """The logarithms of the shares of chosen words."""
    for x, at in product(problem.floats, whole_of(problem)):
        if at.size == problem.size and x.size % at.size == 0 and x.size > at.size:
            rows, index = x.flat.reshape(at.size, -1), as_index(at)
            if index.min() >= 0 and index.max() < rows.shape[1]:
                logs = rows - log_sum_exp(rows[:, :, None])[:, :, 0]
                yield Formula(f"log_softmax({x.name}) at {at.name}", logs[np.arange(at.size), index])


spelled("token log probs", "token logprobs", "gather log probs", "gather logprobs", "selected log softmax")


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


spelled("merge attention states", "merge attn states", "merge state", "merge states", "merge attention state")
