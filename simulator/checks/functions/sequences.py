"""Functions of sequences: recurrences, filters, sums of windows, sections of running sums, what is kept of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .problem import Formula, Problem, function, of_all_results, spelled, vague

#: Elements of recurrences, and of windows together, at most.
_MOST, _MOST_WINDOWS = 1 << 16, 1 << 22
#: Coefficients of a recurrent filter, at most.
_MOST_TAPS = 33


@function("linear recurrence")
def _recurrence(problem: Problem) -> Iterator[Formula]:
    """h = a * h before + x of each row, from 0, from the first x or from a state that is passed."""
    for a, x in permutations(problem.like, 2) if problem.size <= _MOST else ():
        for text, rows in problem.along_axes(x):
            by, made = a.flat.reshape(rows.shape), np.empty(rows.shape)
            states = [("0", np.zeros(rows[:, 0].shape))]
            states += [
                (one.name, one.flat.reshape(rows[:, 0].shape)) for one in problem.floats if one.size == rows[:, 0].size
            ]
            for name, state in states:
                h = state
                for at in range(rows.shape[1]):
                    h = by[:, at] * h + rows[:, at]
                    made[:, at] = h
                yield Formula(f"h = {a.name} * h + {x.name} from {name} {text}", made.reshape(-1).copy())


spelled("linear recurrence", "linear scan, first order recurrence, linear recurrent, recurrence, affine scan")


@function("iir filter")
def _recurrent(problem: Problem) -> Iterator[Formula]:
    """y[n] = sum of b[k] * x[n - k] - (or +) sum of a[k] * y[n - k], k > 0, over a[0]; of each row."""
    tables = [one for one in problem.floats if 1 < one.size <= _MOST_TAPS]
    pairs = [(f"{b.name}, {a.name}", b.flat, a.flat) for b, a in permutations(tables, 2)]
    pairs += [(one.name, one.flat[:3], np.append(1.0, one.flat[3:])) for one in tables if one.size == 5]
    if len(problem.factors) == 5:
        b, a = np.array(problem.factors[:3]), np.array([1.0, *problem.factors[3:]])
        pairs.append(("numbers that are passed", b, a))
    for x, (name, b, a) in product(problem.like if problem.size <= _MOST else (), pairs):
        for (text, rows), sign in product(problem.along_axes(x), (-1, 1)):
            if rows.shape[2] != 1 or not a[0]:
                continue
            made, data = np.zeros(rows.shape[:2]), rows[:, :, 0]
            for at in range(data.shape[1]):
                come = sum(b[k] * data[:, at - k] for k in range(min(len(b), at + 1)))
                back = sum(a[k] * made[:, at - k] for k in range(1, min(len(a), at + 1)))
                made[:, at] = (come + sign * back) / a[0]
            yield Formula(f"{x.name} filtered by {name}{' of the other sign' * (sign > 0)} {text}", made.reshape(-1))


spelled("iir filter", "iir, lfilter, biquad, biquad filter, iir filtering, recursive filter")


@function("fir filter")
def _finite(problem: Problem) -> Iterator[Formula]:
    """y[n] = sum of h[k] * x[n - k], with nothing before the first; or where all are there."""
    for x, h in permutations(problem.floats, 2):
        if not h.size <= x.size:
            continue
        for text, rows in problem.along_axes(x):
            if rows.shape[2] != 1 or h.size > rows.shape[1]:
                continue
            whole = np.stack([np.convolve(row, h.flat) for row in rows[:, :, 0]])
            for how, part in (
                ("", whole[:, : rows.shape[1]]),
                (" where all are there", whole[:, h.size - 1 : rows.shape[1]]),
                (" backwards", np.stack([np.correlate(row, h.flat) for row in rows[:, :, 0]])),
            ):
                if part.size == problem.size:
                    yield Formula(f"{x.name} by {h.name} {text}{how}", part.reshape(-1))


spelled("fir filter", "fir, fir filtering, finite impulse response, causal conv")


@function("pre emphasis")
def _emphasized(problem: Problem) -> Iterator[Formula]:
    """x[n] - c * x[n - 1]; the first one is kept, or is less c times itself."""
    for x, c in product(problem.like, problem.factors):
        for text, rows in problem.along_axes(x):
            for first in (0.0, 1.0):
                before = np.concatenate([first * rows[:, :1], rows[:, :-1]], axis=1)
                yield Formula(
                    f"{x.name} - {c:g} * the one before {text}, first {first:g}", (rows - c * before).reshape(-1)
                )


spelled("pre emphasis", "preemphasis, pre emphasis filter")


@vague("moving average")
@function("sliding window sum", "sliding window max", "sliding window min")
def _windows(problem: Problem) -> Iterator[Formula]:
    """Of windows that are whole, that end at each element, or that are around it; beyond the ends is nothing."""
    for x in problem.inputs:
        for text, rows in problem.along_axes(x):
            passed = [
                n
                for k in problem.whole
                for n in (k, 2 * k + 1)
                if 1 < n <= rows.shape[1] and n * x.size <= _MOST_WINDOWS
            ]
            for n, before in ((m, b) for m in dict.fromkeys(passed) for b in dict.fromkeys((0, m - 1, m // 2))):
                pad = [(0, 0), (before, n - 1 - before if before else 0), (0, 0)]
                if (rows.shape[1] + sum(pad[1]) - n + 1) * x.size // rows.shape[1] != problem.size:
                    continue
                there, total, most, least = (
                    sliding_window_view(np.pad(one, pad, constant_values=fill), n, axis=1)
                    for one, fill in ((np.ones(rows.shape), 0.0), (rows, 0.0), (rows, -np.inf), (rows, np.inf))
                )
                sums = total.sum(axis=3)
                forms = {"sums": sums, "means": sums / there.sum(axis=3), "sums / length": sums / n}
                forms |= {"largest": most.max(axis=3), "least": least.min(axis=3)}
                for how, made in forms.items():
                    yield Formula(f"{how} of windows of {n} of {x.name} {text}, {before} before", made.reshape(-1))


spelled("moving average", "running average, moving mean, sliding average, sliding window average, rolling mean")
spelled("sliding window sum", "window sum, rolling sum, moving sum, windowed sum")
spelled("sliding window max", "window max, rolling max, max sliding window, sliding max")
spelled("sliding window min", "window min, rolling min, min sliding window, sliding min")


@function("max subarray sum")
def _largest_sum(problem: Problem) -> Iterator[Formula]:
    """Of all windows of a length that is passed, or of all sections."""
    for x in problem.inputs if problem.size == 1 else ():
        sums = np.concatenate([[0.0], np.cumsum(x.flat)])
        for n in (n for n in problem.whole if 0 < n <= x.size):
            yield Formula(f"largest sum of {n} of {x.name}", np.array([(sums[n:] - sums[:-n]).max()]))
        least = np.minimum.accumulate(sums)[:-1]
        yield Formula(f"largest sum of a section of {x.name}", np.array([(sums[1:] - least).max()]))


spelled(
    "max subarray sum", "maximum subarray sum, max subarray, maximum subarray, kadane, max sum subarray, max window sum"
)


@function("segmented scan")
def _restarted(problem: Problem) -> Iterator[Formula]:
    """Running sums that begin anew where a flag is set, with the element or without; also by offsets of sections."""
    for x, flags in permutations(problem.inputs, 2):
        marks = flags.flat != 0
        if x.size != problem.size or flags.values.dtype.kind not in "iub":
            continue
        if flags.size != x.size:
            at = flags.index
            if at.min() < 0 or at.max() > x.size:
                continue
            marks = np.isin(np.arange(x.size), at)
        starts = np.maximum.accumulate(np.where(marks, np.arange(x.size), 0))
        sums = np.concatenate([[0], np.cumsum(x.flat)])
        yield Formula(f"sums of {x.name} from each {flags.name}", sums[1:] - sums[starts])
        yield Formula(f"sums of {x.name} from each {flags.name}, of those before", sums[:-1] - sums[starts])


spelled(
    "segmented scan",
    "segmented prefix sum, segmented cumsum, seg scan, segmented inclusive scan, segmented exclusive scan",
)

of_all_results("stream compaction")


@vague("stream compaction")
def _compacted(problem: Problem) -> Iterator[Formula]:
    """The elements that are above a number, not 0, or marked, in their order; then what was there. Or their places."""
    for x in problem.inputs:
        kinds = [
            (f"{x.name} > {bound:g}", x.flat > bound)
            for bound in dict.fromkeys((0.0, *problem.factors, *map(float, problem.whole)))
        ]
        kinds += [(f"{x.name} != 0", x.flat != 0), (f"{x.name} >= 0", x.flat >= 0), (f"even {x.name}", x.flat % 2 == 0)]
        kinds += [(one.name, one.flat != 0) for one in problem.inputs if one is not x and one.size == x.size]
        for name, kept in kinds:
            found = x.flat[kept]
            if problem.size == 1:
                yield Formula(f"how many {name}", np.array([kept.sum()]))
            for how, some in (("", found), ("places of ", np.flatnonzero(kept))):
                if len(some) <= problem.size and len(some):
                    held = [np.zeros(problem.size), *(one.flat.copy() for one in problem.like)]
                    for made in held:
                        made[: len(some)] = some
                        yield Formula(f"{how}{x.name} where {name}", made)
            for at in (one for one in problem.integers if one.size == x.size and one is not x):
                if kept.any() and at.index[kept].min() >= 0 and at.index[kept].max() < problem.size:
                    made = np.zeros(problem.size)
                    made[at.index[kept]] = found
                    yield Formula(f"{x.name} where {name} at {at.name}", made)


spelled(
    "stream compaction", "compact, stream compact, compaction, compact array, stream filter, filter positive, copy if"
)


@function("window function", "hann window", "hamming window", "blackman window")
def _windowed(problem: Problem) -> Iterator[Formula]:
    """Weights of a frame, or each frame times these: Hann, Hamming, Blackman, symmetric or of one period."""
    weights = {"hann": (0.5, 0.5, 0.0), "hamming": (0.54, 0.46, 0.0), "blackman": (0.42, 0.5, 0.08)}
    lengths = dict.fromkeys(
        (problem.size, *(n for n in problem.whole if 1 < n <= problem.size and problem.size % n == 0))
    )
    for (name, (a, b, c)), n, period in product(weights.items(), lengths, (1, 0)):
        at = 2 * math.pi * np.arange(n) / max(n - period, 1)
        row = np.tile(a - b * np.cos(at) + c * np.cos(2 * at), problem.size // n)
        how = f"{name} of {n}, {'symmetric' if period else 'of one period'}"
        yield from (Formula(f"{x.name} * {how}", x.flat * row) for x in problem.like)
        yield Formula(how, row)


spelled(
    "window function", "apply window, windowing, apply hann, apply hann window, apply hamming, apply hamming window"
)
spelled("hann window", "hann, hanning, hanning window")
spelled("hamming window", "hamming weights")


@vague("power spectrum")
def _powers(problem: Problem) -> Iterator[Formula]:
    """Squares of magnitudes of complex numbers [n, 2] or of two parts; their root, or over a number that is passed."""
    pairs = [(one.name, *one.flat.reshape(-1, 2).T) for one in problem.floats if one.size == 2 * problem.size]
    pairs += [(f"{a.name}, {b.name}", a.flat, b.flat) for a, b in permutations(problem.like, 2)]
    for name, re, im in pairs:
        for by in dict.fromkeys((1.0, *problem.factors, *(float(n) for n in problem.whole if n))):
            yield Formula(f"|{name}|^2 / {by:g}", (re**2 + im**2) / by)
            yield Formula(f"|{name}|^2 * {by:g}", (re**2 + im**2) * by)
        yield Formula(f"|{name}|", np.hypot(re, im))


spelled(
    "power spectrum",
    "compute power spectrum, magnitude spectrum, complex magnitude, spectrum magnitude, power spectral density",
)


@function("mu law encode", "mu law decode")
def _companded(problem: Problem) -> Iterator[Formula]:
    """sign * log(1 + mu * |x|) / log(1 + mu), and levels 0..mu of it; and back. mu is 255, or passed, or one less."""
    for x, mu in product(
        problem.like, dict.fromkeys((*(float(n + by) for n in problem.whole for by in (0, -1)), 255.0))
    ):
        if mu <= 0:
            continue
        made = np.sign(x.flat) * np.log1p(mu * np.abs(x.flat)) / math.log1p(mu)
        yield Formula(f"mu law of {x.name}, {mu:g}", made)
        yield Formula(f"levels by mu law of {x.name}, {mu:g}", np.trunc((made + 1) / 2 * mu + 0.5))
        for how, level in (("", x.flat), (" of levels", 2 * x.flat / mu - 1)):
            back = np.sign(level) * np.expm1(np.abs(level) * math.log1p(mu)) / mu
            yield Formula(f"inverse mu law of {x.name}{how}, {mu:g}", back)


spelled("mu law encode", "mulaw encode, mu law encoding, mulaw, mu law")
spelled("mu law decode", "mulaw decode, mu law decoding")


@vague("amplitude to db")
def _decibels(problem: Problem) -> Iterator[Formula]:
    """10 or 20 times the logarithm of what is not below a number, less that of a reference."""
    for x, by, least in product(problem.like, (10.0, 20.0), dict.fromkeys((*problem.factors, 1e-10, 1e-12, 0.0))):
        made = by * np.log10(np.maximum(x.flat, least))
        yield Formula(f"{by:g} * log10({x.name}), from {least:g} on", made)
        for ref in (one for one in problem.factors if one > 0):
            yield Formula(f"{by:g} * log10({x.name} / {ref:g}), from {least:g} on", made - by * math.log10(ref))
        yield Formula(f"{by:g} * log10({x.name} + {least:g})", by * np.log10(x.flat + least))


spelled("amplitude to db", "power to db, to db, to decibel, amplitude2db, power2db, to decibels")
spelled("axpy", "xpay, vector update, update direction")
