"""Scores of attention: how they are masked and capped, and the softmax of what is left."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from . import gradients, masked  # noqa: F401  (which have more forms here)
from .along import softmax
from .problem import Formula, Input, Problem, also, function, of_few, spelled, vague

#: Numbers that stand for the least one where scores are masked.
LEAST = *masked.LEAST, -65504.0, -1e5

#: Caps that kernels have as constants.
_CAPS = 30.0, 50.0, 20.0, 15.0

_Rows = np.ndarray  # [rows, columns]


def _factors(problem: Problem) -> list[float]:
    return [*dict.fromkeys((1.0, *(f for f in problem.factors if f)))]


def widths(problem: Problem, x: Input) -> list[int]:
    """How many scores a row may have."""
    named = (*x.axes[-1:], *problem.whole, *x.axes[-2:-1], x.size)
    return [n for n in dict.fromkeys(named) if 1 < n <= x.size and x.size % n == 0]


@function("softcap")
def _capped(problem: Problem) -> Iterator[Formula]:
    """cap * tanh(x / cap), or by a scale that is passed."""
    for x in problem.like:
        for cap in (f for f in (*problem.factors, *_CAPS) if f):
            yield Formula(f"{cap:g} * tanh({x.name} / {cap:g})", cap * np.tanh(x.flat / cap))
            for scale in problem.factors:
                yield Formula(f"{cap:g} * tanh({scale:g} * {x.name})", cap * np.tanh(scale * x.flat))
                yield Formula(f"{cap:g} * tanh({scale:g} * {x.name} / {cap:g})", cap * np.tanh(scale * x.flat / cap))


spelled("softcap", "soft cap, logit softcap, logits soft cap, logit soft cap, softcapping, soft capping, tanh cap")


def _later(problem: Problem, rows: _Rows) -> Iterator[tuple[str, np.ndarray]]:
    """What is later than a row's token, in squares or in squares of so many rows, behind so many tokens."""
    count, columns = rows.shape
    for each in (n for n in dict.fromkeys((columns, *problem.whole, count)) if 0 < n <= count and count % n == 0):
        for past in dict.fromkeys((0, columns - each, *problem.named("past", "offset", "start"))):
            at = np.arange(count)[:, None] % each + past
            yield f"behind {past} + i of {each}", np.arange(columns) > at


@also("causal mask")
@function("diag mask inf")
def _masked(problem: Problem) -> Iterator[Formula]:
    """The least number where a column is later than the row; it may be added."""
    for x in problem.like:
        for columns in widths(problem, x):
            rows = x.flat.reshape(-1, columns)
            for text, later in _later(problem, rows):
                for least in (*LEAST, 0.0):
                    yield Formula(f"{x.name}, {least:g} {text}", np.where(later, least, rows).reshape(-1))
                yield Formula(f"{x.name} - most {text}", (rows + np.where(later, LEAST[3], 0)).reshape(-1))


spelled("diag mask inf", "diag mask, diag mask zero, diag mask infinity")


