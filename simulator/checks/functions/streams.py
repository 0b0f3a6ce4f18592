"""Convolutions that see no later place or that make images larger, and recurrences of state spaces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .pointwise import sigmoid, softplus
from .problem import Formula, Input, Problem, of_few, spelled, vague

#: Strides, paddings and widths of windows, and products in all of them, at most.
_LONGEST, _MOST = 16, 1 << 24

_Numbers = np.ndarray


def _layouts(problem: Problem, x: Input, channels: int) -> Iterator[tuple[str, _Numbers]]:
    """[batch, channels, length] of an array, whose channels lie before the length or behind it."""
    for length in (n for n in dict.fromkeys((*x.axes, *problem.whole)) if n > 0):
        if x.size % (channels * length) == 0:
            yield "channels first", x.flat.reshape(-1, channels, length)
            yield "channels last", x.flat.reshape(-1, length, channels).swapaxes(1, 2)


def _as_it_lies(how: str, made: _Numbers) -> _Numbers:
    return (made if how == "channels first" else made.swapaxes(1, 2)).reshape(-1)


@vague("causal conv", unless=of_few(3))
def _causal(problem: Problem) -> Iterator[Formula]:
    """Of each channel with what lies before, [channels, width] weights, a bias or none, SiLU behind or not."""
    for x, w in permutations(problem.floats, 2):
        for channels in (n for n in dict.fromkeys((*w.axes[:1], *x.axes, *problem.whole)) if n > 0):
            width = w.size // channels
            if x.size != problem.size or w.size % channels or not 1 < width < _LONGEST:
                continue
            biases = [
                ("", np.zeros(1)),
                *((f" + {b.name}", b.flat[:, None]) for b in problem.floats if b.size == channels),
            ]
            for how, rows in _layouts(problem, x, channels):
                padded = np.pad(rows, ((0, 0), (0, 0), (width - 1, 0)))
                seen = np.lib.stride_tricks.sliding_window_view(padded, width, axis=2)
                for turned, weights in (
                    ("", w.flat.reshape(channels, width)),
                    (".T", w.flat.reshape(width, channels).T),
                ):
                    made = np.einsum("bclk,ck->bcl", seen, weights)
                    for name, bias in biases:
                        text, whole = f"causal_conv({x.name}, {w.name}{turned}){name}, {how}", made + bias
                        yield Formula(text, _as_it_lies(how, whole))
                        yield Formula(f"silu({text})", _as_it_lies(how, whole * sigmoid(whole)))


spelled(
    "causal conv",
    """causal convolution, depthwise causal conv, causal depthwise conv, causal conv depthwise, short conv, causal conv
    silu""",
)


def _spread(x: _Numbers, w: _Numbers, stride: int, pad: int, dilation: int, out: tuple[int, ...]) -> _Numbers | None:
    """[n, in, ...] times [in, out, ...] at places that are a stride apart, less the padding."""
    dims = len(out)
    full = [(n - 1) * stride + dilation * (k - 1) + 1 for n, k in zip(x.shape[2:], w.shape[2:], strict=True)]
    if any(not 0 <= n - (have - 2 * pad) <= max(stride - 1, 0) for n, have in zip(out, full, strict=True)):
        return None
    made = np.zeros((x.shape[0], w.shape[1], *(max(n + pad, have) for n, have in zip(out, full, strict=True))))
    for at in np.ndindex(*w.shape[2:]):
        part = np.tensordot(x, w[(slice(None), slice(None), *at)], axes=(1, 0))
        places = tuple(
            slice(k * dilation, k * dilation + (n - 1) * stride + 1, stride)
            for k, n in zip(at, x.shape[2:], strict=True)
        )
        made[(slice(None), slice(None), *places)] += np.moveaxis(part, -1, 1)
    return made[(slice(None), slice(None), *(slice(pad, pad + n) for n in out))] if dims else None


def _shapes(problem: Problem, size: int, shape: tuple[int, ...], dims: int) -> list[tuple[int, ...]]:
    """[n, channels, ...] of an array: its own axes, or passed numbers, with a batch that need not be passed."""
    if len(shape) == dims + 2:
        return [shape]
    if len(shape) == dims + 1:
        return [(1, *shape), (shape[0], 1, *shape[1:])]
    counts = dict.fromkeys(n for n in problem.whole if 0 < n <= size)
    found = [
        (size // math.prod(axes), *axes) for axes in product(counts, repeat=dims + 1) if size % math.prod(axes) == 0
    ]
    return [*dict.fromkeys(found)]


@vague("conv transpose", unless=lambda problem: all(len(one.axes) > 1 for one in problem.floats))
def _transposed(problem: Problem) -> Iterator[Formula]:
    """Of images or rows, with a bias of each channel or none."""
    small = dict.fromkeys(n for n in (*problem.whole, 1, 2) if 0 < n < _LONGEST)
    strides = dict.fromkeys(n for n in problem.named("stride", "s0") or small if 0 < n < _LONGEST)
    pads = dict.fromkeys(n for n in problem.named("pad") or (0, 1, *small) if 0 <= n < _LONGEST)
    dilations = dict.fromkeys(n for n in problem.named("dil") or (1,) if 0 < n < _LONGEST)
    for (x, w), dims in product(permutations(problem.floats, 2), (1, 2)):
        for images in _shapes(problem, x.size, x.values.shape, dims):
            made_of = [one for one in _shapes(problem, problem.size, problem.shape, dims) if one[0] == images[0]]
            for out in made_of:
                each = w.size // (images[1] * out[1])
                kernels = [w.values.shape[2:]] if len(w.values.shape) == dims + 2 else product(small, repeat=dims)
                for kernel in kernels:
                    if each != math.prod(kernel) or images[1] * out[1] * each != w.size or problem.size * each > _MOST:
                        continue
                    rows, weights = x.flat.reshape(images), w.flat.reshape(images[1], out[1], *kernel)
                    for stride, pad, dilation in product(strides, pads, dilations):
                        made = _spread(rows, weights, stride, pad, dilation, out[2:])
                        if made is None or made.shape != out:
                            continue
                        text = f"conv_transpose({x.name}, {w.name}), stride {stride}, padding {pad}"
                        yield Formula(text, made.reshape(-1))
                        for b in (one for one in problem.floats if one.size == out[1] and one not in (x, w)):
                            yield Formula(f"{text} + {b.name}", (made + b.flat.reshape(-1, *[1] * dims)).reshape(-1))


spelled(
    "conv transpose",
    """transposed conv, transposed convolution, convolution transpose, transpose conv, deconv, deconvolution, conv
    transposed, transpose convolution, convtranspose, deconvolve""",
)


def _steps(problem: Problem, one: Input, batch: int, length: int) -> Iterator[tuple[str, _Numbers]]:
    """[batch, length, states] of an array, whose states lie before the length or behind it."""
    if one.size % (batch * length) == 0:
        states = one.size // (batch * length)
        yield "", one.flat.reshape(batch, length, states)
        yield ".T", one.flat.reshape(batch, states, length).swapaxes(1, 2)


@vague("selective scan")
def _selective(problem: Problem) -> Iterator[Formula]:
    """h = exp(dt * A) * h + dt * B * u, y = C * h + D * u, of each channel; times the SiLU of a gate or not."""
    same = problem.like
    for u, dt in permutations(same, 2):
        for a in (one for one in problem.floats if one not in (u, dt) and one.size < 65536):
            for channels in (n for n in dict.fromkeys((*a.axes[:1], *problem.whole)) if n > 0 and a.size % n == 0):
                states = a.size // channels
                rest = [one for one in problem.floats if one not in (u, dt, a) and states and one.size % states == 0]
                for (how, rows), (also_how, steps) in product(
                    _layouts(problem, u, channels), _layouts(problem, dt, channels)
                ):
                    if how != also_how or rows.shape != steps.shape:
                        continue
                    batch, _, length = rows.shape
                    for b, c in permutations([one for one in rest if one.size == batch * length * states], 2):
                        for (turned, of_b), (same_turn, of_c) in product(
                            _steps(problem, b, batch, length), _steps(problem, c, batch, length)
                        ):
                            if turned == same_turn:
                                text = f"scan of {u.name}, {dt.name}, {a.name}, {b.name}{turned}, {c.name}, {how}"
                                rates = a.flat.reshape(channels, states)
                                yield from _scanned(
                                    problem, (text, how), (rows, steps, rates, of_b, of_c), (u, dt, a, b, c)
                                )


def _scanned(
    problem: Problem, said: tuple[str, str], arrays: tuple[_Numbers, ...], of: tuple[Input, ...]
) -> Iterator[Formula]:
    (text, how), (u, dt, a, b, c) = said, arrays
    skips = [
        ("", np.zeros(1)),
        *((f", D = {d.name}", d.flat) for d in problem.floats if d.size == len(a) and d not in of),
    ]
    for of_dt, step in (("", dt), (", softplus of dt", softplus(dt))):
        for of_a, rate in (("", a), (", A = -exp", -np.exp(a))):
            held, made = np.zeros((len(u), *a.shape)), np.zeros(u.shape)
            for at in range(u.shape[2]):
                now = step[:, :, at, None]
                held = np.exp(now * rate) * held + now * u[:, :, at, None] * b[:, at, None]
                made[:, :, at] = (held * c[:, at, None]).sum(axis=2)
            for name, skip in skips:
                whole = made + skip[:, None] * u
                yield Formula(text + of_dt + of_a + name, _as_it_lies(how, whole))
                for z in (one for one in problem.like if one not in of):
                    gate = z.flat * sigmoid(z.flat)
                    yield Formula(f"{text}{of_dt}{of_a}{name}, gate {z.name}", _as_it_lies(how, whole) * gate)


spelled("selective scan", "mamba scan, ssm selective scan, selective ssm, selective state scan, mamba selective scan")
