"""What a program has to do, said once more: bytes in arrays, one step after the other. Knows nothing of mlusim."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from . import program as p

#: Bytes of a line of the vector unit.
_LINE = 128
DTYPES = {"float": np.float32, "half": np.float16, "int32": np.int32, "int16": np.int16, "int8": np.int8,
          "int64": np.int64}  # fmt: skip


@dataclass
class Bytes:
    """Memory: its bytes, which of them rest on what was never written, and which have an unknown value."""

    data: np.ndarray
    unwritten: np.ndarray
    unknown: np.ndarray

    @classmethod
    def fresh(cls, size: int) -> Bytes:
        return cls(np.zeros(size, np.uint8), np.ones(size, bool), np.ones(size, bool))


Span = tuple[int, int, int]  # memory, first byte, end


@dataclass
class Later:
    """A copy that has been started and is not done."""

    pipe: str
    pieces: list[tuple[Span, Span]]
    written: Span
    read: Span


@dataclass
class Order:
    """Which uses of memory come one after the other: a pipe works in order, and the core knows what it waited for.

    Knowledge is a dict from pipes to how many of their instructions are known to be done.
    """

    issued: dict[str, int] = field(default_factory=dict)
    front: dict[str, int] = field(default_factory=dict)  # what the core knows
    ends: dict[str, dict[str, int]] = field(default_factory=dict)  # what the end of a pipe's last instruction knows
    uses: list[tuple[str, int, list[Span], list[Span]]] = field(default_factory=list)
    broken: bool = False

    def wait(self, pipes: set[str] | tuple[str, ...]) -> None:
        """The core waits until pipes are idle."""
        for pipe in pipes:
            _learn(self.front, self.ends.get(pipe, {}))

    def use(self, pipe: str, writes: list[Span], reads: list[Span], blocks: bool = False) -> None:
        """An instruction of a pipe; one that ``blocks`` the core waits itself for what it depends on."""
        known = _learn(dict(self.front), self.ends.get(pipe, {}))
        for other, number, written, read in self.uses:
            if other == pipe or known.get(other, 0) >= number or not _conflict(writes, reads, written, read):
                continue
            if blocks:
                _learn(self.front, self.ends[other])
            else:
                self.broken = True
        number = self.issued[pipe] = self.issued.get(pipe, 0) + 1
        self.uses.append((pipe, number, writes, reads))
        self.ends[pipe] = {**known, pipe: number}
        if blocks or pipe == "scalar":  # the scalar unit is the core
            _learn(self.front, self.ends[pipe])


def _learn(knowledge: dict[str, int], by: dict[str, int]) -> dict[str, int]:
    for pipe, number in by.items():
        knowledge[pipe] = max(knowledge.get(pipe, 0), number)
    return knowledge


def _conflict(writes: list[Span], reads: list[Span], written: list[Span], read: list[Span]) -> bool:
    mine = any(_meet(a, b) for a in writes for b in (*written, *read))
    return mine or any(_meet(a, b) for a in reads for b in written)


@dataclass
class Outcome:
    """What must come out: rules that the last step breaks (any may be named first), or the arguments' memory."""

    broken: set[str]
    step: int
    memory: Bytes
    warned: set[str] = field(default_factory=set)  # instructions that read uninitialized memory


