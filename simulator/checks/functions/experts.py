"""Experts of language models: which tokens they have, and the rows that these make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations, product

import numpy as np

from .along import softmax
from .pointwise import sigmoid
from .problem import Formula, Problem, function, spelled, vague

#: Scores of experts as shares, of rows [tokens, experts].
_SHARES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "softmax": lambda x: softmax(x[:, :, None])[:, :, 0], "sigmoid": sigmoid,
}  # fmt: skip


def _routed(problem: Problem, kinds: Sequence[str]) -> Iterator[Formula]:
    """The largest shares of each token and their experts; divided by their sum, times a factor, with a bias."""
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
spelled(
    "topk softmax",
    """softmax topk, top k softmax, softmax top k, topk gating softmax, moe topk softmax, topk softmax gating, moe
    softmax topk, topksoftmax, topk gating softmax kernel""",
)
spelled("topk sigmoid", "sigmoid topk, moe topk sigmoid, topk gating sigmoid, sigmoid top k, topksigmoid")
spelled(
    "topk gating",
    """moe topk, moe gating, moe gate, topk router, topkrouter, moe fused gate, router topk, gating topk, top k
    gating, expert gating, moe top k""",
)


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
    for x, at in product(problem.floats, problem.integers):  # of rows in the order of their experts
        for depth in (
            n for n in dict.fromkeys((*problem.shape[-1:], *problem.whole)) if n > 0 and problem.size % n == 0
        ):
            tokens, index = problem.size // depth, at.index
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


spelled("moe sum", "moe sum reduce, moe reduce, topk reduce")
spelled(
    "moe combine",
    "moe unpermute, unpermute tokens, moe finalize, combine experts, moe finalize routing, finalize moe routing",
)


@function("moe permute")
def _permuted(problem: Problem) -> Iterator[Formula]:
    """Rows of tokens, each at the place of an array, or taken from there; a token may have several."""
    for x, at in product(problem.floats, problem.integers):
        index = at.index
        depth = problem.size // len(index)
        if depth * len(index) != problem.size or not depth or x.size % depth:
            continue
        rows = x.flat.reshape(-1, depth)
        each = len(index) // len(rows)
        if index.min() >= 0:
            for times in dict.fromkeys((1, max(each, 1), *problem.whole)):
                if 0 < times <= len(index) and index.max() // times < len(rows):
                    yield Formula(f"{x.name} at {at.name} / {times}", rows[index // times].reshape(-1))
            if index.max() < len(index) and each and each * len(rows) == len(index):
                made = np.zeros((len(index), depth))
                made[index] = rows.repeat(each, axis=0)
                yield Formula(f"{x.name} sent to {at.name}", made.reshape(-1))


spelled("moe permute", "permute tokens, expand input rows, moe expand, shuffle rows, pre reorder, moe scatter")


@function("expert counts")
def _counts(problem: Problem) -> Iterator[Formula]:
    """How many tokens each expert has, or where the first one of each lies."""
    for at in problem.integers:
        index = at.index
        for less in (0, 1):
            inside = index[(index >= 0) & (index < problem.size - less)]
            counts = np.bincount(inside, minlength=problem.size - less)
            if less:
                yield Formula(f"starts of {at.name}", np.append(0, np.cumsum(counts)))
            else:
                yield Formula(f"counts of {at.name}", counts)
                yield Formula(f"ends of {at.name}", np.cumsum(counts))


spelled(
    "expert counts",
    """count experts, count expert tokens, expert count, number count, compute expert counts, expert histogram,
    tokens per expert, count tokens per expert, expert offsets, compute expert offsets""",
)


@vague("moe align block size")
def _aligned(problem: Problem) -> Iterator[Formula]:
    """Tokens in the order of their experts, which have whole blocks; the expert of each block; how many there are."""
    for at, (experts, block) in product(problem.integers, dict.fromkeys(permutations(problem.counts, 2))):
        index = at.index
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


spelled("moe align block size", "moe align, moe align block size small batch expert, align block size")