def _dropped(problem: Problem, x: Input, columns: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """What is added to scores, and where none counts: by masks, by lengths, by the diagonal, by both."""
    rows = x.flat.reshape(-1, columns)
    diagonals = [*_later(problem, rows)]
    for text, later in diagonals:
        yield f"up to the diagonal, {text}", np.zeros(1), later
    for text, added, dropped in _by_masks(problem, x, columns):
        yield text, added, dropped
        yield from ((f"{text}, not {how}", added, dropped | later) for how, later in diagonals[:2])


def _by_masks(problem: Problem, x: Input, columns: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The same by masks alone."""
    rows, none = x.flat.reshape(-1, columns), np.zeros(1)
    for mask in (one for one in problem.inputs if one is not x):
        whole = mask.values.dtype.kind in "biu"
        if x.size % mask.size:
            continue
        if whole and len(rows) % mask.size == 0 and mask.flat.max() <= columns and mask.flat.min() >= 0:
            lengths = mask.index.repeat(len(rows) // mask.size)[:, None]
            yield f"of the lengths {mask.name}", none, np.arange(columns) >= lengths
        for how, wide in _beside(problem, x, mask, columns):
            yield f"where {mask.name} is set{how}", none, wide == 0
            yield f"where {mask.name} is not set{how}", none, wide != 0
            if not whole:
                yield f"+ {mask.name}{how}", wide, np.zeros(1, bool)
                for least in (-1e4, *problem.factors):
                    yield f"+ (1 - {mask.name}) * {least:g}{how}", (1 - wide) * least, np.zeros(1, bool)


def _beside(problem: Problem, x: Input, mask: Input, columns: int) -> Iterator[tuple[str, _Rows]]:
    """A mask for each score: of all, of the columns of each batch, or the same for each of its heads."""
    if mask.size % columns:
        return
    held, count = mask.flat.reshape(-1, columns), x.size // columns
    if count % len(held) == 0:
        yield "", np.tile(held, (count // len(held), 1))
        yield " of each batch", np.repeat(held, count // len(held), axis=0)
        for rows in (n for n in problem.whole if 1 < n < len(held) and len(held) % n == 0):
            batches = held.reshape(-1, rows, columns)
            for heads in (n for n in (count // len(held),) if n > 1):
                yield " of each head", np.repeat(batches, heads, axis=0).reshape(-1, columns)


def _shares(scores: _Rows, dropped: np.ndarray, least: float) -> Iterator[np.ndarray]:
    """The softmax of what is not dropped; 0 where nothing is left, or all alike."""
    kept = np.where(dropped, least, scores)
    made = softmax(kept[:, :, None])[:, :, 0]
    yield made
    yield np.where(np.isfinite(made), made, 0)
    if np.isinf(least):
        yield np.where(np.broadcast_to(dropped, scores.shape).all(axis=1, keepdims=True), 0, made)


@vague("masked softmax", unless=of_few(2))
def _masked_softmax(problem: Problem) -> Iterator[Formula]:
    """The softmax of rows times a scale, of some columns alone or with numbers that are added, times the scale."""
    for x in problem.like:
        for columns in widths(problem, x):
            rows = x.flat.reshape(-1, columns)
            for (text, added, dropped), scale in product(_dropped(problem, x, columns), _factors(problem)):
                for least in (-np.inf, -1e4) if dropped.any() else (-np.inf,):
                    for made in _shares(scale * rows + added, dropped, least):
                        yield Formula(f"softmax({scale:g} * {x.name}) of {columns} {text}", made.reshape(-1))
                if scale != 1 and added.any():
                    made = softmax((scale * (rows + added))[:, :, None])
                    yield Formula(f"softmax({scale:g} * ({x.name} {text})) of {columns}", made.reshape(-1))


@also("causal softmax")
@vague("scaled softmax", unless=of_few(2))
def _scaled_softmax(problem: Problem) -> Iterator[Formula]:
    for x in problem.like:
        for columns, scale in product(widths(problem, x), _factors(problem)):
            rows = scale * x.flat.reshape(-1, columns)
            yield Formula(f"softmax({scale:g} * {x.name}) of {columns}", softmax(rows[:, :, None]).reshape(-1))
            if scale != 1:
                yield Formula(
                    f"softmax({x.name} / {scale:g}) of {columns}", softmax((rows / scale**2)[:, :, None]).reshape(-1)
                )


@function("scaled causal softmax")
def _scaled_causal(problem: Problem) -> Iterator[Formula]:
    for x in problem.like:
        for columns, scale in product(widths(problem, x), _factors(problem)):
            rows = scale * x.flat.reshape(-1, columns)
            for text, later in _later(problem, rows):
                for made in _shares(rows, later, -np.inf):
                    yield Formula(f"softmax({scale:g} * {x.name}) of {columns}, not {text}", made.reshape(-1))


@also("softmax backward")
@function("scaled softmax backward", "masked softmax backward")
def _softmax_back(problem: Problem) -> Iterator[Formula]:
    """y * (back - sum(back * y)), times a scale; 0 where a mask is set or not."""
    for y, back in permutations(problem.like, 2):
        for columns, scale in product(widths(problem, y), _factors(problem)):
            rows, coming = y.flat.reshape(-1, columns), back.flat.reshape(-1, columns)
            made = scale * rows * (coming - (coming * rows).sum(axis=1, keepdims=True))
            text = f"{scale:g} * softmax'({y.name}) * {back.name} of {columns}"
            yield Formula(text, made.reshape(-1))
            for mask in (one for one in problem.inputs if one not in (y, back) and y.size % one.size == 0):
                for how, wide in _beside(problem, y, mask, columns):
                    yield Formula(f"{text} where {mask.name} is set{how}", np.where(wide != 0, made, 0).reshape(-1))
                    yield Formula(f"{text} where {mask.name} is 0{how}", np.where(wide == 0, made, 0).reshape(-1))


@vague("bias softmax", unless=of_few(2))
def _bias_softmax(problem: Problem) -> Iterator[Formula]:
    """The softmax of rows and a bias of each column or row of scores, or of its logarithm."""
    for x in problem.like:
        for columns, scale in product(widths(problem, x), _factors(problem)):
            rows = scale * x.flat.reshape(-1, columns)
            for bias in (one for one in problem.floats if one is not x):
                for how, wide in _beside(problem, x, bias, columns):
                    made = softmax((rows + wide)[:, :, None])[:, :, 0]
                    yield Formula(f"softmax({scale:g} * {x.name} + {bias.name}{how}) of {columns}", made.reshape(-1))
                    yield Formula(f"log softmax({scale:g} * {x.name} + {bias.name}{how})", np.log(made).reshape(-1))


spelled(
    "masked softmax",
    """softmax mask, scaled masked softmax, scale mask softmax, softmax with mask, scale masked softmax, attn softmax,
    attention softmax, attn mask softmax, fused scale mask softmax, softmax attention mask, masked scaled softmax,
    add mask softmax, masked scale softmax, scaled softmax mask, softmax mask fuse, apply mask softmax, softmax
    masked, mask softmax, fused mask softmax, scale mask and softmax, mask scale softmax, mask and softmax, scale
    and mask softmax""",
)
spelled("scaled softmax", "scale softmax, softmax scale, softmax scaled, softmax temperature, softmax with temperature")
spelled(
    "scaled causal softmax",
    """scaled upper triang masked softmax, upper triang masked softmax, scaled causal masked softmax, scale causal
    softmax, softmax causal scaled, causal softmax scaled, softmax mask fuse upper triangle, scaled masked causal
    softmax, causal scaled softmax, upper triangle masked softmax""",
)
spelled("scaled softmax backward", "scaled upper triang masked softmax backward, causal softmax backward")
spelled("masked softmax backward", "scaled masked softmax backward, attn softmax backward, attn softmax bw")
spelled("bias softmax", "add bias softmax, softmax bias, softmax with bias, add bias and softmax, bias add softmax")
