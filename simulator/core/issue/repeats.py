"""What ports keep of their calls for native code, which carries them out when they are made again.

The plan of a call holds what has been tested and found; what is left to know is its effect. Instructions that move
elements, or form sums of products, are called with places instead of contents, which says what comes where.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....isa import Completion, Compute, Copy, Instruction, Kind
from ...log import ASYNC
from ...log.log import RUNS
from ...log.region import region_key
from ...structures import header
from ..execution.repeats import Limit, Repeat, RepeatRow
from ..memory import Allocation, Tensor
from ..memory.sums import SUMS, in_memory
from ..memory.sums import works as all_works
from .check import Check
from .effects import EffectWriter
from .failures import Failures, Kept
from .operands import Operand

_MOVE = header("runtime/repeats.h").dtype("mlusim_move")
#: Elements of an operand and runs of a table, at most: of larger calls the port is a small part.
_MOST_ELEMENTS, _MOST_RUNS = 1 << 17, 1 << 14
#: Calls before native code is told: to do so takes as long as five of them.
_FEW = 4
#: What consists of floats, as factors of sums do.
_FLOAT, _FLOATS = np.dtype(np.float32), (np.dtype(np.float32), np.dtype(np.complex64))
#: A subnormal number, of which numbers up to 2 ** 23 are multiples.
_TINY = np.float32(2**-149)
assert 2 * Limit.MOST_TENSORS * _MOST_ELEMENTS <= 1 << 23

#: Contents of the operands -> what the instruction makes of them.
Body = Callable[..., Any]


def may_repeat(entry: Instruction) -> bool:
    """Whether native code may carry out calls of an instruction that are made again: it fills a tensor on the chip."""
    memory, effect = entry.prototype.memory, entry.effect
    queued = isinstance(effect, (Compute, Copy)) and effect.completion is Completion.QUEUED
    known = isinstance(effect, Copy) or bool(entry.moves) or bool(entry.held)
    plain = all(p.kind in (Kind.TENSOR, Kind.SYSTEM) and not (p.clobbered or p.defined or p.local_if) for p in memory)
    varies = entry.select or entry.measured or entry.counts or entry.prototype.returns != "void"
    fits = len(memory) <= Limit.MOST_TENSORS and len(entry.written) == 1 and entry.written[0].is_lanes
    return queued and known and plain and fits and not varies and len(outside_of(entry)) <= 1


def outside_of(entry: Instruction) -> list[str]:
    """The operands that do not lie on the chip."""
    return [p.name for p in entry.prototype.memory if not p.is_lanes]


class RepeatWriter:
    """Makes the calls of one port known to native code."""

    def __init__(self, effect: EffectWriter, fail: Failures, checks: Sequence[Check]) -> None:
        port, operands = effect.port, effect.operands
        entry = self._entry = port.entry
        self._execution, self._operands, self._effect, self._fail = port.execution, operands, effect, fail
        #: Those whose contents are called for.
        self._taken = [operand for operand in operands if operand.reads and operand.name not in entry.held]
        self._op, self._pipe = effect.named(entry.pipe, None)
        spaces = {entry.space_of(p) for p in port.memory}
        self._watching = [check for check in checks if check.looks_at(port, spaces)]
        self._target = effect.written[0]

    @classmethod
    def of(cls, effect: EffectWriter, fail: Failures, checks: Sequence[Check]) -> RepeatWriter | None:
        """That of a port; None where native code cannot carry out its calls."""
        port, entry = effect.port, effect.port.entry
        if not may_repeat(entry) or port.skipped_by(map(entry.space_of, port.memory), None):
            return None
        made = cls(effect, fail, checks)
        seen = all(type(check).passes_over is not Check.passes_over for check in made._watching)
        moved = len(made._taken) == 1 and not made._taken[0].flushes
        known = not outside_of(entry) if entry.held else moved
        return made if seen and known else None

    def begin(self) -> str:
        """Statement: a call gets a plan."""
        return f"_repeat = {self._effect.port.bind('_repeats', self._execution.repeats)}.new()"

    def line(self) -> str:
        """Statement: the call that is under way has a plan, and may be made again."""
        port, entry, outside = self._effect.port, self._entry, outside_of(self._entry)
        names = {operand: f"_c_{operand.name}" for operand in self._taken}
        if isinstance(entry.effect, Copy):
            body = f"_c_{self._taken[0].name}"
        else:
            assert entry.semantics is not None
            port.bind("_body", entry.semantics)
            settled = {operand: operand.settled(name) for operand, name in names.items()}
            body = f"_body({self._effect.call(entry.semantics, settled)})"
        views = "".join(f"{operand.view()}, " for operand in self._operands)
        given = f"{outside[0] if outside else 0}, ({views}), _work, _gaps, lambda {', '.join(names.values())}: {body}"
        return f"if _plan and _repeats.keep: {port.bind('_again', self.again)}(_repeat, _pc, _wrong, {given})"

    def again(
        self, repeat: Repeat, pc: int, wrong: Kept | None, address: int, tensors: tuple[Tensor, ...], work: int,
        gaps: int, body: Body,
    ) -> None:  # fmt: skip
        """A call that has a plan was carried out here: native code knows it from now on, if it is plain."""
        repeat.times += 1
        if repeat.times < _FEW or repeat.left:
            return
        if not all(check.passes_over() for check in self._watching) or self._execution.map.overruns:
            return
        if any(type(tensor.entry) is not Allocation for tensor in tensors):
            return
        if repeat.row is None and not self._execution.repeats.full:
            self._make(repeat, address, tensors, work, gaps, body)
            repeat.left = repeat.row is None
        if repeat.row is None:
            return
        for operand, held, tensor in zip(self._operands, repeat.row.operands, tensors, strict=False):
            if operand.parameter.is_lanes:
                if not tensor.settled():
                    return
                held.settled = tensor.entry.uninitialized.age
        if wrong:
            repeat.breaks(pc, partial(self._fail.more, pc, wrong))
        self._execution.repeats.add(repeat)

    def _make(
        self, repeat: Repeat, address: int, tensors: tuple[Tensor, ...], work: int, gaps: int, body: Body
    ) -> None:
        by_operand = dict(zip(self._operands, tensors, strict=True))
        runs = np.array([(at, *run) for at, one in enumerate(tensors) for rows in one.runs() for run in rows], RUNS)
        taken = [by_operand[operand] for operand in self._taken]
        if len(runs) > Limit.MOST_RUNS or max(np.prod(one.shape, dtype=int) for one in taken) > _MOST_ELEMENTS:
            return
        row = RepeatRow(
            op=self._op, pipe=self._pipe, flags=ASYNC, operand_count=len(tensors), run_count=len(runs), gaps=gaps,
            work=work, runs=runs.ctypes.data,
        )  # fmt: skip
        effect = (self._sums if self._entry.held else self._moves)(row, address, by_operand, body)
        if effect is None:
            return
        for at, (operand, tensor) in enumerate(by_operand.items()):
            held, (key, size, lane, lanes) = row.operands[at], tensor.row
            held.bytes, held.lane, held.lanes = size, lane, lanes
            if operand.parameter.is_lanes:
                held.key, held.age = key, tensor.entry.uninitialized.age_at
            else:
                index = self._execution.map.memories[tensor.entry.space].index
                held.key, row.first_key, row.end_key = (
                    (tensor.low - address) % (1 << 64), region_key(index, 0, 0), region_key(index + 1, 0, 0)
                )  # fmt: skip
        repeat.make(row, tensors, [operand.writes for operand in self._operands], [runs, *effect])

    def _moves(
        self, row: RepeatRow, address: int, tensors: dict[Operand, Tensor], body: Body
    ) -> list[np.ndarray] | None:
        """Tables of what moves; None where the order matters in which it does."""
        target, source = tensors[self._target], tensors[self._taken[0]]
        size, places = target.dtype.itemsize, target.places().ravel()
        taken = np.asarray(body(source.places())).reshape(target.shape).ravel()
        taken, places = taken[places != 0], places[places != 0]
        twice = not np.diff(np.sort(places)).all()
        if twice or not taken.all() or target.shares(source) or source.dtype.itemsize != size:
            return None
        moves = _together(places, taken, (size, size))
        moves["count"] *= size
        if not self._taken[0].parameter.is_lanes:
            moves["from"] -= np.uint64(address)
        if len(moves) > _MOST_RUNS:
            return None
        row.moves, row.move_count = moves.ctypes.data, len(moves)
        return [moves]

    def _sums(
        self, row: RepeatRow, address: int, tensors: dict[Operand, Tensor], body: Body
    ) -> list[np.ndarray] | None:
        """Tables of the factors, and what is made of them; None where that is not for native code."""
        read, target = [tensors[operand] for operand in self._taken], tensors[self._target]
        if any(tensor.dtype not in _FLOATS for tensor in read):
            return None
        places = np.concatenate([[0], *map(_floats, read)])
        numbers, begin = [], 1
        for tensor in read:
            count = tensor.dtype.itemsize // _FLOAT.itemsize * int(np.prod(tensor.shape, dtype=int))
            numbers.append((np.arange(begin, begin + count, dtype=np.float32), tensor))
            begin += count
        made, tiny = (
            in_memory(target, body(*((n * scale).view(t.dtype).reshape(t.shape) for n, t in numbers)))
            for scale in (np.float32(1), _TINY)
        )
        if made is None or tiny is None:
            return None
        factors, kept = [], []
        for at in range(2):
            wanted, small = made.factors[at], tiny.factors[at]
            values, taken = np.zeros(wanted.shape), places[wanted.astype(np.int64)]
            moves = _together(values.ctypes.data + 8 * np.flatnonzero(taken), taken[taken != 0], (8, 4))
            flushes = not small.any()
            if len(moves) > _MOST_RUNS or not (flushes or np.array_equal(small, wanted * float(_TINY))):
                return None
            factor = row.factors[at]
            factor.moves, factor.count, factor.flushes = moves.ctypes.data, len(moves), flushes
            factors.append(values)
            kept += [values, moves]
        works = all_works(target, made._replace(factors=(factors[0], factors[1])), self._target.flushes)
        sums = np.frombuffer(b"".join(map(bytes, works)), SUMS)
        row.sums, row.sum_count = sums.ctypes.data, len(sums)
        return [*kept, sums]


def _floats(tensor: Tensor) -> np.ndarray:
    """The place of each float of a tensor of them."""
    each = np.arange(0, tensor.dtype.itemsize, _FLOAT.itemsize)
    return (tensor.places()[..., None] + each).ravel()


def _together(to: np.ndarray, taken: np.ndarray, sizes: tuple[int, int]) -> np.ndarray:
    """Moves from place to place, those of elements of some sizes that lie together as one."""
    apart = (np.diff(to) != sizes[0]) | (np.diff(taken) != sizes[1])
    begin = np.flatnonzero(np.concatenate([np.ones(min(len(to), 1), bool), apart]))
    moves = np.zeros(len(begin), _MOVE)
    moves["to"], moves["from"], moves["count"] = to[begin], taken[begin], np.diff(begin, append=len(to))
    return moves