class Interpreter:
    """Runs a program on plain bytes."""

    def __init__(self, host: np.ndarray, program: p.Program, arch: int, fetched: bool) -> None:
        """``fetched``: scalar code loads each step from memory."""
        self.program, self.fetched = program, fetched
        self.old, self.strict = arch < 300, arch < 392  # lines of vectors; WRAM in eights
        known = Bytes(host.copy(), np.zeros(host.size, bool), np.zeros(host.size, bool))
        self.memories = [known] + [Bytes.fresh(size) for space, size in p.ARRAYS if space != p.GDRAM]
        self.pending: list[Later] = []
        self.order = Order()
        self.warned: set[str] = set()

    def run(self) -> Outcome:
        for number, step in enumerate(self.program.steps):
            broken = self._step(step)
            if broken:
                return Outcome(broken | self._order(), number, self.memories[0], self.warned)
        return Outcome(self._order(), len(self.program.steps), self.memories[0], self.warned)

    def _order(self) -> set[str]:
        """Hazards are found when all is over."""
        return {"order"} if self.order.broken else set()

    def span(self, place: tuple[int, int], low: int, high: int) -> Span:
        """Bytes [low, high) from a place on."""
        array, offset = place
        if array < p.ARGUMENTS:
            first = self.program.places[array] + offset
            return 0, first + low, first + high
        return array - p.ARGUMENTS + 1, offset + low, offset + high

    def _step(self, step: p.Step) -> set[str]:
        if self.fetched:
            self.order.wait(("compute",))
        if step.kind == p.WAIT:
            self._drain(p.WAITS[step.variant][1])
            self.order.wait(p.WAITS[step.variant][1])
            return set()
        if step.kind in p.COPIES:
            return self._copy(step)
        if step.kind in (p.STORE, p.MOVE):
            return self._scalar(step)
        return self._vector(step)

    # Copies.

    def _copy(self, step: p.Step) -> set[str]:
        size, spaces = step.count, [p.ARRAYS[place[0]][0] for place in (step.dst, step.a)]
        dims = self._dims(step)
        broken = self._copy_rules(step, spaces, dims)
        if size < 0 or any(count < 0 for side in dims for count, _ in side):
            return broken or {"length"}
        extents = [_extent(side, size) for side in dims]
        for place, (low, high) in zip((step.dst, step.a), extents, strict=True):
            broken |= self._outside(place, low, high)
        if broken or size == 0:
            return broken
        written, read = (self.span(at, *e) for at, e in zip((step.dst, step.a), extents, strict=True))
        pieces = [
            (self.span(step.dst, d, d + size), self.span(step.a, s, s + size))
            for d, s in zip(_starts(dims[0]), _starts(dims[1]), strict=True)
        ]
        later = step.kind in (p.COPY_ASYNC, p.COPY_2D_ASYNC)
        pipe = "io" if p.GDRAM in spaces else "compute" if set(spaces) == {p.NRAM} else "move"
        if not later:
            self._drain((pipe,))
        if written[0] == 0:  # the host sees it
            self._read("__memcpy_async" if later else "__memcpy", [piece[1] for piece in pieces])
        for (to, first, end), (source, low, high) in pieces:
            self.memories[to].unwritten[first:end] = self.memories[source].unwritten[low:high].copy()
        exact = [to for to, _ in pieces], [source for _, source in pieces]
        self.order.use(pipe, *exact, blocks=not later)
        if not later:
            self._drain({e.pipe for e in self.pending if e.pipe != pipe and _clash(e, [written], [read])})
        if (
            later and pipe != "compute"
        ):  # there is no wait for that one: what it did is there for all that comes after it
            self.pending.append(Later(pipe, pieces, written, read))
        else:
            self._move(pieces)
        return set()

    def _dims(self, step: p.Step) -> list[list[tuple[int, int]]]:
        """Of the target and of the source: further segments and their stride, innermost first."""
        more = step.more[1:]
        if step.kind == p.COPY_3D:
            return [[(more[1], more[0]), (more[3], more[2])], [(more[5], more[4]), (more[7], more[6])]]
        if step.kind in (p.COPY_2D, p.COPY_2D_ASYNC):
            return [[(more[2], more[0])], [(more[2], more[1])]]
        return [[], []]

    def _copy_rules(self, step: p.Step, spaces: list[str], dims: list[list[tuple[int, int]]]) -> set[str]:
        size, broken = step.count, set()
        if size < 0 or any(count < 0 for side in dims for count, _ in side):
            broken.add("length")
        for place, space, side in zip((step.dst, step.a), spaces, dims, strict=True):
            if self.strict and space == p.WRAM and (place[1] % 8 or any(stride % 8 for _, stride in side)):
                broken.add("alignment")
        if self.strict and p.WRAM in spaces and size % (64 if self.old else 16):
            broken.add("length")
        flat = step.kind in (p.COPY, p.COPY_ASYNC)
        if self.old and flat and spaces == [p.NRAM, p.NRAM] and (step.dst[1] % 64 or step.a[1] % 64 or size % 128):
            broken.add("alignment")
        if step.kind == p.COPY_3D and any(n > 0 and abs(stride) < size for side in dims for n, stride in side):
            broken.add("argument")
        return broken

    def _move(self, pieces: list[tuple[Span, Span]]) -> None:
        """One segment after the other; a segment is read before it is written."""
        for (to, first, end), (of, start, stop) in pieces:
            target, source = self.memories[to], self.memories[of]
            target.data[first:end] = source.data[start:stop].copy()
            target.unknown[first:end] = source.unknown[start:stop].copy()

    def _drain(self, pipes: set[str] | tuple[str, ...]) -> None:
        for later in [e for e in self.pending if e.pipe in pipes]:
            self._move(later.pieces)
            self.pending.remove(later)

    # Vectors.

    def _vector(self, step: p.Step) -> set[str]:
        name, size = p.TYPES[step.type]
        read, target_size = [step.a, step.b] if step.kind == p.BINARY else [step.a], size
        if step.kind == p.FILL:
            read = []
        if step.kind == p.WIDEN:
            name, size, target_size = "half", 2, 4
        count = step.count
        broken, lost = {"length"} if count <= 0 else set(), 0
        if self.old:
            if any(place[1] % 64 for place in (step.dst, *read)):
                broken.add("alignment")
            multiple = 64 if step.kind == p.FILL else 128
            if count % 64 if step.kind == p.WIDEN else count * size % multiple:
                broken.add("length")
        if count <= 0:
            return broken
        for place, width in ((step.dst, target_size), *((place, size) for place in read)):
            broken |= self._outside(place, 0, count * width)
        if "bounds" in broken:
            broken.add("overlap")  # what runs past its end may run into something else
        dst, sources = self.span(step.dst, 0, count * target_size), [self.span(r, 0, count * size) for r in read]
        for source in sources:
            if not _meet(dst, source):
                continue
            fine = dst == source
            if step.kind == p.WIDEN:  # its last elements may be padding
                lost = _overwritten(dst, source, count)
                fine = dst[1] < source[1] and lost * size < _LINE
            if not fine:
                broken.add("overlap")
        if broken:
            return broken
        self.order.use("compute", [dst], sources)
        unwritten = np.zeros(count, bool)
        for memory, low, high in sources:
            unwritten |= self.memories[memory].unwritten[low:high].reshape(count, -1).any(axis=1)
        self.memories[dst[0]].unwritten[dst[1] : dst[2]] = unwritten.repeat(target_size)
        self._compute(step, DTYPES[name], dst, sources)
        for state in (self.memories[dst[0]].unwritten, self.memories[dst[0]].unknown):
            state[dst[2] - lost * target_size : dst[2]] |= lost > 0
        return set()

    def _compute(self, step: p.Step, dtype: type, dst: Span, sources: list[Span]) -> None:
        values = [self.memories[m].data[low:high].copy().view(dtype) for m, low, high in sources]
        with np.errstate(all="ignore"):
            result = _value(step, dtype, values, self.old)
        memory, low, high = dst
        unknown = np.zeros(step.count, bool)
        for m, first, end in sources:
            unknown |= self.memories[m].unknown[first:end].reshape(step.count, -1).any(axis=1)
        self.memories[memory].data[low:high] = result.view(np.uint8)
        self.memories[memory].unknown[low:high] = unknown.repeat((high - low) // step.count)

    # Scalars.

    def _scalar(self, step: p.Step) -> set[str]:
        name, size = p.TYPES[step.type]
        read = [step.a] if step.kind == p.MOVE else []
        broken = {rule for place in read for rule in self._outside(place, 0, size)}
        if broken:
            return broken
        dst, sources = self.span(step.dst, 0, size), [self.span(r, 0, size) for r in read]
        self._read("scalar.load", sources)
        self.order.wait(("compute",))
        if sources:
            self.order.use("scalar", [], sources)
        broken = self._outside(step.dst, 0, size)
        if broken:
            return broken
        self.order.use("scalar", [dst], [])
        self._wrote(dst)
        if read:
            self._move([(dst, sources[0])])
        else:
            self.memories[dst[0]].data[dst[1] : dst[2]] = np.array([step.more[0]], DTYPES[name]).view(np.uint8)
            self.memories[dst[0]].unknown[dst[1] : dst[2]] = False
        return set()

    # Memory.

    def _outside(self, place: tuple[int, int], low: int, high: int) -> set[str]:
        array, offset = place
        size = self._size(array)
        if high > low and (offset + low < 0 or offset + high > size):
            return {"bounds", "space"} if offset >= size else {"bounds"}
        return set()

    def _size(self, array: int) -> int:
        """Bytes from the beginning of an array to the end of what it shares memory with."""
        if array >= p.ARGUMENTS or not self.program.aliased:
            return p.ARRAYS[array][1]
        first, places = self.program.places[array], self.program.places
        ends = [start + p.ARRAYS[n][1] for n, start in enumerate(places)]
        end = ends[array]
        for _ in places:
            end = max([end, *(e for start, e in zip(places, ends, strict=True) if start < end and e > first)])
        return end - first

    def _read(self, name: str, spans: list[Span]) -> None:
        for memory, low, high in spans:
            unwritten = self.memories[memory].unwritten
            if unwritten[low:high].any():
                self.warned.add(name)
                unwritten[low:high] = False

    def _wrote(self, span: Span) -> None:
        self.memories[span[0]].unwritten[span[1] : span[2]] = False


def _product(a: np.ndarray, b: np.ndarray, old: bool) -> np.ndarray:
    """On the 2xx a factor of 0 makes +0."""
    return np.where((a == 0) | (b == 0), a.dtype.type(0), a * b) if old else a * b


def _value(step: p.Step, dtype: type, values: list[np.ndarray], old: bool) -> np.ndarray:
    constant = dtype(step.more[0])
    if step.kind == p.FILL:
        return np.full(step.count, constant)
    if step.kind == p.WIDEN:
        return values[0].astype(np.float32)
    if step.kind == p.SCALAR:
        return _product(values[0], constant, old) if step.variant else values[0] + constant
    if step.kind == p.UNARY:
        return values[0] * values[0] if step.variant else np.abs(values[0])
    a, b = values
    product = partial(_product, old=old)
    operations = (np.add, np.subtract, product, np.fmax, np.fmin)  # of a NaN and a number the number (inferred)
    return operations[step.variant](a, b)


def _overwritten(dst: Span, source: Span, count: int) -> int:
    """Elements of 2 bytes that those of 4 bytes made of the ones before have run over when their turn comes."""
    first = (source[1] - dst[1]) // 2 + 1  # 4 bytes of element `first` begin behind the 2 that it is made of
    return max(count - max(first, 0), 0)


def _extent(side: list[tuple[int, int]], size: int) -> tuple[int, int]:
    ends = [count * stride for count, stride in side]
    return sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends) + size


def _starts(side: list[tuple[int, int]]) -> list[int]:
    starts = [0]
    for count, stride in side:
        starts = [n * stride + start for n in range(count + 1) for start in starts]
    return starts


def _meet(one: Span, other: Span) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def _clash(later: Later, writes: list[Span], reads: list[Span]) -> bool:
    """Whether a use meets a copy on its way: its target may not be touched, nor its source written."""
    return any(_meet(later.written, s) for s in (*writes, *reads)) or any(_meet(later.read, s) for s in writes)
