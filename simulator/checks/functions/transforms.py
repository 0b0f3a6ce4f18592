"""Transforms: Fourier, cosine, Walsh-Hadamard, Haar; and steps of networks that sort."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from .problem import FUNCTIONS, Formula, Problem, function, vague

#: Elements of a transform by a matrix, at most.
_MOST = 1 << 11

#: Transforms of complex numbers, and back.
_FORWARD = ("fft", "dft", "fourier transform", "discrete fourier transform")
_BACK = ("ifft", "idft", "inverse fft", "inverse dft", "inverse fourier transform")
OF_COMPLEX = frozenset((*_FORWARD, *_BACK))

_Rows = np.ndarray  # [outer, n, inner]


def _is_power(n: int) -> bool:
    return n > 1 and n & (n - 1) == 0


def walsh(rows: _Rows, strides: Sequence[int]) -> _Rows:
    """Sums and differences of elements that lie so many apart, one stride after the other."""
    made = rows
    for stride in strides:
        pairs = made.reshape(rows.shape[0], -1, 2, stride, rows.shape[2])
        first, second = pairs[:, :, 0], pairs[:, :, 1]
        made = np.stack([first + second, first - second], axis=2).reshape(rows.shape)
    return made


@function(
    "walsh hadamard", "hadamard transform", "walsh transform", "walsh hadamard transform", "fwht", "fwt",
    "fast walsh hadamard transform", "fast hadamard transform", "fast walsh transform",
)  # fmt: skip
def _walsh(problem: Problem) -> Iterator[Formula]:
    """The whole transform, also by the number of elements, its root or a factor; or a step of a stride."""
    for x in problem.like if len(problem.inputs) == 1 else ():
        for text, rows in problem.along_axes(x):
            n = rows.shape[1]
            if not _is_power(n):
                continue
            for bits in dict.fromkeys((n.bit_length() - 1, *problem.whole)):
                if 0 < bits < n.bit_length():
                    whole, count = walsh(rows, [1 << at for at in range(bits)]), 1 << bits
                    for by in dict.fromkeys((1.0, 1 / count, count**-0.5, *problem.factors)):
                        title = f"{by:g} * walsh({x.name}) {text}, of {count} each"
                        yield Formula(title, (by * whole).reshape(-1))
            strides = (s for m in problem.whole for s in (m, 1 << m if 0 <= m < 32 else 0))
            for stride in (s for s in dict.fromkeys(strides) if s == 1 or (_is_power(s) and s < n)):
                for steps in ([stride], [stride, 2 * stride][: 1 + (4 * stride <= n)]):
                    made = walsh(rows, steps)
                    yield Formula(f"steps {steps} of walsh({x.name}) {text}", made.reshape(-1))
                    yield Formula(f"halves of steps {steps} of walsh({x.name}) {text}", (made / 2).reshape(-1))


def cosines(n: int) -> np.ndarray:
    """The orthonormal cosine transform (DCT-II) of n elements as a matrix."""
    k, at = np.arange(n)[:, None], np.arange(n)[None]
    found: np.ndarray = np.cos(np.pi * (2 * at + 1) * k / (2 * n)) * np.sqrt(np.where(k == 0, 1, 2) / n)
    return found


def _by_cosines(problem: Problem, back: bool) -> Iterator[tuple[str, np.ndarray]]:
    """Blocks of 8x8 of images, whole images and rows."""
    name = "idct" if back else "dct"
    for x in problem.like if len(problem.floats) == 1 else ():
        for text, image in problem.images_of(x):
            count, rows, columns, channels = image.shape
            if channels != 1:
                continue
            for high, wide in dict.fromkeys(((8, 8), (rows, columns), (1, columns), (rows, 1), (1, 8))):
                if rows % high or columns % wide or max(high, wide) > _MOST or x.size * (high + wide) > 1 << 26:
                    continue
                down, across = (cosines(n).T if back else cosines(n) for n in (high, wide))
                blocks = image.reshape(count, rows // high, high, columns // wide, wide)
                made = np.einsum("ai,nriqj,bj->nraqb", down, blocks, across, optimize=True)
                yield f"{name}({x.name}) {text} by blocks of {high}x{wide}", made.reshape(-1)
                if not back:
                    k, m = (np.sqrt(np.where(np.arange(n) == 0, 1, 2) / n) for n in (high, wide))
                    plain = made / (k[:, None, None] * m)
                    yield f"{name}({x.name}) {text} by blocks of {high}x{wide}, without weights", plain.reshape(-1)


@vague("dct", "dct2d", "dct 8x8", "dct8x8", "discrete cosine transform")
def _dct(problem: Problem) -> Iterator[Formula]:
    yield from (Formula(*one) for one in _by_cosines(problem, back=False))


@vague("idct", "idct2d", "idct 8x8", "idct8x8", "inverse dct")
def _idct(problem: Problem) -> Iterator[Formula]:
    yield from (Formula(*one) for one in _by_cosines(problem, back=True))


def _signals(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """Complex numbers: those of an array, pairs of numbers, a real part with an imaginary one, real ones."""
    for one in problem.inputs:
        if one.values.dtype.kind == "c":
            yield one.name, one.flat
        elif one.values.dtype.kind == "f":
            if one.size % 2 == 0:
                yield f"pairs of {one.name}", one.flat[::2] + 1j * one.flat[1::2]
            yield one.name, one.flat.astype(np.complex128)
    for real, imag in permutations(problem.floats, 2):
        if real.size == imag.size:
            yield f"{real.name} + {imag.name}i", real.flat + 1j * imag.flat


def _parts(problem: Problem, text: str, made: np.ndarray) -> Iterator[Formula]:
    """Complex results, as an output of so many elements may have them."""
    if made.size == problem.size:
        yield Formula(text, made)
        yield Formula(f"real parts of {text}", made.real)
        yield Formula(f"imaginary parts of {text}", made.imag)
    if 2 * made.size == problem.size:
        yield Formula(f"pairs of {text}", np.stack([made.real, made.imag], axis=1).reshape(-1))


def _lengths(problem: Problem, size: int) -> Sequence[int]:
    """The lengths of transforms: of all, as passed, of a half or a row."""
    usual = [n for n in problem.whole if 1 < n < size and size % n == 0]
    return [size, *dict.fromkeys(n for n in (*usual, size // 2) if n > 1 and size % n == 0)]


def _fourier(problem: Problem, back: bool) -> Iterator[Formula]:
    for name, x in _signals(problem):
        for n in _lengths(problem, x.size):
            rows = x.reshape(-1, n)
            made = (np.fft.ifft(rows) * n if back else np.fft.fft(rows)).reshape(-1)
            scales = (1.0, 1 / n, n**-0.5)
            for by in scales if back else scales[:1]:
                title = f"{by:g} * {'inverse ' * back}fft({name}) of {n}"
                yield from _parts(problem, title, by * made)
                if not back:
                    yield from _sizes(problem, title, by * made)


def _sizes(problem: Problem, text: str, made: np.ndarray) -> Iterator[Formula]:
    if made.size == problem.size:
        yield Formula(f"magnitudes of {text}", np.abs(made))
        yield Formula(f"powers of {text}", np.abs(made) ** 2)


@vague(*_FORWARD)
def _forward(problem: Problem) -> Iterator[Formula]:
    yield from _fourier(problem, back=False)


@vague(*_BACK)
def _inverse(problem: Problem) -> Iterator[Formula]:
    yield from _fourier(problem, back=True)


@vague("haar", "haar wavelet", "haar transform", "haar wavelet transform")
def _haar(problem: Problem) -> Iterator[Formula]:
    """Means and differences of pairs by 2 or its root: the first ones, then the others, each alone, or in turns."""
    for x in problem.inputs:
        for text, rows in problem.along_axes(x):
            if rows.shape[1] % 2 or rows.shape[1] < 2:
                continue
            for how, by in (("2", 0.5), ("its root", 0.5**0.5)):
                low, high = by * (rows[:, ::2] + rows[:, 1::2]), by * (rows[:, ::2] - rows[:, 1::2])
                title = f"of pairs of {x.name} {text}, by {how}"
                if 2 * problem.size == x.size:
                    yield Formula(f"sums {title}", low.reshape(-1))
                    yield Formula(f"differences {title}", high.reshape(-1))
                if problem.size == x.size:
                    yield Formula(f"sums, then differences {title}", np.concatenate([low, high], axis=1).reshape(-1))
                    turns = np.stack([low, high], axis=2).reshape(rows.shape)
                    yield Formula(f"sums and differences {title}", turns.reshape(-1))


@function("bit reverse", "bit reversal", "bit reverse copy", "bit reversal permutation")
def _reversed(problem: Problem) -> Iterator[Formula]:
    """Elements, or pairs of them, at the places whose numbers have the same bits from behind; or such numbers."""
    for x, wide in product(problem.like, (1, 2)):
        if x.size % wide == 0 and _is_power(x.size // wide):
            rows = x.flat.reshape(-1, wide)
            bits = len(rows).bit_length() - 1
            at = [int(f"{n:0{bits}b}"[::-1], 2) for n in range(len(rows))]
            yield Formula(f"{x.name} in the order of reversed bits, {wide} each", rows[at].reshape(-1))
    yield from FUNCTIONS["reverse bits"](problem)


def exchanged(x: np.ndarray, first: np.ndarray, second: np.ndarray, rising: np.ndarray) -> np.ndarray:
    """Pairs of elements by their places, in order: the smaller one first where they rise."""
    made = x.copy()
    low, high = np.minimum(x[first], x[second]), np.maximum(x[first], x[second])
    made[first], made[second] = np.where(rising, low, high), np.where(rising, high, low)
    return made


def _bitonic_steps(problem: Problem) -> Iterator[Formula]:
    """Elements that lie j apart, of which blocks of k rise and fall in turns, of the first as many as are passed."""
    powers = [n for n in problem.whole if n == 1 or (_is_power(n) and n <= 2 * problem.size)]
    for x, (j, k) in product(problem.like, permutations(powers, 2)):
        for n in dict.fromkeys((x.size, *(m for m in problem.whole if 1 < m < x.size))):
            at = np.arange(n)
            first = at[((at & j) == 0) & (at + j < n)]
            if j < k <= 2 * n and len(first):
                for how, rising in (("rising", (first & k) == 0), ("falling", (first & k) != 0)):
                    made = exchanged(x.flat, first, first + j, rising)
                    yield Formula(f"a step of {x.name}, {j} apart, blocks of {k}, first {how}", made)


def _is_alone(problem: Problem) -> bool:
    """Whether one array is all that is passed, so that nothing else is compared."""
    return len(problem.inputs) == 1


@vague("bitonic sort step", "bitonic step", "bitonic merge step", "bitonic sort stage", unless=_is_alone)
def _bitonic_step(problem: Problem) -> Iterator[Formula]:
    yield from _bitonic_steps(problem)


def _swaps(problem: Problem) -> Iterator[Formula]:
    """Neighbours from an even place or from an odd one, as a number that is passed says."""
    for x, phase in product(problem.like, problem.whole):
        first = np.arange(phase % 2, x.size - 1, 2)
        if phase >= 0 and len(first):
            for how, rising in (("rising", True), ("falling", False)):
                made = exchanged(x.flat, first, first + 1, np.full(len(first), rising))
                yield Formula(f"neighbours of {x.name} from {phase % 2}, {how}", made)


@vague(
    "odd even step", "odd even sort step", "odd even transposition", "odd even phase",
    "odd even transposition sort step", unless=_is_alone,
)  # fmt: skip
def _odd_even_step(problem: Problem) -> Iterator[Formula]:
    yield from _swaps(problem)


def _or_steps(steps: Callable[[Problem], Iterator[Formula]]) -> Callable[[Problem], Iterator[Formula]]:
    def formulas(problem: Problem) -> Iterator[Formula]:
        yield from FUNCTIONS["sort"](problem)
        yield from steps(problem)

    return formulas


function("bitonic sort")(_or_steps(_bitonic_steps))
function("odd even sort", "bubble sort")(_or_steps(_swaps))


@function("interleave")
def _interleave(problem: Problem) -> Iterator[Formula]:
    """Elements of two arrays or more in turns."""
    for count in (2, 3, 4):
        for some in combinations(problem.inputs, count):
            if all(one.size * count == problem.size for one in some):
                made = np.stack([one.flat for one in some], axis=1)
                yield Formula(f"{', '.join(one.name for one in some)} in turns", made.reshape(-1))
